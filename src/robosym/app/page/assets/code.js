// A text with numbered lines: visible lines are highlighted, the search covers all lines, variables are marked.
const escaped = (text) => robosym.escaped(text);
const words = (text) => new Set(text.split(" "));
const C_WORDS = "auto bool break case char class const constexpr continue default do double else enum extern float for goto if inline int long namespace noexcept private public return short signed sizeof static std struct switch template typedef typename unsigned using void volatile while restrict";
const KEYS = {
  c: words(C_WORDS), cpp: words(C_WORDS), h: words(C_WORDS),
  python: words("and as assert break class continue def del elif else except False finally for from global if import in is lambda None not or pass raise return True try while with yield"),
  matlab: words("break case catch continue else elseif end for function global if otherwise persistent return switch try while"),
  fortran: words("subroutine end module contains implicit none real integer intent in out inout parameter use only call do if then else endif return function private public kind double precision dimension pure elemental"),
  julia: words("function end module export using import const let if else elseif for while return true false begin struct mutable @inbounds @fastmath"),
  rust: words("fn let mut pub const use mod struct impl for in if else while loop return true false f64 f32 as ref"),
  mathematica: words("Module Block With Function If Return True False"),
  maple: words("proc end local global if then else fi do od return option"),
  yaml: words("true false null"), latex: new Set(), listing: new Set(), text: new Set(),
};
KEYS.modelica = words("algorithm block connector each end equation function input model output package parameter protected Real");
const COMMENT = {
  c: /\/\/.*|\/\*.*?(?:\*\/|$)/, python: /#.*/, matlab: /%.*/, fortran: /!.*/, julia: /#.*/, rust: /\/\/.*/, modelica: /\/\/.*/,
  mathematica: /\(\*.*?(?:\*\)|$)/, maple: /#.*|\(\*.*?(?:\*\)|$)/, listing: /\(\*.*?(?:\*\)|$)/, latex: /%.*/, yaml: /#.*/, text: /(?!)/,
};
COMMENT.cpp = COMMENT.h = COMMENT.c;
const BLOCK = { c: ["/*", "*/"], cpp: ["/*", "*/"], h: ["/*", "*/"], python: ['"""', '"""'], mathematica: ["(*", "*)"], maple: ["(*", "*)"], listing: ["(*", "*)"], julia: ['"""', '"""'] };
const SIZE = 100; // lines per block, drawn together

export default {
  template: `<div class="code more" tabindex="0" data-panel="code"><div class="lines hl" ref="lines"></div></div>`,
  mounted() {
    this.onVariable = (e) => this.follow(e.detail);
    window.addEventListener("robosym-variable", this.onVariable);
    this.$el.addEventListener("click", (e) => this.clicked(e));
    this.$el.addEventListener("keydown", (e) => {
      if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === "a") {
        e.preventDefault();
        getSelection().selectAllChildren(this.$refs.lines);
      }
    });
  },
  beforeUnmount() {
    window.removeEventListener("robosym-variable", this.onVariable);
    this.watcher?.disconnect();
  },
  methods: {
    fill(text, language) {  // after the equations of the same model are on the screen
      this.filled = text;
      (window.requestIdleCallback || setTimeout)(() => this.filled === text && this.draw(text, language), { timeout: 300 });
    },
    draw(text, language) {
      const begun = performance.now();
      this.watcher?.disconnect();
      this.language = KEYS[language] ? language : "text";
      this.lines = text.replace(/\n$/, "").split("\n");
      const names = window.robosymMarks?.uses || new Map();
      this.defines = this.definitions(names);
      const blocks = [];
      for (let start = 0; start < this.lines.length; start += SIZE) {
        const rows = [];
        for (let n = start; n < Math.min(start + SIZE, this.lines.length); n++) {
          const name = this.defines[n] ? ` data-d="${escaped(this.defines[n])}"` : "";
          rows.push(`<div class="cl"${name} data-n="${n}"><i>${n + 1}</i><code style="--n:${/^ */.exec(this.lines[n])[0].length}">${escaped(this.lines[n]) || " "}</code></div>`);
        }
        blocks.push(`<div class="cb" data-b="${start}" style="contain-intrinsic-size:auto ${19 * rows.length}px">${rows.join("")}</div>`);
      }
      this.$refs.lines.innerHTML = blocks.join("");
      this.$el.scrollTop = 0;
      this.inside = this.insides();
      this.watcher = new IntersectionObserver(
        (seen) => seen.forEach((one) => one.isIntersecting && this.highlight(one.target)),
        { root: this.$el, rootMargin: "400px 0px" },
      );
      for (const block of this.$refs.lines.children) this.watcher.observe(block);
      const first = this.defines.findIndex(Boolean);
      if (window.robosymMarks?.chosen) this.follow(window.robosymMarks.chosen);
      else if (first > 6) this.show(Math.max(0, first - 3), "start");
      requestAnimationFrame(() => requestAnimationFrame(() => (window.robosymCode = performance.now() - begun)));
    },
    // the variable that each line assigns; a long assignment continues over several lines
    definitions(names) {
      const found = new Array(this.lines.length).fill("");
      const lower = this.language === "fortran" ? new Map([...names.keys()].map((n) => [n.toLowerCase(), n])) : null;
      let last = "";
      this.lines.forEach((line, n) => {
        const match = /^[^=(]*?\b([A-Za-z_]\w*)\s*(?::=|=(?!=))/.exec(line);
        if (match) {
          const word = match[1], plain = word.replace(/_$/, "");
          last = names.has(word) ? word : names.has(plain) ? plain : lower?.get(word.toLowerCase()) || "";
          found[n] = last;
        } else if (last && /^\s{2,}\S/.test(line)) found[n] = last;
        else last = "";
      });
      return found;
    },
    // lines that start inside a multi-line comment
    insides() {
      const marks = BLOCK[this.language], found = new Set();
      if (!marks) return found;
      let inside = false;
      this.lines.forEach((line, n) => {
        if (inside) found.add(n);
        let at = 0;
        for (;;) {
          const next = line.indexOf(inside ? marks[1] : marks[0], at);
          if (next < 0) break;
          at = next + 2;
          inside = !inside;
        }
      });
      return found;
    },
    highlight(block) {
      this.watcher.unobserve(block);
      if (block.dataset.done) return;
      block.dataset.done = 1;
      const names = window.robosymMarks?.uses || new Map();
      for (const row of block.children) row.lastChild.innerHTML = this.coloured(+row.dataset.n, names) || " ";
    },
    coloured(n, names) {
      const line = this.lines[n], keys = KEYS[this.language], end = (BLOCK[this.language] || [])[1];
      let out = "", rest = line;
      if (this.inside.has(n)) {
        const stop = line.indexOf(end);
        if (stop < 0) return `<span class="c">${escaped(line)}</span>`;
        out = `<span class="c">${escaped(line.slice(0, stop + end.length))}</span>`;
        rest = line.slice(stop + end.length);
      }
      const token = new RegExp(
        `(${COMMENT[this.language].source})|("(?:[^"\\\\]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*')|(\\b\\d+\\.?\\d*(?:[eEdD][+-]?\\d+)?\\b)|(@?[A-Za-z_\\\\#][\\w]*)|([^\\w"'@\\\\#]+|.)`, "g");
      for (const [all, comment, string, number, word] of rest.matchAll(token)) {
        if (comment) out += `<span class="c">${escaped(all)}</span>`;
        else if (string && this.language !== "matlab" && this.language !== "latex") out += `<span class="st">${escaped(all)}</span>`;
        else if (number) out += `<span class="n">${all}</span>`;
        else if (word) {
          const key = keys.has(this.language === "fortran" ? word.toLowerCase() : word);
          const plain = names.has(word) ? word : word.replace(/_$/, "");
          if (names.has(plain)) out += `<span data-v="${escaped(plain)}">${escaped(all)}</span>`;
          else if (key || word[0] === "#") out += `<span class="k">${escaped(all)}</span>`;
          else if (word[0] === "\\" || /^(a?(sin|cos|tan)|atan2|sqrt|exp|log|tanh|pow|fabs|abs|sign|Sin|Cos|Sqrt|math|np)$/.test(word)) out += `<span class="f">${escaped(all)}</span>`;
          else out += escaped(all);
        } else out += escaped(all);
      }
      return out;
    },
    line(n) { return this.$refs.lines.querySelector(`.cl[data-n="${n}"]`); },
    show(n, block = "center") {
      const row = this.line(n);
      if (!row) return;
      this.highlight(row.parentElement);
      row.scrollIntoView({ block });
      requestAnimationFrame(() => row.scrollIntoView({ block: block === "start" ? "start" : "nearest" }));
    },
    clicked(e) {
      if (String(getSelection())) return; // the user is selecting text
      const word = e.target.closest("[data-v]")?.dataset.v || e.target.closest(".cl")?.dataset.d;
      if (!word || !window.robosymMarks) return;
      this.own = true;
      window.robosymMarks.choose(word);
      this.own = false;
    },
    follow(name) {
      if (this.own || !name || !this.defines) return;
      const n = this.defines.indexOf(name);
      if (n >= 0) this.show(n);
    },
    matches(text) {
      const wanted = text.toLowerCase(), found = [];
      this.lines?.forEach((line, n) => line.toLowerCase().includes(wanted) && found.push(n));
      return found;
    },
    at(n) {
      this.$refs.lines.querySelector(".cl.hit")?.classList.remove("hit");
      this.show(n);
      this.line(n)?.classList.add("hit");
    },
    async copy() { await navigator.clipboard.writeText(this.lines.join("\n") + "\n"); },
  },
};
