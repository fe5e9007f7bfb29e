// Equations of a model: an outline and sections of equations; later sections are typeset when they come near the viewport.
const escaped = (text) => robosym.escaped(text), math = (text) => robosym.math(text);
const WORD = /[A-Za-z_]\w*/g;
const FIRST = 40; // equations typeset in one step

// one style sheet marks the selected variable and those it uses, also in elements that are drawn later
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
    this.$refs.list.addEventListener("pointerover", (e) => this.explain(e.target.closest("[data-v]")));
    this.$refs.list.addEventListener("toggle", (e) => this.unfold(e.target), true);
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
      this.hints = Object.assign({}, ...sections.map((section) => section.hints));
      marks.uses = new Map();
      const outline = [], body = [];
      let part = null, left = FIRST;
      sections.forEach((section, number) => {
        const count = section.equations.length || section.names.length;
        if (section.part !== part) {
          part = section.part;
          const inputs = part === "Inputs" ? sections.filter((s) => s.part === part).reduce((n, s) => n + s.names.length, 0) : "";
          if (part) outline.push(`<a class="top-l" data-s="${number}" tabindex="0">${escaped(part)}<span>${inputs}</span></a>`);
        }
        if (part !== "Inputs")
          outline.push(`<a class="${part ? "in" : ""}" data-s="${number}" tabindex="0"><b title="${escaped(section.title)}">${escaped(section.title.replace("Trigonometry", "Trig."))}</b><span>${count || ""}</span></a>`);
        body.push(`<section data-s="${number}"><div class="eqh" title="${escaped(section.meaning || "")}">${escaped(this.title(section))} <span>${count || ""}</span></div>`);
        if (section.names.length)
          body.push(`<div class="ins">${section.meaning ? `<p class="mut t12">${escaped(section.meaning)}</p>` : ""}${section.names.map((n) => `<button type="button" class="in-name mono" data-v="${escaped(n)}">${escaped(n)}</button>`).join("")}</div>`);
        else if (section.meaning) body.push(`<p class="mut t12 eq-said">${escaped(section.meaning)}</p>`);
        let two = false;
        section.equations.forEach(([name, text, short]) => {
          this.byName.set(name, text);
          marks.uses.set(name, (text.match(WORD) || []).filter((w) => w !== name));
          if (short !== two) { body.push(short ? `<div class="two${section.title === "Trigonometry" ? " trig" : ""}">` : "</div>"); two = short; }
          const inside = left-- > 0 ? this.inside(name, text) : `<span></span><span></span><span class="raw">${escaped(text)}</span>`;
          body.push(`<div class="eq" data-d="${escaped(name)}" ${left < 0 ? "data-wait" : ""} tabindex="-1">${inside}</div>`);
        });
        if (two) body.push("</div>");
        if (section.matrix.length) body.push(`<div class="mx">${math(section.title)} <span class="math">=</span> ${robosym.matrix(section.matrix)}</div>`);
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
      requestAnimationFrame(() => requestAnimationFrame(() => this.watch()));
      const first = this.$refs.list.querySelector(".eq,.mx");
      if (first) this.section(first.closest("section").dataset.s).scrollIntoView({ block: "start" });
      this.scrolled();
      if (marks.chosen && !this.byName.has(marks.chosen)) marks.choose("");
      else if (marks.chosen) marks.choose(marks.chosen);
      requestAnimationFrame(() => requestAnimationFrame(() => (window.robosymShown = performance.now() - begun)));
    },
    title: (section) => section.title,
    section(number) { return this.$refs.list.querySelector(`section[data-s="${number}"]`); },
    watch() {
      this.watcher?.disconnect();
      this.watcher = new IntersectionObserver((seen) => this.near(seen), { root: this.$refs.list, rootMargin: "350px 0px" });
      for (const one of this.$refs.list.querySelectorAll(".eq[data-wait]")) this.watcher.observe(one);
    },
    near(seen) {
      for (const { target, isIntersecting } of seen) {
        if (!isIntersecting) continue;
        this.watcher.unobserve(target);
        this.typeset(target);
      }
    },
    inside: (name, text) => `${math(name)}<span class="math">=</span>${math(text)}`,
    typeset(row) {
      if (!("wait" in row.dataset)) return;
      delete row.dataset.wait;
      row.innerHTML = this.inside(row.dataset.d, this.byName.get(row.dataset.d));
    },
    // hover a symbol to see its meaning, unit and place, and its definition
    explain(symbol) {
      if (!symbol || symbol.title) return;
      const name = symbol.dataset.v, hint = this.hints[name], text = this.byName.get(name);
      symbol.title = [hint ? `${name}: ${hint}` : name, text && `${name} = ${text}`].filter(Boolean).join("\n");
    },
    // the variables in a definition, down to the inputs, one level at a time
    derivation(name) {
      const text = this.byName.get(name), hint = this.hints[name] ? `<span class="mut t12">${escaped(this.hints[name])}</span>` : "";
      if (text === undefined) return `<div class="uf-leaf">${math(name)} ${hint}</div>`;
      return `<details class="uf" data-name="${escaped(name)}"><summary title="${escaped(this.hints[name] || "")}">${math(name)} <span class="math">=</span> <span>${math(text)}</span></summary></details>`;
    },
    unfold(details) {
      if (!details.open || !details.matches(".uf") || details.dataset.filled) return;
      details.dataset.filled = "1";
      const used = [...new Set(marks.uses.get(details.dataset.name) || [])].filter((name) => this.byName.has(name) || this.hints[name]);
      details.insertAdjacentHTML("beforeend", `<div class="uf-parts">${used.map((name) => this.derivation(name)).join("") || '<div class="mut t12">numbers only</div>'}</div>`);
    },
    open(row) {  // the derivation of an equation below it, or away again
      const next = row.nextElementSibling, name = row.dataset.d;
      if (next?.matches(".uf-root")) { next.remove(); return; }
      row.insertAdjacentHTML("afterend", `<div class="uf-root">${this.derivation(name)}</div>`);
      row.nextElementSibling.querySelector("details").open = true;
    },
    offer(name) {  // a button at the chosen equation
      this.$refs.list.querySelector(".uf-btn")?.remove();
      const row = name && this.$refs.list.querySelector(`.eq[data-d="${CSS.escape(name)}"]`);
      if (row) row.insertAdjacentHTML("beforeend", `<button type="button" class="btn ghost s uf-btn" title="Variables in ${escaped(name)}, down to the inputs">Unfold</button>`);
    },
    clicked(e) {
      if (e.target.closest(".uf-btn")) { this.open(e.target.closest(".eq")); return; }
      if (e.target.closest(".uf-root")) return;
      const word = e.target.closest("[data-v]")?.dataset.v;
      const row = e.target.closest(".eq")?.dataset.d;
      const name = word && this.byName.has(word) ? word : row || word;
      if (name) { this.own = true; marks.choose(name === marks.chosen && name === row ? "" : name); this.own = false; this.offer(marks.chosen); }
    },
    follow(name) {
      if (this.own || !name || !this.$el.offsetParent) return;
      this.reveal(name);
      this.offer(name);
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
    // exact names come first, then equations that contain the text
    matches(text) {
      const wanted = text.toLowerCase(), exact = [], begins = [], holds = [];
      for (const [name, right] of this.byName || []) {
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
  },
};
