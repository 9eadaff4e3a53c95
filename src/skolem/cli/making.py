"""The commands that make and show things: generate, draw."""

import json

from skolem.cli.options import DrawOptions, GenerateOptions
from skolem.cli.output import Console
from skolem.support.errors import ExitCode, InputError
from skolem.support.files import make_folder, write_text


def run_generate(console: Console, options: GenerateOptions) -> int:
    """Writes the domain and random problems of a family into a folder."""
    from skolem.families.registry import generate_problem
    from skolem.families.suite.registry import SUITE, generate_suite_problem

    files, folder, in_suite = [], options.output, options.family in SUITE
    if in_suite and (options.neq or options.variables is not None):
        raise InputError(f"--variables and --neq are for the paper's families, not for {options.family}")
    if options.set_ in (("optimal", "lama") if in_suite else ("test",)):
        raise InputError(f"{options.family} has no set {options.set_}")
    for index in range(options.count):
        where = (options.family, options.set_, options.seed, index)
        instance = (
            generate_suite_problem(*where, size=options.size)
            if in_suite
            else generate_problem(*where, size=options.size, variables=options.variables, neq=options.neq)
        )
        if index == 0:
            make_folder(folder)
            write_text(folder / "domain.pddl", instance.domain_text)
        files.append(f"{instance.name}.pddl")
        write_text(folder / files[-1], instance.problem_text)
    console.result({"status": "generated", "domain": "domain.pddl", "problems": files})
    console.say(f"domain.pddl and {len(files)} problem{'s' * (len(files) != 1)} written to {folder}")
    return int(ExitCode.SUCCESS)


def run_draw(console: Console, options: DrawOptions) -> int:
    """Draws a task, with the objects of a binding marked."""
    from skolem.drawing import save_drawing
    from skolem.pddl.reading import read_task

    task = read_task(options.domain, options.problem)
    chosen = None
    if options.binding is not None:
        try:
            chosen = json.loads(options.binding)
        except ValueError as error:
            raise InputError(f"--binding is not JSON ({error})") from error
        if not isinstance(chosen, dict) or not all(isinstance(value, str) for value in chosen.values()):
            raise InputError('--binding must be an object such as {"?x": "a"}')
    save_drawing(task, options.output, chosen)
    console.result({"status": "drawn", "file": str(options.output)})
    console.say(f"written to {options.output}")
    return int(ExitCode.SUCCESS)
