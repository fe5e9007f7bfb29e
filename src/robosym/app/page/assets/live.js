// Values of models beside the picture: the blocks of shared pages, which follow the robot of a stage.
export default {
  template: `<div class="live-values"></div>`,
  mounted() {
    this.moved = (e) => {
      if (!this.values || e.detail.stage !== this.stage().$el || this.asked) return;
      this.asked = requestAnimationFrame(() => { this.asked = null; this.values?.update(); });
    };
    this.themed = () => this.values?.redraw();
    window.addEventListener("robosym-posture", this.moved);
    window.addEventListener("robosym-theme", this.themed);
  },
  unmounted() {
    window.removeEventListener("robosym-posture", this.moved);
    window.removeEventListener("robosym-theme", this.themed);
    this.stage()?.tint({});
  },
  methods: {
    stage() { return getElement(this.on); },
    async fill(robot, stage, degrees) {
      this.on = stage;
      const calls = await new Function(`return ${robot.script}`)(), get = () => this.stage();
      this.$el.replaceChildren();
      this.values = robosymValues(this.$el, robot, calls, {
        mechanism: get().mechanism, start: null, degrees,
        turn: (name, value) => get().place({ [name]: value }), tint: (colors) => get().tint(colors),
        get q() { return get().q; }, get poses() { return get().poses; }, get frame() { return get().data.flange; },
        get dark() { return document.documentElement.dataset.theme === "dark"; },
      });
      this.values.values();
      this.values.parameters();
      this.values.update();
    },
  },
};
