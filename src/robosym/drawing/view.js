// The view of a robot: solids in WebGL, lines and names on a canvas above them. Nothing is loaded from anywhere.
// Drag turns, Shift and drag (or two fingers) moves, the wheel zooms, a double click goes back; arrows and + - 0 do too.
(function (home) {
  "use strict";
  const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
  const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
  const mul = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const unit = (a) => mul(a, 1 / (Math.hypot(a[0], a[1], a[2]) || 1));
  const turned = (P, v) => [0, 4, 8].map((r) => P[r] * v[0] + P[r + 1] * v[1] + P[r + 2] * v[2]);
  const placed = (P, v) => add(turned(P, v), [P[3], P[7], P[11]]);
  const origin = (P) => [P[3], P[7], P[11]];
  const clamp = (x, a, b) => Math.min(b, Math.max(a, x));
  const color = (hex) => [0, 2, 4].map((k) => parseInt(hex.replace("#", "").slice(k, k + 2), 16) / 255);
  function across(axis) {
    const least = axis.map(Math.abs), h = [0, 0, 0];
    h[least.indexOf(Math.min(...least))] = 1;
    return unit(cross(axis, h));
  }

  // ------------------------------------------------------------------------------------------------ solids as triangles
  // Meshes are built once, in a frame of the solid: z along tubes and boxes, whose length is 1.
  function mesh(solid, reach) {
    const vertices = [];
    const triangle = (a, b, c, na, nb, nc) => [[a, na], [b, nb], [c, nc]].forEach(([p, n]) => vertices.push(...p, ...n));
    const fan = (ring, n) => { for (let k = 1; k + 1 < ring.length; k++) triangle(ring[0], ring[k], ring[k + 1], n, n, n); };
    const shapes = {
      tube() {
        const thick = Math.max(solid.radius, solid.end) / reach, sides = thick > 0.03 ? 40 : thick > 0.012 ? 24 : 14;
        const around = Array.from({ length: sides }, (_, k) => [Math.cos(2 * Math.PI * k / sides), Math.sin(2 * Math.PI * k / sides), 0]);
        const low = around.map((u) => mul(u, solid.radius)), high = around.map((u) => add(mul(u, solid.end), [0, 0, 1]));
        around.forEach((u, k) => {
          const n = (k + 1) % sides;
          triangle(low[k], low[n], high[n], u, around[n], around[n]);
          triangle(low[k], high[n], high[k], u, around[n], u);
        });
        fan(low, [0, 0, -1]);
        fan(high, [0, 0, 1]);
      },
      box() {
        const w = solid.radius, ring = [[w, w, 0], [-w, w, 0], [-w, -w, 0], [w, -w, 0]], top = ring.map((p) => add(p, [0, 0, 1]));
        [[0, 1, 0], [-1, 0, 0], [0, -1, 0], [1, 0, 0]].forEach((n, k) => {
          const m = (k + 1) % 4;
          triangle(ring[k], ring[m], top[m], n, n, n);
          triangle(ring[k], top[m], top[k], n, n, n);
        });
        fan(ring, [0, 0, -1]);
        fan(top, [0, 0, 1]);
      },
      ball() {
        const rows = 12, columns = 22;
        const at = (i, j) => { const t = Math.PI * i / rows, p = 2 * Math.PI * j / columns; return [Math.sin(t) * Math.cos(p), Math.sin(t) * Math.sin(p), Math.cos(t)]; };
        for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) {
          const n = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)], p = n.map((v) => mul(v, solid.radius));
          triangle(p[0], p[1], p[2], n[0], n[1], n[2]);
          triangle(p[0], p[2], p[3], n[0], n[2], n[3]);
        }
      },
      plate() {
        const n = solid.normal, rim = solid.rim, center = mul(rim.reduce(add), 1 / rim.length);
        const top = rim.map((p) => add(p, mul(n, solid.radius))), bottom = rim.map((p) => sub(p, mul(n, solid.radius)));
        fan(top, n);
        fan(bottom, mul(n, -1));
        rim.forEach((p, k) => {
          const m = (k + 1) % rim.length;
          let side = unit(cross(sub(rim[m], p), n));
          if (dot(side, sub(p, center)) < 0) side = mul(side, -1);
          triangle(top[k], top[m], bottom[m], side, side, side);
          triangle(top[k], bottom[m], bottom[k], side, side, side);
        });
      },
    };
    if (solid.kind !== "plate" || solid.rim) shapes[solid.kind]();
    return vertices;
  }
  function placement(solid, poses) {  // pose of the frame of a solid with scaled z, twelve numbers; null without extent
    const first = poses[solid.spots[0].frame];
    if (solid.kind === "plate") return first;
    const a = placed(first, solid.spots[0].at);
    if (solid.kind === "ball") return [1, 0, 0, a[0], 0, 1, 0, a[1], 0, 0, 1, a[2]];
    const along = sub(placed(poses[solid.spots[1].frame], solid.spots[1].at), a), length = Math.hypot(...along);
    if (length < 1e-9) return null;
    const z = mul(along, 1 / length);
    let x = across(z);
    if (solid.kind === "box") { const side = turned(first, solid.side), flat = sub(side, mul(z, dot(side, z))); if (Math.hypot(...flat) > 1e-6) x = unit(flat); }
    const y = cross(z, x);
    return [x[0], y[0], along[0], a[0], x[1], y[1], along[1], a[1], x[2], y[2], along[2], a[2]];
  }

  const VERTEX = `
    attribute vec3 point, normal; uniform mat4 model; uniform mat3 view; uniform vec3 center, scale; uniform vec4 plane; uniform vec3 lean;
    varying vec3 n;
    void main() {
      vec3 p = (model * vec4(point, 1.0)).xyz;
      if (plane.w > -9e9) { float h = dot(p, plane.xyz) - plane.w; p += max(h, 0.0) * lean - h * plane.xyz; }
      vec3 v = view * (p - center) * scale;
      vec3 z = model[2].xyz;
      n = view * (model[0].xyz * normal.x + model[1].xyz * normal.y + z * normal.z / max(length(z), 1e-9));
      gl_Position = vec4(v.xy, -v.z, 1.0);
    }`;
  const FRAGMENT = `
    precision mediump float; varying vec3 n; uniform vec3 light, paint, shading; uniform vec4 flat_color;
    void main() {
      vec3 m = normalize(n); float s = shading.x + shading.y * clamp(dot(m, light), -0.35, 1.0);
      vec4 c = flat_color.a > 0.0 ? flat_color : vec4(min(paint * s, 1.0), shading.z);
      gl_FragColor = vec4(c.rgb * c.a, c.a);
    }`;

  home.robosymView = function (root, scene, start, themes, dark) {
    const up = scene.up, reach = scene.reach, canvas = root.querySelector("canvas.solids"), over = root.querySelector("canvas.names");
    const gl = canvas.getContext("webgl", { antialias: true, alpha: true });
    if (!gl) return null;
    let T = dark ? themes.dark : themes.light, poses = scene.poses, ghosts = [], tints = {}, overlays = [], frames = 0;
    const shown = Object.assign({ names: true, axes: true, frames: true, grid: true }, start.shown);

    // -------------------------------------------------------------------------------------------- WebGL
    const compiled = (kind, text) => { const s = gl.createShader(kind); gl.shaderSource(s, text); gl.compileShader(s); return s; };
    const program = gl.createProgram(), place = {}, all = [], parts = [];
    gl.attachShader(program, compiled(gl.VERTEX_SHADER, VERTEX));
    gl.attachShader(program, compiled(gl.FRAGMENT_SHADER, FRAGMENT));
    gl.linkProgram(program);
    gl.useProgram(program);
    ["model", "view", "center", "scale", "plane", "lean", "light", "paint", "shading", "flat_color"].forEach((n) => { place[n] = gl.getUniformLocation(program, n); });
    scene.solids.forEach((solid) => {
      const first = all.length / 6;
      for (const x of mesh(solid, reach)) all.push(x);
      parts.push({ solid, first, count: all.length / 6 - first });
    });
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(all), gl.STATIC_DRAW);
    ["point", "normal"].forEach((n, k) => {
      const at = gl.getAttribLocation(program, n);
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 24, 12 * k);
    });
    const paintOf = (solid) => {
      if (solid.joint && tints[solid.joint]) return tints[solid.joint];
      const chosen = scene.select !== null && solid.link === scene.select && solid.tone !== "base";
      return color(chosen ? T.chosen : T.tones[solid.tone]);
    };
    function solids(where, paint, only) {
      parts.forEach(({ solid, first, count }) => {
        const P = (!only || solid.link) && count && placement(solid, where);
        if (!P) return;
        gl.uniformMatrix4fv(place.model, false, [P[0], P[4], P[8], 0, P[1], P[5], P[9], 0, P[2], P[6], P[10], 0, P[3], P[7], P[11], 1]);
        if (paint) gl.uniform3fv(place.paint, paint(solid));
        gl.drawArrays(gl.TRIANGLES, first, count);
      });
    }

    // -------------------------------------------------------------------------------------------- the view
    const level = Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
    const e1 = unit(sub(level, mul(up, dot(level, up)))), e2 = cross(up, e1);
    const first = { azimuth: start.azimuth, elevation: start.elevation, zoom: 1, center: start.center };
    let view = { ...first }, ratio = 1, pixels = 1, D = [], w = 1, h = 1;
    function directions() {
      const a = view.azimuth * Math.PI / 180, e = view.elevation * Math.PI / 180;
      const ahead = add(mul(e1, Math.cos(a)), mul(e2, Math.sin(a)));
      const toward = add(mul(ahead, Math.cos(e)), mul(up, Math.sin(e))), above = sub(mul(up, Math.cos(e)), mul(ahead, Math.sin(e)));
      return [cross(above, toward), above, toward];
    }
    const project = (p) => { const v = sub(p, view.center); return [w / 2 + pixels * dot(v, D[0]), h / 2 - pixels * dot(v, D[1])]; };
    const spot = (s) => placed(poses[s.frame], s.at);
    function measure() {
      ratio = window.devicePixelRatio || 1;
      w = Math.max(1, root.clientWidth);
      h = Math.max(1, root.clientHeight);
      [canvas, over, root.querySelector("canvas.floor")].forEach((c) => {
        const [x, y] = [Math.round(w * ratio), Math.round(h * ratio)];
        if (c.width !== x || c.height !== y) { c.width = x; c.height = y; }
      });
      D = directions();
      pixels = start.scale * Math.min(w / start.width, h / start.height) * view.zoom;
    }
    function paint() {
      measure();
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(0, 0, 0, 0);
      gl.depthMask(true);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
      gl.enable(gl.DEPTH_TEST);
      gl.depthFunc(gl.LESS);
      gl.disable(gl.BLEND);
      gl.uniformMatrix3fv(place.view, false, [D[0][0], D[1][0], D[2][0], D[0][1], D[1][1], D[2][1], D[0][2], D[1][2], D[2][2]]);
      gl.uniform3fv(place.center, view.center);
      gl.uniform3fv(place.scale, [2 * pixels / w, 2 * pixels / h, 0.2 / reach]);
      gl.uniform3fv(place.light, unit(T.light));
      gl.uniform3fv(place.shading, [T.ambient, T.diffuse, 1]);
      gl.uniform4fv(place.flat_color, [0, 0, 0, 0]);
      gl.uniform4fv(place.plane, [0, 0, 0, -1e10]);
      gl.uniform3fv(place.lean, [0, 0, 0]);
      solids(poses, paintOf);
      if (ghosts.length) {  // the nearest surface of each, half transparent, behind those of the robot that coincide
        gl.enable(gl.BLEND);
        gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
        gl.enable(gl.POLYGON_OFFSET_FILL);
        gl.polygonOffset(1, 400);
        ghosts.forEach((ghost) => {
          gl.colorMask(false, false, false, false);
          solids(ghost.poses, () => [0, 0, 0], true);
          gl.colorMask(true, true, true, true);
          gl.depthFunc(gl.LEQUAL);
          gl.uniform3fv(place.shading, [T.ambient, T.diffuse, ghost.alpha || 0.34]);
          solids(ghost.poses, () => color(ghost.color || T.quiet), true);
          gl.depthFunc(gl.LESS);
        });
        gl.disable(gl.BLEND);
        gl.disable(gl.POLYGON_OFFSET_FILL);
      }
      if (scene.floor !== null && shown.grid && dot(D[2], up) > 0) {
        const right = sub(D[0], mul(up, dot(D[0], up)));
        gl.uniform4fv(place.plane, [...up, scene.floor - 1e-3 * reach]);
        gl.uniform3fv(place.lean, mul(right, 0.28 / Math.max(0.1, Math.hypot(...right))));
        gl.uniform4fv(place.flat_color, [...color(T.cast), 1]);
        solids(poses, null);
      }
      const pen = over.getContext("2d");
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, w, h);
      overlays.forEach((draw) => draw(pen, self));
      write(pen);
      grid();
      frames += 1;
    }
    function grid() {
      const pen = root.querySelector("canvas.floor").getContext("2d");
      pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      pen.clearRect(0, 0, w, h);
      if (scene.floor === null || !shown.grid || dot(D[2], up) <= 0) return;
      pen.strokeStyle = "#" + T.grid;
      const s = scene.spacing, half = s * Math.ceil(1.2 * reach / s), o = mul(up, scene.floor);
      for (let k = -half; k <= half + s / 2; k += s) {
        [[[-half, k], [half, k]], [[k, -half], [k, half]]].forEach((ends) => {
          const [a, b] = ends.map(([u, v]) => project(add(o, add(mul(e1, u + scene.middle[0]), mul(e2, v + scene.middle[1])))));
          pen.beginPath(); pen.moveTo(...a); pen.lineTo(...b); pen.stroke();
        });
      }
    }

    // -------------------------------------------------------------------------------------------- axes, frames and names
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
    function write(pen) {
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
      const groups = new Map();
      if (shown.frames) scene.marked.forEach((j) => [0, 2].forEach((column) => {
        const P = poses[j], d = [P[column], P[4 + column], P[8 + column]], o = origin(P);
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
      if (shown.names) labels.forEach((l) => spell(pen, l, taken));
    }
    function spell(pen, l, taken) {
      const font = (size) => `500 ${size}px Inter, system-ui, sans-serif`;
      pen.font = font(l.size);
      const wide = pen.measureText(l.text).width;
      pen.font = font(0.72 * l.size);
      const width = wide + (l.index ? pen.measureText(l.index).width : 0), half = [width / 2 + 1.5, 0.58 * l.size];
      const angle = Math.atan2(l.way[1], l.way[0]);
      let best = null, least = Infinity;
      for (const r of [3, 9, 17, 27, 40]) for (const t of [0, 0.5, -0.5, 1, -1, 1.6, -1.6, 2.3, -2.3, Math.PI]) {
        const p = [l.at[0] + Math.cos(angle + t) * (r + half[0]), l.at[1] + Math.sin(angle + t) * (r + half[1])];
        const box = [p[0] - half[0], p[1] - half[1], p[0] + half[0], p[1] + half[1]];
        let hit = 0;
        for (const b of taken) hit += Math.max(0, Math.min(box[2], b[2]) - Math.max(box[0], b[0])) * Math.max(0, Math.min(box[3], b[3]) - Math.max(box[1], b[1]));
        const cost = 1.5 * hit + 0.35 * r + 2.2 * Math.abs(t);
        if (cost < least - 1e-6) { least = cost; best = { p, box }; }
      }
      taken.push(best.box);
      const x = best.p[0] - width / 2, y = best.p[1] + 0.34 * l.size;
      [["strokeText", "#" + T.ground[0]], ["fillText", l.ink]].forEach(([way, ink]) => {
        pen.strokeStyle = pen.fillStyle = ink;
        pen.lineWidth = 3;
        pen.lineJoin = "round";
        pen.font = font(l.size);
        pen[way](l.text, x, y);
        pen.font = font(0.72 * l.size);
        if (l.index) pen[way](l.index, x + wide, y + 3);
      });
    }

    // -------------------------------------------------------------------------------------------- pointer and keys
    let wanted = false, held = null;
    const ask = () => { if (!wanted) { wanted = true; requestAnimationFrame(() => { wanted = false; paint(); }); } };
    const fingers = new Map();
    const shift = (dx, dy) => { view.center = sub(view.center, mul(sub(mul(D[0], dx), mul(D[1], dy)), 1 / pixels)); };
    const turn = (dx, dy) => { view.azimuth -= 0.4 * dx; view.elevation = clamp(view.elevation + 0.4 * dy, -90, 90); };
    const zoom = (by) => { view.zoom = clamp(view.zoom * by, 0.2, 30); };
    const at = (e) => { const b = over.getBoundingClientRect(); return [e.clientX - b.left, e.clientY - b.top]; };
    over.addEventListener("pointerdown", (e) => {
      over.setPointerCapture(e.pointerId);
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
      held = e.button === 0 && self.handle ? self.handle.grab(...at(e)) : null;
    });
    over.addEventListener("pointermove", (e) => {
      const last = fingers.get(e.pointerId);
      if (!last) { if (self.handle) over.style.cursor = self.handle.near(...at(e)) ? "move" : ""; return; }
      const now = [e.clientX, e.clientY], others = [...fingers].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
      fingers.set(e.pointerId, now);
      if (held) { held(...at(e), e.shiftKey); return; }
      if (others.length) {
        const far = (p) => Math.hypot(p[0] - others[0][0], p[1] - others[0][1]);
        zoom(far(now) / (far(last) || 1));
        shift((now[0] - last[0]) / 2, (now[1] - last[1]) / 2);
      } else if (e.shiftKey || e.buttons & 6) shift(now[0] - last[0], now[1] - last[1]);
      else turn(now[0] - last[0], now[1] - last[1]);
      ask();
    });
    ["pointerup", "pointercancel"].forEach((n) => over.addEventListener(n, (e) => { fingers.delete(e.pointerId); if (held) { held = null; self.handle.release?.(); } }));
    over.addEventListener("contextmenu", (e) => e.preventDefault());
    over.addEventListener("wheel", (e) => { e.preventDefault(); zoom(Math.exp(-0.0012 * e.deltaY)); ask(); }, { passive: false });
    const back = () => { view = { ...first }; ask(); };
    over.addEventListener("dblclick", back);
    over.addEventListener("keydown", (e) => {
      const turns = { ArrowLeft: [12, 0], ArrowRight: [-12, 0], ArrowUp: [0, -12], ArrowDown: [0, 12] }[e.key];
      if (turns) turn(...turns);
      else if (e.key === "+" || e.key === "=") zoom(1.15);
      else if (e.key === "-") zoom(1 / 1.15);
      else if (e.key === "0" || e.key === "Home") back();
      else return;
      e.preventDefault();
      ask();
    });
    if (window.ResizeObserver) new ResizeObserver(ask).observe(root);

    // -------------------------------------------------------------------------------------------- pictures
    function png(scale = 2, plain = false) {  // the view as it is, on its background or on a plain one
      paint();
      const sheet = document.createElement("canvas"), pen = sheet.getContext("2d");
      [sheet.width, sheet.height] = [w * scale, h * scale];
      const ground = pen.createLinearGradient(0, 0, 0, sheet.height);
      T.ground.forEach((c, k) => ground.addColorStop(k, "#" + (plain ? T.ground[0] : c)));
      pen.fillStyle = ground;
      pen.fillRect(0, 0, sheet.width, sheet.height);
      [root.querySelector("canvas.floor"), canvas, over].forEach((c) => pen.drawImage(c, 0, 0, sheet.width, sheet.height));
      return sheet;
    }
    function svg() {  // visible triangles from back to front, then lines and names as they are drawn on the canvas
      measure();
      const found = [], light = unit(T.light);
      const round = (x) => x.toFixed(1);
      const triangles = (where, paint, opacity, only) => parts.forEach(({ solid, first, count }) => {
        const P = (!only || solid.link) && count && placement(solid, where);
        if (!P) return;
        const ink = paint(solid), stretch = Math.hypot(P[2], P[6], P[10]) || 1;
        for (let k = first; k < first + count; k += 3) {
          const p = [0, 1, 2].map((i) => placed(P, all.slice(6 * (k + i), 6 * (k + i) + 3)));
          const n = [0, 1, 2].map((i) => all.slice(6 * (k + i) + 3, 6 * (k + i) + 6)).reduce(add);
          const m = unit(turned(P, [n[0], n[1], n[2] / (stretch * stretch)])), v = D.map((d) => dot(d, m));
          if (v[2] <= 0) continue;
          const s = T.ambient + T.diffuse * clamp(dot(v, light), -0.35, 1), fill = ink.map((c) => Math.round(255 * Math.min(1, c * s)));
          found.push([p.reduce((sum, x) => sum + dot(x, D[2]), 0), p.map((x) => project(x).map(round).join()).join(" "), `rgb(${fill})`, opacity]);
        }
      });
      triangles(poses, paintOf, 1);
      ghosts.forEach((ghost) => triangles(ghost.poses, () => color(ghost.color || T.quiet), ghost.alpha || 0.34, true));
      found.sort((a, b) => a[0] - b[0]);
      const body = found.map(([, points, fill, opacity]) => `<polygon points="${points}" fill="${fill}" stroke="${fill}" stroke-width=".4"${opacity < 1 ? ` opacity="${opacity}"` : ""}/>`);
      const pen = recorder(over.getContext("2d"));
      overlays.forEach((draw) => draw(pen, self));
      write(pen);
      return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${w} ${h}" width="${w}" height="${h}" font-family="Inter,system-ui,sans-serif">` +
        `<defs><linearGradient id="g" x2="0" y2="1"><stop stop-color="#${T.ground[0]}"/><stop offset="1" stop-color="#${T.ground[1]}"/></linearGradient></defs>` +
        `<rect width="${w}" height="${h}" fill="url(#g)"/>${body.join("")}${pen.elements.join("")}</svg>`;
    }
    const self = {
      get poses() { return poses; }, get view() { return view; }, get theme() { return T; }, get size() { return [w, h]; }, get directions() { return D; },
      get pixels() { return pixels; }, get renders() { return frames; }, get dark() { return T === themes.dark; },
      scene, shown, project, spot, ask, paint, back, arrow, png, svg, handle: null,
      look(azimuth, elevation) { view.azimuth = azimuth; view.elevation = elevation; ask(); },
      move(next) { poses = next; ask(); },
      ghosts(list) { ghosts = list; ask(); },
      tint(list) { tints = list; ask(); },  // colors of joints: {number of the joint: [red, green, blue]}
      select(link) { scene.select = link; ask(); },
      toggle(name) { shown[name] = !shown[name]; ask(); return shown[name]; },
      over(draw) { overlays.push(draw); ask(); },
      dress(night) { T = night ? themes.dark : themes.light; ask(); },
    };
    paint();
    return self;
  };

  // A pen that writes SVG elements in place of pixels; only what the overlays use.
  function recorder(real) {
    const state = { strokeStyle: "#000", fillStyle: "#000", lineWidth: 1, globalAlpha: 1, font: "12px sans-serif", lineJoin: "miter", lineCap: "butt", textAlign: "left" };
    const elements = [];
    let way = "", dashes = [];
    const escaped = (text) => String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;");
    const round = (x) => +x.toFixed(2);
    const look = () => (state.globalAlpha < 1 ? ` opacity="${state.globalAlpha}"` : "");
    const words = (text, x, y, ink) => {
      const [, weight, size] = /^(\d+)?\s*([\d.]+)px/.exec(state.font) || [0, 400, 12];
      elements.push(`<text x="${round(x)}" y="${round(y)}" font-size="${size}" font-weight="${weight || 400}" ${ink}${look()}>${escaped(text)}</text>`);
    };
    return Object.assign(state, {
      elements,
      measureText: (text) => { real.font = state.font; return real.measureText(text); },
      setTransform() {}, clearRect() {}, save() {}, restore() {},
      setLineDash(list) { dashes = list; },
      beginPath() { way = ""; },
      moveTo(x, y) { way += `M${round(x)} ${round(y)}`; },
      lineTo(x, y) { way += `${way ? "L" : "M"}${round(x)} ${round(y)}`; },
      closePath() { way += "Z"; },
      arc(x, y, r) { way += `M${round(x - r)} ${round(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`; },
      stroke() { elements.push(`<path d="${way}" fill="none" stroke="${state.strokeStyle}" stroke-width="${state.lineWidth}"${dashes.length ? ` stroke-dasharray="${dashes}"` : ""}${look()}/>`); },
      fill() { elements.push(`<path d="${way}" fill="${state.fillStyle}"${look()}/>`); },
      strokeText(text, x, y) { words(text, x, y, `fill="none" stroke="${state.strokeStyle}" stroke-width="${state.lineWidth}" stroke-linejoin="round"`); },
      fillText(text, x, y) { words(text, x, y, `fill="${state.fillStyle}"`); },
    });
  }

  // A ring and three arrows at a frame: the ring moves in the plane of the view, an arrow along its axis; Shift turns.
  home.robosymHandle = function (view, frame, onGoal, release) {
    const colors = () => ["x", "y", "z"].map((axis) => "#" + view.theme[axis]);
    const column = (P, k) => [P[k], P[4 + k], P[8 + k]];
    const tips = (P) => [0, 1, 2].map((k) => view.project(add(origin(P), mul(column(P, k), 0.17 * view.scene.reach))));
    let goal = null;
    const part = (x, y) => {
      const P = view.poses[frame], a = view.project(origin(P));
      if (Math.hypot(x - a[0], y - a[1]) < 15) return "ring";
      const k = tips(P).findIndex((b) => Math.hypot(x - b[0], y - b[1]) < 12);
      return k < 0 ? null : k;
    };
    view.handle = {
      get frame() { return frame; },
      set frame(j) { frame = j; view.ask(); },
      near: (x, y) => part(x, y) !== null,
      release() { goal = null; view.ask(); release?.(); },
      grab(x0, y0) {
        const what = part(x0, y0);
        if (what === null) return null;
        const first = [...view.poses[frame]];
        return (x, y, turns) => {
          const [right, above, toward] = view.directions, P = [...first], [dx, dy] = [(x - x0) / view.pixels, (y - y0) / view.pixels];
          let by = sub(mul(right, dx), mul(above, dy));
          if (turns && what === "ring") {
            by = [0, 0, 0];
            [0, 1, 2].forEach((k) => {
              const v = rotated(rotated(column(first, k), right, 0.008 * (y - y0)), above, 0.008 * (x - x0));
              [P[k], P[4 + k], P[8 + k]] = v;
            });
          } else if (what !== "ring") {
            const axis = column(first, what), flat = sub(axis, mul(toward, dot(axis, toward)));
            by = mul(axis, dot(by, flat) / Math.max(0.05, dot(flat, flat)));
          }
          [3, 7, 11].forEach((at, k) => { P[at] += by[k]; });
          goal = origin(P);
          onGoal(P);
        };
      },
    };
    view.over((pen) => {
      const P = view.poses[frame];
      if (!P) return;
      const a = view.project(origin(P)), ink = colors();
      tips(P).forEach((b, k) => view.arrow(pen, a, b, ink[k], 2.2));
      if (goal) {
        pen.setLineDash([3, 3]);
        pen.strokeStyle = "#" + view.theme.error;
        pen.lineWidth = 1.5;
        pen.beginPath(); pen.moveTo(...a); pen.lineTo(...view.project(goal)); pen.stroke();
        pen.setLineDash([]);
      }
      pen.beginPath();
      pen.arc(a[0], a[1], 8, 0, 7);
      pen.fillStyle = "#" + view.theme.ground[0];
      pen.fill();
      pen.lineWidth = 2.4;
      pen.strokeStyle = "#" + view.theme.chosen;
      pen.stroke();
    });
    return view.handle;
  };
  function rotated(v, axis, angle) {
    const c = Math.cos(angle), s = Math.sin(angle);
    return add(add(mul(v, c), mul(cross(axis, v), s)), mul(axis, dot(axis, v) * (1 - c)));
  }
})(globalThis);
