"""Over HTTP: the answers of the contract, and a clear word for everything that is none of it."""

import http.client
import json
import re
import socket
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from tests.integrations.server.servers import MUGS, PATIENCE, TOWER, Running, read_example

import skolem
from skolem import __version__
from skolem.integrations.server.app import MOST_BYTES
from skolem.integrations.server.catalogue import OPERATIONS
from skolem.integrations.server.security import HEADERS


def test_plan(server: Running) -> None:
    answer = server.ask("plan", **TOWER)
    assert answer["status"] == "solved"
    assert answer["valid"] is True
    assert answer["cost"] == len(answer["plan"]) == 9
    assert sorted(answer["binding"]) == ["?x1", "?x2", "?x3", "?x4", "?x5"]
    assert {"read", "ground", "plan", "total"} <= answer["times"].keys()


def test_plan_with_an_object_of_the_users_choice(server: Running) -> None:
    answer = server.ask("plan", **MUGS, bind={"?m": "mug3"})
    assert (answer["binding"], answer["cost"]) == ({"?m": "mug3"}, 7)
    assert server.ask("plan", **MUGS, bind={"?m": "plate1"})["status"] == "unsolvable"
    wrong = server.post("plan", {**MUGS, "bind": {"?n": "mug3"}})
    assert wrong.status_code == 422
    assert "expected one of ?m" in wrong.json()["message"]


def test_plan_with_a_bound(server: Running) -> None:
    answer = server.ask("plan", **MUGS, bound=20)
    assert (answer["bound"], answer["optimal"]) == (6, True)


def test_ground(server: Running) -> None:
    answer = server.ask("ground", **TOWER)
    assert answer["status"] == "grounded"
    assert answer["predicted_cost"] == pytest.approx(9, abs=1.5)
    assert answer["trace"]
    assert "(:goal" in answer["problem"]


def test_explain(server: Running) -> None:
    answer = server.ask("explain", **MUGS, why={"?m": "mug2"})
    (goal,) = answer["goals"]
    (variable,) = goal["variables"]
    assert variable["possible"] == ["mug1", "mug2", "mug3"]
    assert [r["literals"] for r in variable["ruled_out"]] == [["?m - mug"]]
    assert answer["forced"][0]["cost"] == 7


def test_check(server: Running) -> None:
    right = server.ask("check", **MUGS)
    assert (right["status"], right["bindings"], right["errors"]) == ("correct", 3, [])
    assert right["goal"]
    assert server.ask("check", domain=MUGS["domain"])["status"] == "correct"
    answer = server.ask("check", domain=MUGS["domain"], problem=MUGS["problem"].replace("(clean ?m)", "(cleen ?n)"))
    assert answer["status"] == "wrong"
    (error,) = answer["errors"]
    assert (error["source"], error["line"], error["column"]) == ("problem", 18, 35)
    assert error["message"] == "unknown predicate 'cleen', expected 'clean'"


def test_validate(server: Running) -> None:
    plan = "(go table counter)\n(go counter shelf)\n(take mug1 shelf)\n(go shelf counter)\n(go counter table)\n"
    answer = server.ask("validate", **MUGS, plan=plan + "(put mug1 table)")
    assert (answer["valid"], answer["cost"], answer["binding"]) == (True, 6, {"?m": "mug1"})
    assert server.ask("validate", **MUGS, plan=plan)["valid"] is False
    assert server.post("validate", {**MUGS, "plan": "go"}).json()["errors"][0]["source"] == "plan"


def test_draw(server: Running) -> None:
    answer = server.ask("draw", **MUGS, plan="(go table counter)", binding={"?m": "mug1"})
    assert len(answer["states"]) == 2
    assert all(state.startswith("<svg") and state.endswith("</svg>") for state in answer["states"])


def test_models_and_examples(server: Running) -> None:
    names = [model["name"] for model in server.get("api/models").json()["models"]]
    assert "blocks" in names
    for example in server.get("api/examples").json()["examples"]:
        assert {"domain": example["domain"], "problem": example["problem"]} == read_example(example["name"])
        assert example["words"]


def test_a_model_is_a_name_and_never_a_path(server: Running) -> None:
    assert server.ask("plan", **TOWER, model="blocks")["status"] == "solved"
    for name in ("../../etc", "/etc/passwd", "blocks/../blocks", "."):
        answer = server.post("plan", {**TOWER, "model": name})
        assert answer.status_code == 422
        assert answer.json()["message"].startswith("there is no model of this name, expected one of ")


def test_a_planner_is_one_of_a_list(server: Running) -> None:
    answer = server.post("plan", {**TOWER, "planner": "astar(blind())"})
    assert answer.status_code == 400
    assert answer.json()["message"].startswith("'planner' must be one of lama-first")


def test_a_session(server: Running) -> None:
    opened = server.ask("open", **MUGS)
    session = opened["session"]
    assert (opened["status"], opened["objects"]) == ("open", 8)
    first = server.ask("ask", session=session)
    assert (first["binding"], first["kept"]) == ({"?m": "mug1"}, False)
    told = server.ask("change", session=session, remove=["(robot-at table)"], add=["(robot-at counter)"])
    assert told == {"status": "changed", "objects": 8}
    second = server.ask("ask", session=session)
    assert (second["kept"], second["why"]) == (True, "the plan goes on as foreseen")
    third = server.ask("ask", session=session, gone=["mug1"])
    assert (third["kept"], third["why"]) == (False, "mug1 is gone")
    shown = server.ask("show", session=session)
    assert "mug1" not in shown["problem"]
    assert shown["binding"] == third["binding"]
    assert server.ask("check", domain=shown["domain"], problem=shown["problem"])["status"] == "correct"
    assert server.ask("close", session=session) == {"status": "closed"}
    gone = server.post("ask", {"session": session})
    assert (gone.status_code, gone.json()["status"]) == (404, "error")


def test_a_wrong_change_changes_nothing(server: Running) -> None:
    session = server.ask("open", **MUGS)["session"]
    before = server.ask("show", session=session)
    wrong = server.post("change", {"session": session, "gone": ["mug1"], "add": ["(clean cup)"]})
    assert wrong.status_code == 422
    assert wrong.json()["errors"][0]["source"] == "add[0]"
    assert server.post("change", {"session": session, "goal": "(exists (?x) (cleen ?x))"}).status_code == 422
    assert server.ask("show", session=session) == before
    server.ask("close", session=session)


@pytest.mark.parametrize(
    ("body", "status", "message"),
    [
        (b"", 400, "not JSON"),
        (b"{", 400, "not JSON"),
        (b"\xff", 400, "not JSON"),
        (b"[" * 100_000, 400, "not JSON"),
        (b'{"time_limit": NaN}', 400, "not JSON"),
        (b'{"width": ' + b"9" * 10_000 + b"}", 400, "not JSON"),
        (b"[]", 400, "expected a JSON object"),
        (b"{}", 400, "'domain' is missing; 'problem' is missing"),
        (b'{"domain": "(define", "problem": ""}', 422, "domain:1:8"),
        (b'{"domain": "\\u0000", "problem": ""}', 422, "domain:1:1"),
    ],
)
def test_nonsense_is_told_so(server: Running, body: bytes, status: int, message: str) -> None:
    headers = {"Content-Type": "application/json"}
    answer = httpx.post(f"{server.url}api/plan", content=body, headers=headers, timeout=PATIENCE)
    assert answer.status_code == status
    assert message in answer.json()["message"]


def test_a_large_body_is_not_read(server: Running) -> None:
    where = urlsplit(server.url)
    connection = http.client.HTTPConnection(str(where.hostname), where.port, timeout=PATIENCE)
    connection.putrequest("POST", "/api/plan")
    connection.putheader("Content-Type", "application/json")
    connection.putheader("Content-Length", str(MOST_BYTES + 1))
    connection.endheaders()
    answer = connection.getresponse()
    assert answer.status == 413
    assert "too large" in json.load(answer)["message"]


def test_a_large_body_of_unknown_length_is_not_read_to_its_end(server: Running) -> None:
    def pieces() -> Any:
        for _ in range(2 * MOST_BYTES // 65536):
            yield b" " * 65536

    headers = {"Content-Type": "application/json"}
    try:
        answer = httpx.post(f"{server.url}api/plan", content=pieces(), headers=headers, timeout=PATIENCE)
        assert answer.status_code == 413
    except httpx.TransportError:
        # The server ended the connection while we were still writing.
        pass
    assert server.get("api/health").json()["status"] == "ok"


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "api/plan", {}, 405),
        ("POST", "api/models", {"content-type": "application/json"}, 405),
        ("POST", "api/openapi.json", {"content-type": "application/json"}, 405),
        ("PUT", "api/health", {}, 405),
        ("POST", "api/plan", {"content-type": "text/plain"}, 415),
        ("POST", "api/nothing", {"content-type": "application/json"}, 404),
        ("DELETE", "api/plan", {}, 405),
        ("GET", "nothing", {}, 404),
        ("GET", "page/app.py", {}, 404),
        ("GET", "page/..%2f..%2fapp.py", {}, 404),
        ("GET", "api/health", {"host": "evil.example"}, 403),
        ("GET", "api/health", {"host": "127.0.0.1.evil.example"}, 403),
        ("GET", "api/health", {"origin": "http://evil.example"}, 403),
        ("GET", "api/health", {"origin": "null"}, 403),
        ("GET", "api/health", {"sec-fetch-site": "cross-site"}, 403),
        ("OPTIONS", "api/plan", {"origin": "http://evil.example"}, 403),
    ],
)
def test_what_is_refused(server: Running, method: str, path: str, headers: dict[str, str], status: int) -> None:
    answer = httpx.request(method, f"{server.url}{path}", headers=headers, timeout=PATIENCE)
    assert answer.status_code == status
    assert answer.json()["status"] == "error"
    assert "access-control-allow-origin" not in answer.headers
    assert HEADERS.items() <= {name.title(): value for name, value in answer.headers.items()}.items() | {
        (name, answer.headers[name]) for name in HEADERS
    }


def test_the_page_itself_may_ask(server: Running) -> None:
    where = server.url.rstrip("/")
    answer = server.post("check", MUGS, headers={"origin": where, "sec-fetch-site": "same-origin"})
    assert answer.json()["status"] == "correct"


@pytest.mark.parametrize(
    "parameters",
    [
        {"domain": "(", "problem": ")"},
        {**TOWER, "model": "x"},
        {**TOWER, "model": "gripper"},
        {**TOWER, "model": "gripper", "grounder": "learned"},
        {**TOWER, "bind": {"?q": "a"}},
        {**read_example("household/breakfast"), "planner": "seq-opt-lmcut", "time_limit": 0.1},
    ],
)
def test_nothing_is_told_about_the_inside(server: Running, parameters: dict[str, Any]) -> None:
    text = server.post("plan", parameters).text
    assert not re.search(r"[\s\"'=(]/\w", text)
    assert str(Path(skolem.__file__).parent) not in text
    assert "Traceback" not in text


def test_two_host_headers_are_refused(server: Running) -> None:
    where = urlsplit(server.url)
    with socket.create_connection((str(where.hostname), where.port or 80), timeout=PATIENCE) as connection:
        connection.sendall(b"GET /api/health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n")
        assert b" 40" in connection.recv(100)


def test_health_version_and_description(server: Running) -> None:
    health = server.get("api/health").json()
    assert (health["status"], health["workers"], health["waiting"]) == ("ok", 1, 0)
    assert server.get("api/version").json() == {"name": "skolem", "version": __version__}
    described = server.get("api/openapi.json").json()
    assert described["openapi"].startswith("3.")
    assert {f"/api/{name}" for name in OPERATIONS} <= described["paths"].keys()
    plan = described["paths"]["/api/plan"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert plan["required"] == ["domain", "problem"]


def test_the_page_has_nothing_from_elsewhere(server: Running) -> None:
    answer = server.get("")
    assert answer.headers["content-type"].startswith("text/html")
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert "unsafe" not in answer.headers["content-security-policy"]
    assert "://" not in answer.text.replace("http://www.w3.org/", "")
