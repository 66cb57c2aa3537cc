"""Attributes that share a generator share it after a state was restored, from a file too."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from mfbpi_core.running.state import copied, restored, take_over


class Held:
    """What an agent may hold, made by its constructor."""

    def __init__(self, how: str) -> None:
        self.rng: Any = np.random.default_rng(0)
        self.other: Any = {
            "same": lambda: self.rng,
            "in a list": lambda: [self.rng, 1],
            "in a mapping": lambda: {"deep": ({"rng": self.rng},)},
            "legacy": lambda: np.random.RandomState(self.rng.bit_generator),
            "of its own": lambda: np.random.default_rng(1),
            "spawned": lambda: self.rng.spawn(1)[0],
        }[how]()
        self.bound = self.rng.random  # what others draw by
        self.count = 0

    def saved(self) -> dict[str, Any]:
        """Its state, as a file gives it back."""
        own = {name: value for name, value in vars(self).items() if name != "bound"}
        state: dict[str, Any] = restored(copied(own, "Held"))
        return state

    def drawn(self) -> list[float]:
        """Numbers from here and there, in turn."""
        other = self.other
        while isinstance(other, list | tuple | dict):
            other = other[0] if isinstance(other, list | tuple) else next(iter(other.values()))
        self.count += 1
        numbers = [self.rng.random(), other.random(), self.bound()] * 2
        return [*numbers, self.rng.random(), other.random()]


HOW = ["same", "in a list", "in a mapping", "legacy", "of its own", "spawned"]


@pytest.mark.parametrize("how", HOW)
def test_a_restored_object_goes_on_as_the_saved_one(how: str) -> None:
    """Numbers are drawn in turn: two generators in place of one would repeat them."""
    first, second = Held(how), Held(how)
    first.drawn()
    state = first.saved()
    expected = [first.drawn() for _ in range(3)]
    take_over(vars(second), state)

    assert [second.drawn() for _ in range(3)] == expected
    assert second.count == 4


def test_what_was_parted_stays_apart() -> None:
    """A generator that a constructor shares, and that was replaced since."""
    first, second = Held("same"), Held("same")
    first.other = np.random.default_rng(5)
    state = first.saved()
    expected = [first.rng.random(), first.other.random(), first.rng.random()]
    take_over(vars(second), state)

    assert [second.rng.random(), second.other.random(), second.rng.random()] == expected


def test_the_state_is_neither_kept_nor_changed() -> None:
    """It may be restored again."""
    first, second = Held("in a mapping"), Held("in a mapping")
    state = first.saved()
    expected = first.drawn()
    for _ in range(2):
        take_over(vars(second), state)
        assert second.drawn() == expected


def test_what_a_restored_generator_spawns_is_what_the_saved_one_would() -> None:
    """And not what the first of its kind spawned."""
    first, second = Held("same"), Held("same")
    first.rng.spawn(3)
    take_over(vars(second), first.saved())

    assert second.rng.spawn(1)[0].random() == first.rng.spawn(1)[0].random()


def test_what_holds_itself_is_taken_as_it_is() -> None:
    """There is no end to look for generators in it."""
    loop: list[Any] = [np.random.default_rng(2)]
    loop.append(loop)
    own = {"loop": [np.random.default_rng(3)]}
    take_over(own, {"loop": loop})

    taken: Any = own["loop"]
    assert taken[1] is taken
    assert taken[0].random() == np.random.default_rng(2).random()


class Helper:
    """An object of an agent's own, which no file holds and memory does."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng


class Pair(NamedTuple):
    """The same, in a tuple."""

    rng: np.random.Generator
    size: int


def test_objects_that_draw_from_it_do_so_in_memory() -> None:
    """A state that was copied keeps what they share."""
    rng = np.random.default_rng(0)
    first = {"rng": rng, "helper": Helper(rng), "pair": Pair(rng, 1), "late": [rng]}
    state = copied(first, "Held")
    other = np.random.default_rng(1)
    second: dict[str, Any] = {"rng": other, "helper": None, "pair": None, "late": []}
    take_over(second, state)

    drawn = [second["rng"], second["helper"].rng, second["pair"].rng, second["late"][0]]
    assert [each is other for each in drawn] == [True] * 4
    assert other.random() == rng.random()
