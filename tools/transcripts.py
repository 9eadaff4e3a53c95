"""Transcripts of the command line: `record FILE` keeps what all calls print, `compare FILE` shows what changed."""

import argparse
import difflib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from tools.transcript_calls import CALLS, PLACES, REPOSITORY, Call
from tools.transcript_text import are_alike, normalise

GOLDEN = REPOSITORY / "tests" / "transcripts" / "golden.json"
INTENDED = REPOSITORY / "tests" / "transcripts" / "intended.toml"

_PROGRAM = "import sys; from skolem.cli import main; sys.exit(main())"
# Their bytes depend on the clock or the processor.
_VARYING = (".jsonl", ".safetensors", ".npz", ".png", "config.json")


@dataclass(frozen=True)
class Transcript:
    """What a call printed, returned and wrote, without what differs from one run to the next."""

    arguments: list[str]
    exit_code: int
    stdout: list[str]
    stderr: list[str]
    files: dict[str, str]
    """The files that the call wrote or changed, with a checksum where their content is determined."""

    def list_lines(self) -> list[str]:
        """The transcript as text."""
        return [
            "$ skolem " + " ".join(self.arguments),
            f"exit code {self.exit_code}",
            *(f"stdout: {line}" for line in self.stdout),
            *(f"stderr: {line}" for line in self.stderr),
            *(f"wrote: {name} {checksum}" for name, checksum in self.files.items()),
        ]


def run_calls(calls: Iterable[Call], jobs: int = 1) -> dict[str, Transcript]:
    """The transcripts of calls by their names."""
    wanted = list(calls)
    known = {call.name: call for call in CALLS}
    with tempfile.TemporaryDirectory(prefix="transcripts-") as folder, ThreadPoolExecutor(jobs) as pool:
        runs: dict[str, Future[Transcript]] = {}

        def submit(call: Call) -> Future[Transcript]:
            # A call that others continue is submitted before them, so that no worker waits for one still queued.
            earlier = None if call.after is None else submit(known[call.after])
            if call.name not in runs:
                runs[call.name] = pool.submit(_run_call, call, Path(folder), earlier)
            return runs[call.name]

        return {call.name: submit(call).result() for call in [c for c in wanted if submit(c)]}


def _run_call(call: Call, folder: Path, earlier: Future[Transcript] | None) -> Transcript:
    inside = folder / call.name
    if call.after is not None and earlier is not None:
        earlier.result()
        shutil.copytree(folder / call.after, inside)
    for name, content in call.files.items():
        path = inside / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    scratch = inside / "scratch"
    scratch.mkdir(parents=True, exist_ok=True)
    before = dict(_list_files(inside))
    places = {"tmp": str(inside), **PLACES}
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, *(_fill(argument, places) for argument in call.arguments)],
        cwd=REPOSITORY,
        env=_make_environment(scratch),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    paths = {str(inside): "{tmp}", **{path: f"{{{name}}}" for name, path in PLACES.items()}, str(REPOSITORY): "{root}"}
    written = {name: found for name, found in _list_files(inside) if before.get(name) != found}
    return Transcript(
        list(call.arguments),
        done.returncode,
        normalise(done.stdout, paths, call.hide),
        normalise(done.stderr, paths, call.hide),
        {name: "varies" if name.endswith(_VARYING) else checksum for name, checksum in written.items()},
    )


def _fill(argument: str, places: dict[str, str]) -> str:
    """The argument with the names of folders replaced; other braces are JSON."""
    for name, path in places.items():
        argument = argument.replace(f"{{{name}}}", path)
    return argument


def _make_environment(scratch: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LD_LIBRARY_PATH")}
    return kept | {
        "PYTHONPATH": str(REPOSITORY / "src"),
        "TMPDIR": str(scratch),
        "XDG_DATA_HOME": str(scratch),
        "XDG_CONFIG_HOME": str(scratch),
        "COLUMNS": "100",
        "NO_COLOR": "1",
        "LC_ALL": "C.UTF-8",
        # Sums in another order give other last digits.
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


def _list_files(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        content = path.read_bytes().replace(str(folder).encode(), b"{tmp}")
        yield str(path.relative_to(folder)), hashlib.sha256(content).hexdigest()[:16]


def read_transcripts(file: Path) -> dict[str, Transcript]:
    """The transcripts that a file keeps."""
    return {name: Transcript(**entry) for name, entry in json.loads(file.read_text(encoding="utf-8")).items()}


def write_transcripts(file: Path, transcripts: dict[str, Transcript]) -> None:
    """Keeps transcripts in a file."""
    text = json.dumps({name: asdict(found) for name, found in transcripts.items()}, indent=1, ensure_ascii=False)
    file.write_text(text + "\n", encoding="utf-8")


def compare(kept: dict[str, Transcript], found: dict[str, Transcript]) -> dict[str, str]:
    """A unified diff for each call that is not what it was; a call on one side alone differs from nothing."""
    differences = {}
    for name in [*kept, *(name for name in found if name not in kept)]:
        old, new = ([] if name not in side else side[name].list_lines() for side in (kept, found))
        if not are_alike(old, new):
            lines = difflib.unified_diff(old, new, f"{name} (kept)", f"{name} (now)", lineterm="")
            differences[name] = "\n".join(lines)
    return differences


def read_intended(file: Path = INTENDED) -> dict[str, str]:
    """The calls that are meant to differ, with the reason of each."""
    return dict(tomllib.loads(file.read_text(encoding="utf-8")).get("intended", {}))


def _show(differences: dict[str, str], intended: dict[str, str], called: set[str]) -> int:
    """Prints the differences, and returns 1 if one of them is not intended."""
    for name, text in differences.items():
        print(f"{text}\n{'intended: ' + intended[name] if name in intended else 'NOT INTENDED'}\n")
    stale = [name for name in intended if name in called and name not in differences]
    for name in stale:
        print(f"stale: {name} is listed as an intended difference and does not differ")
    wrong = [name for name in differences if name not in intended]
    print(f"{len(called)} calls, {len(differences)} differ, {len(wrong)} of them not intended, {len(stale)} stale")
    return int(bool(wrong))


def main() -> int:
    """Records or compares the transcripts."""
    parser = argparse.ArgumentParser(prog="python -m tools.transcripts", description=__doc__)
    parser.add_argument("mode", choices=("record", "compare"))
    parser.add_argument("file", type=Path, nargs="?", default=GOLDEN)
    parser.add_argument("--only", default="", metavar="TEXT", help="only the calls with this text in their names")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    options = parser.parse_args()
    found = run_calls((call for call in CALLS if options.only in call.name), options.jobs)
    kept = read_transcripts(options.file) if options.file.exists() else {}
    if options.mode == "record":
        # With --only, the other calls stay as they were.
        names = [call.name for call in CALLS if call.name in found or (options.only and call.name in kept)]
        write_transcripts(options.file, {name: found.get(name) or kept[name] for name in names})
        print(f"{len(found)} calls recorded in {options.file}")
        return 0
    kept = {name: transcript for name, transcript in kept.items() if options.only in name}
    return _show(compare(kept, found), read_intended(), {*kept, *found})


if __name__ == "__main__":
    sys.exit(main())
