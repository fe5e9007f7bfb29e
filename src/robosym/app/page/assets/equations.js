// Equations of a model: an outline, and sections of equations that are set in KaTeX when they come near the viewport.
const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text) => text.replace(/[&<>"]/g, (c) => ESCAPES[c]);
const OPTIONS = { throwOnError: false, strict: false, trust: (c) => c.command === "\\htmlData", output: "html" };
const set = (latex, displayMode = false) => katex.renderToString(latex, { ...OPTIONS, displayMode });
let equals = "";  // set once: it is in every equation
const WORD = /[A-Za-z_]\w*/g;

// the variable that is chosen, and those it uses, are marked by one style sheet, in whatever is drawn now or later
const marks = (window.robosymMarks ||= {
  sheet: document.head.appendChild(document.createElement("style")),
  uses: new Map(),
  chosen: "",
  choose(name) {
    this.chosen = name;
    const rules = [];
    if (name) {
      const one = CSS.escape(name);
      rules.push(`.eq[data-d="${one}"]{background:var(--soft);border-left-color:var(--accent)}`);
      rules.push(`.cl[data-d="${one}"]{background:var(--soft)} .cl[data-d="${one}"]>i{color:var(--accent)}`);
      for (const used of this.uses.get(name) || []) {
        const other = CSS.escape(used);
        rules.push(
          `.eq[data-d="${other}"]>:first-child [data-v="${other}"],.cl[data-d="${other}"] [data-v="${other}"],` +
            `.cl[data-d="${one}"] [data-v="${other}"],.ins [data-v="${other}"]{background:var(--soft-2);border-radius:3px}`,
        );
      }
    }
    this.sheet.textContent = rules.join("\n");
    window.dispatchEvent(new CustomEvent("robosym-variable", { detail: name }));
  },
});

export default {
  template: `<div class="eqp"><nav class="out" ref="outline" aria-label="Sections"></nav>
    <div class="eqs more" ref="list" tabindex="0" data-panel="equations"></div></div>`,
  data: () => ({ found: [], at: -1 }),
  mounted() {
    this.onVariable = (e) => this.follow(e.detail);
    window.addEventListener("robosym-variable", this.onVariable);
    this.$refs.list.addEventListener("click", (e) => this.clicked(e));
    this.$refs.list.addEventListener("scroll", () => this.scrolled(), { passive: true });
  },
  beforeUnmount() {
    window.removeEventListener("robosym-variable", this.onVariable);
    this.watcher?.disconnect();
  },
  methods: {
    fill(sections) {
      const begun = performance.now();
      this.watcher?.disconnect();
      this.sections = sections;
      this.byName = new Map();
      marks.uses = new Map();
      const outline = [], body = [];
      let part = null;
      sections.forEach((section, number) => {
        const count = section.equations.length || section.names.length;
        if (section.part !== part) {
          part = section.part;
          const inputs = part === "Inputs" ? sections.filter((s) => s.part === part).reduce((n, s) => n + s.names.length, 0) : "";
          if (part) outline.push(`<a class="top-l" data-s="${number}" tabindex="0">${escaped(part)}<span>${inputs}</span></a>`);
        }
        if (part !== "Inputs")
          outline.push(`<a class="${part ? "in" : ""}" data-s="${number}" tabindex="0"><b title="${escaped(section.title)}">${escaped(section.title.replace("Trigonometry", "Trig."))}</b><span>${count || ""}</span></a>`);
        body.push(`<section data-s="${number}"><div class="eqh" title="${escaped(section.said || "")}">${escaped(this.title(section))} <span>${count || ""}</span></div>`);
        if (section.names.length)
          body.push(`<div class="ins">${section.said ? `<p class="mut t12">${escaped(section.said)}</p>` : ""}${section.names.map((n) => `<button type="button" class="in-name mono" data-v="${escaped(n)}">${escaped(n)}</button>`).join("")}</div>`);
        else if (section.said) body.push(`<p class="mut t12 eq-said">${escaped(section.said)}</p>`);
        let two = false;
        section.equations.forEach(([name, text, left, right, short], place) => {
          this.byName.set(name, { number, place, text });
          marks.uses.set(name, (text.match(WORD) || []).filter((w) => w !== name));
          if (short !== two) { body.push(short ? `<div class="two${section.title === "Trigonometry" ? " trig" : ""}">` : "</div>"); two = short; }
          body.push(`<div class="eq" data-d="${escaped(name)}" data-n="${number},${place}" tabindex="-1"><span></span><span></span><span class="raw">${escaped(text)}</span></div>`);
        });
        if (two) body.push("</div>");
        if (section.matrix) body.push(`<div class="mx" data-m="${number}"></div>`);
        body.push("</section>");
      });
      this.$refs.outline.innerHTML = outline.join("");
      this.$refs.list.innerHTML = body.join("");
      this.$refs.list.scrollTop = 0;
      this.$refs.outline.onclick = this.$refs.outline.onkeydown = (e) => {
        if (e.type === "keydown" && e.key !== "Enter") return;
        const link = e.target.closest("[data-s]");
        if (link) this.section(link.dataset.s).scrollIntoView({ block: "start" });
      };
      this.watch("0px");  // what is seen first, then what is near
      requestAnimationFrame(() => requestAnimationFrame(() => this.watch("350px 0px")));
      const first = this.$refs.list.querySelector(".eq,.mx");
      if (first) this.section(first.closest("section").dataset.s).scrollIntoView({ block: "start" });
      this.scrolled();
      if (marks.chosen && !this.byName.has(marks.chosen)) marks.choose("");
      else if (marks.chosen) marks.choose(marks.chosen);
      requestAnimationFrame(() => requestAnimationFrame(() => (window.robosymShown = performance.now() - begun)));
    },
    title: (section) => section.title,
    section(number) { return this.$refs.list.querySelector(`section[data-s="${number}"]`); },
    watch(margin) {
      this.watcher?.disconnect();
      this.watcher = new IntersectionObserver((seen) => this.near(seen), { root: this.$refs.list, rootMargin: margin });
      for (const one of this.$refs.list.querySelectorAll(".eq:not([data-set]),.mx:not([data-set])")) this.watcher.observe(one);
    },
    near(seen) {
      for (const { target, isIntersecting } of seen) {
        if (!isIntersecting) continue;
        this.watcher.unobserve(target);
        this.typeset(target);
      }
    },
    typeset(target) {
      if (target.dataset.set) return;
      target.dataset.set = 1;
      if (target.dataset.m) { target.innerHTML = set(this.sections[target.dataset.m].matrix, true); return; }
      const [number, place] = target.dataset.n.split(",").map(Number);
      const [, , left, right] = this.sections[number].equations[place];
      const [a, b, c] = target.children;
      a.innerHTML = set(left);
      b.innerHTML = equals ||= set("=");
      c.className = "";
      c.innerHTML = set(right);
    },
    clicked(e) {
      const word = e.target.closest("[data-v]")?.dataset.v;
      const row = e.target.closest(".eq")?.dataset.d;
      const name = word && this.byName.has(word) ? word : row || word;
      if (name) { this.own = true; marks.choose(name === marks.chosen && name === row ? "" : name); this.own = false; }
    },
    follow(name) {
      if (this.own || !name || !this.$el.offsetParent) return;
      this.reveal(name);
    },
    reveal(name) {
      const row = this.$refs.list.querySelector(`.eq[data-d="${CSS.escape(name)}"]`);
      if (!row) return;
      this.typeset(row);
      row.scrollIntoView({ block: "nearest" });
      const list = this.$refs.list.getBoundingClientRect(), box = row.getBoundingClientRect();
      if (box.bottom > list.bottom - 40 || box.top < list.top + 20) row.scrollIntoView({ block: "center" });
    },
    scrolled() {
      const top = this.$refs.list.getBoundingClientRect().top + 40;
      let here = "";
      for (const one of this.$refs.list.querySelectorAll("section"))
        if (one.getBoundingClientRect().top <= top) here = one.dataset.s;
      for (const link of this.$refs.outline.querySelectorAll("a"))
        link.classList.toggle("on", link.dataset.s === here && !link.classList.contains("top-l"));
      this.$refs.outline.querySelector("a.on")?.scrollIntoView({ block: "nearest" });
    },
    // names that are the text come first, then equations in which it stands
    matches(text) {
      const wanted = text.toLowerCase(), exact = [], begins = [], holds = [];
      for (const [name, { text: right }] of this.byName || []) {
        const own = name.toLowerCase();
        if (own === wanted) exact.push(name);
        else if (own.startsWith(wanted)) begins.push(name);
        else if (right.toLowerCase().includes(wanted)) holds.push(name);
      }
      return [...exact, ...begins, ...holds];
    },
    async copy() {
      const lines = this.sections.flatMap((s) => s.equations.map(([name, text]) => `${name} = ${text}`));
      await navigator.clipboard.writeText(lines.join("\n"));
    },
    async copyLatex() {
      const plain = (latex) => latex.replace(/\\htmlData\{v=\w+\}\{((?:[^{}]|\{[^{}]*\})*)\}/g, "$1");
      const rows = this.sections.flatMap((s) => s.equations.map((e) => `${plain(e[2])} &= ${plain(e[3])}`));
      const matrices = this.sections.filter((s) => s.matrix).map((s) => `\\[ ${plain(s.matrix)} \\]`);
      await navigator.clipboard.writeText([`\\begin{align*}\n${rows.join(" \\\\\n")}\n\\end{align*}`, ...matrices].join("\n"));
    },
  },
};
