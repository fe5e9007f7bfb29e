// Play and pause buttons and the time of the picture; the space bar plays. Plots and picture share the time.
export default {
  template: `<div class="player" role="group" aria-label="Player">
    <button type="button" class="btn ico" :disabled="!end" :title="playing ? 'Pause' : 'Play'" :aria-label="playing ? 'Pause' : 'Play'" @click="turn"><svg class="i" viewBox="0 0 16 16" aria-hidden="true"><path v-if="playing" d="M5.5 3.5v9M10.5 3.5v9"/><path v-else d="M5 3.2v9.6l7.6-4.8z"/></svg></button>
    <div class="tr" role="slider" tabindex="0" aria-label="Time" :aria-valuemin="0" :aria-valuemax="end" :aria-valuenow="now" :aria-valuetext="now.toFixed(2) + ' s'" @pointerdown="down" @pointermove="drag" @pointerup="held = false" @pointercancel="held = false" @keydown="key"><div class="rail"><i :style="{ left: 0, width: part }"></i><b :style="{ left: part }"></b></div></div>
    <span class="m time">{{ now.toFixed(2) }}<span class="mut"> / {{ end.toFixed(2) }} s</span></span>
    <div class="seg" role="radiogroup" aria-label="Speed"><button v-for="s in [0.25, 1, 4]" type="button" role="radio" :aria-checked="s === speed" :class="{ on: s === speed }" @click="quick(s)">{{ s === 0.25 ? "¼" : s }}×</button></div></div>`,
  props: { stage: Number },
  data: () => ({ now: 0, end: 0, playing: false, speed: 1, held: false }),
  computed: { part() { return this.end ? `${100 * this.now / this.end}%` : "0%"; } },
  mounted() {
    this.heard = (e) => { this.now = e.detail.now; this.end = e.detail.end; this.playing = e.detail.playing; };
    this.sought = (e) => this.seek(e.detail);
    window.addEventListener("robosym-time", this.heard);
    window.addEventListener("robosym-seek", this.sought);
  },
  unmounted() { window.removeEventListener("robosym-time", this.heard); window.removeEventListener("robosym-seek", this.sought); },
  methods: {
    on() { return getElement(this.stage); },
    turn() {
      if (!this.end) return;
      if (this.playing) { this.on().stop(); this.playing = false; } else { this.on().play(this.speed); this.playing = true; }
    },
    quick(s) { this.speed = s; if (this.playing) this.on().play(s); },
    seek(t) { this.on().stop(); this.playing = false; this.on().seek(t); },
    from(e) { const b = e.currentTarget.querySelector(".rail").getBoundingClientRect(); return this.end * Math.min(1, Math.max(0, (e.clientX - b.left) / b.width)); },
    down(e) { if (e.button || !this.end) return; e.currentTarget.setPointerCapture(e.pointerId); this.held = true; this.seek(this.from(e)); },
    drag(e) { if (this.held) this.seek(this.from(e)); },
    key(e) {
      const step = this.end / (e.shiftKey ? 10 : 100), by = { ArrowRight: step, ArrowLeft: -step }[e.key];
      if (by !== undefined) this.seek(this.now + by);
      else if (e.key === "Home") this.seek(0);
      else if (e.key === "End") this.seek(this.end);
      else if (e.key === " ") this.turn();
      else return;
      e.preventDefault(); e.stopPropagation();
    },
  },
};
