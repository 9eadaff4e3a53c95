"""A headless Chromium, and the page as somebody in front of it sees and uses it."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

PATIENCE = 90
"""Seconds after which a test gives up: machines may be busy."""
SCREENSHOTS = Path(os.environ.get("SKOLEM_SCREENSHOTS", "build/screenshots"))
_FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars"),
)


class Page:
    """The page in a browser."""

    def __init__(self, browser: Chrome, url: str, width: int = 1280, height: int = 900) -> None:
        self.browser, self.url, self.width, self.height = browser, url, width, height
        self._resize(height)

    def _resize(self, height: int) -> None:
        # Not by the window, which cannot be as narrow as a phone.
        metrics = {"width": self.width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def open(self, fragment: str = "") -> None:
        """Loads the page anew."""
        self.browser.get("about:blank")
        self.browser.get(self.url + fragment)
        self.wait(lambda: self.browser.execute_script("return document.body.dataset.ready") == "true")

    def wait(self, condition: Callable[[], Any]) -> Any:
        """What a condition is once it is true, which it must be before long."""
        waiting = WebDriverWait(self.browser, PATIENCE, 0.05, [StaleElementReferenceException])
        return waiting.until(lambda browser: condition())

    def find(self, name: str) -> WebElement:
        """The element of an id."""
        return self.browser.find_element(By.ID, name)

    def select(self, selector: str) -> list[WebElement]:
        """The elements that a CSS selector finds."""
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def take_example(self, title: str) -> None:
        """Clicks an example, and waits for its picture."""
        next(button for button in self.select("#examples button") if title in button.text).click()
        self.wait(lambda: self.title == "Ready" and self.select("#picture svg"))

    def plan(self) -> None:
        """Asks for a plan by the keyboard."""
        self.find("editor").send_keys(Keys.CONTROL, Keys.ENTER)

    def wait_for(self, state: str) -> None:
        """Waits until the status is as it should be."""
        self.wait(lambda: self.find("status").get_attribute("data-state") == state)

    def wait_for_states(self, count: int) -> None:
        """Waits until the scrubber goes through so many states."""
        self.wait(lambda: self.find("step").get_attribute("max") == str(count - 1))

    @property
    def title(self) -> str:
        """The headline of the status."""
        return self.find("status-title").text

    def read_fact(self, name: str) -> str:
        """A figure in the status, such as the cost."""
        # In one go: the page may change between two looks.
        script = (
            "return [...document.querySelectorAll('#facts div')].map((d) => [...d.children].map((c) => c.innerText))"
        )
        facts: dict[str, str] = dict(self.browser.execute_script(script))
        return facts.get(name, "")

    def write(self, text: str) -> None:
        """Puts a text into the editor as if it were typed."""
        script = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', {bubbles: true}))"
        self.browser.execute_script(script, self.find("editor"), text)

    def click(self, element: WebElement) -> None:
        """Clicks an element wherever it is on the page."""
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def photograph(self, name: str) -> None:
        """Keeps a picture of the whole page."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self._resize(self.browser.execute_script("return document.documentElement.scrollHeight"))
        (SCREENSHOTS / f"{name}.png").write_bytes(self.browser.get_screenshot_as_png())
        self._resize(self.height)

    def list_complaints(self) -> list[str]:
        """What the browser found wrong with the page; answers with an error status are no fault of the page."""
        entries: list[dict[str, str]] = self.browser.get_log("browser")  # type: ignore[no-untyped-call]
        said = [entry["message"] for entry in entries]
        return [message for message in said if "Failed to load resource" not in message]


@contextmanager
def start_browser(dark: bool = False) -> Iterator[Chrome]:
    """A new browser that knows nothing."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for flag in (*_FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        browser = Chrome(options, Service("/usr/bin/chromedriver"))
        try:
            browser.set_script_timeout(PATIENCE)
            features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
            yield browser
        finally:
            browser.quit()
