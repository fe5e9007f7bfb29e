// Numeric evaluation: a field for every input, and the values of the outputs.
const minus = (text) => text.replace(/-/g, "\u2212");
const shown = (x) => {
  if (x === undefined || x === null) return "";
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "not a number" : x > 0 ? "\u221e" : "\u2212\u221e";
  if (x === 0) return "0";
  const size = Math.abs(x);
  return minus(size >= 1e6 || size < 1e-4 ? x.toExponential(4) : String(+x.toPrecision(7)));
};

export default {
  template: `<div class="vals">
    <section class="vin more" data-panel="inputs" tabindex="-1">
      <template v-for="group in inputs" :key="group.name">
        <div class="eqh">{{ group.name }} <span>{{ group.names.length }}</span></div>
        <p v-if="group.said" class="mut t12 eq-said">{{ group.said }}</p>
        <div class="vgrid">
          <label v-for="name in group.names" :key="name" class="vrow" :class="{ over: over === name, bad: wrong[name] }">
            <span class="mono">{{ name }}</span>
            <input class="field r" :value="texts[name]" inputmode="decimal" spellcheck="false" :aria-label="name"
              @input="type(name, $event.target.value)" @paste="paste(name, $event)">
            <button type="button" class="btn ghost s" :class="{ on: over === name }" :title="'Plot over ' + name"
              @click.prevent="plot(name)">plot over</button>
          </label>
        </div>
      </template>
    </section>
    <section class="vout more" data-panel="outputs" tabindex="0">
      <template v-for="group in outputs" :key="group.name">
        <div class="eqh">{{ group.name }} <span>{{ group.size.length > 1 ? group.size.join(" \u00d7 ") : group.names.length }}</span></div>
        <p v-if="group.said" class="mut t12 eq-said">{{ group.said }}</p>
        <div v-if="group.size.length > 1 && group.size[1] <= 8" class="vmat" :style="{ gridTemplateColumns: 'repeat(' + group.size[1] + ', minmax(64px, 1fr))' }">
          <span v-for="name in group.names" :key="name" class="num" :class="{ z: results[name] === 0 }" :title="name">{{ show(results[name]) }}</span>
        </div>
        <div v-else class="vgrid">
          <div v-for="name in group.names" :key="name" class="vrow"><span class="mono">{{ name }}</span>
            <span class="num grow" :class="{ z: results[name] === 0 }">{{ show(results[name]) }}</span></div>
        </div>
      </template>
    </section></div>`,
  data: () => ({ inputs: [], outputs: [], texts: {}, results: {}, over: "", wrong: {} }),
  methods: {
    show: shown,
    fill(inputs, outputs, values) {
      this.inputs = inputs;
      this.outputs = outputs;
      const known = { ...values, ...this.numbers() };
      this.texts = Object.fromEntries(inputs.flatMap((g) => g.names.map((n) => [n, String(known[n] ?? 0)])));
      this.wrong = {};
      this.send();
    },
    set(values) { Object.assign(this.texts, Object.fromEntries(Object.entries(values).map(([n, x]) => [n, String(x)]))); this.wrong = {}; this.send(); },
    numbers() { return Object.fromEntries(Object.entries(this.texts).map(([n, t]) => [n, this.number(t)]).filter(([, x]) => Number.isFinite(x))); },
    number(text) {
      const plain = text.trim().replace(/\u2212/g, "-").replace(",", ".");
      const pi = /^([+-]?[\d.]*)\s*\*?\s*pi\s*(?:\/\s*([\d.]+))?$/i.exec(plain);
      if (pi) return (pi[1] === "" || pi[1] === "+" ? 1 : pi[1] === "-" ? -1 : +pi[1]) * Math.PI / (pi[2] ? +pi[2] : 1);
      return plain === "" ? NaN : Number(plain);
    },
    type(name, text) {
      this.texts[name] = text;
      this.wrong[name] = !Number.isFinite(this.number(text));
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => this.send(), 120);
    },
    paste(name, event) {
      const parts = event.clipboardData.getData("text").trim().split(/[\s,;]+/);
      if (parts.length < 2) return;
      event.preventDefault();
      const names = this.inputs.flatMap((g) => g.names), at = names.indexOf(name);
      parts.forEach((part, n) => names[at + n] && (this.texts[names[at + n]] = part));
      this.send();
    },
    plot(name) { this.over = this.over === name ? "" : name; this.$emit("over", { name: this.over, values: this.numbers() }); },
    send() { this.$emit("values", { values: this.numbers(), over: this.over }); },
    answer(results) { this.results = results; },
  },
};
