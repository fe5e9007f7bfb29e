// Steps of a closed-form solution as the book writes them; a closed step is one line.
const tex = (latex) => window.katex.renderToString(latex, { throwOnError: false, strict: false, output: "html" });

export default {
  template: `<div class="steps">
    <template v-for="step in list" :key="step.number">
      <div v-if="step.heading" class="step-head">{{ step.heading }}</div>
      <div class="step" :class="{ cl2: closed[step.number] }">
        <div class="no">{{ step.number }}</div>
        <div>
          <div class="row step-top" role="button" tabindex="0" :aria-expanded="!closed[step.number]" @click="fold(step)" @keydown.enter.prevent="fold(step)" @keydown.space.prevent="fold(step)">
            <span v-if="step.unknown" class="mathline" style="padding:0" v-html="math(step.unknown)"></span>
            <span v-if="step.type" class="chip">{{ step.type }}</span>
            <span v-if="step.values" class="sec t12 nw">{{ step.values }} {{ step.values > 1 ? "values" : "value" }}</span>
            <span v-if="step.origins.length" class="mut t12 el">from <span class="mono origins">{{ step.origins.join(" and ") }}</span></span>
            <span class="grow"></span>
            <svg class="i ch" :class="{ shut: closed[step.number] }" viewBox="0 0 16 16" aria-hidden="true"><path d="M4.5 6.5 8 10l3.5-3.5"/></svg>
          </div>
          <template v-if="!closed[step.number]">
            <div v-if="step.parts" class="mathline" v-html="math(step.unknown + ' = ' + step.parts)"></div>
            <div v-if="step.equations.length" class="mathline"><span v-for="e in step.equations" class="eqn" v-html="math(e)"></span></div>
            <div v-if="step.letters.length" class="let" :class="{ pairs: step.letters.length === 6 && narrow(step) }"><template v-for="[name, text] in step.letters"><span v-html="math(name)"></span><span v-html="math('=')"></span><span v-html="math(text)"></span></template></div>
            <div v-if="step.result" class="row step-result"><span class="mathline" v-html="result(step)"></span><span class="grow"></span><span v-if="step.free" class="mut t12 free">free where <span v-html="math(step.free)"></span></span></div>
            <p v-if="step.words" class="words sec">{{ step.words }}</p>
          </template>
        </div>
      </div>
    </template></div>`,
  props: { list: Array },
  data: () => ({ closed: {} }),
  watch: { list() { this.closed = {}; } },
  methods: {
    math: (text) => robosym.math(text, true),
    result(step) { return `${this.math(`${step.unknown} =`)} ${tex(`\\displaystyle ${step.result}`)}`; },
    narrow(step) { return step.letters.every(([, text]) => text.length < 40); },
    fold(step) { this.closed = { ...this.closed, [step.number]: !this.closed[step.number] }; },
  },
};
