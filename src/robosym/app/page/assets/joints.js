// Sliders of all joints as one component: arrow keys move by 1 degree or 1 mm, with Shift by 10, with Alt by 0.1; numbers can be typed.
const DEGREE = 180 / Math.PI;
const minus = (text) => text.replace("-", "\u2212");

export default {
  template: `<div class="sliders" role="group" aria-label="Joints">
    <div v-for="(row, k) in list" :key="row.name" class="sl" :class="{ on: row.joint === chosen }" @click="pick(row)">
      <span class="nm mono el" :title="row.label">{{ row.label }}</span>
      <div class="tr" :class="{ held: held === row.name }" role="slider" tabindex="0" :aria-label="row.label" :aria-valuemin="row.lower" :aria-valuemax="row.upper" :aria-valuenow="row.value"
        :aria-valuetext="shown(row) + unit(row)" @pointerdown="down($event, row)" @pointermove="drag($event, row)" @pointerup="up($event, row)" @pointercancel="up($event, row)" @keydown="key($event, row)" @focus="pick(row)">
        <div class="rail"><i :style="span(row)"></i><s v-if="row.lower < 0 && row.upper > 0" :style="{ left: at(row, 0) }"></s><b :style="{ left: at(row, row.value) }"></b></div>
      </div>
      <label class="field"><input type="text" inputmode="decimal" spellcheck="false" :value="typed === row.name ? words : minus(shown(row))" :aria-label="row.label + ', number'"
        @focus="begin($event, row)" @input="words = $event.target.value" @keydown.enter.prevent="take(row, $event)" @keydown.esc.stop="typed = ''" @blur="take(row)" @click.stop><span class="u">{{ unit(row) }}</span></label>
    </div>
    <details v-if="passive?.length" class="passive"><summary class="t12"><span class="lab">Passive joints</span></summary><div class="mono mut">{{ followers }}</div></details></div>`,
  props: { rows: Array, degrees: Boolean, chosen: Number, stage: Number, passive: Array },
  data() { return { list: (this.rows || []).map((row) => ({ ...row })), typed: "", words: "", held: "", followers: "" }; },
  mounted() {
    this.moved = (e) => { if (e.detail.stage === getElement(this.stage).$el) this.set(e.detail.values); };
    window.addEventListener("robosym-posture", this.moved);
    const first = (tries) => { const stage = getElement(this.stage); if (stage?.mechanism) this.set(stage.values()); else if (tries) setTimeout(() => first(tries - 1), 50); };
    if (this.passive?.length) setTimeout(() => first(40));
  },
  unmounted() { window.removeEventListener("robosym-posture", this.moved); },
  watch: { rows(rows, old) { if (JSON.stringify(rows) !== JSON.stringify(old)) this.list = rows.map((row) => ({ ...row })); } },  // sent with every property
  methods: {
    minus,
    scale(row) { return row.slides ? (this.degrees ? 1000 : 1) : this.degrees ? DEGREE : 1; },
    unit(row) { return row.slides ? (this.degrees ? " mm" : " m") : this.degrees ? "\u00b0" : " rad"; },
    digits(row) { return row.slides ? (this.degrees ? 1 : 4) : this.degrees ? 1 : 3; },
    shown(row) { const text = (row.value * this.scale(row)).toFixed(this.digits(row)); return /^-0(\.0*)?$/.test(text) ? text.slice(1) : text; },
    part(row, value) { return row.upper > row.lower ? Math.min(1, Math.max(0, (value - row.lower) / (row.upper - row.lower))) : 0; },
    at(row, value) { return `${100 * this.part(row, value)}%`; },
    span(row) {
      const zero = this.part(row, Math.min(row.upper, Math.max(row.lower, 0))), here = this.part(row, row.value);
      return { left: `${100 * Math.min(zero, here)}%`, width: `${100 * Math.abs(here - zero)}%` };
    },
    tell(values) {  // positions of the passive joints
      const slides = (name) => getElement(this.stage).mechanism.joints.find((joint) => joint.name === name)?.slides;
      this.followers = (this.passive || []).map((name) => { const row = { value: values[name], slides: slides(name) }; return `${name}\u00a0${minus(this.shown(row))}${this.unit(row)}`; }).join("   ");
    },
    set(values) {  // the resulting positions, including stopped motors and passive joints
      for (const row of this.list) if (row.name in values) {
        row.value = values[row.name];
        row.lower = Math.min(row.lower, row.value); row.upper = Math.max(row.upper, row.value);
      }
      if (this.passive?.length) this.tell(values);
    },
    say(row, value) {
      if (!Number.isFinite(value)) return;
      row.value = value;
      getElement(this.stage).place({ [row.name]: value });
    },
    from(event, row) {
      const rail = event.currentTarget.querySelector(".rail").getBoundingClientRect();
      return row.lower + (row.upper - row.lower) * Math.min(1, Math.max(0, (event.clientX - rail.left) / rail.width));
    },
    down(event, row) {
      if (event.button) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      event.currentTarget.focus();
      this.held = row.name;
      this.say(row, this.from(event, row));
    },
    drag(event, row) { if (this.held === row.name) this.say(row, this.from(event, row)); },
    up(event, row) { if (this.held === row.name) { this.held = ""; this.set(getElement(this.stage).values()); } },
    key(event, row) {
      const unit = row.slides ? 0.001 : Math.PI / 180, step = unit * (event.shiftKey ? 10 : event.altKey ? 0.1 : 1);
      const by = { ArrowRight: step, ArrowUp: step, ArrowLeft: -step, ArrowDown: -step, PageUp: 10 * unit, PageDown: -10 * unit }[event.key];
      let value;
      if (by !== undefined) value = Math.min(row.upper, Math.max(row.lower, row.value + by));
      else if (event.key === "Home") value = row.lower;
      else if (event.key === "End") value = row.upper;
      else if (event.key === "0") value = Math.min(row.upper, Math.max(row.lower, 0));
      else return;
      event.preventDefault();
      event.stopPropagation();
      this.say(row, value);
    },
    begin(event, row) { this.words = this.shown(row); this.typed = row.name; this.pick(row); this.$nextTick(() => event.target.select()); },
    take(row, event) {
      if (this.typed !== row.name) return;
      const text = this.words.replace("\u2212", "-").replace(",", ".").replace(/[^-+0-9.eE]/g, ""), value = Number(text) / this.scale(row);
      const changed = this.words !== this.shown(row);
      this.typed = "";
      if (text && Number.isFinite(value) && changed) this.say(row, value);
      event?.target.blur();
    },
    pick(row) { if (row.joint !== this.chosen) this.$emit("pick", { joint: row.joint }); },
  },
};
