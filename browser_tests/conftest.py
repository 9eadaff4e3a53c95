"""One server and one browser for all tests."""

from collections.abc import Iterator

import pytest
from browser_tests.browser import Page, start_browser
from tests.integrations.server.servers import Running, run_server


@pytest.fixture(scope="session")
def server() -> Iterator[Running]:
    """A server with two workers."""
    with run_server("--workers", "2") as running:
        yield running


@pytest.fixture(scope="session")
def light_page(server: Running) -> Iterator[Page]:
    """The page on a desk, by day."""
    with start_browser() as browser:
        yield Page(browser, server.url)


@pytest.fixture
def page(light_page: Page) -> Iterator[Page]:
    """The page as it is first; at the end the browser must have found nothing wrong with it."""
    light_page.open()
    yield light_page
    assert light_page.list_complaints() == []
