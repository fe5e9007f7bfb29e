// The page of a robot: sliders, a handle that moves a frame, the values of its models, plots, and a motion that plays.
(async () => {
  "use strict";
  const DEGREE = 180 / Math.PI, SAMPLES = 90;
  const $ = (selector) => document.querySelector(selector), calls = await MODELS, models = ROBOT.models;
  const mechanism = new robosymKinematics.Mechanism(ROBOT.scene.mechanism);

  // ------------------------------------------------------------------------------------------------ the state
  let q = mechanism.position(ROBOT.scene.joints), poses = mechanism.poses(q), frame = ROBOT.frame;
  let degrees = true, start = null, trail = null, ellipsoid = "", playing = null;
  const home = [...q], night = matchMedia("(prefers-color-scheme: dark)");
  let dark = ROBOT.dark ?? night.matches;
  document.documentElement.classList.toggle("dark", dark);
  const view = robosymView($(".stage"), ROBOT.scene, ROBOT.start, ROBOT.themes, dark);
  const status = (words) => { $(".status").textContent = words; };
  if (!view) status("This browser does not support WebGL, so there is no 3D picture. Sliders and models work without it.");
  const panel = robosymValues($(".blocks"), ROBOT, calls, {
    mechanism, turn, tint: (colors) => view?.tint(colors),
    get q() { return q; }, get poses() { return poses; }, get frame() { return frame; }, get start() { return start; },
    get degrees() { return degrees; }, get dark() { return dark; },
  });
  const { make, block, number, clean, short, plot, legend, download, csv, fileName, named, relative, evaluate, jacobian, dexterity, unitOf, scaleOf } = panel;
  const { torques, followers, update } = panel;

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

  // ------------------------------------------------------------------------------------------------ joints
  const units = make("button", { type: "button", onclick: () => { degrees = !degrees; update(); panel.redraw(); } });
  const joints = block("Joints", true, make("div", { class: "line" }, units,
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

  // ------------------------------------------------------------------------------------------------ pose and all solutions of inverse kinematics
  function angles(P) { // roll, pitch and yaw about the fixed axes x, y, z
    return [Math.atan2(P[9], P[10]), Math.atan2(-P[8], Math.hypot(P[9], P[10])), Math.atan2(P[4], P[0])];
  }
  function rotation(roll, pitch, yaw) {
    const [cr, sr, cp, sp, cy, sy] = [roll, pitch, yaw].flatMap((x) => [Math.cos(x), Math.sin(x)]);
    return [[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr], [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr], [-sp, cp * sr, cp * cr]];
  }
  const solver = models.inverse_geometry?.joints;
  const solutions = make("div", { class: "line" }), which = make("select", { "aria-label": "Frame that is moved", onchange: (e) => look(Number(e.target.value)) },
    ...ROBOT.ends.slice(0, 60).map((j) => make("option", { value: j }, `Frame ${named(j)}`)));
  const six = ["x", "y", "z", "roll", "pitch", "yaw"].map((label, k) => number(label, k < 3 ? "m" : "\u00b0", (value) => {
    const P = [...poses[frame]], turns = angles(P);
    if (k < 3) P[4 * k + 3] = value;
    else { turns[k - 3] = value / DEGREE; rotation(...turns).forEach((row, r) => row.forEach((x, c) => { P[4 * r + c] = x; })); }
    if (!nearest(P)) lead(P, 1);
  }));
  const pose = block("Pose", true, make("div", { class: "pose" }, ...six.map((field, k) => make("label", {}, ["x", "y", "z", "Roll", "Pitch", "Yaw"][k], field.made))), make("div", { class: "line" }, which), solutions);
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

  panel.values();

  // ------------------------------------------------------------------------------------------------ a motion from one posture to another
  const lasts = number("Duration in s", "s", (value) => { seconds = Math.min(60, Math.max(0.1, value)); update(); });
  let seconds = 2;
  const setStart = make("button", { type: "button", onclick: () => { start = [...q]; update(); } }, "Start here");
  const play = make("button", { type: "button", class: "main", onclick: () => (playing ? stop() : run()) }, "Play");
  const along = make("canvas", { class: "curve", role: "img", "aria-label": "Torques along the motion" }), keys = make("div");
  const moving = block("Motion", false, make("div", { class: "line" }, setStart, play, lasts.made, make("span", { class: "fill" }),
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

  if (panel.parameters()) $(".about").textContent = "The description has no numbers for some parameters: those at the end of this list are used.";
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
    panel.redraw();
    if (film) seek(seconds);
  }
  night.addEventListener?.("change", (e) => { if (ROBOT.dark === null) dress(e.matches); });
  window.robosymPage = { mechanism, view, calls, evaluate, jacobian, dexterity, turn, lead, take, fields: panel.fields, motion, get q() { return q; }, get poses() { return poses; }, get frame() { return frame; } };
  update();
})();
