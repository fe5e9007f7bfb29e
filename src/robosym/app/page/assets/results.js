// The search field above equations and code: variables first, then lines of the text.
(() => {
  const part = (selector) => {
    const found = document.querySelector(selector);
    return found && found.offsetParent ? getElement(+found.id.replace(/^c/, "")) : null;
  };
  const state = { text: "", found: [], at: -1, kind: "" };
  robosym.find = (text, step, box) => {
    const equations = part(".eqp"), code = part(".code");
    if (text !== state.text) {
      Object.assign(state, { text, found: [], at: -1, kind: "" });
      if (text) {
        const names = equations?.matches(text) || [];
        state.found = names.length ? names : code?.matches(text) || [];
        state.kind = names.length ? "name" : "line";
        state.at = state.found.length ? 0 : -1;
      }
    } else if (state.found.length) state.at = (state.at + step + state.found.length) % state.found.length;
    const said = box.parentElement.querySelector(".n-hits");
    said.textContent = text ? (state.found.length ? `${state.at + 1} of ${state.found.length}` : "none") : "";
    if (state.at < 0) return;
    const one = state.found[state.at];
    if (state.kind === "name") {
      window.robosymMarks.choose(one);
    } else code.at(one);
  };
  robosym.fill = (id, what, tries = 600) => {
    const found = getElement(id);
    if (found?.fill) found.fill(...what);
    else if (tries) setTimeout(() => robosym.fill(id, what, tries - 1), 8);
  };
  robosym.copyPart = (selector) => part(selector)?.copy();
  // a file dropped anywhere on an element goes to the upload field in it
  robosym.tex = () => {
    for (const one of document.querySelectorAll("[data-tex]"))
      if (!one.querySelector(".katex")) katex.render(one.dataset.tex, one, { throwOnError: false, output: "html" });
  };
  robosym.copied = async (button, text) => {
    await navigator.clipboard.writeText(text);
    button.classList.add("done");
    setTimeout(() => button.classList.remove("done"), 1200);
  };
})();
