"""The contract of a policy: tickets once, twins, pickles, threads, wrong values."""

from __future__ import annotations

import copy
import json
import multiprocessing
import pickle

import numpy as np
import pytest
from conftest import together
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import borduel as bd

PROBLEM = bd.Problem(np.random.default_rng(1).normal(size=(6, 2)), horizon=2_000)


def played(policy: bd.Policy, rounds: int = 200) -> bd.Policy:
    for _ in range(rounds):
        question = policy.ask()
        policy.tell(question, question.left <= question.right)
    return policy


def asked(policy: bd.Policy, n: int = 50) -> list[tuple[int, int]]:
    return [(q.left, q.right) for q in (policy.ask() for _ in range(n))]


@pytest.mark.parametrize("name", [name for name in bd.POLICIES if name != "anytime"])
def test_a_copy_a_pickle_and_a_saved_policy_go_on_with_the_same_questions(name: str) -> None:
    policy = played(bd.Policy(name, PROBLEM))
    twins = [
        copy.copy(policy),
        copy.deepcopy(policy),
        policy.copy(),
        pickle.loads(pickle.dumps(policy)),
        bd.Policy.load(policy.save(), PROBLEM),
    ]
    questions = asked(policy)
    for twin in twins:
        assert twin.round == 200
        assert twin.name == name
        assert asked(twin) == questions
    assert policy.round == 250


def test_a_policy_passes_to_another_process_with_its_open_questions() -> None:
    policy = bd.Policy("bexp3", PROBLEM)
    question = policy.ask()
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there = pool.apply(_tell, (policy, question))
    policy.tell(question, True)
    assert there.save() == policy.save()


def _tell(policy: bd.Policy, question: bd.Proposal) -> bd.Policy:
    policy.tell(question, True)
    return policy


def test_other_seeds_ask_other_questions_and_the_same_seed_the_same() -> None:
    first = asked(bd.Policy("uniform", PROBLEM, seed=7))
    assert first == asked(bd.Policy("uniform", PROBLEM, seed=7))
    assert first != asked(bd.Policy("uniform", PROBLEM, seed=8))
    assert first != asked(bd.Policy("uniform", PROBLEM, seed=7).copy(seed=9))
    words = [np.random.SeedSequence(3), np.random.SeedSequence(3)]
    assert bd.Policy("uniform", PROBLEM, seed=words[0]).seed == bd.Policy("uniform", PROBLEM, seed=words[1]).seed
    drawn = bd.Policy("uniform", PROBLEM, seed=None)
    assert asked(bd.Policy("uniform", PROBLEM, seed=drawn.seed)) == asked(drawn)
    assert bd.Policy("uniform", PROBLEM, seed=np.random.default_rng(2)).seed is not None


def test_a_ticket_counts_once_and_where_it_was_given_out() -> None:
    policy, other = bd.Policy("etc-borda", PROBLEM), bd.Policy("etc-borda", PROBLEM)
    question = policy.ask()
    with pytest.raises(bd.ProposalError, match="another policy"):
        other.tell(question, True)
    assert not question.answered
    policy.tell(question, True)
    assert question.answered
    for again in (lambda: policy.tell(question, True), lambda: policy.cancel(question)):
        with pytest.raises(bd.ProposalError, match="answered or cancelled already"):
            again()


def test_many_questions_at_once_are_those_one_by_one() -> None:
    one, many = bd.Policy("dexp3", PROBLEM), bd.Policy("dexp3", PROBLEM)
    questions = many.ask_many(40)
    single = [one.ask() for _ in range(40)]
    assert [tuple(pair) for pair in questions.pairs.tolist()] == [tuple(q) for q in single]
    assert questions.left.dtype == np.int32
    assert questions.round.tolist() == list(range(1, 41))
    outcomes = np.where(questions.left < questions.right, 1.0, 0.0)
    outcomes[3] = np.nan
    outcomes[4] = 0.5
    many.tell_many(questions, outcomes)
    for question, outcome in zip(single, outcomes, strict=True):
        if np.isnan(outcome):
            one.cancel(question)
        else:
            one.tell(question, outcome)
    assert one.save() == many.save()
    with pytest.raises(bd.ProposalError):
        many.tell_many(questions, outcomes)


def test_wrong_answers_are_refused_whole() -> None:
    policy = bd.Policy("dexp3", PROBLEM)
    questions, before = policy.ask_many(3), policy.save()
    for wrong in ([1, 0], [1, 0, 2], [1, 0, 0.3]):
        with pytest.raises(bd.Error):
            policy.tell_many(questions, wrong)
    with pytest.raises((TypeError, ValueError)):
        policy.tell_many(questions, ["left", "right", "tie"])
    assert policy.save() == before
    assert not questions[0].answered
    policy.tell(questions[0], "left")
    assert questions[0].answered
    with pytest.raises(bd.ProposalError):
        policy.tell_many(questions, [1, 1, 1])
    question = policy.ask()
    with pytest.raises(bd.SettingError, match="draw an answer"):
        policy.tell(question, 0.7)
    with pytest.raises(TypeError, match="list"):
        policy.tell(question, [])
    for outcome in (np.bool_(True), np.int64(0), 0.5, "tie"):
        policy.tell(policy.ask(), outcome)


def test_scores_are_over_the_other_items() -> None:
    policy = bd.Policy("etc-borda", bd.Problem(3, horizon=3_000))
    for _ in range(600):
        question = policy.ask()
        policy.tell(question, question.left < question.right if question.left != question.right else 0.5)
    # Who always wins beats another one for certain, who always loses never does. How often an item meets
    # itself, at a third of 200 questions, leaves a standard error of 0.025; with itself among its opponents
    # the first and the last would be 5/6 and 1/6.
    assert policy.scores() == pytest.approx([1.0, 0.5, 0.0], abs=0.1)


def test_eight_threads_share_a_policy() -> None:
    policy = bd.Policy("ucb-borda", PROBLEM)

    def work() -> None:
        for _ in range(2_000):
            policy.tell(policy.ask(), True)

    together(work)
    assert policy.round == 16_000


def test_saved_states_are_checked() -> None:
    policy = played(bd.Policy("dexp3", PROBLEM))
    saved = json.loads(policy.save())
    with pytest.raises(bd.OtherProblemError, match="another problem"):
        bd.Policy.load(policy.save(), bd.Problem(6, horizon=2_000))
    with pytest.raises(bd.VersionError, match="version 99"):
        bd.Policy.load(json.dumps({**saved, "version": 99}).encode(), PROBLEM)
    with pytest.raises(bd.DataError):
        bd.Policy.load(b"nonsense", PROBLEM)


def test_settings_are_named_when_they_are_wrong() -> None:
    with pytest.raises(bd.UnknownNameError, match="did you mean") as wrong:
        bd.Policy("bexp", PROBLEM)
    assert wrong.value.suggestion == "bexp3"
    with pytest.raises(bd.SettingError, match='did you mean "gamma"'):
        bd.Policy("bexp3", PROBLEM, gama=0.5)  # type: ignore[call-arg]
    with pytest.raises(bd.SettingError, match="gamma") as setting:
        bd.Policy("bexp3", PROBLEM, gamma=7.0)
    assert setting.value.name == "gamma"
    with pytest.raises(bd.SettingError, match="horizon"):
        bd.Policy("etc-borda", bd.Problem(4))
    assert bd.Policy("bexp3", PROBLEM, gamma=0.25).settings["gamma"] == 0.25
    with pytest.raises(bd.SettingError, match="seed"):
        bd.Policy("uniform", PROBLEM, seed="x")  # type: ignore[arg-type]
    with pytest.raises(bd.SettingError, match="seed"):
        bd.Policy("uniform", PROBLEM, seed=-1)


def test_problems_keep_what_they_were_given() -> None:
    for problem in (PROBLEM, bd.Problem(5, link="probit", names=list("abcde"))):
        again = pickle.loads(pickle.dumps(problem))
        assert (again.fingerprint, again.names, again.horizon) == (problem.fingerprint, problem.names, problem.horizon)
    x = np.asfortranarray(np.random.default_rng(2).normal(size=(4, 3)).astype(np.float32))
    assert bd.Problem(x).fingerprint == bd.Problem(x.astype(np.float64)).fingerprint
    features = bd.Features.differences(x)
    assert pickle.loads(pickle.dumps(features)).fingerprint == features.fingerprint
    phi = x[:, None] - x[None]
    assert bd.Features.pairs(phi.astype(float)).dim == 3


@pytest.mark.parametrize(
    ("features", "part"),
    [
        (np.zeros((3, 2)), "zero"),
        (np.full((3, 2), np.nan), "finite"),
        (np.zeros((0, 2)), "at least 2"),
        (np.zeros(3), "shape"),
        (np.ones((3, 3, 2)), "opposite"),
        (1, "at least 2"),
    ],
)
def test_wrong_features_are_refused_in_words(features: object, part: str) -> None:
    with pytest.raises(bd.Error, match=part):
        bd.Problem(features)  # type: ignore[arg-type]


@settings(max_examples=40, deadline=None)
@given(
    name=st.sampled_from(sorted(set(bd.POLICIES) - {"anytime", "find-winner"})),
    items=st.integers(2, 6),
    answers=st.lists(st.sampled_from([True, False, 0.5, None]), max_size=60),
)
def test_any_answers_in_any_order_are_learned_or_refused_but_never_panic(
    name: str, items: int, answers: list[bool | float | None]
) -> None:
    try:
        policy = bd.Policy(name, bd.Problem(np.eye(items), horizon=100))
    except bd.SettingError:
        # A policy may want more items; then it says so.
        assume(False)
    questions = [policy.ask() for _ in answers]
    for question, answer in reversed(list(zip(questions, answers, strict=True))):
        if answer is None:
            policy.cancel(question)
        else:
            policy.tell(question, answer)
    assert policy.scores().shape == (items,)
    assert 0 <= policy.estimate() < items
