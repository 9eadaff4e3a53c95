"""One server for all tests that do no harm to it."""

from collections.abc import Iterator

import pytest
from tests.integrations.server.servers import Running, run_server


@pytest.fixture(scope="session")
def server() -> Iterator[Running]:
    """A server with one worker."""
    with run_server("--workers", "1") as running:
        yield running
