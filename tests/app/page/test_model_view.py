"""A model on the page: generated, searched, evaluated, plotted, in several languages, as a user does it."""

from __future__ import annotations

from typing import Any

from page_steps import open_robot


def test_generates_and_shows_a_model(window: Any) -> None:
    page = window()
    open_robot(page, "rx90")
    page.locator(".nav a").filter(has_text="Dynamic").first.click()
    page.locator(".nav .sub a").filter(has_text="Inverse dynamics").click()
    assert "only for a closed robot" in page.locator(".opt").inner_text()
    page.get_by_role("switch", name="Base parameters").click()
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".eq .math")
    assert page.locator(".total-n").inner_text() == "510"
    assert (
        "robosym inverse-dynamics rx90 --base-parameters --optimize 0 -o rx90_dyn.c"
        in page.locator(".same").inner_text()
    )
    # a variable is found, and marked in equations and code
    page.locator(".finder input").fill("NO12")
    page.wait_for_selector(".code .cl[data-d=NO12]")
    assert page.locator(".finder .n-hits").inner_text().startswith("1 of ")
    marked = "getComputedStyle(document.querySelector('{} [data-d=NO12]')).backgroundColor"
    plain = "getComputedStyle(document.querySelector('.eqs [data-d=NO22]')).backgroundColor"
    assert page.evaluate(marked.format(".eqs")) == page.evaluate(marked.format(".code")) != page.evaluate(plain)
    # another language, and another level: fewer operations
    page.locator(".tabs a").filter(has_text="Python").click()
    page.wait_for_function("document.querySelector('.code').textContent.includes('def rx90')")
    assert "rx90_dyn.py" in page.locator(".same").inner_text()
    page.locator(".lv").filter(has_text="Level 2").click()
    page.wait_for_function("+document.querySelector('.total-n').innerText < 510")
    # numbers in, numbers out, a plot over an input
    page.locator(".tabs a").filter(has_text="Values").click()
    page.get_by_label("QDP1", exact=True).fill("2")
    page.wait_for_function("[...document.querySelectorAll('.vout .num')].some(one => Number(one.innerText) !== 0)")
    page.locator(".vrow").filter(has_text="t2").first.hover()
    page.get_by_title("Plot over t2", exact=True).click()
    page.wait_for_selector(".vplot canvas")


def test_page_recovers_after_an_error(window: Any) -> None:
    page = window()
    open_robot(page, "planar2r")
    key = page.url.rstrip("/").rpartition("/")[2]
    page.goto(page.url.partition("/robot/")[0] + f"/robot/{key}?view=model&command=velocities")
    page.get_by_label("Keep only", exact=True).fill("<script>alert(1)</script>")
    page.locator(".obtn .btn").click()
    page.wait_for_selector(".unmade")
    assert "has no variable '<script>alert(1)</script>'" in page.locator(".unmade").inner_text()
    page.get_by_label("Keep only", exact=True).fill("W")
    page.locator(".obtn .btn").click()
    page.wait_for_selector(".eq .math, .mx .math")


def test_changes_during_generation_start_another_run(window: Any) -> None:
    page = window()
    open_robot(page, "scara")
    page.goto(page.url.partition("?")[0] + "?view=model&command=bias_torques")
    page.wait_for_selector("html[data-keys]")  # of the keys pressed before, only the last one acts
    page.get_by_role("radio", name="Max", exact=True).click()
    page.keyboard.press("Control+Enter")
    page.get_by_role("radio", name="Plain", exact=True).click()
    for _ in range(3):  # asked again and again, it is done once
        page.keyboard.press("Control+Enter")
    page.wait_for_function("document.querySelector('.same')?.innerText.includes('--optimize 0')")
    assert page.locator(".lv.on").inner_text().startswith("Plain")
    page.locator(".nav a").filter(has_text="History").click()
    rows = page.locator(".hist tbody tr").filter(has_text="bias-torques")
    rows.nth(1).wait_for()
    assert rows.count() == 2
    assert sum("--optimize max" in text for text in rows.all_inner_texts()) == 1


def test_fix_button_applies_a_fix(window: Any) -> None:
    page = window()
    open_robot(page, "planar2r")
    page.goto(page.url.partition("?")[0] + "?view=model&command=inverse_dynamics")
    page.get_by_label("Keep only", exact=True).click()
    page.keyboard.type("GMA1")
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Use GAM1").click()
    page.wait_for_selector(".eq .math, .mx .math")
    assert "--select GAM1" in page.locator(".same").inner_text()
    assert page.locator(".opt .wrong").count() == 0
    page.get_by_label("Keep only", exact=True).fill("GMA2")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".opt .wrong[data-option=select]")


def test_views_of_commands_offer_fixes(window: Any) -> None:
    page = window()
    open_robot(page, "ur5e")
    address = page.url.partition("?")[0]
    page.goto(f"{address}?view=inverse&command=inverse_geometry")
    page.wait_for_selector(".sols tbody tr")
    page.get_by_role("radio", name="Paul").click()
    for letter in "sna":
        page.locator(".seg.several button.on").filter(has_text=letter).click()
        page.locator(".seg.several button:not(.on)").filter(has_text=letter).wait_for()
    page.get_by_role("button", name='Set "Fixed" t1=0.0').click()
    page.get_by_role("button", name='Set "Fixed" t2=0.0').wait_for()  # the first fix is taken into account
    assert "--fixed t1=0.0" in page.locator(".same").inner_text()
    page.goto(f"{address}?view=simulate&command=simulate")
    page.get_by_label("Controller", exact=True).select_option("computed_torque")
    page.get_by_label("Kp", exact=True).click()
    page.keyboard.type("100 90 80 60 50 40", delay=20)  # one gain per joint
    page.get_by_label("Kd", exact=True).click()
    page.keyboard.type("2o")
    page.wait_for_function("document.querySelector('.same').innerText.includes('100/90/80/60/50/40')")
    page.locator(".sim-opt .btn.pri").click()
    page.wait_for_selector(".opt .wrong[data-option=controller]")
    assert "Controller" in page.locator(".unmade").inner_text() and "2o" in page.locator(".unmade").inner_text()


def test_operations_are_shown_above_the_button(window: Any) -> None:
    page = window()
    open_robot(page, "gough_stewart")
    page.goto(page.url.partition("?")[0] + "?view=model&command=inverse_dynamics")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".ops .keyl")
    last, button = (page.locator(name).bounding_box() for name in (".ops .keyl", ".obtn .btn"))
    assert last["y"] + last["height"] <= button["y"]
    assert page.evaluate("document.querySelector('.ops').scrollHeight <= document.querySelector('.ops').clientHeight")


_SET = """(texts) => texts.map(([text, book]) => {
  const one = document.createElement("div");
  one.innerHTML = robosym.math(text, book);
  one.querySelectorAll("sub").forEach((index) => index.replaceWith("_" + index.textContent));
  one.querySelectorAll("sup").forEach((power) => power.replaceWith("^" + power.textContent));
  one.querySelectorAll(".fr").forEach((fraction) => {
    const [above, below] = fraction.children;
    fraction.replaceWith(`{${above.textContent}}/{${below.textContent}}`);
  });
  return [one.textContent.replace(/[\\s\u202f]/g, " "), one.querySelectorAll("script").length];
})"""
#: texts of the listing and what is read on the page; names as in books where there are braces around the text
_MATHEMATICS = {
    "a*a": "a^2", "-b - c*d": "−b − c d", "2*x/3": "{2 x}/{3}", "a*(b + c)": "a (b + c)", "x*2": "2 x",
    "W13*W13": "W_13^2", "cos(Pi/2 + q)": "cos(π/2 + q)", "sin(t1)": "sin t_1", "sqrt(x)": "√x", "a/b/c": "{a}/{b c}",
    "1.5e-05*k": "1.5·10^−5 k", "atan2(y, x)": "atan2(y, x)", "a/b*c": "{a}/{b} c", "-(a + b)*c": "−(a + b) c",
    "(a/b/c)*d": "(a/(b c)) d", "abs(x)": "|x|", "<script>": "< script >", "a+*b": "a + * b", "": "",
    "{t2_1}": "θ_2,1", "{X*sin(t1) + Z = 0}": "X sin θ_1 + Z = 0", "{cos(t1)^2}": "cos θ_1^2", "{Px}": "P_x",
}  # fmt: skip


def test_formulas_are_rendered(window: Any) -> None:
    page = window()
    asked = [[text.strip("{}"), text.startswith("{")] for text in _MATHEMATICS]
    found = page.evaluate(_SET, asked)
    assert dict(zip(_MATHEMATICS, found, strict=True)) == {text: [right, 0] for text, right in _MATHEMATICS.items()}
