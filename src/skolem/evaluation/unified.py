"""A peer as a program of its own: unified-planning removes the quantifiers of a problem."""

import sys


def main(domain: str, problem: str, domain_output: str, problem_output: str) -> None:
    """Reads PDDL, expands its quantifiers and writes PDDL again."""
    from unified_planning.engines import CompilationKind
    from unified_planning.engines.compilers import QuantifiersRemover
    from unified_planning.io import PDDLReader, PDDLWriter

    task = PDDLReader().parse_problem(domain, problem)
    result = QuantifiersRemover().compile(task, CompilationKind.QUANTIFIERS_REMOVING)
    writer = PDDLWriter(result.problem)
    writer.write_domain(domain_output)
    writer.write_problem(problem_output)


if __name__ == "__main__":
    main(*sys.argv[1:])
