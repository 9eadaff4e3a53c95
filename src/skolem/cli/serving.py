"""The command serve: the page and its interface, JSON lines, or tools for language models."""

from skolem.cli.options import ServeOptions
from skolem.cli.output import Console
from skolem.integrations.server.pool import PoolLimits
from skolem.integrations.server.service import Settings
from skolem.support.errors import ExitCode


def run_serve(console: Console, options: ServeOptions) -> int:
    """Answers questions until it is asked to stop."""
    limits = PoolLimits(
        workers=options.workers,
        waiting=options.queue,
        seconds=options.time_limit,
        usual_seconds=min(PoolLimits.usual_seconds, options.time_limit),
        megabytes=options.memory_limit,
    )
    settings = Settings(limits)
    if options.stdio:
        from skolem.integrations.server.stdio import run_lines

        run_lines(settings)
    elif options.mcp:
        from skolem.integrations.server.mcp_tools import run_tools

        run_tools(settings)
    else:
        from skolem.integrations.server.http import Address, run_server

        def announce(url: str) -> None:
            # At once and on standard error, so that programs that start a server can wait for it.
            console.warn(f"skolem: serving at {url} (Ctrl-C stops it)")

        run_server(Address(options.host, options.port, tuple(options.allow_host)), settings, announce)
        console.result({"status": "stopped"})
    return int(ExitCode.SUCCESS)
