"""Which costs the planner could fail to add up."""

from skolem.planning.overflow import METRIC, can_overflow, sum_chain

SAS = """begin_variable
var0
-1
3
Atom at(a)
Atom at(b)
<none of those>
end_variable
begin_variable
var1
0
2
Atom derived()
NegatedAtom derived()
end_variable
{}"""
OPERATOR = "begin_operator\ndrive a b\n0\n1\n0 0 0 1\n{}\nend_operator\n"


def test_a_chain_has_at_most_one_action_for_each_fact_that_is_not_derived() -> None:
    assert sum_chain(SAS.format("".join(OPERATOR.format(cost) for cost in (5, 1, 9, 7)))) == 21
    assert sum_chain(SAS.format(OPERATOR.format(4))) == 4
    assert sum_chain("") == 0


def test_only_whole_words_are_numbers_and_only_metrics_add_them_up() -> None:
    domain = "(:action go99999 :effect (increase (total-cost) (far a77777 ?x)))"
    assert not can_overflow(domain, f"(= (far a77777 b) 12) {METRIC}", 100_000)
    assert can_overflow(domain, f"(= (far a77777 b) 21475) {METRIC}", 100_000)
    assert not can_overflow(domain, "(= (far a77777 b) 21475)", 100_000)
