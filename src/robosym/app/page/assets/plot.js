// Line plots on ECharts, in the colors of the page; each line has its own dash pattern.
import { echarts } from "nicegui-echart";

const DASHES = ["solid", [7, 3], [2, 3], [8, 3, 2, 3], [4, 2], [10, 4]];
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
const minus = (value) => String(value).replace(/-/g, "\u2212");
const short = (value) => minus(Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-3) ? value.toExponential(1) : +value.toPrecision(4));

export default {
  template: `<div class="chart" role="img" :aria-label="about"></div>`,
  data: () => ({ about: "Plot" }),
  mounted() {
    this.chart = echarts.init(this.$el, null, { renderer: "canvas" });
    this.resizer = new ResizeObserver(() => this.chart.resize());
    this.resizer.observe(this.$el);
    this.onTheme = () => this.what && this.fill(this.what);
    window.addEventListener("robosym-theme", this.onTheme);
  },
  beforeUnmount() {
    window.removeEventListener("robosym-theme", this.onTheme);
    this.resizer.disconnect();
    this.chart.dispose();
  },
  methods: {
    fill(what) {
      this.what = what;
      const ends = (name, points) => {
        const values = points.map((point) => point[1]).filter(Number.isFinite);
        return `${name} from ${short(Math.min(...values))} to ${short(Math.max(...values))}`;
      };
      const curves = what.series?.map((one) => [one.name, one.points]) || ["measured", "predicted", "residual"].filter((name) => what[name]).map((name) => [name, what[name]]);
      this.about = what.kind === "histogram" ? `Histogram of the residuals of joint ${what.joint}`
        : `Plot ${what.joint ? `of joint ${what.joint} ` : ""}over ${what.x || "time"}: ${curves.map((curve) => ends(...curve)).join(", ")}`;
      this.chart.setOption({ lines: this.lines, fit: this.fit, histogram: this.histogram }[what.kind || "lines"](what), true);
    },
    common() {
      return {
        animation: false,
        textStyle: { fontFamily: "Inter, sans-serif", fontSize: 11, color: colour("text-3") },
        tooltip: {
          trigger: "axis", confine: true, backgroundColor: colour("surface"), borderColor: colour("line-2"), padding: [6, 10],
          textStyle: { color: colour("text"), fontSize: 12, fontFamily: "Inter, sans-serif" }, axisPointer: { lineStyle: { color: colour("line-2") } },
          valueFormatter: (x) => (x === null || x === undefined ? "" : short(+x)),
        },
      };
    },
    axis(name = "", more = {}) {
      return {
        type: "value", name, nameTextStyle: { color: colour("text-3"), fontSize: 11 }, nameGap: 8, splitNumber: 4,
        axisLine: { show: false }, axisTick: { show: false }, axisLabel: { color: colour("text-3"), fontSize: 10.5, formatter: short },
        splitLine: { lineStyle: { color: colour("line") } }, ...more,
      };
    },
    lines(what) {
      const many = what.series.length > 1;
      return {
        ...this.common(),
        legend: { show: many, top: 0, left: 0, type: "scroll", itemWidth: 26, itemHeight: 2, textStyle: { color: colour("text-2"), fontSize: 12 } },
        grid: { left: 52, right: 16, top: many ? 34 : 14, bottom: 34 },
        xAxis: this.axis(what.x, { splitLine: { show: false }, axisLine: { show: true, onZero: false, lineStyle: { color: colour("line-2") } }, nameLocation: "middle", nameGap: 22, min: "dataMin", max: "dataMax" }),
        yAxis: this.axis(what.y, { scale: true }),
        dataZoom: [{ type: "inside" }],
        series: what.series.map((one, n) => ({
          name: one.name, type: "line", symbol: "none", data: one.points, emphasis: { disabled: true },
          lineStyle: { width: 1.6, type: DASHES[n % DASHES.length], color: colour(`c${(n % 6) + 1}`) }, itemStyle: { color: colour(`c${(n % 6) + 1}`) },
          markLine: n === 0 && what.at !== undefined ? { silent: true, symbol: "none", label: { show: false }, lineStyle: { color: colour("accent"), type: "solid", width: 1 }, data: [{ xAxis: what.at }] } : undefined,
        })),
      };
    },
    // measured torques are wide gray lines, predicted ones thin lines on top; the residual below has its own scale
    fit(what) {
      const reach = what.reach || 1, still = what.still || [];
      return {
        ...this.common(),
        grid: [{ left: 40, right: 10, top: 8, bottom: 62 }, { left: 40, right: 10, height: 34, bottom: 22 }],
        axisPointer: { link: [{ xAxisIndex: "all" }] },
        dataZoom: [{ type: "inside", xAxisIndex: [0, 1] }],
        xAxis: [0, 1].map((gridIndex) => this.axis("", { gridIndex, min: "dataMin", max: "dataMax", splitLine: { show: false }, axisLabel: gridIndex ? { color: colour("text-3"), fontSize: 10.5, formatter: short, showMinLabel: false, showMaxLabel: false } : { show: false } })),
        yAxis: [
          this.axis("", { gridIndex: 0, scale: true, splitNumber: 3 }),
          this.axis("", { gridIndex: 1, min: -reach, max: reach, interval: reach, axisLabel: { color: colour("text-3"), fontSize: 10.5, formatter: (x) => (x === 0 ? `\u00b1${+reach.toPrecision(2)}` : "") }, splitLine: { show: true, lineStyle: { color: colour("line"), opacity: 0.6 } } }),
        ],
        series: [
          { name: "measured", type: "line", showSymbol: false, data: what.measured, lineStyle: { width: 3.4, color: colour("zero"), opacity: 0.75 }, itemStyle: { color: colour("zero") }, emphasis: { disabled: true },
            markArea: { silent: true, itemStyle: { color: colour("zero"), opacity: 0.1 }, data: still.map(([a, b]) => [{ xAxis: a }, { xAxis: b }]) } },
          { name: "predicted", type: "line", showSymbol: false, data: what.predicted, lineStyle: { width: 1.4, color: colour("accent") }, itemStyle: { color: colour("accent") }, emphasis: { disabled: true } },
          { name: "residual", type: "line", showSymbol: false, xAxisIndex: 1, yAxisIndex: 1, data: what.residual, lineStyle: { width: 1, color: colour("c6") }, itemStyle: { color: colour("c6") }, emphasis: { disabled: true } },
        ],
      };
    },
    histogram(what) {
      return {
        ...this.common(),
        grid: { left: 40, right: 10, top: 10, bottom: 24 },
        xAxis: this.axis("", { splitLine: { show: false } }),
        yAxis: this.axis("", {}),
        series: [{ type: "bar", name: "samples", data: what.bars, barWidth: "96%", itemStyle: { color: colour("c6") } },
          { type: "line", name: "normal", showSymbol: false, smooth: true, data: what.normal, lineStyle: { width: 1.4, color: colour("text-3"), type: [5, 3] }, itemStyle: { color: colour("text-3") } }],
      };
    },
  },
};
