// A table with cells that are edited in place. The server stores the texts; this file handles focus, typing and keys.
const LETTERS = { γ: "\\gamma", α: "\\alpha", θ: "\\theta", σ: "\\sigma", μ: "\\mu", η: "\\eta" };
// meaning of the columns, in the notation of Khalil and Kleinfinger
const MEANINGS = {
  ant: "Antecedent: the frame that frame j follows", σ: "Type of the joint: revolute, prismatic or fixed",
  μ: "Whether a motor moves the joint: active or passive", γ: "Angle about z of the antecedent, from its x to the common normal u, rad",
  b: "Distance along z of the antecedent to the common normal u, m", α: "Angle about x of frame j - 1 (or u) from its z to z of frame j, rad",
  d: "Distance along x of frame j - 1 (or u) to z of frame j, m", θ: "Angle about z of frame j from u to x of frame j, rad; the variable of a revolute joint",
  r: "Distance along z of frame j, m; the variable of a prismatic joint", M: "Mass of the link, kg", MX: "First moment: mass times x of the center of mass, kg m",
  MY: "First moment: mass times y of the center of mass, kg m", MZ: "First moment: mass times z of the center of mass, kg m",
  IA: "Inertia of motor and gears, reflected to the joint, kg m²", FV: "Viscous friction, N m s/rad", FS: "Coulomb friction, N m",
  QP: "Name of the velocity", QDP: "Name of the acceleration", GAM: "Name of the torque", η: "Whether the joint is elastic", k: "Stiffness of an elastic joint",
};
const SIGN = 7.25, LETTER = 6.2, PADDING = 14; // px per character of a value and of a word, and beside a text
const LONGEST = 14; // characters that a column makes room for
const MANY = 120; // rows: in longer tables only the visible ones are drawn
const ROW = 30;

// A number with many digits in few characters; the cell stores and edits all of them.
function brief(text, digits = robosym.digits()) {
  if (text.length <= 3 + digits || !/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)) return text;
  const value = Number(text), plain = String(Number(value.toPrecision(digits)));
  const exponent = value.toExponential(Math.max(2, digits - 2)).replace(/\.?0+e/, "e").replace("e+", "e");
  return plain.length <= 3 + digits || plain.length <= exponent.length ? plain : exponent;
}

export default {
  template: `
  <div class="wrap cells" :class="{long}" ref="wrap" @scroll.passive="scrolled" @mouseleave="hovered = null">
    <table class="grid" role="grid" tabindex="0" ref="table" :aria-label="table.title" :aria-rowcount="table.rows.length" :aria-activedescendant="at && focused ? name(at.r, at.c) : null" @keydown="pressed" @paste="pasted" @copy="copied"
      @focus="entered" @blur="left" :style="{minWidth: vector ? null : 40 + widths.reduce((sum, width) => sum + width, 0) + 'px'}">
      <colgroup><col style="width:40px"><col v-for="(c, i) in table.columns" :key="c.key" :style="{width: vector ? 'auto' : widths[i] + 'px'}"></colgroup>
      <thead><tr><th class="h" v-html="head({head: corner, math: corner === 'j'})"></th><th v-for="c in table.columns" :key="c.key" :title="meaning(c)" :class="{num: compact}" v-html="head(c)"></th></tr></thead>
      <tbody>
        <tr v-if="first > 0" aria-hidden="true"><td :style="{height: first * ROW + 'px', padding: 0, border: 0}"></td></tr>
        <tr v-for="r in shown" :key="r" :class="{sel: isSelected(r), over: dropping === r}" role="row"
          @mouseenter="hovered = {r, top: $event.currentTarget.offsetTop}" @dragover.prevent="dropping = r" @dragleave="dropping = null" @drop.prevent="dropped(r)">
          <td class="h" :draggable="movable" @dragstart="dragged = r" @dragend="dropping = null" @click="choose(r, $event)" :title="movable ? 'Drag to move' : ''">{{ table.rows[r].label }}</td>
          <td v-for="(cell, c) in table.rows[r].cells" :key="c" :id="name(r, c)" role="gridcell" :aria-readonly="!!cell.locked" :aria-invalid="problemAt(r, c) && !problemAt(r, c).warning ? true : null" :data-cell="r + ' ' + c" :data-column="table.columns[c].key"
            :class="classes(r, c, cell)" :title="cell.locked || (cell.word ? table.columns[c].key + ' = ' + cell.text : cell.text.length > LONGEST || brief(cell.text) !== cell.text ? cell.text : '')"
            @mousedown="point($event, r, c)" @dblclick="begin(r, c)">
            <template v-if="isEdited(r, c)">
              <select v-if="cell.word" ref="field" v-model="text" @change="commit(0, 0)" @blur="commit(0, 0)" @keydown.stop="choosing">
                <option v-for="[code, word] in table.columns[c].choices" :key="code" :value="code">{{ word }}</option>
              </select>
              <input v-else ref="field" v-model="text" @input="typed" @blur="commit(0, 0)" @keydown.stop="editing" spellcheck="false" autocomplete="off" maxlength="2000" :aria-label="table.columns[c].head">
            </template>
            <template v-else>{{ cell.word || brief(cell.text, digits) }}</template>
          </td>
        </tr>
        <tr v-if="last < table.rows.length" aria-hidden="true"><td :style="{height: (table.rows.length - last) * ROW + 'px', padding: 0, border: 0}"></td></tr>
      </tbody>
    </table>
    <button v-if="movable && hovered && table.rows[hovered.r]" class="bin" type="button" tabindex="-1" :style="{top: hovered.top + 'px'}" :title="'Remove frame ' + table.rows[hovered.r].label + ' (Ctrl Delete)'" @mousedown.prevent @click="$emit('remove', {frame: table.rows[hovered.r].frame}); hovered = null"><svg class="i" viewBox="0 0 16 16"><path d="M3 4.5h10M6 4.5V3h4v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5"/></svg></button>
    <div v-if="pop" class="pop" :class="{warn: pop.warning, above: pop.above}" :style="pop.style" role="alert">
      <svg class="i" viewBox="0 0 16 16"><path d="M8 2.6 14 13H2z"/><path d="M8 6.6v3M8 11.2v.1"/></svg><span>{{ pop.message }}</span>
      <button v-if="pop.fix" class="btn s" type="button" @mousedown.prevent @click="applyFix">Use {{ pop.fix }}</button>
    </div>
  </div>`,
  props: { table: Object, selected: Number, movable: Boolean, lit: Boolean },
  data() {
    return { digits: robosym.digits(), at: null, from: null, edited: null, text: "", trial: null, focused: false, dragged: null, dropping: null, top: 0, pop: null, hovered: null, ROW, LONGEST };
  },
  computed: {
    vector() { return this.table.rows.length === 1 && !this.table.rows[0].label; },
    compact() { return this.table.columns.length > 11; },
    corner() { return this.table.chain !== null || this.table.key.endsWith("baselink") ? "j" : ""; },
    long() { return this.table.rows.length > MANY; },
    first() { return this.long ? Math.max(0, Math.floor(this.top / ROW) - 20) : 0; },
    last() { return this.long ? Math.min(this.table.rows.length, this.first + 70) : this.table.rows.length; },
    widths() { // px; they follow the number of digits
      void this.digits; // px of each column, from its longest text
      return this.table.columns.map((column, c) => {
        const lengths = this.table.rows.map(({ cells }) => cells[c].word ? LETTER * cells[c].word.length : SIGN * Math.min(LONGEST, brief(cells[c].text).length));
        return PADDING + Math.ceil(Math.max(2 * SIGN, LETTER * column.head.length, ...lengths));
      });
    },
    shown() { return Array.from({ length: this.last - this.first }, (_, i) => this.first + i); },
  },
  watch: {
    table() { this.$nextTick(this.place); },
  },
  mounted() {
    this.place();
    this.$refs.wrap.addEventListener("show-cell", ({ detail }) => this.focusCell(detail.row, Math.max(0, this.table.columns.findIndex((one) => one.key === detail.column))));
    this.resized = new ResizeObserver(() => this.place());
    this.resized.observe(this.$refs.wrap);
    this.heard = (event) => { this.digits = event.detail; };
    window.addEventListener("robosym-digits", this.heard);
    const choice = document.querySelector(".digits");
    if (choice) choice.value = this.digits;
  },
  unmounted() { this.resized?.disconnect(); window.removeEventListener("robosym-digits", this.heard); },
  methods: {
    brief,
    meaning: (column) => MEANINGS[column.head] || MEANINGS[column.key] || (/^[IXYZ]?[xyzXYZ]{2}$/.test(column.head) ? "Entry of the inertia tensor, kg m²" : ""),
    name(r, c) { return `${this.$.uid}-cell-${r}-${c}`; },
    head(column) {
      const escaped = (s) => s.replace(/[&<>]/g, (x) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[x]);
      if (!column.math || !window.katex) return escaped(column.head);
      return katex.renderToString(LETTERS[column.head] || column.head, { throwOnError: false, output: "html" });
    },
    classes(r, c, cell) {
      const problem = this.problemAt(r, c);
      return {
        t: cell.word, z: cell.zero, v: cell.variable, lock: cell.locked, at: this.focused && this.isAt(r, c), in: this.focused && this.isIn(r, c),
        edit: this.isEdited(r, c), err: problem && !problem.warning && !this.isEdited(r, c), odd: problem?.warning,
        bad: problem && !problem.warning && this.isEdited(r, c),
      };
    },
    isSelected(r) { return this.lit && this.selected != null && this.table.rows[r].number === this.selected; },
    box() { // the selected block: its first and last row and column
      const { r, c } = this.at, other = this.from || this.at;
      return [Math.min(r, other.r), Math.max(r, other.r), Math.min(c, other.c), Math.max(c, other.c)];
    },
    isIn(r, c) {
      if (!this.from || !this.at) return false;
      const [top, low, left, right] = this.box();
      return r >= top && r <= low && c >= left && c <= right;
    },
    isAt(r, c) { return this.at && this.at.r === r && this.at.c === c; },
    isEdited(r, c) { return this.edited && this.edited.r === r && this.edited.c === c; },
    cell(r, c) { return this.table.rows[r]?.cells[c]; },
    problemAt(r, c) { return this.isEdited(r, c) ? this.trial : this.cell(r, c)?.problem; },
    scrolled() { this.top = this.$refs.wrap.scrollTop; },
    // ---- focus
    entered() { this.focused = true; if (!this.at) this.at = { r: 0, c: 0 }; this.place(); },
    left() { this.focused = !!this.edited; this.$nextTick(this.place); },
    choose(r, event) {
      const number = this.table.rows[r].number, first = event?.shiftKey && this.at ? this.box()[0] : r;
      if (number) this.$emit("choose", { number });
      this.$refs.table.focus();
      this.go(r, this.table.columns.length - 1);
      this.from = { r: first, c: 0 };
    },
    point(event, r, c) {
      if (this.isEdited(r, c)) return;
      if (event.shiftKey && this.at) { event.preventDefault(); this.extend(r, c); this.$refs.table.focus(); return; }
      this.go(r, c);
      const number = this.table.rows[r].number;
      if (number && this.lit) this.$emit("choose", { number });
    },
    extend(r, c) { const from = this.from || { ...this.at }; this.go(r, c); this.from = from; },
    go(r, c) {
      this.from = null;
      const rows = this.table.rows.length, columns = this.table.columns.length;
      this.at = { r: Math.max(0, Math.min(rows - 1, r)), c: Math.max(0, Math.min(columns - 1, c)) };
      this.$nextTick(() => {
        if (this.long) this.reveal(this.at.r);
        this.$el.querySelector(`[data-cell="${this.at.r} ${this.at.c}"]`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
        this.place();
      });
    },
    reveal(r) {
      const wrap = this.$refs.wrap, y = r * ROW;
      if (y < wrap.scrollTop || y > wrap.scrollTop + wrap.clientHeight - 2 * ROW) wrap.scrollTop = Math.max(0, y - wrap.clientHeight / 2);
    },
    focusCell(r, c) { this.$refs.table.focus(); this.go(r, c); },
    // ---- editing
    begin(r, c, text) {
      const cell = this.cell(r, c);
      if (!cell || cell.locked) return;
      this.edited = { r, c };
      this.trial = cell.problem || null;
      this.text = text ?? cell.text;
      this.$nextTick(() => {
        const field = [this.$refs.field].flat()[0];
        field?.focus();
        if (text === undefined) field?.select?.();
        if (field?.showPicker && cell.word) try { field.showPicker(); } catch { /* only after a click */ }
        this.place();
      });
      if (text !== undefined) this.typed();
    },
    typed() {
      clearTimeout(this.waiting);
      const { r, c } = this.edited;
      this.waiting = setTimeout(() => this.$emit("typed", { row: r, column: this.table.columns[c].key, text: this.text }), 120);
    },
    tried({ row, column, text, problem }) {
      if (!this.edited || this.edited.r !== row || this.table.columns[this.edited.c].key !== column || this.text !== text) return;
      this.trial = problem;
      this.place();
    },
    commit(down, right) {
      if (!this.edited) return;
      clearTimeout(this.waiting);
      const { r, c } = this.edited, cell = this.cell(r, c);
      this.edited = null;
      this.trial = null;
      if (cell && String(this.text).trim() !== cell.text) this.$emit("edit", { row: r, column: this.table.columns[c].key, text: String(this.text) });
      if (down || right) this.move(r, c, down, right);
      if (down !== 0 || right !== 0) this.$refs.table.focus();
      this.$nextTick(this.place);
    },
    cancel() { clearTimeout(this.waiting); this.edited = null; this.trial = null; this.$refs.table.focus(); this.$nextTick(this.place); },
    move(r, c, down, right) {
      const columns = this.table.columns.length;
      let place = right ? r * columns + c + right : (r + down) * columns + c;
      if (place < 0 || place >= columns * this.table.rows.length) return false;
      this.go(Math.floor(place / columns), place % columns);
      return true;
    },
    applyFix() {
      const { r, c, fix } = this.pop;
      this.edited = null; this.trial = null;
      this.$emit("edit", { row: r, column: this.table.columns[c].key, text: fix });
      this.$refs.table.focus();
      this.go(r, c);
    },
    // ---- keys
    editing(event) {
      if (event.key === "Enter") { event.preventDefault(); this.commit(event.shiftKey ? -1 : 1, 0); this.$refs.table.focus(); }
      else if (event.key === "Tab") { event.preventDefault(); this.commit(0, event.shiftKey ? -1 : 1); this.$refs.table.focus(); }
      else if (event.key === "Escape") { event.preventDefault(); this.cancel(); }
      else if (["ArrowUp", "ArrowDown"].includes(event.key) && !event.altKey) { event.preventDefault(); this.commit(event.key === "ArrowUp" ? -1 : 1, 0); this.$refs.table.focus(); }
    },
    choosing(event) {
      if (event.key === "Escape") { event.preventDefault(); this.cancel(); }
      if (event.key === "Enter" || event.key === "Tab") { event.preventDefault(); this.commit(event.key === "Enter" ? 1 : 0, event.key === "Tab" ? 1 : 0); this.$refs.table.focus(); }
    },
    pressed(event) {
      if (this.edited || !this.at) return;
      const { r, c } = this.at, frame = this.table.rows[r]?.frame;
      const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], PageUp: [-12, 0], PageDown: [12, 0] }[event.key];
      if (event.altKey && step && step[0] && this.movable) { event.preventDefault(); event.stopPropagation(); this.$emit("move", { frame, step: step[0] }); this.go(r + step[0], c); }
      else if (event.altKey || ((event.ctrlKey || event.metaKey) && !["Home", "End", "Delete", "a"].includes(event.key))) return;
      else if ((event.ctrlKey || event.metaKey) && event.key === "a") { event.preventDefault(); this.go(this.table.rows.length - 1, this.table.columns.length - 1); this.from = { r: 0, c: 0 }; }
      else if (step && event.shiftKey) { event.preventDefault(); this.extend(r + step[0], c + step[1]); }
      else if (step) { event.preventDefault(); this.go(r + step[0], c + step[1]); if (step[0] && this.table.rows[this.at.r].number) this.$emit("choose", { number: this.table.rows[this.at.r].number }); }
      else if (event.key === "Home") { event.preventDefault(); this.go(event.ctrlKey ? 0 : r, 0); }
      else if (event.key === "End") { event.preventDefault(); this.go(event.ctrlKey ? 1e9 : r, 1e9); }
      else if (event.key === "Tab") { if (this.move(r, c, 0, event.shiftKey ? -1 : 1)) event.preventDefault(); }
      else if (event.key === "Enter" || event.key === "F2") { event.preventDefault(); this.begin(r, c); }
      else if (event.key === "Insert" && this.movable) { event.preventDefault(); this.$emit("add", { frame }); }
      else if (event.key === "Delete" && event.ctrlKey && this.movable) { event.preventDefault(); this.$emit("remove", { frame }); }
      else if (event.key === "Delete" || event.key === "Backspace") {
        event.preventDefault();
        const [top, low, left, right] = this.box();
        const block = Array.from({ length: low - top + 1 }, (_, i) => this.table.rows[top + i].cells.slice(left, right + 1).map((cell) => (cell.word ? cell.text : "")));
        this.$emit("pasteblock", { row: top, column: this.table.columns[left].key, block });
      }
      else if (event.key === " " && this.cell(r, c).word) { event.preventDefault(); this.begin(r, c); }
      else if (event.key.length === 1 && event.key !== "?" && !this.cell(r, c).word) { event.preventDefault(); event.stopPropagation(); this.begin(r, c, event.key); }
    },
    pasted(event) {
      if (this.edited || !this.at) return;
      event.preventDefault();
      const lines = event.clipboardData.getData("text/plain").replace(/\r/g, "").replace(/\n$/, "").split("\n");
      const block = lines.slice(0, 2000).map((line) => line.split(/\t|;/).slice(0, 100));
      const [top, , left] = this.box();
      this.$emit("pasteblock", { row: top, column: this.table.columns[left].key, block });
    },
    copied(event) {
      if (this.edited || !this.at) return;
      event.preventDefault();
      const [top, low, left, right] = this.box();
      const lines = this.table.rows.slice(top, low + 1).map((row) => row.cells.slice(left, right + 1).map((cell) => cell.text).join("\t"));
      event.clipboardData.setData("text/plain", lines.join("\n"));
    },
    dropped(r) {
      this.dropping = null;
      if (this.dragged !== null && this.dragged !== r) this.$emit("move", { frame: this.table.rows[this.dragged].frame, step: r - this.dragged });
      this.dragged = null;
    },
    // ---- error messages below their cells
    place() {
      const wrap = this.$refs.wrap;
      let found = this.edited || (this.at && this.problemAt(this.at.r, this.at.c) ? this.at : null);
      if (!found && !this.edited) {
        for (let r = 0; r < this.table.rows.length && !found; r++)
          for (let c = 0; c < this.table.columns.length && !found; c++) if (this.cell(r, c).problem && !this.cell(r, c).problem.warning) found = { r, c };
      }
      const problem = found && this.problemAt(found.r, found.c);
      const cell = found && this.$el.querySelector(`[data-cell="${found.r} ${found.c}"]`);
      if (!problem || !cell || !wrap) { this.pop = null; return; }
      const box = cell.getBoundingClientRect(), outer = wrap.getBoundingClientRect();
      const width = Math.min(outer.width - 8, 60 + problem.message.length * 6.6 + (problem.fix ? 60 + problem.fix.length * 7 : 0));
      const middle = box.left + box.width / 2 - outer.left;
      const left = Math.max(4, Math.min(outer.width - width - 4, middle - width * 0.8));
      this.pop = {
        ...problem, r: found.r, c: found.c,
        above: true,
        style: { left: left + "px", bottom: outer.bottom - box.top - wrap.scrollTop + 7 + "px", maxWidth: outer.width - 8 + "px", "--arrow": middle - left - 4 + "px" },
      };
    },
  },
};
