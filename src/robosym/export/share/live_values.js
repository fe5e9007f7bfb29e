// Values of a robot beside its picture: fields, torques, Jacobian, other models, and plots over a joint.
// `robot` holds models, sources of their inputs and sliders as `LiveModels.data` writes them; `calls` the functions. `state` is the
// picture: q, poses, frame, start (another posture), degrees, dark, turn(name, value), tint(colors of joints).
(function (home) {
  "use strict";
  const DEGREE = 180 / Math.PI, POINTS = 121;
  const INKS = ["#4653d8", "#d55e00", "#009e73", "#b8388f", "#8a6d00", "#0072b2", "#7a4fd0", "#c23b22"];
  const NIGHT = ["#95a0ff", "#ff9a5c", "#4fd0a5", "#f08cd0", "#e2c044", "#6bbdf0", "#bfa2ff", "#ff8f7d"];
  const minus = (text) => text.replace(/-/g, "\u2212");
  const clean = (x, digits) => { const text = x.toFixed(digits); return minus(Number(text) === 0 ? text.replace("-", "") : text); };
  const short = (x) => { // a few significant digits
    if (!Number.isFinite(x)) return "\u2013";
    const size = Math.abs(x);
    return minus(size < 1e-9 ? "0" : size >= 1e5 || size < 1e-3 ? x.toExponential(2) : String(Number(x.toPrecision(4))));
  };
  const read = (text) => Number(text.replace(/\u2212/g, "-").replace(",", "."));
  function make(tag, attributes = {}, ...inside) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
      else if (value !== false && value !== undefined) made.setAttribute(name, value === true ? "" : value);
    }
    made.append(...inside);
    return made;
  }

  home.robosymValues = function (host, robot, calls, state) {
    const { determinant, product } = robosymKinematics, { mechanism } = state, models = robot.models, followers = [];
    const fields = Object.fromEntries(Object.entries(robot.fields).map(([name, field]) => [name, field.value]));
    const unitOf = (row) => (row.slides ? (state.degrees ? "mm" : "m") : state.degrees ? "\u00b0" : "rad");
    const scaleOf = (row) => (row.slides ? (state.degrees ? 1000 : 1) : state.degrees ? DEGREE : 1);
    const torques = models.inverse_dynamics?.outputs.find((one) => one.name === "tau");
    function update() { for (const follow of followers) follow(); }
    let redraw = () => {};

    // ---------------------------------------------------------------------------------------------- models
    const named = (j) => robot.labels[j] || String(j);
    function inverse(P) {
      const R = [0, 1, 2].map((r) => [P[r], P[4 + r], P[8 + r]]), p = [P[3], P[7], P[11]];
      return R.flatMap((row) => [...row, -row.reduce((sum, x, k) => sum + x * p[k], 0)]);
    }
    function relative([end, , carrier, place], where) { // pose of a platform in the base of its module: R row by row, P
      const P = carrier || place.some((x, k) => x !== Number(k % 5 === 0)) ? product(inverse(product(where[carrier], place)), where[end]) : where[end];
      return [P[0], P[1], P[2], P[4], P[5], P[6], P[8], P[9], P[10], P[3], P[7], P[11]];
    }
    // `rates` gives velocities and accelerations along a motion; at rest they are zero
    function inputs(name, joints, where, rates) {
      const values = mechanism.values(joints);
      return models[name].inputs.map((group) => group.map((source) => {
        if (typeof source === "number") return source;
        if (source.field) return fields[source.field];
        if (source.pose) return relative(source.pose, where)[source.pose[1]];
        if (source.rate) return rates ? rates(source) : 0;
        return values[source.joint];
      }));
    }
    function evaluate(name, joints = state.q, where = state.poses, rates = null) { // outputs by name
      const found = calls[name](...inputs(name, joints, where, rates)), outputs = models[name].outputs;
      const arrays = outputs.length === 1 ? [found] : outputs.map((one) => found[one.name]);
      return Object.fromEntries(outputs.flatMap((one, k) => one.names.map((entry, i) => [entry, arrays[k][i]])));
    }
    function jacobian(joints, where) { // of the frame that is moved; rows of velocities and angular velocities
      if (calls.jacobian && state.frame === robot.frame && models.jacobian.outputs[0].name === "J") {
        const values = calls.jacobian(...inputs("jacobian", joints, where)), [rows, columns] = models.jacobian.outputs[0].size;
        return Array.from({ length: rows }, (_, r) => Array.from(values.slice(r * columns, (r + 1) * columns)));
      }
      return mechanism.jacobian(joints, state.frame, where);
    }
    function dexterity(joints, where) {
      const J = jacobian(joints, where);
      return { J, manipulability: mechanism.manipulability(J), determinant: J[0].length === 6 ? determinant(J) : NaN };
    }

    // ---------------------------------------------------------------------------------------------- parts of the panel
    function block(title, open, ...inside) {
      const more = make("span", { class: "aside" }), body = make("div", { class: "inside" }, ...inside);
      const made = make("details", { open }, make("summary", {}, title, more), body);
      host.append(made);
      return { made, body, more };
    }
    const number = (label, unit, change) => {
      const input = make("input", { type: "text", inputmode: "decimal", "aria-label": label, spellcheck: "false" });
      const sign = make("i", {}, unit);
      const done = () => { const value = read(input.value); if (input.value.trim() && Number.isFinite(value)) change(value); else update(); };
      input.addEventListener("change", done);
      return { made: make("span", { class: "number" }, input, sign), sign, show(text) { if (document.activeElement !== input) input.value = text; } };
    };
    const inks = () => (state.dark ? NIGHT : INKS);
    function plot(canvas, x, series, { label, at, unit = "" }) { // lines over x; a marker at `at`
      const pen = canvas.getContext("2d"), ratio = devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
      if (!w) return;
      [canvas.width, canvas.height] = [w * ratio, h * ratio];
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      const style = getComputedStyle(canvas), ink = (name) => style.getPropertyValue(name);
      const every = series.flatMap((one) => one.values).filter(Number.isFinite);
      let [low, high] = [Math.min(...every), Math.max(...every)];
      if (!every.length) [low, high] = [0, 1];
      if (high - low < 1e-9 * Math.max(1, Math.abs(high))) { low -= 1; high += 1; }
      const step = nice((high - low) / 4), box = [58, 12, w - 10, h - 34];
      [low, high] = [Math.floor(low / step) * step, Math.ceil(high / step) * step];
      const X = (v) => box[0] + (v - x[0]) / (x.at(-1) - x[0] || 1) * (box[2] - box[0]), Y = (v) => box[3] - (v - low) / (high - low) * (box[3] - box[1]);
      pen.font = "11px Inter, system-ui, sans-serif";
      pen.lineWidth = 1;
      pen.textAlign = "right";
      pen.textBaseline = "middle";
      for (let v = low; v <= high + step / 2; v += step) {
        pen.strokeStyle = ink("--line");
        pen.beginPath(); pen.moveTo(box[0], Y(v)); pen.lineTo(box[2], Y(v)); pen.stroke();
        pen.fillStyle = ink("--quiet");
        pen.fillText(short(Math.abs(v) < step / 1e6 ? 0 : v), box[0] - 7, Y(v));
      }
      pen.textAlign = "center";
      pen.textBaseline = "top";
      const across = nice((x.at(-1) - x[0]) / 5);
      for (let v = Math.ceil(x[0] / across) * across; v <= x.at(-1) + 1e-9; v += across) pen.fillText(short(Math.abs(v) < across / 1e6 ? 0 : v), X(v), box[3] + 5);
      pen.textAlign = "right";
      pen.fillText(label, box[2], box[3] + 19);
      pen.textAlign = "left";
      pen.fillText(unit, 4, box[3] + 19);
      pen.lineWidth = 1.8;
      pen.lineJoin = "round";
      series.forEach((one, k) => {
        pen.strokeStyle = inks()[k % inks().length];
        pen.beginPath();
        let down = false;
        one.values.forEach((v, i) => { if (!Number.isFinite(v)) { down = false; return; } down ? pen.lineTo(X(x[i]), Y(v)) : pen.moveTo(X(x[i]), Y(v)); down = true; });
        pen.stroke();
      });
      if (at === null || at === undefined) return;
      pen.strokeStyle = ink("--quiet");
      pen.lineWidth = 1;
      pen.beginPath(); pen.moveTo(X(at), box[1]); pen.lineTo(X(at), box[3]); pen.stroke();
      series.forEach((one, k) => {
        let i = x.findIndex((v) => v >= at);
        if (i < 0) i = x.length - 1;
        const part = i ? (at - x[i - 1]) / (x[i] - x[i - 1] || 1) : 0, v = i ? one.values[i - 1] + part * (one.values[i] - one.values[i - 1]) : one.values[0];
        if (!Number.isFinite(v)) return;
        pen.fillStyle = inks()[k % inks().length];
        pen.beginPath(); pen.arc(X(at), Y(v), 3.6, 0, 7); pen.fill();
      });
    }
    function nice(step) { const size = 10 ** Math.floor(Math.log10(step)), part = step / size; return size * (part > 5 ? 10 : part > 2 ? 5 : part > 1 ? 2 : 1); }
    function legend(names) { return make("div", { class: "line" }, ...names.map((name, k) => { const dot = make("span", {}, "\u25cf "); dot.style.color = inks()[k % inks().length]; return make("span", {}, dot, name); })); }
    function download(blob, name) {
      const link = make("a", { href: URL.createObjectURL(blob), download: name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    }
    const fileName = (kind) => `${robot.name.replace(/[^\w-]+/g, "_")}.${kind}`;
    const csv = (head, columns) => new Blob([[head.join(","), ...columns[0].map((_, i) => columns.map((column) => column[i]).join(","))].join("\n") + "\n"], { type: "text/csv" });

    // ---------------------------------------------------------------------------------------------- values
    function values() {
      // torques
      if (torques) {
        const same = torques.names.length === robot.sliders.length, most = {};
        const color = make("button", { type: "button", "aria-pressed": "false", onclick: () => {
          const on = color.getAttribute("aria-pressed") !== "true";
          color.setAttribute("aria-pressed", on);
          if (!on) state.tint({});
          update();
        } }, "Color the joints");
        const part = block("Torques at rest", true, make("div", { class: "line" }, color));
        const bars = torques.names.map((name, k) => {
          const fill = make("i"), text = make("output"), row = same ? robot.sliders[k] : null;
          part.body.append(make("div", { class: "effort" }, make("span", { title: name }, row ? row.label : name), make("b", {}, fill), text));
          return { name, fill, text, unit: row ? (row.slides ? "N" : "N m") : "", row };
        });
        if (!same) color.remove();
        followers.push(() => {
          const values = evaluate("inverse_dynamics"), before = state.start && evaluate("inverse_dynamics", state.start, mechanism.poses(state.start)), tints = {};
          bars.forEach(({ name, unit }) => { most[unit] = Math.max(most[unit] || 1e-9, Math.abs(values[name]) || 0); });
          bars.forEach(({ name, fill, text, unit, row }) => {
            const value = values[name], share = Math.min(1, Math.abs(value) / most[unit]) || 0;
            fill.style.cssText = `left:${value < 0 ? 50 - 50 * share : 50}%;width:${50 * share}%`;
            text.textContent = `${short(value)} ${unit}`;
            text.title = before ? `${short(before[name])} ${unit} at the start of the motion` : "";
            if (row) tints[row.joint] = heat(share);
          });
          if (color.getAttribute("aria-pressed") === "true") state.tint(tints);
        });
      }
      function heat(share) { // from gray over orange to red
        const stops = [[0.43, 0.48, 0.55], [0.93, 0.62, 0.24], [0.8, 0.16, 0.12]], at = 2 * share, k = Math.min(1, Math.floor(at));
        return stops[k].map((c, i) => c + (at - k) * (stops[k + 1][i] - c));
      }

      // any value over a joint
      const choices = [["Manipulability", (j, w) => dexterity(j, w).manipulability], ["Determinant", (j, w) => dexterity(j, w).determinant],
        ...["x", "y", "z"].map((axis, k) => [`${axis} of the frame (m)`, (j, w) => w[state.frame][4 * k + 3]]),
        ...Object.entries(models).filter(([, model]) => model.outputs.length).flatMap(([name, model]) => model.outputs.flatMap((one) => one.names.map((entry) => [`${one.name}: ${entry}`, (j, w) => evaluate(name, j, w)[entry]])))];
      const chosen = make("select", { "aria-label": "Value to plot", onchange: () => sweep(true) }, ...choices.slice(0, 400).map(([name], k) => make("option", { value: k }, name)));
      if (torques) chosen.value = String(Math.max(0, choices.findIndex(([name]) => name === `tau: ${torques.names[Math.min(1, torques.names.length - 1)]}`)));
      const over = make("select", { "aria-label": "Joint of the plot", onchange: () => sweep(true) }, ...robot.sliders.map((row) => make("option", { value: row.name }, row.label)));
      if (robot.sliders[1]) over.value = robot.sliders[1].name;
      const sheet = make("canvas", { class: "curve", role: "img", "aria-label": "Plot of a value over a joint" });
      const curve = block("Plot", true, make("div", { class: "line" }, chosen, "over", over, make("span", { class: "fill" }),
        make("button", { type: "button", onclick: () => curved && download(csv([over.value, chosen.selectedOptions[0].text], [curved.x, curved.y]), fileName("csv")) }, "CSV")), sheet);
      let curved = null, wait = 0, seen = "";
      function sweep(now) { // sampled along the joint from the present position in both directions; loops stay closed
        clearTimeout(wait);
        if (!robot.sliders.length || !curve.made.open) return;
        const name = over.value, at = mechanism.names.indexOf(name), key = [chosen.value, name, state.frame, JSON.stringify(fields), ...state.q.filter((_, k) => mechanism.joints[k].movable && k !== at).map((x) => x.toFixed(5))].join();
        if (key === seen && !now) { draw(); return; }
        wait = setTimeout(() => {
          seen = key;
          const row = robot.sliders.find((one) => one.name === name), value = choices[Number(chosen.value)][1], here = state.q[at], x = [], y = [];
          const walk = (to, count) => {
            let joints = state.q;
            const found = [];
            for (let k = 1; k <= count; k++) {
              const goal = here + (to - here) * k / count, next = mechanism.place(joints, { [name]: goal });
              if (!next.arrived) break;
              joints = next.q;
              found.push([goal, value(joints, mechanism.poses(joints))]);
            }
            return found;
          };
          const share = Math.max(0, Math.min(1, (here - row.lower) / (row.upper - row.lower || 1)));
          [...walk(row.lower, Math.round(POINTS * share)).reverse(), [here, value(state.q, state.poses)], ...walk(row.upper, Math.round(POINTS * (1 - share)))].forEach(([a, b]) => { x.push(a * scaleOf(row)); y.push(b); });
          curved = { x, y, row };
          draw();
        }, now ? 0 : 160);
      }
      function draw() {
        if (!curved) return;
        plot(sheet, curved.x, [{ values: curved.y }], { label: `${curved.row.label} (${unitOf(curved.row)})`, at: mechanism.values(state.q)[curved.row.name] * scaleOf(curved.row) });
      }
      sheet.addEventListener("pointerdown", (e) => { sheet.setPointerCapture(e.pointerId); slide(e); });
      sheet.addEventListener("pointermove", (e) => { if (sheet.hasPointerCapture(e.pointerId)) slide(e); });
      function slide(e) {
        if (!curved) return;
        const share = (e.offsetX - 58) / (sheet.clientWidth - 68), { x, row } = curved;
        state.turn(row.name, Math.min(x.at(-1), Math.max(x[0], x[0] + share * (x.at(-1) - x[0]))) / scaleOf(row));
      }
      followers.push(() => sweep(false));
      curve.made.addEventListener("toggle", () => sweep(true));
      redraw = () => sweep(true);
      new ResizeObserver(() => draw()).observe(sheet);

      // dexterity
      const facts = make("dl", { class: "facts" }), table = make("table");
      const dexter = block("Jacobian", false, facts, make("div", { class: "wide" }, table), make("p", { class: "note" }, "Velocity (m/s) and angular velocity (rad/s) of the frame in frame 0, by joint rates."));
      const factRows = ["Manipulability", "Determinant"].map((name) => { const value = make("dd"); facts.append(make("dt", {}, name), value); return value; });
      followers.push(() => {
        const { J, manipulability, determinant: det } = dexterity(state.q, state.poses), before = state.start && dexterity(state.start, mechanism.poses(state.start));
        const against = (x) => (before && Number.isFinite(x) ? `   (start ${short(x)})` : "");
        factRows[0].textContent = short(manipulability) + against(before?.manipulability);
        factRows[1].textContent = Number.isFinite(det) ? short(det) + against(before?.determinant) : "not square";
        dexter.more.textContent = `manipulability ${short(manipulability)}`;
        if (!dexter.made.open) return;
        const columns = J[0].length === robot.sliders.length ? robot.sliders.map((row) => row.label) : J[0].map((_, k) => String(k + 1));
        table.replaceChildren(make("tr", {}, make("th"), ...columns.map((name) => make("th", {}, name))), ...J.map((row, r) =>
          make("tr", {}, make("th", {}, ["Vx", "Vy", "Vz", "\u03c9x", "\u03c9y", "\u03c9z"][r]), ...row.map((x) => make("td", { class: Math.abs(x) < 5e-4 ? "zero" : "" }, clean(x, 3))))));
      });
      dexter.made.addEventListener("toggle", () => update());

      // other models: matrices and lists of numbers
      Object.entries(models).filter(([name]) => !["inverse_dynamics", "jacobian", "inverse_geometry"].includes(name)).forEach(([name, model]) => {
        const part = block(model.title.split(":")[0], false);
        const tables = model.outputs.map((one) => {
          const made = make("table");
          part.body.append(make("div", { class: "wide" }, made), make("p", { class: "note" }, one.meaning || one.name));
          return made;
        });
        const fill = () => {
          if (!part.made.open) return;
          const values = evaluate(name);
          model.outputs.forEach((one, k) => {
            const [count, width] = one.size.length === 2 ? one.size : [one.size[0], 1];
            tables[k].replaceChildren(...Array.from({ length: count }, (_, r) => make("tr", {}, ...(width === 1 ? [make("th", {}, one.names[r])] : []),
              ...one.names.slice(r * width, (r + 1) * width).map((entry) => make("td", { title: entry }, short(values[entry]))))));
          });
        };
        part.made.addEventListener("toggle", fill);
        followers.push(fill);
      });
    }
    function parameters() { // fields for what has no number in the description; returns whether there are any
      const missing = Object.keys(fields), lengths = Object.entries(robot.chosen);
      if (missing.length || lengths.length) {
        const made = missing.map((name) => {
          const field = number(name, robot.fields[name].unit, (value) => { fields[name] = value; update(); });
          followers.push(() => field.show(String(fields[name])));
          return make("label", {}, name, field.made);
        });
        const part = block("Parameters", false);
        if (lengths.length) part.body.append(make("p", { class: "note" }, `Chosen for this page, because the description contains symbols: ${lengths.map(([name, one]) => `${name} = ${short(one.value)} ${one.unit}`).join(", ")}.`));
        if (missing.length) part.body.append(make("p", { class: "note" }, "Numbers of the models; change them here:"), make("div", { class: "inputs" }, ...made));
        part.more.textContent = `${missing.length + lengths.length} without a number`;
      }
      return missing.length + lengths.length > 0;
    }
    return {
      make, block, number, clean, short, plot, legend, download, csv, fileName, named, relative, evaluate, jacobian, dexterity, unitOf, scaleOf,
      fields, torques, followers, update, values, parameters, redraw: () => redraw(),
    };
  };
})(globalThis);
