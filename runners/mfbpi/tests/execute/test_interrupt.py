"""The first press interrupts, in good order; further ones change nothing."""

from __future__ import annotations

import signal

import pytest

from mfbpi.execute.interrupt import Interrupts


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_first_signal_interrupts_and_the_next_is_ignored(number: signal.Signals) -> None:
    """Cleaning up goes on however often the user presses; handlers are restored afterwards."""
    before = signal.getsignal(number)
    if before is signal.SIG_IGN:
        pytest.skip("the signal is ignored here, as under nohup")
    cleaned = []

    def work() -> None:
        try:
            signal.raise_signal(number)
        finally:
            signal.raise_signal(number)
            cleaned.append(True)

    with Interrupts().handled(), pytest.raises(KeyboardInterrupt):
        work()

    assert cleaned == [True]
    assert signal.getsignal(number) is before


def test_end_of_the_terminal_is_ignored_below_nohup() -> None:
    """Who asked for it to be ignored keeps the run."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interrupts().handled():
            signal.raise_signal(signal.SIGHUP)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_interrupt_waits_for_the_end_of_a_block() -> None:
    """What is begun there is finished, and then the interrupt comes."""
    interrupts = Interrupts()
    finished = []

    def work() -> None:
        with interrupts.held_back():
            signal.raise_signal(signal.SIGINT)
            finished.append(True)
        finished.append(False)

    with interrupts.handled(), pytest.raises(KeyboardInterrupt):
        work()

    assert finished == [True]


def test_block_without_interrupt_goes_on() -> None:
    """Nothing is raised where nothing happened."""
    interrupts = Interrupts()
    with interrupts.handled(), interrupts.held_back():
        pass
    with interrupts.held_back():
        pass
