// Time plots on ECharts in stacked panels; the cursor follows the time of the picture, and a click sets it.
import { echarts } from "nicegui-echart";

const DASHES = ["solid", [7, 3], [2, 3], [8, 3, 2, 3], [4, 2], [10, 4]], MOST = 12, HEIGHT = 150;
const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const minus = (text) => String(text).replace(/-/g, "\u2212");
const short = (value) => minus(Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-3) ? value.toExponential(1) : +value.toPrecision(4));

export default {
  template: `<div class="motion-plots"><div class="chart" role="img" :aria-label="about"></div><div class="cursor" v-show="there" :style="{ transform: 'translateX(' + left + 'px)', height: tall + 'px' }"></div></div>`,
  data: () => ({ left: 0, tall: 0, there: false, about: "Plots of the motion" }),
  mounted() {
    this.box = this.$el.querySelector(".chart");
    this.chart = echarts.init(this.box, null, { renderer: "canvas" });
    this.sized = new ResizeObserver(() => { this.chart.resize({ animation: { duration: 0 } }); this.mark(); });
    this.sized.observe(this.$el);
    this.heard = (e) => { this.now = e.detail.now; this.mark(); };
    this.themed = () => this.data && this.show(...this.data);
    window.addEventListener("robosym-time", this.heard);
    window.addEventListener("robosym-theme", this.themed);
    this.chart.getZr().on("click", (e) => this.go(e));
    this.chart.getZr().on("mousemove", (e) => { if (e.event.buttons & 1) this.go(e); });
  },
  unmounted() {
    window.removeEventListener("robosym-time", this.heard);
    window.removeEventListener("robosym-theme", this.themed);
    this.sized.disconnect();
    this.chart.dispose();
  },
  methods: {
    go(e) {
      if (!this.data) return;
      const t = this.chart.convertFromPixel({ gridIndex: 0 }, [e.offsetX, e.offsetY])[0];
      window.dispatchEvent(new CustomEvent("robosym-seek", { detail: Math.min(this.end, Math.max(0, t)) }));
    },
    mark() {
      if (!this.data) { this.there = false; return; }
      this.left = this.chart.convertToPixel({ xAxisIndex: 0 }, this.now || 0);
      this.there = Number.isFinite(this.left);
    },
    show(times, panels) {
      this.data = panels.length ? [times, panels] : null;
      this.chart.clear();
      if (!this.data) { this.there = false; return; }
      this.end = times[times.length - 1];
      const ends = (values) => `from ${short(Math.min(...values))} to ${short(Math.max(...values))}`;
      this.about = `Plots over ${short(this.end)} s. ` + panels.map((panel) => `${panel.title}: ` + panel.values.slice(0, MOST).map((values, n) => `${panel.names[n]} ${ends(values)}`).join(", ")).join(". ");
      const count = panels.length, tall = Math.max(HEIGHT * count, this.$el.clientHeight);
      this.box.style.height = `${tall}px`;
      this.tall = tall - 26;
      this.chart.resize();
      const each = (tall - 24) / count, at = (k) => k * each;
      const axis = { type: "value", axisLine: { show: false }, axisTick: { show: false }, splitNumber: 3, axisLabel: { color: ink("text-3"), fontSize: 10.5, formatter: short }, splitLine: { lineStyle: { color: ink("line") } } };
      const series = [], legends = [];
      panels.forEach((panel, k) => {
        panel.values.slice(0, MOST).forEach((values, n) => {
          const color = ink(`c${(n % 6) + 1}`);
          series.push({ name: `${panel.title} ${panel.names[n]}`, type: "line", symbol: "none", xAxisIndex: k, yAxisIndex: k, data: values.map((y, i) => [times[i], y]), emphasis: { disabled: true }, lineStyle: { width: 1.5, type: DASHES[n % DASHES.length], color }, itemStyle: { color } });
        });
        legends.push({ type: "scroll", top: at(k) + 2, left: Math.max(56, 24 + 7 * panel.title.length), right: 8, itemWidth: 22, itemHeight: 2, itemGap: 10, textStyle: { color: ink("text-2"), fontSize: 11.5 }, pageIconSize: 10, pageTextStyle: { color: ink("text-3") },
          data: panel.names.slice(0, MOST).map((name) => `${panel.title} ${name}`), formatter: (name) => name.slice(panel.title.length + 1) });
      });
      this.chart.setOption({
        animation: false, textStyle: { fontFamily: "Inter, sans-serif" },
        tooltip: { trigger: "axis", confine: true, backgroundColor: ink("surface"), borderColor: ink("line-2"), padding: [6, 10], textStyle: { color: ink("text"), fontSize: 12 }, valueFormatter: (x) => (x === null || x === undefined ? "" : short(+x)) },
        axisPointer: { link: [{ xAxisIndex: "all" }], lineStyle: { color: ink("line-2") } },
        title: panels.map((panel, k) => ({ text: panel.title, top: at(k) + 2, left: 10, textStyle: { fontSize: 12, fontWeight: 600, color: ink("text"), fontFamily: "Inter, sans-serif" } })),
        legend: legends,
        grid: panels.map((_, k) => ({ left: 56, right: 14, top: at(k) + 26, height: each - 38 })),
        xAxis: panels.map((_, k) => ({ ...axis, gridIndex: k, min: times[0], max: this.end, splitLine: { show: false }, axisLine: { show: true, onZero: false, lineStyle: { color: ink("line-2") } }, axisLabel: k === count - 1 ? { ...axis.axisLabel, showMaxLabel: false } : { show: false }, name: k === count - 1 ? "t, s" : "", nameLocation: "end", nameGap: -6, nameTextStyle: { color: ink("text-3"), fontSize: 10.5, verticalAlign: "top", padding: [8, 0, 0, 0] } })),
        yAxis: panels.map((_, k) => ({ ...axis, gridIndex: k, scale: true })),
        series,
      }, true);
      this.mark();
    },
  },
};
