"""Calls print what they always printed; `python -m tools.transcripts compare` runs many more of them."""

import json

import pytest
from tools.transcript_calls import CALLS, Call
from tools.transcript_text import are_alike, normalise
from tools.transcripts import GOLDEN, compare, read_intended, read_transcripts, run_calls


@pytest.mark.parametrize("call", [call for call in CALLS if call.fast], ids=lambda call: call.name)
def test_a_call_prints_what_it_always_printed(call: Call) -> None:
    kept = read_transcripts(GOLDEN)
    differences = compare({call.name: kept[call.name]}, run_calls([call]))
    assert call.name in read_intended() or not differences, differences[call.name]


def test_every_call_has_its_own_name_and_a_transcript_or_a_reason() -> None:
    names = [call.name for call in CALLS]
    assert len(names) == len(set(names))
    assert set(names) ^ set(read_transcripts(GOLDEN)) <= set(read_intended())


def test_every_intended_difference_has_a_reason() -> None:
    assert all(isinstance(reason, str) and reason for reason in read_intended().values())


def test_times_rates_and_folders_are_left_out() -> None:
    text = "labelling: 5/9 pairs, 3 pairs/s, 1 s left\nlabelling: 9/9 pairs, 1,234 pairs/s\n/home/x/plan in 0.25 s\n"
    assert normalise(text, {"/home/x": "{tmp}"}) == ["labelling: 9/9 pairs, # pairs/s", "{tmp}/plan in # s"]


def test_json_is_spread_over_lines_without_its_times() -> None:
    lines = normalise('{"cost": 3, "times": {"read": 0.1}, "speedup": {"value": 2.5, "count": 4}}\n', {})
    found = {"cost": 3, "times": {"read": "#"}, "speedup": {"value": "#", "count": 4}}
    assert json.loads("\n".join(lines)) == found


def test_only_decimals_may_differ_and_only_a_little() -> None:
    assert are_alike(["predicted cost 9.1130"], ["predicted cost 9.1131"])
    assert not are_alike(["predicted cost 9.11"], ["predicted cost 9.21"])
    assert not are_alike(["cost 9"], ["cost 10"])


def test_a_call_on_one_side_alone_is_a_difference() -> None:
    kept = read_transcripts(GOLDEN)
    name = CALLS[0].name
    assert set(compare({name: kept[name]}, {})) == {name} == set(compare({}, {name: kept[name]}))
