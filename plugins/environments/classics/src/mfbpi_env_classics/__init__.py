"""Classic tabular problems, for mfbpi."""

from collections.abc import Iterator

from mfbpi_core import EnvironmentSpec, hookimpl


@hookimpl
def mfbpi_environments() -> Iterator[EnvironmentSpec]:
    """Yield the environments."""
    yield EnvironmentSpec(
        name="chain",
        factory="mfbpi_env_classics.chains:Chain",
        config="mfbpi_env_classics.chains:ChainConfig",
        summary="The chain of Bayesian reinforcement learning: 10 far ahead, or 2 at once.",
        reference="Dearden, Friedman & Russell 1998; Strens 2000",
    )
    yield EnvironmentSpec(
        name="double_chain",
        factory="mfbpi_env_classics.chains:DoubleChain",
        config="mfbpi_env_classics.chains:DoubleChainConfig",
        summary="A chain with its start in the middle and its reward at one end.",
        reference="Kaufmann et al. 2021, Adaptive reward-free exploration",
    )
    yield EnvironmentSpec(
        name="six_arms",
        factory="mfbpi_env_classics.six_arms:SixArms",
        summary="Six ways from the middle: the rarer one is reached, the more it pays.",
        reference="Strehl & Littman 2008",
    )
    yield EnvironmentSpec(
        name="grid_world",
        factory="mfbpi_env_classics.grids:GridWorld",
        config="mfbpi_env_classics.grids:GridConfig",
        summary="A grid from a text map with walls, ice, starts and goals.",
    )
    yield EnvironmentSpec(
        name="two_rooms",
        factory="mfbpi_env_classics.grids:TwoRooms",
        config="mfbpi_env_classics.grids:RoomsConfig",
        summary="Two square rooms with a door between them.",
        reference="after the four rooms of Sutton, Precup & Singh 1999",
    )
    yield EnvironmentSpec(
        name="taxi",
        factory="mfbpi_env_classics.taxi:Taxi",
        summary="Fetch a passenger at one of four stands, and drop her at another.",
        reference="Dietterich 2000",
    )
    yield from _small()


def _small() -> Iterator[EnvironmentSpec]:
    """Those of :mod:`mfbpi_env_classics.small`."""
    yield EnvironmentSpec(
        name="two_states",
        factory="mfbpi_env_classics.small:TwoStates",
        summary="Two states with two actions: the smallest instance of stopping times.",
    )
    yield EnvironmentSpec(
        name="ring_of_three",
        factory="mfbpi_env_classics.small:Ring",
        config="mfbpi_env_classics.small:RingConfig",
        summary="A ring of three states; with a small gap, a near-tie.",
    )
    yield EnvironmentSpec(
        name="dirichlet_mdp",
        factory="mfbpi_env_classics.small:DirichletMDP",
        config="mfbpi_env_classics.small:DirichletConfig",
        summary="Random mixing model: flat Dirichlet rows and uniform mean rewards.",
    )
    yield EnvironmentSpec(
        name="one_law",
        factory="mfbpi_env_classics.small:OneLaw",
        config="mfbpi_env_classics.small:LawConfig",
        summary="One law of the next state, for audits of confidence sets.",
    )
