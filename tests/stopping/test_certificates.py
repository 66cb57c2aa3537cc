"""Certificates of walks are accepted; forgeries, and witnesses that are not finite, are not."""

import ast
import subprocess
import sys
import time
from pathlib import Path

import attrs
import numpy as np
import pytest

import mfbpi_lib_certificates
from mfbpi_lib_certificates import storage
from mfbpi_lib_certificates.checking.balls import least_mean as checked_least_mean
from mfbpi_lib_certificates.checking.penalties import penalties
from mfbpi_lib_certificates.verification import verified, verify
from mfbpi_lib_confidence.ball import least_mean
from mfbpi_lib_confidence.certified import certificate
from mfbpi_lib_confidence.evidence import Evidence
from mfbpi_lib_confidence.kl_box import evaluate
from mfbpi_lib_confidence.penalties import penalty
from mfbpi_lib_confidence.scopes import states_in
from mfbpi_lib_tabular.testing import riverswim
from tests.stopping.fields import fields_of, refused


def test_certificates_of_walks_are_accepted(certificates, tmp_path):
    """Every one, through a file; the claim says what is certified."""
    for name, made in certificates.items():
        storage.write(made, tmp_path / "c.json")
        report = verify(tmp_path / "c.json")

        assert report.valid, (name, report.checks[-1])
        assert ("optimal in every state" in report.claim) == (made.identified and not made.epsilon)
    assert not certificates["early"].identified
    assert sum(made.identified for made in certificates.values()) == 7


def test_scope_and_epsilon_are_part_of_the_claim(walk, question):
    """What holds in the states visited is no claim on all; nor is a loss of 0.5 one of 0.1."""
    walked = walk("riverswim3", "uniform", 3)
    walked.go_on(1_000_000)
    counts = np.zeros((4, 2, 4), dtype=np.int64)
    counts[:3, :, :3] = walked.counts
    rewards = np.zeros((4, 2))
    rewards[:3] = walked.rewards.sum(axis=2)
    evidence = Evidence.from_dense(counts, rewards)
    scope = states_in("visited", evidence)
    found = evaluate(evidence, discount=0.9, epsilon=0.5, scope=scope)
    start = np.append(walked.start, 0)
    made = certificate(found, question(start, 0.9, epsilon=0.5, scope="visited"))

    assert found.identified
    assert verified(fields_of(made)).valid
    assert refused(fields_of(attrs.evolve(made, scope="all")))
    assert refused(fields_of(attrs.evolve(made, epsilon=found.certified_gap / 2)))
    assert refused(fields_of(attrs.evolve(made, epsilon=0.0)))


def test_known_rewards_and_endings(question):
    """Deterministic rewards by successor and endings elsewhere are verified too."""
    counts = np.array([[[0, 50_000], [30_000, 20_000]], [[25_000, 15_000], [40_000, 0]]])
    ended = np.array([[10, 0], [0, 10]])
    price = np.array([[[0.1, 0.5, 0.0], [0.2, 0.0, 0.0]], [[0.9, 0.3, 0.0], [0.1, 0.0, 1.0]]])
    sums = price * np.concatenate([counts, ended[:, :, None]], axis=2)
    evidence = Evidence.from_dense(counts, sums, endings=ended, reward_law="deterministic")
    found = evaluate(evidence, discount=0.9)
    left = counts.sum(axis=(1, 2)) + ended.sum(axis=1)
    start = np.maximum(left - counts.sum(axis=(0, 1)), 0)
    made = certificate(found, question(start, 0.9, cuts=10**12))

    report = verified(fields_of(made))

    assert report.valid, report.checks[-1]
    assert found.identified


def noise_free(n_states: int, visits: int) -> tuple[Evidence, np.ndarray]:
    """Counts of RiverSwim in proportion to its law, about, with the beginnings that they need."""
    mdp = riverswim(n_states)
    counts = np.rint(mdp.transitions * visits).astype(np.int64)
    rewards = mdp.mean_rewards * counts.sum(axis=2)
    start = np.maximum(counts.sum(axis=(1, 2)) - counts.sum(axis=(0, 1)), 0)
    return Evidence.from_dense(counts, rewards), start


def test_fifty_states_take_five_seconds_at_most(tmp_path, question):
    """And the kernels lie in an .npz beside the JSON."""
    evidence, start = noise_free(50, 200_000_000)
    made = certificate(evaluate(evidence, discount=0.95), question(start, 0.95, cuts=10**12))
    storage.write(made, tmp_path / "c.json")
    began = time.process_time()

    report = verify(tmp_path / "c.json")

    assert report.valid, report.checks[-1]
    assert time.process_time() - began <= 5.0
    assert len(list(tmp_path.glob("*.npz"))) == (made.witnesses["kappa_low"].nbytes > 65_536)


def test_large_arrays_are_named_by_their_hash(tmp_path, question):
    """An .npz that is missing, or not what its name says, makes the certificate unreadable."""
    evidence, start = noise_free(80, 200_000_000)
    made = certificate(evaluate(evidence, discount=0.9), question(start, 0.9, cuts=10**12))
    storage.write(made, tmp_path / "c.json")
    (arrays,) = tmp_path.glob("*.npz")

    assert verify(tmp_path / "c.json").valid
    arrays.write_bytes(arrays.read_bytes() + b"0")
    with pytest.raises(storage.UnreadableError, match="a hash"):
        verify(tmp_path / "c.json")
    arrays.unlink()
    with pytest.raises(storage.UnreadableError, match="No such file"):
        verify(tmp_path / "c.json")


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"schema": "other"}', "\x00"])
def test_what_is_no_certificate_is_unreadable(tmp_path, text):
    """Not refused: it says nothing."""
    (tmp_path / "c.json").write_text(text)
    with pytest.raises(storage.UnreadableError):
        verify(tmp_path / "c.json")


def test_no_code_is_shared_with_rules():
    """The package imports neither a rule, nor its library, nor numba, nor another of ours."""
    folder = Path(mfbpi_lib_certificates.__file__).parent
    names = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names.add((node.module or "").partition(".")[0])
    allowed = {"mfbpi_core", "mfbpi_lib_certificates", "attrs", "numpy"}

    assert names - allowed - set(sys.stdlib_module_names) == set()


def test_verifying_loads_no_rule(certificates, tmp_path):
    """A process that verifies has loaded neither numba nor the library of the rules."""
    storage.write(certificates["riverswim3, fw_bpi"], tmp_path / "c.json")
    code = (
        "import sys; from mfbpi_lib_certificates.verification import verify; "
        f"assert verify({str(tmp_path / 'c.json')!r}).valid; "
        "print(sorted(set(m.partition('.')[0] for m in sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert not {"numba", "mfbpi_lib_confidence"} & set(ast.literal_eval(done.stdout))


def test_penalties_agree_with_the_compiled_ones():
    """Two implementations of one formula, up to 1e15 visits."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        k = int(rng.integers(1, 30))
        counts = np.floor(10 ** rng.uniform(0, 15, size=int(rng.integers(1, k + 1))))
        found = penalties(np.zeros(len(counts), dtype=np.int64), counts, 1, k)

        assert found[0] == pytest.approx(penalty(counts, k), abs=1e-9)


def test_balls_agree_with_the_compiled_ones():
    """The checker's bound is never above the rule's by more than rounding, and hardly below."""
    rng = np.random.default_rng(1)
    for _ in range(500):
        p = rng.dirichlet(np.full(5, rng.choice([0.1, 1.0])))
        d = rng.random(5) * (rng.random(5) < 0.8) * 10 ** rng.uniform(-3, 3)
        c = 10 ** rng.uniform(-12, 1)
        one = least_mean(p, d, c)[0]
        other = checked_least_mean(p[None], d[None], np.array([c]))[0]

        assert other == pytest.approx(one, abs=2e-12 * max(d.max(), 1e-300), rel=1e-9)
