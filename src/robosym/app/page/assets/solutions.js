// All solutions of a pose, one row each, one of them selected; angles are right-aligned with two decimals.
const minus = (text) => text.replace("-", "\u2212");

export default {
  template: `<div class="sols more-x"><table tabindex="0" role="grid" aria-label="Solutions" :aria-activedescendant="chosen ? name(chosen) : null" @keydown="key"><colgroup><col style="width:44px"><col v-for="c in columns" style="min-width:66px"><col class="cm"><col style="width:70px"></colgroup>
    <thead><tr><th aria-label="Number"></th><th v-for="c in columns" class="num"><span v-html="math(c.name)"></span></th><th class="mh">Manipulability</th><th class="num">Error</th></tr></thead>
    <tbody><tr v-for="row in rows" :key="row.number" :id="name(row.number)" :class="{ sel: row.number === chosen }" :aria-selected="row.number === chosen" @click="$emit('choose', { number: row.number })" @dblclick="$emit('take', { number: row.number })">
      <td style="padding-left:12px"><span class="swt">{{ row.number }}</span></td>
      <td v-for="(value, k) in row.values" class="num" :title="row.free.includes(columns[k].name) ? 'free in this pose' : ''">{{ shown(value, columns[k]) }}<span v-if="row.free.includes(columns[k].name)" class="mut"> free</span></td>
      <td><div class="mn"><div class="pb"><i :style="{ width: bar(row) }"></i></div><span class="num">{{ measure(row.manipulability) }}</span></div></td>
      <td class="num mut">{{ error(row.error) }}</td></tr></tbody></table></div>`,
  props: { rows: Array, columns: Array, degrees: Boolean, chosen: Number },
  methods: {
    name(number) { return `${this.$.uid}-solution-${number}`; },
    math: (text) => robosym.math(text, true),
    shown(value, column) { return minus(this.plain(value, column).replace(/^-(0\.0*)$/, "$1")); },
    plain(value, column) { return (column.slides ? (value * (this.degrees ? 1000 : 1)).toFixed(this.degrees ? 1 : 4) : (value * (this.degrees ? 180 / Math.PI : 1)).toFixed(this.degrees ? 2 : 4)); },
    bar(row) { const most = Math.max(...this.rows.map((r) => r.manipulability), 1e-12); return `${Math.round(100 * row.manipulability / most)}%`; },
    measure(w) { return w < 1e-9 ? "0" : w >= 100 ? w.toPrecision(3) : w.toFixed(4); },
    error(e) { return e === 0 ? "0" : minus(e.toExponential(0).replace("e+", "e")); },
    key(event) {
      const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (by && this.rows.length) {
        event.preventDefault(); event.stopPropagation();
        const at = this.rows.findIndex((r) => r.number === this.chosen), next = this.rows[Math.min(this.rows.length - 1, Math.max(0, at + by))];
        this.$emit("choose", { number: next.number });
        this.$nextTick(() => this.$el.querySelectorAll("tbody tr")[next.number - 1]?.scrollIntoView({ block: "nearest" }));
      }
    },
  },
};
