// One formula, typeset by KaTeX.
export default {
  template: `<span v-html="html"></span>`,
  props: { latex: String, display: Boolean },
  computed: {
    html() { return window.katex ? window.katex.renderToString(this.latex || "", { throwOnError: false, strict: false, output: "html", displayMode: Boolean(this.display) }) : ""; },
  },
};
