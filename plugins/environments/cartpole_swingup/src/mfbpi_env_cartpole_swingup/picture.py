"""A picture of cart and pole."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mfbpi_env_cartpole_swingup.grid import TRACK

#: Pixels: width and height of the picture, length of the pole, half sizes of the cart.
WIDTH, HEIGHT, POLE, CART = 480, 240, 90, (24, 10)

#: Half the thickness of the pole and of the track.
THICK = 4.0

GROUND, TRACK_COLOUR, CART_COLOUR, POLE_COLOUR = (
    (255, 255, 255),
    (173, 181, 189),
    (73, 80, 87),
    (238, 119, 51),
)


def picture(x: float, theta: float) -> npt.NDArray[np.uint8]:
    """The cart at ``x`` (-3 to 3 m), the pole at an angle, 0 upright; uint8 [height, width, 3]."""
    drawn = np.empty((HEIGHT, WIDTH, 3), dtype=np.uint8)
    drawn[:] = GROUND
    down, right = np.mgrid[:HEIGHT, :WIDTH].astype(np.float64)
    middle = HEIGHT / 2.0
    place = WIDTH / 2.0 + x / TRACK * (WIDTH / 2.0 - CART[0])
    drawn[np.abs(down - middle - CART[1]) < THICK / 2.0] = TRACK_COLOUR
    cart = (np.abs(right - place) <= CART[0]) & (np.abs(down - middle) <= CART[1])
    drawn[cart] = CART_COLOUR
    along = np.array([np.sin(theta), -np.cos(theta)])  # right, down
    offset = np.stack([right - place, down - middle], axis=2)
    share = np.clip(offset @ along, 0.0, POLE)
    away = np.linalg.norm(offset - share[..., None] * along, axis=2)
    drawn[away <= THICK] = POLE_COLOUR
    return drawn
