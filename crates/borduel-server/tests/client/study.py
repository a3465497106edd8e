"""Runs a study with the client that was made of /openapi.json: study.py URL ADMIN OPENAPI."""

import importlib
import io
import json
import pkgutil
import sys

import borduel_client.api
from borduel_client import AuthenticatedClient, Client
from borduel_client import models as m
from borduel_client.api.exports import export_study, list_log
from borduel_client.api.imports import import_votes
from borduel_client.api.items import list_items, put_image, put_item, show_image
from borduel_client.api.questions import answer_question, answer_questions, ask_questions, undo_answer
from borduel_client.api.results import show_results
from borduel_client.api.studies import change_study, create_study, list_studies, set_status, show_study
from borduel_client.api.voters import change_voter, erase_voter, join_study, list_quality
from borduel_client.types import File

url, admin, described = sys.argv[1:]


def client(token):
    return AuthenticatedClient(base_url=url, token=token)


# No operation was lost.
paths = json.load(open(described))["paths"].values()
wanted = {operation["operationId"] for path in paths for operation in path.values()}
made = {name for tag in pkgutil.iter_modules(borduel_client.api.__path__)
        for _, name, _ in pkgutil.iter_modules(importlib.import_module(f"borduel_client.api.{tag.name}").__path__)}
assert made == wanted, made ^ wanted

owner = client(admin)
items = [m.NewItem(title=title, key=title.lower()) for title in ("Ash", "Birch", "Cedar")]
settings = m.Settings.from_dict({"stop": {"votes": 500}, "consent": "Published.", "both_bad": True})
made = create_study.sync(client=owner, body=m.NewStudy(title="Trees", slug="trees", items=items, settings=settings))
assert isinstance(made, m.CreatedStudy) and isinstance(made.study.settings.stop, m.StopVotes), made
organiser = client(made.organiser_token)
assert set_status.sync("trees", client=organiser, body=m.NewStatus(status=m.Status.OPEN)).status == m.Status.OPEN
assert [study.slug for study in list_studies.sync(client=owner).studies] == ["trees"]

# Without consent nobody joins, and the refusal is one that a program can read.
refused = join_study.sync_detailed("trees", client=Client(base_url=url), body=m.NewVoter())
assert refused.status_code == 422 and isinstance(refused.parsed, m.Problem), refused
joined = join_study.sync("trees", client=Client(base_url=url), body=m.NewVoter(agree=True))
voter = client(joined.token)
sitting = ask_questions.sync("trees", client=voter, body=m.Asking())
first = sitting.questions[0].q
taken = answer_question.sync("trees", first, client=voter, body=m.NewAnswer(answer=m.AnswerFirst.FIRST, ms=700))
assert taken.q == first and not taken.repeated
assert undo_answer.sync("trees", first, client=voter).again.q > first
answer_question.sync("trees", taken.next_[0].q, client=voter, body=m.NewAnswer(answer=m.AnswerSecond.SECOND))

judge = client(join_study.sync("trees", client=organiser, body=m.NewVoter(kind=m.NewKind.JUDGE)).token)
asked = ask_questions.sync("trees", client=judge, body=m.Asking(count=64)).questions
answers = [m.OneAnswer(q=question.q, answer=m.AnswerSoft(soft=0.75)) for question in asked]
assert all(one.stored for one in answer_questions.sync("trees", client=judge, body=m.NewAnswers(answers=answers)).answers)

# Lists come in parts.
keys, after = [], None
while True:
    part = list_items.sync("trees", client=organiser, limit=2, **({"after": after} if after else {}))
    keys += [item.key for item in part.items]
    after = part.next_
    if not after:
        break
assert keys == ["ash", "birch", "cedar"], keys
assert [quality.voter for quality in list_quality.sync("trees", client=organiser, limit=1).voters] == [0]
assert list_log.sync("trees", client=organiser, limit=1).next_

put_item.sync("trees", "cedar", client=organiser, body=m.NewItem(title="Cedar of Lebanon", correction=True))
picture = (b"\x89PNG\r\n\x1a\n" + b"\0\0\0\rIHDR" + b"\0\0\0\1\0\0\0\1\x08\x02\0\0\0\x90wS\xde"
           + b"\0\0\0\x0cIDATx\x9cc\xf8\xcf\xc0\0\0\3\1\1\0\xc9\xfe\x92\xef" + b"\0\0\0\0IEND\xaeB`\x82")
shown = put_image.sync("trees", "cedar", client=organiser, body=File(payload=io.BytesIO(picture)), correction=True)
assert isinstance(shown, m.ItemList), shown
place = next(item.image for item in shown.items if item.key == "cedar").rsplit("/", 1)[1]
assert show_image.sync("trees", place, client=organiser).payload.read().startswith(b"\x89PNG")

results = show_results.sync("trees", client=organiser)
assert isinstance(results, m.ResultsView) and results.votes == 1 + len(asked), results
votes = export_study.sync("trees", "votes.csv", client=organiser)
assert len(votes.splitlines()) == 1 + results.votes, votes
file = File(payload=io.BytesIO(b"left,right,winner\nash,birch,left\n"))
assert import_votes.sync("trees", "old.csv", client=organiser, body=file).changed
change = m.Change.from_dict({"title": "Trees of home"})
assert change_study.sync("trees", client=organiser, body=change).title == "Trees of home"
assert change_voter.sync("trees", 0, client=organiser, body=m.VoterChange(state=m.Standing.BLOCKED, votes=m.Votes.ASIDE)).changed
assert erase_voter.sync("trees", 0, client=organiser).changed
assert show_study.sync("trees", client=organiser).voters >= 2
print("a client made of the description ran a study:", len(wanted), "operations")

# Several questions about each pair.
criteria = [{"key": "taller", "question": "Which is taller?"}, {"key": "greener", "question": "Which is greener?"}]
create_study.sync(client=owner, body=m.NewStudy(title="Two", slug="two", items=items, settings=m.Settings.from_dict({"criteria": criteria})))
set_status.sync("two", client=owner, body=m.NewStatus(status=m.Status.OPEN))
voter = client(join_study.sync("two", client=Client(base_url=url), body=m.NewVoter()).token)
sitting = ask_questions.sync("two", client=voter, body=m.Asking())
assert [asked.key for asked in sitting.criteria] == ["taller", "greener"], sitting.criteria
both = m.NewAnswer.from_dict({"answers": {"taller": {"answer": "first"}, "greener": {"answer": "tie"}}})
assert answer_question.sync("two", sitting.questions[0].q, client=voter, body=both).answered == 1
shown = show_results.sync("two", client=owner, criterion="greener")
assert shown.criterion == "greener" and [one.votes for one in shown.criteria] == [1, 1], shown
