"""An interrupted evaluation continues where it was, and ends with the same results."""

import gzip
import resource
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skolem.evaluation.store import Runner, Store
from skolem.support.errors import InputError, SkolemError

WORK = [(f"square/{number}", number) for number in range(7)]


def square(number: int) -> dict[str, Any]:
    return {"square": number * number, "of": [number]}


def fail_at_four(number: int) -> dict[str, Any]:
    if number == 4:
        raise SkolemError("killed")
    return square(number)


def refuse(number: int) -> dict[str, Any]:
    raise AssertionError(f"{number} was in the store")


def test_what_is_added_is_read_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "deep" / "results.jsonl")
    assert store.get("a") is None
    store.add("a", {"cost": 3, "reason": "Größe\nzwei"})
    store.add("b", {"pair": (1, 2)})
    assert list(Store(store.path).records()) == list(store.records())
    assert store.get("b") == {"pair": [1, 2]}


def test_a_full_disk_is_told_once_and_what_was_written_stays(tmp_path: Path) -> None:
    store = Store(tmp_path / "results.jsonl")
    store.add("a", {"cost": 3})
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50, limits[1]))
    try:
        with pytest.raises(SkolemError, match=r"cannot write .*: File too large"):
            store.add("b", {"cost": 4})
        store.close()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(Store(store.path).records()) == [("a", {"cost": 3})]


def test_the_last_record_of_a_key_counts(tmp_path: Path) -> None:
    store = Store(tmp_path / "results.jsonl")
    store.add("a", {"cost": None})
    store.add("a", {"cost": 3})
    assert Store(store.path).get("a") == {"cost": 3}


@given(cut=st.integers(min_value=0, max_value=300))
def test_a_run_cut_off_anywhere_continues_to_the_same_results(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    path = tmp_path_factory.mktemp("store") / "results.jsonl"
    store = Store(path)
    whole = Runner(store).run(square, WORK)
    store.close()
    path.write_bytes(path.read_bytes()[:cut])
    again = Store(path)
    assert Runner(again).run(square, WORK) == whole
    again.close()
    assert Runner(Store(path)).run(refuse, WORK) == whole


def test_a_run_that_failed_keeps_what_it_had(tmp_path: Path) -> None:
    store = Store(tmp_path / "results.jsonl")
    with pytest.raises(SkolemError, match="killed"):
        Runner(store).run(fail_at_four, WORK)
    store.close()
    rest = Store(store.path)
    kept = dict(rest.records())
    assert kept == {key: square(number) for key, number in WORK[:4]}
    told: list[int] = []
    assert Runner(rest).run(square, WORK, told.append) == [square(number) for _, number in WORK]
    assert told == [4, 5, 6, 7]


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_order_is_that_of_the_work(tmp_path: Path, jobs: int) -> None:
    work = WORK[::-1]
    expected = [square(number) for _, number in work]
    assert Runner(Store(tmp_path / "results.jsonl"), jobs).run(square, work) == expected
    assert Runner(jobs=jobs).run(square, work) == expected


def test_a_repeated_key_is_worked_on_once(tmp_path: Path) -> None:
    store = Store(tmp_path / "results.jsonl")
    told: list[int] = []
    assert Runner(store).run(square, [*WORK, *WORK], told.append) == 2 * [square(n) for _, n in WORK]
    assert told[-1] == 2 * len(WORK)
    assert len((tmp_path / "results.jsonl").read_text().splitlines()) == len(WORK)


def test_a_compressed_store_is_read_only(tmp_path: Path) -> None:
    plain = Store(tmp_path / "results.jsonl")
    plain.add("a", {"cost": 3})
    packed = tmp_path / "results.jsonl.gz"
    packed.write_bytes(gzip.compress((tmp_path / "results.jsonl").read_bytes()))
    store = Store(packed)
    assert store.get("a") == {"cost": 3}
    with pytest.raises(SkolemError, match="only read"):
        store.add("b", {})


def test_one_process_writes_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    first, second = Store(path), Store(path)
    first.add("a", {})
    with pytest.raises(SkolemError, match="another process"):
        second.add("b", {})
    first.close()
    with pytest.raises(SkolemError, match="another process"):
        second.add("b", {})
    Store(path).add("b", {})
    assert [key for key, _ in Store(path).records()] == ["a", "b"]


@pytest.mark.parametrize("line", ["{", "3", '{"key": "a"}', '{"key": 1, "record": {}}', '{"key": "a", "record": 2}'])
def test_a_file_that_is_no_store_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(f'{{"key": "a", "record": {{}}}}\n{line}\n')
    with pytest.raises(InputError, match=r"results\.jsonl:2:1: not a result"):
        Store(path)


def test_damaged_lines_are_named_and_what_they_held_is_found_again(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    store = Store(path)
    whole = Runner(store).run(square, WORK)
    store.close()
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:2], lines[2][:20] + "\0" + lines[2][21:], *lines[3:5], "\n", *lines[5:]]))
    warnings: list[str] = []
    mended = Store(path, warnings.append)
    assert [text.split(": ")[0] for text in warnings] == [f"{path}:3:1", f"{path}:6:1"]
    assert Runner(mended).run(square, WORK) == whole
    mended.close()
    assert Runner(Store(path)).run(refuse, WORK) == whole


def test_a_file_without_any_record_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("mind the gap\n")
    with pytest.raises(InputError, match="not a result"):
        Store(path, lambda text: None)
    assert path.read_text() == "mind the gap\n"
