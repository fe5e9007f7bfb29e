// Live demonstration: an arm that the reader drags; its functions run in WebAssembly (demo/rx90.js).
(async () => {
  const home = document.querySelector("#robot-demo");
  if (!home) return;
  const canvas = home.querySelector("canvas"), pen = canvas.getContext("2d");
  const arm = await window.robosymDemo;
  const names = ["t1", "t2", "t3", "t4", "t5", "t6"];
  const rest = new Array(6).fill(0);
  let q = [0.5, 1.1, -2.4, 0.3, 1.0, 0.2], turn = -0.7, tilt = 0.35, drag = null, solutions = [];

  // ------------------------------------------------------------------ controls
  const sliders = names.map((name, k) => {
    const row = document.createElement("label");
    row.innerHTML = `<span>${name}</span><input type="range" min="-3.1416" max="3.1416" step="0.001">
      <output></output><meter min="0" max="1"></meter><output class="torque"></output>`;
    home.querySelector(".joints").append(row);
    const input = row.querySelector("input");
    input.setAttribute("aria-label", `joint ${k + 1} in rad`);
    input.addEventListener("input", () => { q[k] = Number(input.value); show(); });
    return row;
  });
  const list = home.querySelector(".solutions");

  // ------------------------------------------------------------------ geometry
  const pixel = () => Math.min(canvas.clientWidth, canvas.clientHeight) / 1.75;
  function axes() {
    const [s, c, u, w] = [Math.sin(turn), Math.cos(turn), Math.sin(tilt), Math.cos(tilt)];
    return { right: [c, s, 0], up: [s * u, -c * u, w], to: [s * w, -c * w, -u].map((x) => -x) };
  }
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  function project(p) {
    const { right, up, to } = axes(), size = pixel();
    return [canvas.clientWidth / 2 + size * dot(p, right), canvas.clientHeight * 0.66 - size * dot(p, up), dot(p, to)];
  }
  const point = (T) => [T[3], T[7], T[11]];
  function jointsOf(angles) {
    const poses = arm.frames(angles);
    const own = ["T0T1", "T0T2", "T0T3", "T0T4", "T0T5", "T0T6"].map((name) => point(poses[name]));
    return [[0, 0, -0.42], ...own, point(arm.direct_geometry(angles))];
  }

  // ------------------------------------------------------------------ drawing
  function limb(points, width, color) {
    pen.lineCap = pen.lineJoin = "round";
    pen.lineWidth = width;
    pen.strokeStyle = color;
    pen.beginPath();
    points.forEach((p, k) => { const [x, y] = project(p); k ? pen.lineTo(x, y) : pen.moveTo(x, y); });
    pen.stroke();
  }
  function draw() {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = canvas.clientWidth * ratio;
    canvas.height = canvas.clientHeight * ratio;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const look = getComputedStyle(home), accent = look.getPropertyValue("--md-accent-fg-color") || "#4653d8";
    const ink = look.getPropertyValue("--md-default-fg-color--light") || "#666", faint = "rgba(128,136,160,0.28)";
    for (let k = -4; k <= 4; ++k) {
      limb([[k / 4, -1, -0.42], [k / 4, 1, -0.42]], 1, "rgba(128,136,160,0.18)");
      limb([[-1, k / 4, -0.42], [1, k / 4, -0.42]], 1, "rgba(128,136,160,0.18)");
    }
    for (const other of solutions) limb(jointsOf(other), 4, faint);
    const size = pixel(), joints = jointsOf(q);
    limb(joints.slice(0, 2), 0.17 * size, "#39425a");
    limb(joints.slice(2, 5), 0.11 * size, "#e8833a");
    limb(joints.slice(5), 0.05 * size, "#39425a");
    for (const p of [joints[1], joints[3], joints[5]]) {
      const [x, y] = project(p);
      pen.fillStyle = "#f6f7fa";
      pen.strokeStyle = "#39425a";
      pen.lineWidth = 2;
      pen.beginPath();
      pen.arc(x, y, 0.035 * size, 0, 7);
      pen.fill();
      pen.stroke();
    }
    const [x, y] = project(joints.at(-1));
    pen.strokeStyle = accent;
    pen.lineWidth = 2.5;
    pen.beginPath();
    pen.arc(x, y, 13, 0, 7);
    pen.stroke();
    pen.fillStyle = ink;
    pen.font = "12px system-ui, sans-serif";
    pen.fillText("drag the ring; drag elsewhere to turn the view", 12, canvas.clientHeight - 12);
  }
  function show() {
    const T = arm.direct_geometry(q), began = performance.now();
    const found = arm.inverse_geometry(T, q);
    const tau = arm.inverse_dynamics(q, rest, rest);
    const time = performance.now() - began;
    solutions = found.filter((s) => s.some((x, k) => Math.abs(Math.sin((x - q[k]) / 2)) > 1e-4)).map((s) => [...s]);
    sliders.forEach((row, k) => {
      row.querySelector("input").value = Math.atan2(Math.sin(q[k]), Math.cos(q[k]));
      const [angle, torque] = row.querySelectorAll("output");
      angle.textContent = `${(Math.atan2(Math.sin(q[k]), Math.cos(q[k])) * 180 / Math.PI).toFixed(0)}°`;
      row.querySelector("meter").value = Math.min(1, Math.abs(tau[k]) / 160);
      torque.textContent = `${tau[k].toFixed(1)} N m`;
    });
    list.replaceChildren(...solutions.map((s, k) => {
      const button = document.createElement("button");
      button.textContent = `Solution ${k + 2}`;
      button.addEventListener("click", () => { q = s; show(); });
      return button;
    }));
    home.querySelector(".note").textContent =
      `${solutions.length + 1} solutions of inverse kinematics and the torques at rest in ${Math.max(time, 0.001).toFixed(2)} ms`;
    draw();
  }

  // ------------------------------------------------------------------ dragging
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    const [x, y] = project(point(arm.direct_geometry(q)));
    const near = Math.hypot(event.offsetX - x, event.offsetY - y) < 28;
    drag = { near, x: event.offsetX, y: event.offsetY, T: [...arm.direct_geometry(q)], turn, tilt };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const [dx, dy] = [event.offsetX - drag.x, event.offsetY - drag.y];
    if (drag.near) {
      const { right, up } = axes(), T = [...drag.T];
      [3, 7, 11].forEach((place, k) => { T[place] += (right[k] * dx - up[k] * dy) / pixel(); });
      const found = arm.inverse_geometry(T, q);
      if (found.length) q = found[0].map((x, k) => q[k] + Math.atan2(Math.sin(x - q[k]), Math.cos(x - q[k])));
      show();
    } else {
      turn = drag.turn - dx / 150;
      tilt = Math.max(-0.2, Math.min(1.4, drag.tilt + dy / 150));
      draw();
    }
  });
  canvas.addEventListener("pointerup", () => { drag = null; });
  new ResizeObserver(draw).observe(canvas);
  new MutationObserver(draw).observe(document.body, { attributes: true });
  show();
})();
