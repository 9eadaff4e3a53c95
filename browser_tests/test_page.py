"""The page in a real browser, from the empty editor to the plan, with a picture of every state."""

import pytest
from browser_tests.browser import Page, start_browser
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from tests.integrations.server.servers import HARD, Running


def solve_tower(page: Page) -> None:
    """Takes the first example and plans for it."""
    page.take_example("tower")
    page.plan()
    page.wait_for("solved")
    page.wait_for_states(10)
    page.wait(lambda: "…" not in page.read_fact("bound"))


def test_empty(page: Page) -> None:
    assert page.title == "Nothing asked yet"
    assert len(page.select("#examples button")) == 7
    assert not page.find("objects-card").is_displayed()
    page.photograph("light-empty")


def test_an_example_is_one_click_away(page: Page) -> None:
    page.take_example("tower")
    assert "(define (problem tower)" in (page.find("editor").get_attribute("value") or "")
    page.find("tab-domain").click()
    assert "(define (domain blocks)" in (page.find("editor").get_attribute("value") or "")


def test_a_plan(page: Page) -> None:
    solve_tower(page)
    assert page.title == "Solved"
    assert page.read_fact("cost") == "9"
    assert page.read_fact("bound") == "cheapest"
    assert len(page.select("#steps li")) == 9
    rows = page.select(".row")
    assert [row.find_element(By.TAG_NAME, "h3").text.split("\n")[0] for row in rows] == [f"?x{i}" for i in range(1, 6)]
    assert all(len(row.find_elements(By.CSS_SELECTOR, ".chosen")) == 1 for row in rows)
    struck = rows[0].find_element(By.CSS_SELECTOR, ".impossible")
    assert struck.find_element(By.TAG_NAME, "s").text == "a b d f"
    assert "(blue ?x1)" in struck.text
    page.photograph("light-solved")


def test_an_error_at_its_place_and_its_repair(page: Page) -> None:
    page.take_example("tower")
    right = page.find("editor").get_attribute("value") or ""
    page.write(right.replace("(ontable b)", "(onntable b)"))
    page.wait_for("error")
    assert page.title == "One mistake"
    (error,) = page.select("#errors button")
    assert error.text.split() == ["problem", "16:6", "unknown", "predicate", "'onntable',", "expected", "'ontable'"]
    assert page.select("#gutter .wrong")[0].text == "16"
    assert page.select("#marks .e")[0].text == "onntable"
    page.photograph("light-error")
    error.click()
    script = "const e = document.activeElement; return e.value.slice(e.selectionStart, e.selectionEnd)"
    assert page.browser.execute_script(script) == "onntable"
    page.browser.switch_to.active_element.send_keys("ontable")
    page.wait(lambda: page.title == "Ready")
    assert not page.select("#errors button")
    assert page.find("editor").get_attribute("value") == right


def test_an_object_is_forced_and_freed(page: Page) -> None:
    solve_tower(page)
    page.click(page.select(".row [aria-label^='?x1 = h']")[0])
    page.wait(lambda: "(+" in page.read_fact("cost"))
    pressed = page.select(".row [aria-pressed='true']")
    assert [button.text.split("\n")[0] for button in pressed] == ["h"]
    page.photograph("light-forced")
    page.click(page.find("free"))
    page.wait(lambda: page.read_fact("cost") == "9")


def test_the_scrubber_moves_the_picture(page: Page) -> None:
    solve_tower(page)
    first = page.find("picture").get_attribute("innerHTML")
    page.click(page.find("forward"))
    assert page.find("step-text").text == "step 1 of 9: (stack a f)"
    second = page.find("picture").get_attribute("innerHTML")
    assert second != first
    page.find("step").send_keys(Keys.END)
    assert page.find("step-text").text.startswith("step 9 of 9")
    assert not page.find("forward").is_enabled()
    page.click(page.select("#steps button")[0])
    assert page.find("picture").get_attribute("innerHTML") == second
    assert page.select("#steps [aria-current='step']")[0].text == "(stack a f)"
    page.click(page.find("show-goal"))
    assert page.find("picture").get_attribute("innerHTML") != second


def test_unsolvable(page: Page) -> None:
    page.take_example("clique")
    page.plan()
    page.wait_for("unsolvable")
    assert page.title == "There is no plan"
    page.photograph("light-unsolvable")


def test_limit_and_running(page: Page) -> None:
    page.find("tab-domain").click()
    page.write(HARD["domain"])
    page.find("tab-problem").click()
    page.write(HARD["problem"])
    page.wait(lambda: page.title == "Ready")
    page.select("details summary")[0].click()
    page.find("planner").send_keys("proven")
    page.find("limit").send_keys("1 s")
    page.plan()
    page.wait_for("running")
    assert page.find("cancel").is_displayed()
    page.photograph("light-running")
    page.wait_for("limit")
    assert page.title == "No plan within the limit"
    page.photograph("light-limit")
    page.find("limit").send_keys("60")
    page.plan()
    page.wait_for("running")
    page.find("cancel").click()
    assert page.title == "Stopped"


def test_a_link_has_the_task_in_it(page: Page) -> None:
    page.take_example("rooms")
    text = page.find("editor").get_attribute("value")
    page.find("share").click()
    fragment = page.wait(lambda: page.browser.execute_script("return location.hash"))
    page.open(fragment)
    page.wait(lambda: page.title == "Ready")
    assert page.find("editor").get_attribute("value") == text
    page.open("#t=nonsense")
    page.wait(lambda: page.find("toast").is_displayed())
    assert page.title == "Nothing asked yet"


def test_by_keyboard_alone(page: Page) -> None:
    # Keys go to the page, wherever the focus is: an element may be drawn anew, or be disabled for a while.
    def focus() -> str:
        name: str = page.browser.execute_script(
            "const a = document.activeElement;"
            "return a.id || a.getAttribute('aria-label') || (a.innerText || '').split('\\n')[0];"
        )
        return name

    def press(*keys: str) -> None:
        ActionChains(page.browser).send_keys(*keys).perform()

    def go_to(name: str) -> None:
        for _ in range(80):
            if focus().startswith(name):
                return
            press(Keys.TAB)
        raise AssertionError(f"{name} cannot be reached")

    press(Keys.TAB)
    go_to("A tower of described blocks")
    press(Keys.ENTER)
    page.wait(lambda: page.title == "Ready")
    go_to("tab-problem")
    press(Keys.ARROW_RIGHT)
    assert focus() == "tab-domain"
    go_to("editor")
    press(Keys.TAB)
    assert focus() == "plan"
    press(Keys.ENTER)
    page.wait_for("solved")
    page.wait_for_states(10)
    page.wait(lambda: page.find("plan").is_enabled())
    page.wait(lambda: "…" not in page.read_fact("bound"))
    go_to("step")
    press(Keys.ARROW_RIGHT)
    page.wait(lambda: page.find("step-text").text.startswith("step 1 of 9"))
    go_to("?x1 = h")
    press(Keys.ENTER)
    page.wait(lambda: "(+" in page.read_fact("cost"))


@pytest.mark.parametrize("name", ["balls", "Packages", "tour", "Breakfast", "map"])
def test_every_example_is_solved_and_drawn(page: Page, name: str) -> None:
    page.take_example(name)
    page.plan()
    page.wait_for("solved")
    page.wait(lambda: "…" not in page.read_fact("bound"))
    assert page.select("#picture svg")
    page.photograph(f"example-{name.lower()}")


@pytest.mark.parametrize(("look", "dark", "width", "height"), [("dark", True, 1280, 900), ("phone", False, 390, 844)])
def test_other_looks(server: Running, look: str, dark: bool, width: int, height: int) -> None:
    with start_browser(dark) as browser:
        page = Page(browser, server.url, width, height)
        page.open()
        page.photograph(f"{look}-empty")
        solve_tower(page)
        page.photograph(f"{look}-solved")
        assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
        page.write("(define")
        page.wait_for("error")
        page.photograph(f"{look}-error")
        page.take_example("clique")
        page.plan()
        page.wait_for("unsolvable")
        page.photograph(f"{look}-unsolvable")
        assert page.list_complaints() == []
