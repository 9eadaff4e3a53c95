"""A server under load, on the loopback address: speed beside cold processes, ten thousand questions, faults.

python -m benchmarks.serve_load --rounds 10 --questions 10000

Every part is written as soon as it is measured; `--parts` measures some of them again.
Load of other programs falls on the server and on the cold processes.
"""

import argparse
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from random import Random
from statistics import median
from typing import Any
from urllib.parse import urlsplit

from benchmarks import results

ROOT = Path(__file__).parent.parent
EXAMPLES = ("blocks/tower", "gripper/rooms", "delivery/parking", "visitall/tour")
CLIENTS = (1, 4, 16)
BAD_SHARE = 0.05
SAMPLED = 500
"""Memory is measured every so many questions."""
WORKERS = 2


@dataclass(frozen=True)
class Server:
    """A server that runs."""

    process: "subprocess.Popen[str]"
    port: int

    def connect(self) -> HTTPConnection:
        """A connection for many questions."""
        return HTTPConnection("127.0.0.1", self.port, timeout=300)

    def list_processes(self) -> list[int]:
        """It and all that it started."""
        found = [self.process.pid]
        for pid in found:
            for task in Path("/proc", str(pid), "task").glob("*/children"):
                found += map(int, task.read_text(encoding="ascii").split())
        return found

    def measure_memory(self) -> int:
        """Megabytes of the server and its workers; the translators of the workers share theirs with them."""
        total = 0
        for pid in self.list_processes():
            try:
                text = Path("/proc", str(pid), "smaps_rollup").read_text(encoding="ascii")
            except OSError:
                continue
            found = re.search(r"^Pss:\s+(\d+)", text, re.MULTILINE)
            total += int(found.group(1)) if found else 0
        return total >> 10


def main() -> None:
    """Measures all parts and writes serve_load.json and serve_load.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10, help="of the four examples, for each client")
    parser.add_argument("--questions", type=int, default=10_000)
    parts: dict[str, Callable[[], Any]] = {
        "speed": lambda: measure_speed(given.rounds),
        "many": lambda: ask_many(given.questions),
        "slow": wait_for_slow_clients,
        "faults": meet_faults,
    }
    parser.add_argument("--parts", nargs="+", choices=parts, default=list(parts))
    given = parser.parse_args()
    content: dict[str, Any] = results.read("serve_load")
    for name in given.parts:
        before = os.getloadavg()[0]
        found = parts[name]()
        about = {
            "command": results.spell_command("serve_load"),
            "load": [round(before, 1), round(os.getloadavg()[0], 1)],
            "processors": os.cpu_count(),
            "workers": WORKERS,
            "versions": results.find_versions("numpy", "starlette", "uvicorn", "up-fast-downward"),
        }
        content[name] = {"about": about, "found": found}
        results.write("serve_load", content, write_page(content))


@contextmanager
def run_server() -> Iterator[Server]:
    """A server on a free port; an error if any process of it is left at the end."""
    command = [sys.executable, "-m", "skolem.cli", "serve", "--port", "0", "--workers", str(WORKERS), "--queue", "256"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = re.search(r"http://\S+", process.stderr.readline())
        assert address is not None
        server = Server(process, urlsplit(address.group()).port or 0)
        try:
            yield server
        finally:
            started = server.list_processes() if process.poll() is None else []
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            code, said = process.wait(60), process.stderr.read()
            if code != 0 or said:
                raise SystemExit(f"the server ended with {code} and said {said!r}")
    deadline = time.monotonic() + 2.0
    while any(map(is_running, started)):
        if time.monotonic() > deadline:
            raise SystemExit("processes are left")
        time.sleep(0.05)


def is_running(pid: int) -> bool:
    """Whether a process works: one that has ended and that nobody waits for does not."""
    try:
        return Path("/proc", str(pid), "stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def read_example(name: str) -> dict[str, str]:
    """The texts of an example."""
    problem = ROOT / "examples" / f"{name}.pddl"
    return {"domain": problem.with_name("domain.pddl").read_text(), "problem": problem.read_text()}


def ask(connection: HTTPConnection, operation: str, body: bytes) -> tuple[int, dict[str, Any]]:
    """The status and the answer."""
    connection.request("POST", f"/api/{operation}", body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def measure_speed(rounds: int) -> list[dict[str, Any]]:
    """Latencies of `plan` on the examples with several clients, and of a cold process each."""
    rows = []
    bodies = [json.dumps(read_example(name)).encode() for name in EXAMPLES]
    with run_server() as server:

        def run_client(number: int) -> list[float]:
            connection, times = server.connect(), []
            for i in range(rounds * len(bodies)):
                start = time.perf_counter()
                status, answer = ask(connection, "plan", bodies[(number + i) % len(bodies)])
                times.append(time.perf_counter() - start)
                assert (status, answer["status"]) == (200, "solved")
            return times

        run_client(0)
        for clients in CLIENTS:
            start = time.perf_counter()
            with ThreadPoolExecutor(clients) as pool:
                times = sorted(t for found in pool.map(run_client, range(clients)) for t in found)
            rows.append(describe(f"server, {clients} client{'s' * (clients > 1)}", times, time.perf_counter() - start))
    start = time.perf_counter()
    cold = [run_cold(name) for _ in range(rounds) for name in EXAMPLES]
    return [*rows, describe("a cold process each, one at a time", sorted(cold), time.perf_counter() - start)]


def run_cold(name: str) -> float:
    """The seconds of one command in a fresh process."""
    problem = ROOT / "examples" / f"{name}.pddl"
    command = [sys.executable, "-m", "skolem.cli", "plan", str(problem.with_name("domain.pddl")), str(problem)]
    start = time.perf_counter()
    subprocess.run([*command, "--json"], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def describe(name: str, times: Sequence[float], seconds: float) -> dict[str, Any]:
    """The latencies of a contender in milliseconds."""
    return {
        "contender": name,
        "questions": len(times),
        "median_ms": round(1000 * median(times)),
        "p99_ms": round(1000 * times[min(len(times) - 1, int(0.99 * len(times)))]),
        "per_second": round(len(times) / seconds, 2),
    }


def ask_many(count: int) -> dict[str, Any]:
    """What happens to many questions of all kinds, one in twenty of them bad."""
    counts: Counter[str] = Counter()
    memory: list[int] = []
    started = time.perf_counter()
    with run_server() as server:
        memory.append(server.measure_memory())

        def run_client(number: int) -> None:
            rng, connection = Random(number), server.connect()
            _, opened = ask(connection, "open", json.dumps(read_example("robot/mugs")).encode())
            places = ("table", "counter")
            for i in range(count // 4):
                if rng.random() < BAD_SHARE:
                    operation, body, wanted = make_bad(rng)
                else:
                    operation, body = make_good(rng, opened["session"], places[i % 2], places[1 - i % 2])
                    wanted = 200
                status, answer = ask(connection, operation, body)
                counts[
                    "as they should be" if status == wanted else f"{operation}: {status} {answer.get('message')}"
                ] += 1
                if wanted != 200:
                    counts["bad ones"] += 1
                if number == 0 and i % (SAMPLED // 4) == 0:
                    memory.append(server.measure_memory())

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(run_client, range(4)))
        memory.append(server.measure_memory())
    return {
        "questions": 4 * (count // 4),
        "seconds": round(time.perf_counter() - started),
        "counts": dict(counts),
        "memory_mb": memory,
        "processes_left": 0,
    }


def make_good(rng: Random, session: str, here: str, there: str) -> tuple[str, bytes]:
    """A question that has an answer."""
    name = rng.choice(EXAMPLES)
    kind = rng.choices(("plan", "ground", "explain", "draw", "check", "validate", "ask"), (4, 6, 4, 8, 33, 20, 25))[0]
    parameters: dict[str, Any] = read_example(name)
    if kind == "validate":
        parameters = {**read_example("robot/mugs"), "plan": "(go table counter)\n(take mug3 counter)\n"}
    elif kind == "ask":
        parameters = {"session": session, "remove": [f"(robot-at {here})"], "add": [f"(robot-at {there})"]}
    return kind, json.dumps(parameters).encode()


def make_bad(rng: Random) -> tuple[str, bytes, int]:
    """A question that has none, and the status of what is to be said then."""
    task = read_example("blocks/tower")
    text = task["problem"]
    cut = rng.randrange(len(text) - 2)
    kinds: tuple[tuple[str, bytes, int], ...] = (
        ("plan", b"{" * rng.randrange(1, 5000), 400),
        ("plan", json.dumps({**task, "planer": "lama"}).encode(), 400),
        ("plan", json.dumps({**task, "time_limit": -1}).encode(), 400),
        ("plan", json.dumps({**task, "problem": text[:cut]}).encode(), 422),
        ("explain", json.dumps({**task, "why": {"?x9": "a"}}).encode(), 422),
        ("ask", json.dumps({"session": "none"}).encode(), 404),
        ("nothing", b"{}", 404),
    )
    return rng.choice(kinds)


def wait_for_slow_clients() -> dict[str, Any]:
    """After how many seconds clients that do not finish their requests are let go, and how."""
    head = b"POST /api/plan HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    found = {}
    with run_server() as server:
        for name, sent in (("head", head), ("body", head + b"Content-Length: 1000\r\n\r\n{")):
            start = time.perf_counter()
            with socket.create_connection(("127.0.0.1", server.port), timeout=120) as connection:
                connection.sendall(sent)
                answer = b""
                while part := connection.recv(4096):
                    answer += part
            seconds = round(time.perf_counter() - start, 1)
            found[name] = {"seconds": seconds, "answer": answer[9:12].decode() or "closed"}
    return found


def meet_faults() -> dict[str, str]:
    """What is answered when something goes wrong, and that the next question is answered."""
    mugs, found = json.dumps(read_example("robot/mugs")).encode(), {}
    with run_server() as server:
        hard = json.dumps({**make_hard(), "time_limit": 50}).encode()

        def ask_hard() -> str:
            try:
                status, answer = ask(server.connect(), "plan", hard)
            except OSError as error:
                return f"no answer ({error!r})"
            return f"{status}: {answer['message']}"

        def check_next(name: str, said: str) -> None:
            status, answer = ask(server.connect(), "plan", mugs)
            found[name] = f"{said}; the next question: {status}, {answer['status']}"

        with ThreadPoolExecutor() as pool:
            asked = pool.submit(ask_hard)
            # Before it makes room for others: a worker killed while it starts is complained about.
            time.sleep(0.5)
            for pid in server.list_processes()[1:]:
                if is_running(pid):
                    os.kill(pid, signal.SIGKILL)
            check_next("all workers killed in the middle", asked.result())

            with socket.create_connection(("127.0.0.1", server.port)) as connection:
                head = b"POST /api/plan HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                connection.sendall(head + b"Content-Length: %d\r\n\r\n%b" % (len(hard), hard))
                time.sleep(1.5)
            time.sleep(1.5)
            busy = ask_health(server)
            check_next("a client that goes away", f"{busy} workers are busy")

            large = server.connect()
            large.putrequest("POST", "/api/plan")
            large.putheader("Content-Type", "application/json")
            large.putheader("Content-Length", str(10**9))
            large.endheaders()
            response = large.getresponse()
            check_next("a body that is too large", f"{response.status}: {json.loads(response.read())['message']}")

            opening = server.connect()
            sessions = [ask(opening, "open", mugs) for _ in range(1_001)]
            opened = sum(status == 200 for status, _ in sessions)
            check_next("sessions", f"{opened} opened, then {sessions[-1][0]}: {sessions[-1][1]['message']}")

            asked = pool.submit(ask_hard)
            time.sleep(1.5)
            processes, start = server.list_processes(), time.perf_counter()
            server.process.send_signal(signal.SIGTERM)
            said = asked.result()
            server.process.wait()
            left = [pid for pid in processes if is_running(pid)]
            seconds = time.perf_counter() - start
            found["stop while busy"] = f"{said}; stopped after {seconds:.1f} s, {len(left)} processes are left"
    return found


def ask_health(server: Server) -> int:
    """How many workers are busy."""
    connection = server.connect()
    connection.request("GET", "/api/health")
    response = connection.getresponse()
    return int(json.loads(response.read())["busy"])


def make_hard() -> dict[str, str]:
    """A task for which no optimal plan is found in a minute: 120 balls into two rooms."""
    balls = range(120)
    facts = " ".join(f"(ball b{i}) (red b{i}) (at b{i} x)" for i in balls)
    ways = " ".join(f"(connected {a} {b})" for a in "xyz" for b in "xyz" if a != b)
    goals = " ".join(f"(at b{i} {'yz'[i % 2]})" for i in balls)
    problem = f"""(define (problem hard) (:domain gripper)
      (:objects l r x y z {" ".join(f"b{i}" for i in balls)})
      (:init (gripper l) (gripper r) (free l) (free r) (room x) (room y) (room z) (at-robby x) {ways} {facts})
      (:goal (and {goals})))"""
    return {**read_example("gripper/rooms"), "problem": problem, "planner": "seq-opt-lmcut"}


def write_page(content: Mapping[str, Any]) -> str:
    """The report."""
    parts: dict[str, tuple[str, Callable[[Any], list[str]]]] = {
        "speed": ("`plan` on the four examples", _write_speed),
        "many": ("Many questions, one in twenty bad", _write_many),
        "slow": ("Slow clients", _write_slow),
        "faults": ("Faults", _write_faults),
    }
    lines = ["# A server under load", "", f"`skolem serve` with {WORKERS} workers on the loopback address."]
    for name, (title, write) in parts.items():
        if name in content:
            about = content[name]["about"]
            lines += ["", f"## {title}", "", *write(content[name]["found"]), ""]
            lines.append(
                f"{about['processors']} processors, load average {about['load'][0]} before, {about['load'][1]} after."
            )
            lines.append(f"Command: `{about['command']}`.")
    return "\n".join(lines) + "\n"


def _write_speed(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    names = ("contender", "questions", "median_ms", "p99_ms", "per_second")
    head = ["| | questions | median, ms | 99th percentile, ms | questions per second |", "|---" * 5 + "|"]
    return [*head, *(f"| {' | '.join(str(row[name]) for name in names)} |" for row in rows)]


def _write_many(many: Mapping[str, Any]) -> list[str]:
    memory = many["memory_mb"]
    return [
        f"{many['questions']} questions of all kinds by four clients in {many['seconds']} s:",
        *(f"- {number} {name}" for name, number in many["counts"].items()),
        "",
        f"Memory of all processes: {memory[0]} MB at the start, {memory[len(memory) // 2]} MB in the middle,",
        f"{memory[-1]} MB at the end, at most {max(memory)} MB. Processes left: {many['processes_left']}.",
    ]


def _write_slow(slow: Mapping[str, Mapping[str, Any]]) -> list[str]:
    return [
        f"- a request whose {name} never ends: {found['answer']} after {found['seconds']} s"
        for name, found in slow.items()
    ]


def _write_faults(faults: Mapping[str, str]) -> list[str]:
    return ["| fault | what happens |", "|---|---|", *(f"| {name} | {said} |" for name, said in faults.items())]


if __name__ == "__main__":
    main()
