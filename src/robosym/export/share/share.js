// The page of a robot: sliders, a handle that moves a frame, the values of its models, plots, and a motion that plays.
(async () => {
  "use strict";
  const DEGREE = 180 / Math.PI, POINTS = 121, SAMPLES = 90;
  const INKS = ["#4653d8", "#d55e00", "#009e73", "#b8388f", "#8a6d00", "#0072b2", "#7a4fd0", "#c23b22"];
  const NIGHT = ["#95a0ff", "#ff9a5c", "#4fd0a5", "#f08cd0", "#e2c044", "#6bbdf0", "#bfa2ff", "#ff8f7d"];
  const $ = (selector, from = document) => from.querySelector(selector);
  const { Mechanism, determinant } = robosymKinematics, mechanism = new Mechanism(ROBOT.scene.mechanism);
  const calls = await MODELS, models = ROBOT.models;
  const minus = (text) => text.replace(/-/g, "\u2212");
  const clean = (x, digits) => { const text = x.toFixed(digits); return minus(Number(text) === 0 ? text.replace("-", "") : text); };
  const short = (x) => { // a few significant digits
    if (!Number.isFinite(x)) return "\u2013";
    const size = Math.abs(x);
    return minus(size < 1e-9 ? "0" : size >= 1e5 || size < 1e-3 ? x.toExponential(2) : x.toPrecision(4).replace(/\.?0+$/, ""));
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

  // ------------------------------------------------------------------------------------------------ the state
  let q = mechanism.position(ROBOT.scene.joints), home = [...q], poses = mechanism.poses(q), frame = ROBOT.frame;
  let degrees = true, start = null, trail = null, ellipsoid = "", playing = null, followers = [];
  const fields = Object.fromEntries(Object.entries(ROBOT.fields).map(([name, field]) => [name, field.value]));
  const night = matchMedia("(prefers-color-scheme: dark)");
  let dark = ROBOT.dark ?? night.matches;
  document.documentElement.classList.toggle("dark", dark);
  const view = robosymView($(".stage"), ROBOT.scene, ROBOT.start, ROBOT.themes, dark);
  const status = (words) => { $(".status").textContent = words; };
  if (!view) status("This browser does not support WebGL, so there is no 3D picture. Sliders and models work without it.");

  const named = (j) => ROBOT.labels[j] || String(j);
  const product = robosymKinematics.product;
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
  function evaluate(name, joints = q, where = poses, rates = null) { // outputs by name
    const found = calls[name](...inputs(name, joints, where, rates)), outputs = models[name].outputs;
    const arrays = outputs.length === 1 ? [found] : outputs.map((one) => found[one.name]);
    return Object.fromEntries(outputs.flatMap((one, k) => one.names.map((entry, i) => [entry, arrays[k][i]])));
  }
  function jacobian(joints, where) { // of the frame that is moved; rows of velocities and angular velocities
    if (calls.jacobian && frame === ROBOT.frame && models.jacobian.outputs[0].name === "J") {
      const values = calls.jacobian(...inputs("jacobian", joints, where)), [rows, columns] = models.jacobian.outputs[0].size;
      return Array.from({ length: rows }, (_, r) => Array.from(values.slice(r * columns, (r + 1) * columns)));
    }
    return mechanism.jacobian(joints, frame, where);
  }
  function dexterity(joints, where) {
    const J = jacobian(joints, where);
    return { J, manipulability: mechanism.manipulability(J), determinant: J[0].length === 6 ? determinant(J) : NaN };
  }

  // ------------------------------------------------------------------------------------------------ moving
  function take(next, quiet) {
    q = next;
    poses = mechanism.poses(q);
    view?.move(poses);
    if (trail) { const P = poses[frame]; trail.push([P[3], P[7], P[11]]); if (trail.length > 4000) trail.shift(); }
    if (!quiet) update();
    else refresh();
  }
  let asked = false;
  function refresh() { if (!asked) { asked = true; requestAnimationFrame(() => { asked = false; update(); }); } }
  function turn(name, value) {
    const found = mechanism.place(q, { [name]: value });
    status(found.arrived ? "" : "The motion stops here, because the loops cannot be closed beyond.");
    take(found.q, true);
  }
  function lead(goal, seconds) {
    const found = mechanism.lead(q, frame, goal, { seconds });
    status(found.error > 1e-5 && seconds > 0.1 ? "Out of reach: the robot is at the closest pose." : "");
    take(found.q, true);
  }
  let goal = null;
  const handle = view && frame ? robosymHandle(view, frame, (P) => {
    goal = P;
    lead(P, 0.014);
  }, () => { if (goal) lead(goal, 0.6); goal = null; }) : null;

  // ------------------------------------------------------------------------------------------------ blocks of the panel
  const blocks = $(".blocks");
  function block(title, open, ...inside) {
    const more = make("span", { class: "more" }), body = make("div", { class: "body" }, ...inside);
    const made = make("details", { open }, make("summary", {}, title, more), body);
    blocks.append(made);
    return { made, body, more };
  }
  const number = (label, unit, change) => {
    const input = make("input", { type: "text", inputmode: "decimal", "aria-label": label, spellcheck: "false" });
    const sign = make("i", {}, unit);
    const done = () => { const value = read(input.value); if (input.value.trim() && Number.isFinite(value)) change(value); else update(); };
    input.addEventListener("change", done);
    return { made: make("span", { class: "number" }, input, sign), sign, show(text) { if (document.activeElement !== input) input.value = text; } };
  };

  // joints
  const unitOf = (row) => (row.slides ? (degrees ? "mm" : "m") : degrees ? "\u00b0" : "rad");
  const scaleOf = (row) => (row.slides ? (degrees ? 1000 : 1) : degrees ? DEGREE : 1);
  const units = make("button", { type: "button", onclick: () => { degrees = !degrees; update(); } });
  const joints = block("Joints", true, make("div", { class: "row" }, units,
    make("button", { type: "button", onclick: () => { status(""); take([...home]); } }, "Home")));
  const rows = ROBOT.sliders.map((row) => {
    const range = make("input", { type: "range", min: row.lower, max: row.upper, step: "any", "aria-label": row.label });
    range.addEventListener("input", () => turn(row.name, Number(range.value)));
    const field = number(`${row.label}, number`, "", (value) => turn(row.name, value / scaleOf(row)));
    joints.body.append(make("div", { class: "joint" }, make("span", { title: row.label }, row.label), range, field.made));
    return { row, range, field };
  });
  if (!rows.length) joints.body.append(make("p", { class: "note" }, "No joint moves."));
  const passive = mechanism.joints.filter((joint, k) => !joint.movable && k < mechanism.tree);
  const others = make("p", { class: "note" });
  if (passive.length) joints.body.append(make("details", {}, make("summary", {}, `${passive.length} passive joints follow`), others));
  followers.push(() => {
    const values = mechanism.values(q);
    units.textContent = ROBOT.sliders.some((row) => !row.slides) ? (degrees ? "Degrees" : "Radians") : degrees ? "Millimeters" : "Meters";
    rows.forEach(({ row, range, field }) => {
      const value = values[row.name];
      range.min = Math.min(row.lower, value);
      range.max = Math.max(row.upper, value);
      range.value = value;
      field.sign.textContent = unitOf(row);
      field.show(clean(value * scaleOf(row), degrees ? 1 : row.slides ? 4 : 3));
    });
    if (passive.length) others.textContent = passive.map((joint) => `${joint.name} ${joint.slides ? `${clean(values[joint.name], 4)} m` : degrees ? `${clean(values[joint.name] * DEGREE, 1)}\u00b0` : clean(values[joint.name], 3)}`).join("   ");
  });

  // pose of the frame, and all solutions of inverse kinematics
  function angles(P) { // roll, pitch and yaw about the fixed axes x, y, z
    return [Math.atan2(P[9], P[10]), Math.atan2(-P[8], Math.hypot(P[9], P[10])), Math.atan2(P[4], P[0])];
  }
  function rotation(roll, pitch, yaw) {
    const [cr, sr, cp, sp, cy, sy] = [roll, pitch, yaw].flatMap((x) => [Math.cos(x), Math.sin(x)]);
    return [[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr], [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr], [-sp, cp * sr, cp * cr]];
  }
  const solver = models.inverse_geometry?.joints;
  const solutions = make("div", { class: "row" }), which = make("select", { "aria-label": "Frame that is moved", onchange: (e) => look(Number(e.target.value)) },
    ...ROBOT.ends.slice(0, 60).map((j) => make("option", { value: j }, `Frame ${named(j)}`)));
  const six = ["x", "y", "z", "roll", "pitch", "yaw"].map((label, k) => number(label, k < 3 ? "m" : "\u00b0", (value) => {
    const P = [...poses[frame]], turns = angles(P);
    if (k < 3) P[4 * k + 3] = value;
    else { turns[k - 3] = value / DEGREE; rotation(...turns).forEach((row, r) => row.forEach((x, c) => { P[4 * r + c] = x; })); }
    if (!nearest(P)) lead(P, 1);
  }));
  const pose = block("Pose", true, make("div", { class: "pose" }, ...six.map((field, k) => make("label", {}, ["x", "y", "z", "Roll", "Pitch", "Yaw"][k], field.made))), make("div", { class: "row" }, which), solutions);
  function look(j) {
    frame = j;
    if (handle) handle.frame = j;
    if (trail) trail = [];
    update();
  }
  let found = [], ghosts = false, later = 0;
  function solve(P) { return solver && frame === ROBOT.frame ? calls.inverse_geometry([...P, 0, 0, 0, 1], solver.map((name) => mechanism.values(q)[name])) : []; }
  function standing(solution) { // all joints from those of a solution; null if loops stay open
    const goal = [...q], held = new Set(solver.map((name) => mechanism.names.indexOf(name)));
    solver.forEach((name, k) => {
      const at = mechanism.names.indexOf(name), apart = solution[k] - q[at];
      goal[at] = q[at] + (mechanism.joints[at].slides ? apart : Math.atan2(Math.sin(apart), Math.cos(apart)));
    });
    const [closed, gap] = mechanism.settle(goal, held);
    return gap < 1e-8 ? closed : null;
  }
  function nearest(P) { // the exact solution of a pose that is nearest
    const next = solve(P).map(standing).find((one) => one);
    if (next) { status(""); take(next); }
    return Boolean(next);
  }
  const showAll = make("button", { type: "button", "aria-pressed": "false", onclick: () => { ghosts = !ghosts; showAll.setAttribute("aria-pressed", ghosts); update(); } }, "Show all");
  followers.push(() => {
    const P = poses[frame], numbers = [P[3], P[7], P[11], ...angles(P).map((x) => x * DEGREE)];
    six.forEach((field, k) => field.show(clean(numbers[k], k < 3 ? 4 : 2)));
    pose.more.textContent = `frame ${named(frame)} in 0`;
    if (!solver) return;
    clearTimeout(later);
    if (ghosts) list();
    else later = setTimeout(list, 120);
  });
  function list() {
    found = frame === ROBOT.frame && !playing ? solve(poses[frame]).map(standing).filter((one) => one) : [];
    const label = found.length ? `${found.length} ${found.length === 1 ? "solution" : "solutions"}` : "";
    solutions.replaceChildren(...(label ? [make("span", {}, label), showAll] : []), ...(ghosts ? found.slice(1).map((one, k) =>
      make("button", { type: "button", onclick: () => take(one) }, String(k + 2))) : []));
  }

  // torques
  const torques = models.inverse_dynamics?.outputs.find((one) => one.name === "tau");
  if (torques) {
    const same = torques.names.length === ROBOT.sliders.length, most = {};
    const color = make("button", { type: "button", "aria-pressed": "false", onclick: () => {
      const on = color.getAttribute("aria-pressed") !== "true";
      color.setAttribute("aria-pressed", on);
      if (!on) view?.tint({});
      update();
    } }, "Color the joints");
    const part = block("Torques at rest", true, make("div", { class: "row" }, color));
    const bars = torques.names.map((name, k) => {
      const fill = make("i"), text = make("output"), row = same ? ROBOT.sliders[k] : null;
      part.body.append(make("div", { class: "bar" }, make("span", { title: name }, row ? row.label : name), make("b", {}, fill), text));
      return { name, fill, text, unit: row ? (row.slides ? "N" : "N m") : "", row };
    });
    if (!same) color.remove();
    followers.push(() => {
      const values = evaluate("inverse_dynamics"), before = start && evaluate("inverse_dynamics", start, mechanism.poses(start)), tints = {};
      bars.forEach(({ name, unit }) => { most[unit] = Math.max(most[unit] || 1e-9, Math.abs(values[name]) || 0); });
      bars.forEach(({ name, fill, text, unit, row }) => {
        const value = values[name], share = Math.min(1, Math.abs(value) / most[unit]) || 0;
        fill.style.cssText = `left:${value < 0 ? 50 - 50 * share : 50}%;width:${50 * share}%`;
        text.textContent = `${short(value)} ${unit}`;
        text.title = before ? `${short(before[name])} ${unit} at the start of the motion` : "";
        if (row) tints[row.joint] = heat(share);
      });
      if (color.getAttribute("aria-pressed") === "true") view?.tint(tints);
    });
  }
  function heat(share) { // from gray over orange to red
    const stops = [[0.43, 0.48, 0.55], [0.93, 0.62, 0.24], [0.8, 0.16, 0.12]], at = 2 * share, k = Math.min(1, Math.floor(at));
    return stops[k].map((c, i) => c + (at - k) * (stops[k + 1][i] - c));
  }

  // ------------------------------------------------------------------------------------------------ plots
  const inks = () => (dark ? NIGHT : INKS);
  function plot(canvas, x, series, { label, at, unit = "" }) { // lines over x; a marker at `at`
    const pen = canvas.getContext("2d"), ratio = devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
    if (!w) return;
    [canvas.width, canvas.height] = [w * ratio, h * ratio];
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const style = getComputedStyle(document.documentElement), ink = (name) => style.getPropertyValue(name);
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
  function legend(names) { return make("div", { class: "row" }, ...names.map((name, k) => { const dot = make("span", {}, "\u25cf "); dot.style.color = inks()[k % inks().length]; return make("span", {}, dot, name); })); }
  function download(blob, name) {
    const link = make("a", { href: URL.createObjectURL(blob), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }
  const fileName = (kind) => `${ROBOT.scene.name.replace(/[^\w-]+/g, "_")}.${kind}`;
  const csv = (head, columns) => new Blob([[head.join(","), ...columns[0].map((_, i) => columns.map((column) => column[i]).join(","))].join("\n") + "\n"], { type: "text/csv" });

  // any value over a joint
  const choices = [["Manipulability", (j, w) => dexterity(j, w).manipulability], ["Determinant", (j, w) => dexterity(j, w).determinant],
    ...["x", "y", "z"].map((axis, k) => [`${axis} of the frame (m)`, (j, w) => w[frame][4 * k + 3]]),
    ...Object.entries(models).filter(([, model]) => model.outputs.length).flatMap(([name, model]) => model.outputs.flatMap((one) => one.names.map((entry) => [`${one.name}: ${entry}`, (j, w) => evaluate(name, j, w)[entry]])))];
  const chosen = make("select", { "aria-label": "Value to plot", onchange: () => sweep(true) }, ...choices.slice(0, 400).map(([name], k) => make("option", { value: k }, name)));
  if (torques) chosen.value = String(Math.max(0, choices.findIndex(([name]) => name === `tau: ${torques.names[Math.min(1, torques.names.length - 1)]}`)));
  const over = make("select", { "aria-label": "Joint of the plot", onchange: () => sweep(true) }, ...ROBOT.sliders.map((row) => make("option", { value: row.name }, row.label)));
  if (ROBOT.sliders[1]) over.value = ROBOT.sliders[1].name;
  const sheet = make("canvas", { class: "plot", role: "img", "aria-label": "Plot of a value over a joint" });
  const curve = block("Plot", true, make("div", { class: "row" }, chosen, "over", over, make("span", { class: "fill" }),
    make("button", { type: "button", onclick: () => curved && download(csv([over.value, chosen.selectedOptions[0].text], [curved.x, curved.y]), fileName("csv")) }, "CSV")), sheet);
  let curved = null, wait = 0, seen = "";
  function sweep(now) { // sampled along the joint from the present position in both directions; loops stay closed
    clearTimeout(wait);
    if (!ROBOT.sliders.length || !curve.made.open) return;
    const name = over.value, at = mechanism.names.indexOf(name), key = [chosen.value, name, frame, JSON.stringify(fields), ...q.filter((_, k) => mechanism.joints[k].movable && k !== at).map((x) => x.toFixed(5))].join();
    if (key === seen && !now) { draw(); return; }
    wait = setTimeout(() => {
      seen = key;
      const row = ROBOT.sliders.find((one) => one.name === name), value = choices[Number(chosen.value)][1], here = q[at], x = [], y = [];
      const walk = (to, count) => {
        let joints = q;
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
      [...walk(row.lower, Math.round(POINTS * share)).reverse(), [here, value(q, poses)], ...walk(row.upper, Math.round(POINTS * (1 - share)))].forEach(([a, b]) => { x.push(a * scaleOf(row)); y.push(b); });
      curved = { x, y, row };
      draw();
    }, now ? 0 : 160);
  }
  function draw() {
    if (!curved) return;
    plot(sheet, curved.x, [{ values: curved.y }], { label: `${curved.row.label} (${unitOf(curved.row)})`, at: mechanism.values(q)[curved.row.name] * scaleOf(curved.row) });
  }
  sheet.addEventListener("pointerdown", (e) => { sheet.setPointerCapture(e.pointerId); slide(e); });
  sheet.addEventListener("pointermove", (e) => { if (sheet.hasPointerCapture(e.pointerId)) slide(e); });
  function slide(e) {
    if (!curved) return;
    const share = (e.offsetX - 58) / (sheet.clientWidth - 68), { x, row } = curved;
    turn(row.name, Math.min(x.at(-1), Math.max(x[0], x[0] + share * (x.at(-1) - x[0]))) / scaleOf(row));
  }
  followers.push(() => sweep(false));
  curve.made.addEventListener("toggle", () => sweep(true));
  units.addEventListener("click", () => sweep(true));

  // dexterity
  const facts = make("dl", { class: "facts" }), table = make("table");
  const dexter = block("Jacobian", false, facts, make("div", { class: "wide" }, table), make("p", { class: "note" }, "Velocity (m/s) and angular velocity (rad/s) of the frame in frame 0, by joint rates."));
  const factRows = ["Manipulability", "Determinant"].map((name) => { const value = make("dd"); facts.append(make("dt", {}, name), value); return value; });
  followers.push(() => {
    const { J, manipulability, determinant: det } = dexterity(q, poses), before = start && dexterity(start, mechanism.poses(start));
    const against = (x) => (before && Number.isFinite(x) ? `   (start ${short(x)})` : "");
    factRows[0].textContent = short(manipulability) + against(before?.manipulability);
    factRows[1].textContent = Number.isFinite(det) ? short(det) + against(before?.determinant) : "not square";
    dexter.more.textContent = `manipulability ${short(manipulability)}`;
    if (!dexter.made.open) return;
    const columns = J[0].length === ROBOT.sliders.length ? ROBOT.sliders.map((row) => row.label) : J[0].map((_, k) => String(k + 1));
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

  // ------------------------------------------------------------------------------------------------ a motion from one posture to another
  const lasts = number("Duration in s", "s", (value) => { seconds = Math.min(60, Math.max(0.1, value)); update(); });
  let seconds = 2;
  const setStart = make("button", { type: "button", onclick: () => { start = [...q]; update(); } }, "Start here");
  const play = make("button", { type: "button", class: "main", onclick: () => (playing ? stop() : run()) }, "Play");
  const along = make("canvas", { class: "plot", role: "img", "aria-label": "Torques along the motion" }), keys = make("div");
  const moving = block("Motion", false, make("div", { class: "row" }, setStart, play, lasts.made, make("span", { class: "fill" }),
    make("button", { type: "button", onclick: () => film && download(csv(["t", ...(film.series.map((one) => one.name))], [film.t, ...film.series.map((one) => one.values)]), fileName("csv")) }, "CSV"),
    make("button", { type: "button", onclick: () => gif() }, "GIF")), along, keys,
  make("p", { class: "note" }, "Choose a start, move the robot, and play: the motors move on a polynomial of degree 5, and the torques are those of inverse dynamics."));
  lasts.made.style.width = "84px";
  let film = null;
  function motion() { // positions along the way, or null
    if (!start) { status("Choose a start of the motion first."); return null; }
    const end = q, t = [], path = [];
    let here = start;
    for (let k = 0; k <= SAMPLES; k++) {
      const s = k / SAMPLES, share = s ** 3 * (10 - 15 * s + 6 * s * s), goal = Object.fromEntries(mechanism.motors.map((m) => [mechanism.names[m], start[m] + share * (end[m] - start[m])]));
      const next = mechanism.place(here, goal);
      if (!next.arrived) { status("The loops cannot be closed along this motion."); return null; }
      here = next.q;
      t.push(s * seconds);
      path.push(here);
    }
    const where = path.map((one) => mechanism.poses(one)), step = seconds / SAMPLES, series = [];
    if (torques) {
      const at = (k) => Math.min(SAMPLES, Math.max(0, k));
      const twistOf = (k, what) => { // of a platform, by differences over two samples
        const [A, B] = [at(k - 1), at(k + 1)].map((i) => relative(what, where[i])), dt = (at(k + 1) - at(k - 1)) * step;
        const asPose = (v) => [v[0], v[1], v[2], v[9], v[3], v[4], v[5], v[10], v[6], v[7], v[8], v[11]];
        const turned = robosymKinematics.turnBetween(asPose(A), asPose(B)), R = asPose(A);
        const w = [0, 4, 8].map((r) => R[r] * turned[0] + R[r + 1] * turned[1] + R[r + 2] * turned[2]);
        return [B[9] - A[9], B[10] - A[10], B[11] - A[11], ...w].map((x) => x / dt);
      };
      const rateOf = (k, joint) => (path[at(k + 1)][joint] - path[at(k - 1)][joint]) / ((at(k + 1) - at(k - 1)) * step);
      const cache = new Map();
      const twist = (k, what) => { const key = `${k}/${what[0]}`; if (!cache.has(key)) cache.set(key, twistOf(k, what)); return cache.get(key); };
      const all = path.map((one, k) => evaluate("inverse_dynamics", one, where[k], (source) => {
        const value = (i) => (source.twist ? twist(i, source.twist)[source.twist[1]] : rateOf(i, mechanism.names.indexOf(source.joint)));
        return source.rate === 1 ? value(k) : (value(at(k + 1)) - value(at(k - 1))) / ((at(k + 1) - at(k - 1)) * step);
      }));
      torques.names.forEach((name, k) => series.push({ name: torques.names.length === ROBOT.sliders.length ? ROBOT.sliders[k].label : name, values: all.map((one) => one[name]) }));
    }
    return { t, path, series };
  }
  function run() {
    film = motion();
    if (!film) return;
    keys.replaceChildren(legend(film.series.map((one) => one.name)));
    const begun = performance.now();
    play.textContent = "Stop";
    const tick = () => {
      const now = Math.min(seconds, (performance.now() - begun) / 1000);
      seek(now);
      if (now < seconds) playing = requestAnimationFrame(tick);
      else stop();
    };
    playing = requestAnimationFrame(tick);
  }
  function seek(now) {
    const k = Math.min(SAMPLES, Math.round(now / seconds * SAMPLES));
    take(film.path[k], true);
    if (film.series.length) plot(along, film.t, film.series, { label: "t (s)", at: now, unit: ROBOT.sliders.every((row) => row.slides) ? "N" : ROBOT.sliders.some((row) => row.slides) ? "N m, N" : "N m" });
  }
  function stop() { cancelAnimationFrame(playing); playing = null; play.textContent = "Play"; update(); }
  function gif() {
    film = film || motion();
    if (!film || !view) return;
    const sheets = [], every = 3;
    for (let k = 0; k <= SAMPLES; k += every) {
      view.move(mechanism.poses(film.path[k]));
      const full = view.png(1, true), small = document.createElement("canvas"), share = Math.min(1, 640 / full.width);
      [small.width, small.height] = [Math.round(full.width * share), Math.round(full.height * share)];
      small.getContext("2d").drawImage(full, 0, 0, small.width, small.height);
      sheets.push(small);
    }
    view.move(poses);
    download(robosymGif(sheets, seconds * every / SAMPLES), fileName("gif"));
  }
  followers.push(() => lasts.show(short(seconds)));

  // ------------------------------------------------------------------------------------------------ parameters
  const missing = Object.keys(fields), lengths = Object.entries(ROBOT.chosen);
  if (missing.length || lengths.length) {
    const made = missing.map((name) => {
      const field = number(name, ROBOT.fields[name].unit, (value) => { fields[name] = value; update(); });
      followers.push(() => field.show(String(fields[name])));
      return make("label", {}, name, field.made);
    });
    const part = block("Parameters", false);
    if (lengths.length) part.body.append(make("p", { class: "note" }, `Chosen for this page, because the description contains symbols: ${lengths.map(([name, one]) => `${name} = ${short(one.value)} ${one.unit}`).join(", ")}.`));
    if (missing.length) part.body.append(make("p", { class: "note" }, "Numbers of the models; change them here:"), make("div", { class: "fields" }, ...made));
    part.more.textContent = `${missing.length + lengths.length} without a number`;
    $(".about").textContent = "The description has no numbers for some parameters: those at the end of this list are used.";
  }
  $(".version").textContent = ROBOT.version;

  // ------------------------------------------------------------------------------------------------ chips over the picture
  if (view) {
    const chip = (name, on, act) => { const made = make("button", { type: "button", "aria-pressed": String(on), onclick: () => made.setAttribute("aria-pressed", String(act())) }, name); return made; };
    $(".left").append(
      ...["names", "axes", "frames"].map((name) => chip(name[0].toUpperCase() + name.slice(1), view.shown[name], () => view.toggle(name))),
      chip("Trail", false, () => { trail = trail ? null : []; view.ask(); return Boolean(trail); }),
      chip("Velocity ellipsoid", false, () => { ellipsoid = ellipsoid === "velocity" ? "" : "velocity"; sizes(); view.ask(); return ellipsoid === "velocity"; }),
      chip("Force ellipsoid", false, () => { ellipsoid = ellipsoid === "force" ? "" : "force"; sizes(); view.ask(); return ellipsoid === "force"; }));
    const shapes = [...$(".left").children].slice(-2);
    shapes.forEach((one, k) => one.addEventListener("click", () => shapes[1 - k].setAttribute("aria-pressed", "false")));
    $(".right").append(
      make("button", { type: "button", onclick: () => view.png(2).toBlob((blob) => download(blob, fileName("png"))) }, "PNG"),
      make("button", { type: "button", onclick: () => download(new Blob([view.svg()], { type: "image/svg+xml" }), fileName("svg")) }, "SVG"),
      make("button", { type: "button", "aria-label": "Light or dark", title: "Light or dark", onclick: () => dress(!dark) }, "\u25d0"));
    let scale = 1;
    const sizes = () => { scale = 0.24 * ROBOT.scene.reach / Math.max(1e-9, ...mechanism.ellipsoid(jacobian(q, poses), ellipsoid === "force").slice(0, ellipsoid === "force" ? 1 : 3).map((one) => one.length)); };
    view.over((pen) => {
      if (trail && trail.length > 1) {
        pen.strokeStyle = "#" + view.theme.chosen;
        pen.lineWidth = 1.8;
        pen.globalAlpha = 0.75;
        pen.beginPath();
        trail.forEach((p) => pen.lineTo(...view.project(p)));
        pen.stroke();
        pen.globalAlpha = 1;
      }
      if (!ellipsoid || !frame) return;
      const P = poses[frame], center = [P[3], P[7], P[11]], axes = mechanism.ellipsoid(jacobian(q, poses), ellipsoid === "force");
      const [right, above] = view.directions, flat = axes.map(({ vector, length }) => {
        const l = Math.min(length * scale, 2 * ROBOT.scene.reach) * view.pixels;
        return [right, above].map((d) => l * (d[0] * vector[0] + d[1] * vector[1] + d[2] * vector[2]));
      });
      const [a, b, c] = [0, 1, 2].map((k) => flat.reduce((sum, [x, y]) => sum + [x * x, x * y, y * y][k], 0));
      const angle = 0.5 * Math.atan2(2 * b, a - c), mean = (a + c) / 2, apart = Math.hypot((a - c) / 2, b), at = view.project(center);
      const [long, wide] = [Math.sqrt(mean + apart), Math.sqrt(Math.max(0, mean - apart))];
      pen.beginPath();
      for (let k = 0; k <= 72; k++) {
        const t = 2 * Math.PI * k / 72, x = long * Math.cos(t), y = wide * Math.sin(t);
        pen.lineTo(at[0] + Math.cos(angle) * x - Math.sin(angle) * y, at[1] - Math.sin(angle) * x - Math.cos(angle) * y);
      }
      pen.fillStyle = pen.strokeStyle = "#" + (ellipsoid === "force" ? view.theme.x : view.theme.chosen);
      pen.globalAlpha = 0.16;
      pen.fill();
      pen.globalAlpha = 0.9;
      pen.lineWidth = 1.6;
      pen.stroke();
      pen.globalAlpha = 1;
    });
    followers.push(() => {
      const list = ghosts ? found.slice(1).map((one) => ({ poses: mechanism.poses(one) })) : [];
      if (start && !playing) list.push({ poses: mechanism.poses(start), color: view.theme.chosen, alpha: 0.22 });
      view.ghosts(list);
    });
  }
  function dress(on) {
    dark = on;
    document.documentElement.classList.toggle("dark", dark);
    view?.dress(dark);
    update();
    sweep(true);
    if (film) seek(seconds);
  }
  night.addEventListener?.("change", (e) => { if (ROBOT.dark === null) dress(e.matches); });
  function update() { for (const follow of followers) follow(); }
  window.robosymPage = { mechanism, view, calls, evaluate, jacobian, dexterity, turn, lead, take, fields, motion, get q() { return q; }, get poses() { return poses; }, get frame() { return frame; } };
  update();
  new ResizeObserver(() => draw()).observe(sheet);
})();
