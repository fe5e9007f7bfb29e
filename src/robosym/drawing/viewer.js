// A robot that turns: the scene as data, drawn with WebGL, names on a canvas above it. Nothing is loaded from anywhere.
// Drag turns, Shift and drag (or two fingers) moves, the wheel zooms, a double click goes back; arrows and + - do too.
(function (root, scene, start) {
  "use strict";
  const T = scene.theme, up = scene.up, reach = scene.reach;
  const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
  const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const mul = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const unit = (a) => mul(a, 1 / (Math.hypot(a[0], a[1], a[2]) || 1));
  const turned = (P, v) => [0, 1, 2].map((r) => P[4 * r] * v[0] + P[4 * r + 1] * v[1] + P[4 * r + 2] * v[2]);
  const placed = (P, v) => add(turned(P, v), [P[3], P[7], P[11]]);
  const spot = (s) => placed(poses[s.frame], s.at);
  const color = (hex) => [0, 2, 4].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255);

  // ---------------------------------------------------------------- poses: 0Tj of every frame, as twelve numbers
  let poses = scene.poses;
  const q = Object.assign({}, scene.joints);
  function product(A, B) {
    const C = [];
    for (let r = 0; r < 3; r++) for (let c = 0; c < 4; c++) {
      C.push(A[4 * r] * B[c] + A[4 * r + 1] * B[4 + c] + A[4 * r + 2] * B[8 + c] + (c === 3 ? A[4 * r + 3] : 0));
    }
    return C;
  }
  function screwZ(t, r) { const c = Math.cos(t), s = Math.sin(t); return [c, -s, 0, 0, s, c, 0, 0, 0, 0, 1, r]; }
  function screwX(t, d) { const c = Math.cos(t), s = Math.sin(t); return [1, 0, 0, d, 0, c, -s, 0, 0, s, c, 0]; }
  function move() {
    const next = [screwZ(0, 0)];
    scene.table.forEach((f) => {
      const v = f.variable === null ? 0 : q[f.variable];
      const step = product(screwZ(f.gamma, f.b), product(screwX(f.alpha, f.d),
        screwZ(f.theta + f.angular * v, f.r + f.linear * v)));
      next.push(product(next[f.ant], step));
    });
    poses = next;
  }

  // ---------------------------------------------------------------- meshes
  let vertices = [];
  function triangle(a, b, c, na, nb, nc, tone) {
    [[a, na], [b, nb], [c, nc]].forEach(([p, n]) => vertices.push(p[0], p[1], p[2], n[0], n[1], n[2], ...tone));
  }
  function quad(a, b, c, d, na, nb, tone) { triangle(a, b, c, na, nb, nb, tone); triangle(a, c, d, na, nb, na, tone); }
  function fan(ring, n, tone) {
    for (let k = 1; k + 1 < ring.length; k++) triangle(ring[0], ring[k], ring[k + 1], n, n, n, tone);
  }
  function circle(axis, count) {
    const least = axis.map(Math.abs), h = [0, 0, 0];
    h[least.indexOf(Math.min(...least))] = 1;
    const e1 = unit(cross(axis, h)), e2 = cross(axis, e1);
    return Array.from({ length: count }, (_, k) => {
      const t = 2 * Math.PI * k / count;
      return add(mul(e1, Math.cos(t)), mul(e2, Math.sin(t)));
    });
  }
  const shapes = {
    tube(s, tone) {
      const a = spot(s.spots[0]), b = spot(s.spots[1]), axis = unit(sub(b, a));
      if (Math.hypot(...sub(b, a)) < 1e-9) return;
      const around = circle(axis, 40), first = around.map((u) => add(a, mul(u, s.radius)));
      const second = around.map((u) => add(b, mul(u, s.end)));
      around.forEach((u, k) => {
        const n = (k + 1) % 40;
        triangle(first[k], first[n], second[n], u, around[n], around[n], tone);
        triangle(first[k], second[n], second[k], u, around[n], u, tone);
      });
      fan(first, mul(axis, -1), tone);
      fan(second, axis, tone);
    },
    box(s, tone) {
      const a = spot(s.spots[0]), b = spot(s.spots[1]), axis = unit(sub(b, a));
      if (Math.hypot(...sub(b, a)) < 1e-9) return;
      const side = turned(poses[s.spots[0].frame], s.side), e1 = unit(sub(side, mul(axis, dot(side, axis))));
      const e2 = cross(axis, e1), w = s.radius;
      const ring = [add(e1, e2), sub(e2, e1), mul(add(e1, e2), -1), sub(e1, e2)].map((v) => mul(v, w));
      const first = ring.map((v) => add(a, v)), second = ring.map((v) => add(b, v));
      [e2, mul(e1, -1), mul(e2, -1), e1].forEach((n, k) => {
        const m = (k + 1) % 4;
        quad(first[k], first[m], second[m], second[k], n, n, tone);
      });
      fan(first, mul(axis, -1), tone);
      fan(second, axis, tone);
    },
    ball(s, tone) {
      const c = spot(s.spots[0]), rows = 14, columns = 24;
      const at = (i, j) => {
        const t = Math.PI * i / rows, p = 2 * Math.PI * j / columns;
        return [Math.sin(t) * Math.cos(p), Math.sin(t) * Math.sin(p), Math.cos(t)];
      };
      for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) {
        const n = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)], p = n.map((v) => add(c, mul(v, s.radius)));
        triangle(p[0], p[1], p[2], n[0], n[1], n[2], tone);
        triangle(p[0], p[2], p[3], n[0], n[2], n[3], tone);
      }
    },
    plate(s, tone) {
      const P = poses[s.spots[0].frame], n = turned(P, s.normal), rim = s.rim.map((v) => placed(P, v));
      const top = rim.map((p) => add(p, mul(n, s.radius))), bottom = rim.map((p) => sub(p, mul(n, s.radius)));
      fan(top, n, tone);
      fan(bottom, mul(n, -1), tone);
      const center = mul(rim.reduce(add), 1 / rim.length);
      rim.forEach((p, k) => {
        const m = (k + 1) % rim.length;
        let side = unit(cross(sub(rim[m], p), n));
        if (dot(side, sub(p, center)) < 0) side = mul(side, -1);
        quad(top[k], top[m], bottom[m], bottom[k], side, side, tone);
      });
    },
  };
  function build() {
    vertices = [];
    scene.solids.forEach((s) => {
      const chosen = scene.select !== null && s.link === scene.select && s.tone !== "base";
      shapes[s.kind](s, color(chosen ? T.chosen : T.tones[s.tone]));
    });
    return new Float32Array(vertices);
  }

  // ---------------------------------------------------------------- WebGL
  const canvas = root.querySelector("canvas.solids"), over = root.querySelector("canvas.names");
  const gl = canvas.getContext("webgl", { antialias: true, alpha: true, premultipliedAlpha: false });
  if (!gl) { root.classList.add("still"); return; }
  root.classList.add("turns");
  function compiled(kind, text) {
    const s = gl.createShader(kind);
    gl.shaderSource(s, text);
    gl.compileShader(s);
    return s;
  }
  const program = gl.createProgram();
  gl.attachShader(program, compiled(gl.VERTEX_SHADER, `
    attribute vec3 point, normal, tone; uniform mat3 view; uniform vec3 center, scale; uniform vec4 plane; uniform vec3 lean;
    varying vec3 n, c;
    void main() {
      vec3 p = point;
      if (plane.w > -9e9) { float h = dot(p, plane.xyz) - plane.w; p += max(h, 0.0) * lean - h * plane.xyz; }
      vec3 v = view * (p - center) * scale;
      n = view * normal; c = tone; gl_Position = vec4(v.xy, -v.z, 1.0);
    }`));
  gl.attachShader(program, compiled(gl.FRAGMENT_SHADER, `
    precision mediump float; varying vec3 n, c; uniform vec3 light; uniform vec4 flat_color;
    void main() {
      vec3 m = normalize(n); float s = ${T.ambient.toFixed(3)} + ${T.diffuse.toFixed(3)} * clamp(dot(m, light), -0.35, 1.0);
      gl_FragColor = flat_color.a > 0.0 ? flat_color : vec4(min(c * s, 1.0), 1.0);
    }`));
  gl.linkProgram(program);
  gl.useProgram(program);
  const buffer = gl.createBuffer(), place = {};
  ["view", "center", "scale", "plane", "lean", "light", "flat_color"].forEach((n) => { place[n] = gl.getUniformLocation(program, n); });
  ["point", "normal", "tone"].forEach((n, k) => {
    const at = gl.getAttribLocation(program, n);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 36, 12 * k);
  });
  function fill() { gl.bindBuffer(gl.ARRAY_BUFFER, buffer); gl.bufferData(gl.ARRAY_BUFFER, build(), gl.DYNAMIC_DRAW); }

  // ---------------------------------------------------------------- the view
  const level = Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
  const e1 = unit(sub(level, mul(up, dot(level, up)))), e2 = cross(up, e1);
  const home = { azimuth: start.azimuth, elevation: start.elevation, zoom: 1, center: start.center };
  let view = Object.assign({}, home);
  function directions() {
    const a = view.azimuth * Math.PI / 180, e = view.elevation * Math.PI / 180;
    const ahead = add(mul(e1, Math.cos(a)), mul(e2, Math.sin(a)));
    const toward = add(mul(ahead, Math.cos(e)), mul(up, Math.sin(e)));
    const above = sub(mul(up, Math.cos(e)), mul(ahead, Math.sin(e)));
    return [cross(above, toward), above, toward];
  }
  let ratio = 1, pixels = 1, D = directions();
  const project = (p) => {
    const v = sub(p, view.center);
    return [over.width / ratio / 2 + pixels * dot(v, D[0]), over.height / ratio / 2 - pixels * dot(v, D[1])];
  };
  function paint() {
    ratio = window.devicePixelRatio || 1;
    const w = root.clientWidth, h = canvas.clientHeight;
    [canvas, over].forEach((c) => { c.width = Math.round(w * ratio); c.height = Math.round(h * ratio); });
    D = directions();
    pixels = start.scale * Math.min(w / start.width, h / start.height) * view.zoom;
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.uniformMatrix3fv(place.view, false, [D[0][0], D[1][0], D[2][0], D[0][1], D[1][1], D[2][1], D[0][2], D[1][2], D[2][2]]);
    gl.uniform3fv(place.center, view.center);
    gl.uniform3fv(place.scale, [2 * pixels / w, 2 * pixels / h, 0.2 / reach]);
    gl.uniform3fv(place.light, unit(T.light));
    gl.uniform4fv(place.flat_color, [0, 0, 0, 0]);
    gl.uniform4fv(place.plane, [0, 0, 0, -1e10]);
    gl.uniform3fv(place.lean, [0, 0, 0]);
    gl.drawArrays(gl.TRIANGLES, 0, vertices.length / 9);
    const pen = over.getContext("2d");
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, w, h);
    if (scene.floor !== null && shown.grid && dot(D[2], up) > 0) {
      const right = sub(D[0], mul(up, dot(D[0], up)));
      gl.uniform4fv(place.plane, [...up, scene.floor - 1e-3 * reach]);
      gl.uniform3fv(place.lean, mul(right, 0.28 / Math.max(0.1, Math.hypot(...right))));
      gl.uniform4fv(place.flat_color, [...color(T.cast), 1]);
      gl.drawArrays(gl.TRIANGLES, 0, vertices.length / 9);
    }
    write(pen, w, h);
    grid(w, h);
  }
  function grid(w, h) {
    const below = root.querySelector("canvas.floor"), pen = below.getContext("2d");
    below.width = Math.round(w * ratio);
    below.height = Math.round(h * ratio);
    if (scene.floor === null || !shown.grid || dot(D[2], up) <= 0) return;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.strokeStyle = "#" + T.grid;
    const s = scene.spacing, half = s * Math.ceil(1.2 * reach / s), o = mul(up, scene.floor);
    for (let k = -half; k <= half + s / 2; k += s) {
      [[[-half, k], [half, k]], [[k, -half], [k, half]]].forEach((ends) => {
        const [a, b] = ends.map(([u, v]) => project(add(o, add(mul(e1, u + scene.middle[0]), mul(e2, v + scene.middle[1])))));
        pen.beginPath(); pen.moveTo(...a); pen.lineTo(...b); pen.stroke();
      });
    }
  }

  // ---------------------------------------------------------------- axes, frames and names
  const shown = Object.assign({}, start.shown);
  function arrow(pen, a, b, ink, width) {
    const l = Math.hypot(b[0] - a[0], b[1] - a[1]);
    pen.strokeStyle = pen.fillStyle = ink;
    pen.lineWidth = width;
    if (l < 9) { pen.beginPath(); pen.arc(a[0], a[1], 4.5, 0, 7); pen.stroke(); pen.beginPath(); pen.arc(a[0], a[1], 1.7, 0, 7); pen.fill(); return; }
    const u = [(b[0] - a[0]) / l, (b[1] - a[1]) / l], s = Math.min(3.2 + 2.4 * width, 0.8 * l), c = [b[0] - s * u[0], b[1] - s * u[1]];
    pen.beginPath(); pen.moveTo(...a); pen.lineTo(...c); pen.stroke();
    pen.beginPath(); pen.moveTo(...b); pen.lineTo(c[0] - 0.38 * s * u[1], c[1] + 0.38 * s * u[0]);
    pen.lineTo(c[0] + 0.38 * s * u[1], c[1] - 0.38 * s * u[0]); pen.fill();
  }
  function write(pen, w, h) {
    const taken = [], labels = [];
    if (shown.axes) scene.axes.forEach((line) => {
      pen.setLineDash([9, 3, 2, 3]);
      pen.globalAlpha = line.joint === scene.select ? 1 : 0.55;
      pen.strokeStyle = "#" + (line.joint === scene.select ? T.chosen : T.z);
      pen.lineWidth = 1.2;
      pen.beginPath(); pen.moveTo(...project(spot(line.start))); pen.lineTo(...project(spot(line.end))); pen.stroke();
      pen.setLineDash([]);
      pen.globalAlpha = 1;
    });
    if (scene.motion) {  // the path of the end of the arm
      pen.strokeStyle = "#" + T.chosen;
      pen.globalAlpha = 0.6;
      pen.lineWidth = 1.4;
      pen.beginPath();
      scene.motion.poses.forEach((P) => { const o = P[scene.motion.end]; pen.lineTo(...project([o[3], o[7], o[11]])); });
      pen.stroke();
      pen.globalAlpha = 1;
    }
    const groups = new Map();
    if (shown.frames) scene.marked.forEach((j) => [0, 2].forEach((column) => {
      const P = poses[j], d = [P[column], P[4 + column], P[8 + column]], o = [P[3], P[7], P[11]];
      const key = [column, ...o.map((x) => Math.round(x / (1e-4 * reach))), ...d.map((x) => Math.round(1e3 * x))].join();
      if (!groups.has(key)) groups.set(key, { column, o, d, numbers: [] });
      groups.get(key).numbers.push(j);
    }));
    groups.forEach(({ column, o, d, numbers }) => {
      const a = project(o), b = project(add(o, mul(d, 0.15 * reach))), ink = "#" + (column ? T.z : T.x);
      arrow(pen, a, b, ink, numbers.includes(scene.select) ? 2.2 : 1.5);
      labels.push({ at: b, way: [b[0] - a[0], b[1] - a[1]], text: column ? "z" : "x", index: numbers.join(","), ink, size: 13 });
    });
    scene.names.forEach((n) => {
      const at = project(spot(n.spot));
      labels.push({ at, way: [at[0] >= w / 2 ? 1 : -1, 0.1], text: n.text, index: "", ink: "#" + T.quiet, size: 11.5 });
    });
    const corner = [42, h - 40];
    ["x", "y", "z"].forEach((letter, k) => {
      const tip = [corner[0] + 26 * D[0][k], corner[1] - 26 * D[1][k]];
      arrow(pen, corner, tip, "#" + T[letter], 1.5);
      labels.push({ at: tip, way: [D[0][k], -D[1][k]], text: letter, index: "0", ink: "#" + T[letter], size: 11.5 });
    });
    if (!shown.names) return;
    labels.forEach((l) => {
      pen.font = `500 ${l.size}px Inter, system-ui, sans-serif`;
      const wide = pen.measureText(l.text).width;
      pen.font = `500 ${0.72 * l.size}px Inter, system-ui, sans-serif`;
      const all = wide + (l.index ? pen.measureText(l.index).width : 0), half = [all / 2 + 1.5, 0.58 * l.size];
      const angle = Math.atan2(l.way[1], l.way[0]);
      let best = null, least = Infinity;
      [3, 9, 17, 27, 40].forEach((r) => [0, 0.5, -0.5, 1, -1, 1.6, -1.6, 2.3, -2.3, Math.PI].forEach((t) => {
        const p = [l.at[0] + Math.cos(angle + t) * (r + half[0]), l.at[1] + Math.sin(angle + t) * (r + half[1])];
        const box = [p[0] - half[0], p[1] - half[1], p[0] + half[0], p[1] + half[1]];
        const hit = taken.reduce((s, b) => s + Math.max(0, Math.min(box[2], b[2]) - Math.max(box[0], b[0])) *
          Math.max(0, Math.min(box[3], b[3]) - Math.max(box[1], b[1])), 0);
        const cost = 1.5 * hit + 0.35 * r + 2.2 * Math.abs(t);
        if (cost < least - 1e-6) { least = cost; best = { p, box }; }
      }));
      taken.push(best.box);
      const x = best.p[0] - all / 2, y = best.p[1] + 0.34 * l.size;
      [["strokeText", "#" + T.ground[0]], ["fillText", l.ink]].forEach(([way, ink]) => {
        pen.strokeStyle = pen.fillStyle = ink;
        pen.lineWidth = 3;
        pen.lineJoin = "round";
        pen.font = `500 ${l.size}px Inter, system-ui, sans-serif`;
        pen[way](l.text, x, y);
        pen.font = `500 ${0.72 * l.size}px Inter, system-ui, sans-serif`;
        if (l.index) pen[way](l.index, x + wide, y + 3);
      });
    });
  }

  // ---------------------------------------------------------------- hands
  let wanted = false;
  const ask = () => { if (!wanted) { wanted = true; requestAnimationFrame(() => { wanted = false; paint(); }); } };
  const fingers = new Map();
  const clamp = (x, a, b) => Math.min(b, Math.max(a, x));
  function shift(dx, dy) { view.center = sub(view.center, mul(sub(mul(D[0], dx), mul(D[1], dy)), 1 / pixels)); }
  function turn(dx, dy) { view.azimuth -= 0.4 * dx; view.elevation = clamp(view.elevation + 0.4 * dy, -90, 90); }
  over.addEventListener("pointerdown", (e) => { over.setPointerCapture(e.pointerId); fingers.set(e.pointerId, [e.clientX, e.clientY]); });
  over.addEventListener("pointermove", (e) => {
    const last = fingers.get(e.pointerId);
    if (!last) return;
    const now = [e.clientX, e.clientY], others = [...fingers].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
    if (others.length) {
      const far = (p) => Math.hypot(p[0] - others[0][0], p[1] - others[0][1]);
      view.zoom = clamp(view.zoom * far(now) / (far(last) || 1), 0.2, 30);
      shift((now[0] - last[0]) / 2, (now[1] - last[1]) / 2);
    } else if (e.shiftKey || e.buttons & 6) shift(now[0] - last[0], now[1] - last[1]);
    else turn(now[0] - last[0], now[1] - last[1]);
    fingers.set(e.pointerId, now);
    ask();
  });
  ["pointerup", "pointercancel"].forEach((n) => over.addEventListener(n, (e) => fingers.delete(e.pointerId)));
  over.addEventListener("contextmenu", (e) => e.preventDefault());
  over.addEventListener("wheel", (e) => { e.preventDefault(); view.zoom = clamp(view.zoom * Math.exp(-0.0012 * e.deltaY), 0.2, 30); ask(); }, { passive: false });
  const back = () => { view = Object.assign({}, home); ask(); };
  over.addEventListener("dblclick", back);
  over.addEventListener("keydown", (e) => {
    const turns = { ArrowLeft: [12, 0], ArrowRight: [-12, 0], ArrowUp: [0, -12], ArrowDown: [0, 12] }[e.key];
    if (turns) turn(...turns);
    else if (e.key === "+" || e.key === "=") view.zoom *= 1.15;
    else if (e.key === "-") view.zoom /= 1.15;
    else if (e.key === "0" || e.key === "Home") back();
    else return;
    e.preventDefault();
    ask();
  });
  root.querySelectorAll("button[data-show]").forEach((b) => {
    const name = b.dataset.show;
    b.setAttribute("aria-pressed", shown[name]);
    b.addEventListener("click", () => { shown[name] = !shown[name]; b.setAttribute("aria-pressed", shown[name]); ask(); });
  });
  root.querySelectorAll("input[data-joint]").forEach((input) => {
    const read = root.querySelector(`output[data-joint="${CSS.escape(input.dataset.joint)}"]`);
    const tell = () => { read.textContent = input.dataset.slides ? `${(+input.value).toFixed(3)} m` : `${(+input.value * 180 / Math.PI).toFixed(1)}°`; };
    input.addEventListener("input", () => { q[input.dataset.joint] = +input.value; tell(); move(); fill(); ask(); });
    tell();
  });

  // ---------------------------------------------------------------- a motion that plays
  if (scene.motion) {
    const { t, poses: all } = scene.motion, end = t[t.length - 1];
    const bar = root.querySelector("input[data-time]"), told = root.querySelector("output[data-time]");
    const button = root.querySelector("button[data-play]");
    let playing = !window.matchMedia("(prefers-reduced-motion: reduce)").matches, last = null, now = 0;
    const show = (time) => {
      now = clamp(time, 0, end);
      let low = 0, high = t.length - 1;
      while (high - low > 1) { const m = (low + high) >> 1; if (t[m] <= now) low = m; else high = m; }
      const part = high > low ? (now - t[low]) / (t[high] - t[low]) : 0;
      poses = all[low].map((P, j) => P.map((x, k) => x + part * (all[high][j][k] - x)));
      bar.value = now;
      told.textContent = `${now.toFixed(2)} s`;
      fill();
      ask();
    };
    const tick = (stamp) => {
      if (!playing) { last = null; return; }
      const next = now + (last === null ? 0 : (stamp - last) / 1000);
      last = stamp;
      show(next > end ? 0 : next);
      requestAnimationFrame(tick);
    };
    const play = (on) => { playing = on; button.textContent = on ? "Pause" : "Play"; if (on) requestAnimationFrame(tick); };
    button.addEventListener("click", () => play(!playing));
    bar.addEventListener("input", () => { play(false); show(+bar.value); });
    over.addEventListener("keydown", (e) => { if (e.key === " ") { e.preventDefault(); play(!playing); } });
    show(0);
    play(playing);
  }
  fill();
  paint();
  if (window.ResizeObserver) new ResizeObserver(ask).observe(root);
})(document.currentScript.parentElement, /*SCENE*/null, /*START*/null);
