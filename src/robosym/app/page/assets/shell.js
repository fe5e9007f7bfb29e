// Functions of the page frame that need no server: theme, address, keys, the next panel.
(() => {
  const root = document.documentElement;
  const known = new Set();
  const NARROW = "(max-width: 720px), (max-width: 1100px) and (max-height: 640px)"; // as in narrow.css
  let told = false, early = null; // a key pressed before the server has sent the list of keys
  const typing = (e) => e.matches?.("input, textarea, select, [contenteditable=true], .cm-content");
  const name = (e) => {
    const key = e.key.length === 1 ? e.key.toLowerCase() : e.key.toLowerCase().replace("arrow", "");
    const shift = e.shiftKey && (e.key.length > 1 || e.ctrlKey || e.altKey || /[a-z]/i.test(e.key));
    return [(e.ctrlKey || e.metaKey) && "ctrl", e.altKey && "alt", shift && "shift", key].filter(Boolean).join("+");
  };
  window.robosym = {
    theme(which) {
      root.dataset.theme = which;
      localStorage.setItem("robosym-theme", which);
      Quasar.Dark.set(which === "dark");
      window.dispatchEvent(new CustomEvent("robosym-theme", { detail: which }));
    },
    place(what, address) {
      if (location.pathname + location.search === address) history.replaceState(what, "", address);
      else history.pushState(what, "", address);
    },
    keys(list) {
      known.clear();
      list.forEach((key) => known.add(key));
      told = true;
      root.dataset.keys = known.size; // keys act from now on
      if (early && known.has(early)) emitEvent("key", early);
      early = null;
    },
    showCell(table, row, column) {
      const find = (tries) => {
        const element = document.querySelector(`[data-table="${CSS.escape(table)}"]`);
        if (!element) { if (tries) setTimeout(() => find(tries - 1), 80); return; }
        element.scrollIntoView({ block: "nearest" });
        element.dispatchEvent(new CustomEvent("show-cell", { detail: { row, column } }));
      };
      setTimeout(() => find(10), 30);
    },
    digits(count) { // of the numbers in tables
      if (count) localStorage.setItem("robosym-digits", count);
      const now = +(localStorage.getItem("robosym-digits") || 4);
      if (count) window.dispatchEvent(new CustomEvent("robosym-digits", { detail: now }));
      return now;
    },
    pane(name) { // the pane that a narrow window shows; a style sheet survives changes of the elements
      const sheet = (this.sheet ||= document.head.appendChild(document.createElement("style")));
      sheet.textContent = `@media ${NARROW} { [data-pane]:not([data-pane~="${CSS.escape(name)}"]) { display: none !important } }`;
      const mark = () => document.querySelectorAll("[data-pane-tab]").forEach((one) => {
        one.classList.toggle("on", one.dataset.paneTab === name);
        one.setAttribute("aria-selected", one.dataset.paneTab === name);
      });
      mark();
      setTimeout(mark, 60); // once they are drawn
    },
    menuOpened() { // on the rail of a tablet, menu entries are visible while they have the focus
      if (innerWidth <= 1100) setTimeout(() => document.querySelector(".nav .sub a")?.focus(), 60);
    },
    nextPanel(step) {
      const panels = [...document.querySelectorAll("[data-panel]")].filter((one) => one.offsetParent);
      if (!panels.length) return;
      const here = panels.findIndex((one) => one.contains(document.activeElement));
      const next = panels[(here + step + panels.length) % panels.length];
      (next.querySelector("[tabindex='0'], button, input, a[href]") || next).focus();
    },
  };
  // the divider between tables and picture
  const width = (px) => {
    const most = innerWidth - 560;
    root.style.setProperty("--side", `${Math.round(Math.min(Math.max(px, 320), Math.max(320, most)))}px`);
    localStorage.setItem("robosym-side", Math.round(px));
    document.querySelector(".divider")?.setAttribute("aria-valuenow", Math.round(px));
  };
  if (localStorage.getItem("robosym-side")) width(+localStorage.getItem("robosym-side"));
  const side = () => document.querySelector(".robot>.side").getBoundingClientRect().width;
  window.addEventListener("pointerdown", (e) => {
    if (!e.target.matches?.(".divider")) return;
    e.preventDefault();
    e.target.setPointerCapture(e.pointerId);
    const begun = side() + e.clientX, drag = (now) => width(begun - now.clientX);
    e.target.addEventListener("pointermove", drag);
    e.target.addEventListener("lostpointercapture", () => e.target.removeEventListener("pointermove", drag), { once: true });
  });
  window.addEventListener("keydown", (e) => {
    const step = { ArrowLeft: 24, ArrowRight: -24 }[e.key];
    if (step && e.target.matches?.(".divider")) { e.preventDefault(); width(side() + step); }
  });
  // arrow keys move between tabs and between the choices of a segmented control
  window.addEventListener("keydown", (e) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];
    const group = step && e.target.closest?.("[role=tablist], [role=radiogroup]");
    if (!group || typing(e.target)) return;
    const all = [...group.querySelectorAll("[role=tab], [role=radio]")];
    const next = all[(all.indexOf(e.target) + step + all.length) % all.length];
    e.preventDefault();
    next.focus();
    if (next.matches("[role=radio]")) next.click();
  }, true);
  // a file dropped elsewhere must not replace the page
  for (const kind of ["dragover", "drop"]) window.addEventListener(kind, (e) => { if ([...(e.dataTransfer?.types || [])].includes("Files")) e.preventDefault(); });
  window.addEventListener("popstate", (e) => e.state && emitEvent("back", e.state));
  window.addEventListener("keydown", (e) => {
    if (e.key === "F6") { e.preventDefault(); robosym.nextPanel(e.shiftKey ? -1 : 1); return; }
    const key = name(e);
    const plain = !e.ctrlKey && !e.metaKey && !e.altKey && e.key.length === 1;
    if (e.defaultPrevented) return;
    if (!told && (e.ctrlKey || e.metaKey || !typing(e.target))) {
      early = key;
      if (key === "ctrl+k" || key === "ctrl+s") e.preventDefault();
      return;
    }
    if (!known.has(key)) return;
    if (typing(e.target) && (plain || ["ctrl+z", "ctrl+shift+z", "ctrl+y", "enter"].includes(key))) return;
    e.preventDefault();
    emitEvent("key", key);
  });
  window.addEventListener("DOMContentLoaded", () => Quasar?.Dark.set(root.dataset.theme === "dark"));
})();
