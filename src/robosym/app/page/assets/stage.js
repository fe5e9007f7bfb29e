// The 3D view: draws a scene of robosym.drawing with three.js; lines and names are on a canvas above it.
// Sliders and the handle move the robot here; the server only receives the joints. Drag rotates, Shift or the right button pans, the wheel zooms; arrows, + - 0 work too.
import { THREE } from "nicegui-scene";

const { Vector3, Matrix4 } = THREE;
const FIELD = 24, SHADOW = 144, BAR = 40;
const SLOW = 34, COARSE = 0.7, REST = 200;  // ms per frame above which moving pictures are coarser, and idle ms after which they are fine again
const clamp = (x, a, b) => Math.min(b, Math.max(a, x));
const TELLING = 80, ARRIVING = 0.6;  // ms between two messages to the server, and seconds for the last step towards a goal
const DASHES = { axis: [9, 3, 2, 3] };

function poseMatrix(P) {
  return new Matrix4().set(P[0], P[1], P[2], P[3], P[4], P[5], P[6], P[7], P[8], P[9], P[10], P[11], 0, 0, 0, 1);
}
function across(axis) {
  const least = axis.toArray().map(Math.abs), helper = [0, 0, 0];
  helper[least.indexOf(Math.min(...least))] = 1;
  return new Vector3().crossVectors(axis, new Vector3(...helper)).normalize();
}

// ------------------------------------------------------------------------------------------------ shapes of unit length
function rings(profile, sides) {  // a body of revolution about z: bands between pairs of rings, and two caps
  const at = [], normals = [], index = [];
  const ring = (r, z, nr, nz) => { const first = at.length / 3; for (let k = 0; k < sides; k++) { const t = 2 * Math.PI * k / sides, c = Math.cos(t), s = Math.sin(t); at.push(r * c, r * s, z); normals.push(nr * c, nr * s, nz); } return first; };
  profile.forEach(([ra, za, rb, zb]) => {
    const long = Math.hypot(rb - ra, zb - za) || 1, nr = (zb - za) / long, nz = (ra - rb) / long, a = ring(ra, za, nr, nz), b = ring(rb, zb, nr, nz);
    for (let k = 0; k < sides; k++) { const n = (k + 1) % sides; index.push(a + k, a + n, b + n, a + k, b + n, b + k); }
  });
  const lid = (r, z, up) => { const a = ring(r, z, 0, up); for (let k = 1; k + 1 < sides; k++) up > 0 ? index.push(a, a + k, a + k + 1) : index.push(a, a + k + 1, a + k); };
  lid(profile[0][0], profile[0][1], -1);
  lid(profile[profile.length - 1][2], profile[profile.length - 1][3], 1);
  const made = new THREE.BufferGeometry();
  made.setAttribute("position", new THREE.Float32BufferAttribute(at, 3));
  made.setAttribute("normal", new THREE.Float32BufferAttribute(normals, 3));
  made.setIndex(index);
  return made;
}
function tube(solid, length, reach) {
  const { radius: a, end: b, tone } = solid, thick = Math.max(a, b) / reach, sides = thick > 0.03 ? 28 : thick > 0.012 ? 18 : 12;
  if (tone === "link") return rings([[a, 0, b, 1]], sides);
  const bevel = Math.min(0.1 * Math.min(a, b), 0.2 * length), z = bevel / length;  // rims that reflect light
  return rings([[a - bevel, 0, a, z], [a, z, b, 1 - z], [b, 1 - z, b - bevel, 1]], sides);
}
function plate(solid) {
  const n = new Vector3(...solid.normal), rim = solid.rim.map((p) => new Vector3(...p)), at = [], normals = [];
  const center = rim.reduce((s, p) => s.add(p), new Vector3()).multiplyScalar(1 / rim.length);
  const top = rim.map((p) => p.clone().addScaledVector(n, solid.radius)), low = rim.map((p) => p.clone().addScaledVector(n, -solid.radius));
  const face = (a, b, c, m) => {
    const flipped = new Vector3().crossVectors(b.clone().sub(a), c.clone().sub(a)).dot(m) < 0;
    (flipped ? [a, c, b] : [a, b, c]).forEach((p) => { at.push(p.x, p.y, p.z); normals.push(m.x, m.y, m.z); });
  };
  const back = n.clone().negate();
  for (let k = 1; k + 1 < rim.length; k++) { face(top[0], top[k], top[k + 1], n); face(low[0], low[k], low[k + 1], back); }
  rim.forEach((p, k) => {
    const m = (k + 1) % rim.length, side = new Vector3().crossVectors(rim[m].clone().sub(p), n).normalize();
    if (side.dot(p.clone().sub(center)) < 0) side.negate();
    face(top[k], top[m], low[m], side);
    face(top[k], low[m], low[k], side);
  });
  const made = new THREE.BufferGeometry();
  made.setAttribute("position", new THREE.Float32BufferAttribute(at, 3));
  made.setAttribute("normal", new THREE.Float32BufferAttribute(normals, 3));
  return made;
}
function ends(solid, frames) {
  return solid.spots.map((spot) => new Vector3(...spot.at).applyMatrix4(frames[spot.frame]));
}
function shape(solid, frames, reach) {
  if (solid.kind === "ball") return solid.radius > 0.03 * reach ? new THREE.SphereGeometry(solid.radius, 24, 16) : new THREE.SphereGeometry(solid.radius, 14, 10);
  if (solid.kind === "plate") return solid.rim ? plate(solid) : null;
  if (solid.kind === "box") { const made = new THREE.BoxGeometry(2 * solid.radius, 2 * solid.radius, 1); made.translate(0, 0, 0.5); return made; }
  const [a, b] = ends(solid, frames);
  return tube(solid, Math.max(a.distanceTo(b), 1e-4), reach);
}
function place(matrix, solid, frames) {  // place a solid by the poses; false if it has no extent
  if (solid.kind === "plate") { matrix.copy(frames[solid.spots[0].frame]); return true; }
  const [a, b] = ends(solid, frames);
  if (solid.kind === "ball") { matrix.makeTranslation(a.x, a.y, a.z); return true; }
  const axis = b.clone().sub(a), length = axis.length();
  if (length < 1e-9) return false;
  axis.multiplyScalar(1 / length);
  let x;
  if (solid.kind === "box") {
    x = new Vector3(...solid.side).transformDirection(frames[solid.spots[0].frame]);
    x.addScaledVector(axis, -x.dot(axis));
    x = x.lengthSq() < 1e-12 ? across(axis) : x.normalize();
  } else x = across(axis);
  matrix.makeBasis(x, new Vector3().crossVectors(axis, x), axis.clone().multiplyScalar(length));
  matrix.setPosition(a);
  return true;
}

function drawnBySoftware() {
  const gl = document.createElement("canvas").getContext("webgl2"), told = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = told ? gl.getParameter(told.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

const BLUR = `uniform sampler2D map; uniform vec2 way; varying vec2 at;
void main() { float s = 0.0; for (int k = -3; k <= 3; k++) { float w = exp(-float(k * k) / 4.5); s += w * texture2D(map, at + float(k) * way).a; }
  gl_FragColor = vec4(0.0, 0.0, 0.0, s / 3.65); }`;
const PLAIN = "varying vec2 at; void main() { at = uv; gl_Position = vec4(position.xy, 0.0, 1.0); }";

export default {
  template: `<div class="stage"><canvas class="solids"></canvas><canvas class="over" tabindex="0" role="img" :aria-label="label"></canvas>
    <div v-if="lost" class="stage-lost">{{ lost }}</div></div>`,
  props: { scene: Object, tones: Object, label: String, shown: Object, leads: Boolean, letters: Array },
  data: () => ({ lost: "" }),
  mounted() {
    this.state = Object.assign({ names: true, axes: true, links: true, ghosts: true }, this.shown || {});
    this.leading = this.leads;
    this.solids = []; this.ghostGroups = []; this.tags = []; this.track = null; this.motion = null; this.fingers = new Map();
    this.selected = null; this.renders = 0; this.hover = null;
    [this.canvas, this.over] = this.$el.querySelectorAll("canvas");
    this.pen = this.over.getContext("2d");
    try {
      // antialiasing is slow without a graphics card: then a still picture is drawn at twice the resolution instead
      this.software = drawnBySoftware();
      this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, antialias: !this.software, alpha: true, powerPreference: "high-performance" });
    } catch {
      this.lost = "This browser does not support WebGL, so there is no 3D picture. Tables and sliders work without it.";
      if (this.scene && this.scene.mechanism) this.know(this.scene);
      return;
    }
    this.renderer.autoClear = false;
    this.world = new THREE.Scene();
    this.root = new THREE.Group();
    this.root.matrixAutoUpdate = false;
    this.world.add(this.root);
    this.floorGroup = new THREE.Group();
    this.world.add(this.floorGroup);
    this.camera = new THREE.PerspectiveCamera(FIELD, 1, 0.01, 100);
    this.sun = new THREE.DirectionalLight(0xffffff, 1.55);
    this.sky = new THREE.HemisphereLight(0xffffff, 0x8b94a6, 1.75);
    this.fill = new THREE.DirectionalLight(0xffffff, 0.35);
    this.world.add(this.sky, this.sun, this.sun.target, this.fill, this.fill.target);
    this.materials();
    this.makeShadow();
    this.hands();
    this.canvas.addEventListener("webglcontextlost", (e) => { e.preventDefault(); this.lost = "The browser discarded the 3D picture: reload the page."; });
    this.themed = () => { this.materials(); this.paintSolids(); this.makeFloor(); this.dirty = true; this.ask(); };
    window.addEventListener("robosym-theme", this.themed);
    this.sized = new ResizeObserver(() => this.ask());
    this.sized.observe(this.$el);
    this.$el.stage = this;  // for tests and measurements
    if (this.scene && this.scene.solids) this.show(this.scene);
  },
  unmounted() {
    window.removeEventListener("robosym-theme", this.themed);
    this.sized?.disconnect();
    clearTimeout(this.telling);
    this.stop();
    this.clear();
    this.renderer?.dispose();
    this.renderer?.forceContextLoss();
  },
  methods: {
    // ---------------------------------------------------------------------------------------- colors
    token(name) { return getComputedStyle(this.$el).getPropertyValue(name).trim() || "#888888"; },
    materials() {
      const dark = document.documentElement.dataset.theme === "dark";
      this.ink = Object.fromEntries([["x", "--ax-x"], ["y", "--ax-y"], ["z", "--ax-z"], ["chosen", "--accent"], ["text", "--text"], ["quiet", "--text-3"],
        ["ground", "--view-a"], ["grid", "--grid"], ["grid0", "--grid-0"], ["surface", "--surface"], ["edge", "--line-2"], ["onAccent", "--on-accent"], ["error", "--error"], ["second", "--text-2"]]
        .map(([key, name]) => [key, this.token(name)]));
      const tones = (this.tones || {})[dark ? "dark" : "light"] || { link: "E8EBF0", joint: "6E7A8D", base: "5D687A", platform: "DDE1F2" };
      Object.values(this.paint || {}).forEach((one) => one.dispose());
      const solid = (color) => new THREE.MeshPhongMaterial({ color, specular: 0x30343c, shininess: 26 });
      this.paint = Object.fromEntries(Object.entries(tones).map(([tone, hex]) => [tone, solid("#" + hex)]));
      this.paint.chosen = solid(this.ink.chosen);
      const grey = dark ? 0x8d97a9 : 0x9aa3b2;
      this.paint.ghost = new THREE.MeshLambertMaterial({ color: grey, transparent: true, opacity: 0.34, depthWrite: false, depthFunc: THREE.LessEqualDepth });
      this.paint.depth = new THREE.MeshBasicMaterial({ colorWrite: false, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 4 });
      this.paint.shadow = new THREE.MeshBasicMaterial({ color: 0x000000, side: THREE.DoubleSide });
      this.sun.intensity = dark ? 1.35 : 1.55;
      this.sky.intensity = dark ? 1.25 : 1.75;
      this.depthOfShadow = dark ? 0.5 : 0.17;
      if (this.shadowPlane) this.shadowPlane.material.opacity = this.depthOfShadow;
    },
    paintSolids() {
      this.solids.forEach(({ solid, mesh }) => {
        const chosen = this.selected !== null && solid.link === this.selected && solid.tone !== "base";
        const tint = this.tints?.[solid.joint];
        if (tint) { mesh.own ||= this.paint.joint.clone(); mesh.own.color.setRGB(...tint, THREE.SRGBColorSpace); }
        mesh.material = tint ? mesh.own : this.paint[chosen ? "chosen" : solid.tone] || this.paint.link;
      });
      this.ghostGroups.forEach((g) => g.meshes.forEach(({ mesh, before }) => { mesh.material = this.paint.ghost; before.material = this.paint.depth; }));
    },

    // ---------------------------------------------------------------------------------------- scene
    clear() {
      this.solids.forEach(({ mesh }) => { this.root.remove(mesh); mesh.geometry.dispose(); });
      this.solids = [];
      this.setGhosts([]);
    },
    know(data) {  // the mechanism also moves without a picture
      this.mechanism = new robosymKinematics.Mechanism(data.mechanism);
      this.q = this.mechanism.position(data.joints);
    },
    show(data, keep) {
      if (!this.renderer) { this.know(data); return; }
      this.clear();
      const before = this.data;
      this.data = data;
      this.know(data);
      this.poses = data.poses;
      this.frames = data.poses.map(poseMatrix);
      data.solids.forEach((solid) => {
        const made = shape(solid, this.frames, data.reach);
        if (!made) return;
        const mesh = new THREE.Mesh(made, this.paint[solid.tone]);
        mesh.matrixAutoUpdate = false;
        mesh.frustumCulled = false;
        this.root.add(mesh);
        this.solids.push({ solid, mesh });
      });
      this.up = new Vector3(...data.up);
      const level = Math.abs(data.up[0]) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
      this.e1 = level.addScaledVector(this.up, -level.dot(this.up)).normalize();
      this.e2 = new Vector3().crossVectors(this.up, this.e1);
      const s = data.start;
      this.homeView = { azimuth: s.azimuth, elevation: s.elevation, zoom: 1, center: new Vector3(...s.center) };
      if (!keep || !this.view || !before || before.name !== data.name) this.view = { ...this.homeView, center: this.homeView.center.clone() };
      this.put();
      this.paintSolids();
      this.makeFloor();
      this.ask();
    },
    put() {
      this.solids.forEach(({ solid, mesh }) => {
        mesh.visible = this.state.links && place(mesh.matrix, solid, this.frames);
        mesh.matrixWorldNeedsUpdate = true;
      });
      this.dirty = true;
    },
    move(poses, gaps, joints) {
      if (this.grabbed) return;  // the pointer is ahead of the server
      if (joints) this.q = this.mechanism.position(joints);
      this.pose(poses, gaps);
    },
    pose(poses, gaps) {
      if (!this.renderer || !this.data) return;
      this.poses = poses;
      this.frames = poses.map(poseMatrix);
      this.data.gaps = gaps || [];
      this.put();
      this.ask();
      window.dispatchEvent(new CustomEvent("robosym-posture", { detail: { stage: this.$el, values: this.values() } }));
    },
    stand(q, note) {
      this.q = q;
      this.pose(this.mechanism.poses(q));
      this.news = { joints: this.values(), note };
      this.telling ||= setTimeout(() => { this.telling = null; this.$emit("moved", this.news); }, TELLING);
    },
    values() { return this.mechanism.values(this.q); },
    place(wanted) {
      const found = this.mechanism.place(this.q, wanted);
      this.stand(found.q, found.arrived ? "" : `${Object.keys(wanted).join(", ")} stops here, because the loops cannot be closed beyond`);
    },
    follow(goal, seconds) {  // inverse kinematics towards a pose of the flange
      const found = this.mechanism.lead(this.q, this.data.flange, goal, { seconds });
      this.stand(found.q, found.error < 1e-6 || seconds < ARRIVING ? "" : "out of reach: the robot is at the closest pose");
    },
    tint(colors) { this.tints = colors; this.paintSolids(); this.ask(); },  // of joints, by number
    select(link) { this.selected = link; this.paintSolids(); this.ask(); },
    toggle(what, on) { this.state[what] = on; if (what === "links") this.put(); this.ask(); },
    lead(on) { this.leading = on; this.ask(); },
    flange(frame) { if (this.data) this.data.flange = frame; this.ask(); },
    setGhosts(list, tags) {
      this.ghostGroups.forEach((g) => g.meshes.forEach(({ mesh, before }) => this.root.remove(mesh, before)));
      this.ghostGroups = (list || []).map((ghost, number) => {
        const frames = ghost.poses.map(poseMatrix), meshes = [];
        this.solids.forEach(({ solid, mesh: like }) => {
          if (solid.link === 0) return;
          const mesh = new THREE.Mesh(like.geometry, this.paint.ghost), before = new THREE.Mesh(like.geometry, this.paint.depth);
          [before, mesh].forEach((one, k) => { one.matrixAutoUpdate = false; one.frustumCulled = false; one.renderOrder = 10 + 2 * number + k; });
          if (!place(mesh.matrix, solid, frames)) return;
          before.matrix.copy(mesh.matrix);
          this.root.add(before, mesh);
          meshes.push({ mesh, before });
        });
        return { meshes, poses: ghost.poses };
      });
      this.tags = tags || [];
      this.dirty = true;
      this.ask();
    },
    trace(points) { this.track = points && points.length ? points : null; this.ask(); },

    // ---------------------------------------------------------------------------------------- floor and shadow
    makeFloor() {
      this.floorGroup.children.slice().forEach((one) => { if (one !== this.shadowPlane) { this.floorGroup.remove(one); one.geometry.dispose(); one.material.dispose(); } });
      const d = this.data;
      if (!d || d.floor === null) return;
      const s = d.spacing, half = s * Math.ceil(1.25 * d.reach / s), o = this.up.clone().multiplyScalar(d.floor);
      o.addScaledVector(this.e1, d.middle[0]).addScaledVector(this.e2, d.middle[1]);
      const at = [], colors = [], plain = new THREE.Color(this.ink.grid), strong = new THREE.Color(this.ink.grid0);
      const count = Math.round(half / s);
      const vertex = (i, j, color) => {
        const far = Math.hypot(i, j) / count, p = o.clone().addScaledVector(this.e1, i * s).addScaledVector(this.e2, j * s);
        at.push(p.x, p.y, p.z);
        colors.push(color.r, color.g, color.b, clamp(1.35 - 1.3 * far, 0, 1));
      };
      const zero = [-Math.round(d.middle[0] / s), -Math.round(d.middle[1] / s)];
      for (let k = -count; k <= count; k++) for (let m = -count; m < count; m++) {
        const one = k === zero[1] ? strong : plain, two = k === zero[0] ? strong : plain;
        vertex(m, k, one); vertex(m + 1, k, one); vertex(k, m, two); vertex(k, m + 1, two);
      }
      const lines = new THREE.BufferGeometry();
      lines.setAttribute("position", new THREE.Float32BufferAttribute(at, 3));
      lines.setAttribute("color", new THREE.Float32BufferAttribute(colors, 4));
      const grid = new THREE.LineSegments(lines, new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
      grid.renderOrder = -2;
      this.floorGroup.add(grid);
      this.floorHalf = 1.5 * d.reach;
      this.floorAt = this.up.clone().multiplyScalar(d.floor).addScaledVector(this.e1, d.middle[0]).addScaledVector(this.e2, d.middle[1]);
      const basis = new Matrix4().makeBasis(this.e1, this.e2, this.up);
      this.shadowPlane.matrix.copy(basis).scale(new Vector3(2 * this.floorHalf, 2 * this.floorHalf, 1)).setPosition(this.floorAt);
      this.floorGroup.add(this.shadowPlane);
      const c = this.shadowCamera;
      [c.left, c.right, c.bottom, c.top] = [-this.floorHalf, this.floorHalf, -this.floorHalf, this.floorHalf];
      c.near = 0; c.far = 4 * d.reach;
      c.matrixAutoUpdate = false;
      c.matrix.copy(basis).setPosition(this.floorAt.clone().addScaledVector(this.up, 2 * d.reach));
      c.matrixWorld.copy(c.matrix);
      c.matrixWorldInverse.copy(c.matrix).invert();
      c.updateProjectionMatrix();
    },
    makeShadow() {
      const target = () => new THREE.WebGLRenderTarget(SHADOW, SHADOW, { depthBuffer: false });
      [this.shadowA, this.shadowB] = [target(), target()];
      this.shadowCamera = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 4);
      this.blur = new THREE.ShaderMaterial({ uniforms: { map: { value: null }, way: { value: new THREE.Vector2() } }, vertexShader: PLAIN, fragmentShader: BLUR, depthTest: false, depthWrite: false, blending: THREE.NoBlending });
      this.blurScene = new THREE.Scene();
      this.blurScene.add(new THREE.Mesh(new THREE.PlaneGeometry(2, 2), this.blur));
      this.blurScene.children[0].frustumCulled = false;
      this.shadowPlane = new THREE.Mesh(new THREE.PlaneGeometry(1, 1), new THREE.MeshBasicMaterial({ map: this.shadowA.texture, transparent: true, opacity: this.depthOfShadow, depthWrite: false }));
      this.shadowPlane.matrixAutoUpdate = false;
      this.shadowPlane.renderOrder = -1;
    },
    castShadow() {
      const d = this.data, r = this.renderer;
      if (d.floor === null) return;
      // everything projected onto the floor, slightly to the right in the initial view
      const lean = this.e1.clone().multiplyScalar(0.16 * Math.cos((this.homeView.azimuth + 90) * Math.PI / 180)).addScaledVector(this.e2, 0.16 * Math.sin((this.homeView.azimuth + 90) * Math.PI / 180));
      const u = this.up, k = lean.clone().sub(u), f = d.floor;
      const flat = new Matrix4().set(
        1 + k.x * u.x, k.x * u.y, k.x * u.z, -f * k.x, k.y * u.x, 1 + k.y * u.y, k.y * u.z, -f * k.y,
        k.z * u.x, k.z * u.y, 1 + k.z * u.z, -f * k.z, 0, 0, 0, 1);
      this.root.matrix.copy(flat);
      this.root.updateMatrixWorld(true);
      this.floorGroup.visible = false;
      this.ghostGroups.forEach((g) => g.meshes.forEach(({ mesh, before }) => { mesh.visible = before.visible = false; }));
      this.world.overrideMaterial = this.paint.shadow;
      r.setClearColor(0x000000, 0);
      r.setRenderTarget(this.shadowA);
      r.clear();
      r.render(this.world, this.shadowCamera);
      this.world.overrideMaterial = null;
      this.floorGroup.visible = true;
      const step = 1 / SHADOW;
      [[this.shadowA, this.shadowB, step, 0], [this.shadowB, this.shadowA, 0, step]].forEach(([from, to, x, y]) => {
        this.blur.uniforms.map.value = from.texture;
        this.blur.uniforms.way.value.set(x, y);
        r.setRenderTarget(to);
        r.clear();
        r.render(this.blurScene, this.shadowCamera);
      });
      r.setRenderTarget(null);
      this.root.matrix.identity();
      this.root.updateMatrixWorld(true);
    },

    // ---------------------------------------------------------------------------------------- view
    directions() {
      const a = this.view.azimuth * Math.PI / 180, e = this.view.elevation * Math.PI / 180;
      const ahead = this.e1.clone().multiplyScalar(Math.cos(a)).addScaledVector(this.e2, Math.sin(a));
      const toward = ahead.clone().multiplyScalar(Math.cos(e)).addScaledVector(this.up, Math.sin(e));
      const above = this.up.clone().multiplyScalar(Math.cos(e)).addScaledVector(ahead, -Math.sin(e));
      return [new Vector3().crossVectors(above, toward), above, toward];
    },
    aim() {
      const [right, above, toward] = (this.D = this.directions()), s = this.data.start;
      const room = Math.max(this.h - BAR, 0.6 * this.h);  // below the buttons
      this.pixels = s.scale * Math.min(this.w / s.width, room / s.height) * this.view.zoom;
      const far = this.h / (2 * Math.tan(FIELD * Math.PI / 360) * this.pixels);
      const c = this.camera;
      c.aspect = this.w / this.h;
      c.near = Math.max(0.02 * far, far - 3 * this.data.reach);
      c.far = far + 6 * this.data.reach;
      c.matrixAutoUpdate = false;
      c.matrix.makeBasis(right, above, toward).setPosition(this.view.center.clone().addScaledVector(toward, far).addScaledVector(above, (this.h - room) / (2 * this.pixels)));
      c.matrixWorld.copy(c.matrix);
      c.matrixWorldInverse.copy(c.matrix).invert();
      c.updateProjectionMatrix();
      const from = (x, y, z) => this.view.center.clone().addScaledVector(right, x).addScaledVector(above, y).addScaledVector(toward, z);
      this.sun.position.copy(from(-0.42, 0.68, 0.6)); this.sun.target.position.copy(this.view.center);
      this.fill.position.copy(from(0.8, -0.1, 0.5)); this.fill.target.position.copy(this.view.center);
      [this.sun, this.fill].forEach((one) => { one.updateMatrixWorld(); one.target.updateMatrixWorld(); });
      this.sky.position.copy(this.up); this.sky.updateMatrixWorld();
    },
    project(p) {
      const v = (p.isVector3 ? p.clone() : new Vector3(...p)).project(this.camera);
      return [(v.x + 1) * this.w / 2, (1 - v.y) * this.h / 2];
    },
    ask() {
      if (this.wanted || !this.renderer) return;
      this.wanted = true;
      requestAnimationFrame(() => { this.wanted = false; this.draw(); });
    },
    draw() {
      if (!this.data || !this.$el.isConnected) return;
      const ratio = window.devicePixelRatio || 1, w = this.$el.clientWidth, h = this.$el.clientHeight;
      if (!w || !h) return;
      const begin = performance.now(), between = begin - (this.last || 0), moves = between < REST && !this.fine;
      this.last = begin;
      this.fine = false;
      if (moves) this.pace = this.pace === undefined ? between : 0.7 * this.pace + 0.3 * between;
      const detail = moves ? (this.pace > SLOW ? COARSE : 1) : this.software ? 2 : 1;
      if (w !== this.w || h !== this.h || ratio !== this.ratio || (detail !== this.detail && (!moves || detail < this.detail))) {
        Object.assign(this, { w, h, ratio, detail });
        this.renderer.setPixelRatio(detail * ratio);
        this.renderer.setSize(w, h, false);
        this.over.width = Math.round(w * ratio);
        this.over.height = Math.round(h * ratio);
      }
      this.aim();
      if (this.dirty && !(moves && this.pace > SLOW && this.renders % 3)) { this.castShadow(); this.dirty = false; }
      this.ghostGroups.forEach((g) => g.meshes.forEach(({ mesh, before }) => { mesh.visible = before.visible = this.state.ghosts && this.state.links; }));
      this.floorGroup.visible = this.data.floor !== null && this.D[2].dot(this.up) > 0.02;
      this.renderer.setClearColor(0x000000, 0);
      this.renderer.clear();
      this.renderer.render(this.world, this.camera);
      this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
      this.pen.clearRect(0, 0, w, h);
      this.write();
      this.renders += 1;
      clearTimeout(this.rest);
      if (moves) this.rest = setTimeout(() => { this.fine = true; this.ask(); }, REST);
    },

    // ---------------------------------------------------------------------------------------- lines and names
    arrow(a, b, ink, width) {
      const pen = this.pen, l = Math.hypot(b[0] - a[0], b[1] - a[1]);
      pen.strokeStyle = pen.fillStyle = ink;
      pen.lineWidth = width;
      pen.lineCap = "round";
      if (l < 9) { pen.beginPath(); pen.arc(a[0], a[1], 4, 0, 7); pen.stroke(); pen.beginPath(); pen.arc(a[0], a[1], 1.5, 0, 7); pen.fill(); return; }
      const u = [(b[0] - a[0]) / l, (b[1] - a[1]) / l], s = Math.min(4 + 2.2 * width, 0.8 * l), c = [b[0] - s * u[0], b[1] - s * u[1]];
      pen.beginPath(); pen.moveTo(...a); pen.lineTo(...c); pen.stroke();
      pen.beginPath(); pen.moveTo(...b); pen.lineTo(c[0] - 0.36 * s * u[1], c[1] + 0.36 * s * u[0]);
      pen.lineTo(c[0] + 0.36 * s * u[1], c[1] - 0.36 * s * u[0]); pen.fill();
    },
    line(a, b, ink, width, dashes, alpha) {
      const pen = this.pen;
      pen.setLineDash(dashes || []); pen.globalAlpha = alpha || 1; pen.strokeStyle = ink; pen.lineWidth = width;
      pen.beginPath(); pen.moveTo(...a); pen.lineTo(...b); pen.stroke();
      pen.setLineDash([]); pen.globalAlpha = 1;
    },
    origin(j) { const P = this.poses[j]; return new Vector3(P[3], P[7], P[11]); },
    column(j, k) { const P = this.poses[j]; return new Vector3(P[k], P[4 + k], P[8 + k]); },
    called(j) { return this.data.labels ? this.data.labels[j] ?? "" : String(j); },
    spot(s) { return new Vector3(...s.at).applyMatrix4(this.frames[s.frame]); },
    write() {
      const { data: d, pen, ink, state } = this, taken = [], labels = [], reach = d.reach;
      if (this.track) {
        pen.strokeStyle = ink.chosen; pen.globalAlpha = 0.65; pen.lineWidth = 1.5; pen.lineJoin = "round";
        pen.beginPath(); this.track.forEach((p) => pen.lineTo(...this.project(p))); pen.stroke(); pen.globalAlpha = 1;
      }
      d.axes.forEach((line) => {
        const chosen = line.joint === this.selected;
        if (!chosen) return;
        const a = this.spot(line.start), b = this.spot(line.end), way = b.clone().sub(a).normalize().multiplyScalar(0.22 * reach);
        this.line(this.project(a.clone().sub(way)), this.project(b.clone().add(way)), ink.chosen, 1.2, DASHES.axis, 0.9);
      });
      (d.gaps || []).forEach(([cut, fixed]) => this.line(this.project(this.origin(cut)), this.project(this.origin(fixed)), ink.error, 2, [4, 3]));
      const groups = new Map(), bold = this.selected;
      const marked = state.axes ? new Set(d.marked) : new Set();
      if (bold) marked.add(bold);
      marked.forEach((j) => { if (j < this.poses.length) [0, 2].forEach((column) => {
        const o = this.origin(j), v = this.column(j, column);
        const key = [column, ...o.toArray().map((x) => Math.round(x / (1e-4 * reach))), ...v.toArray().map((x) => Math.round(1e3 * x))].join();
        if (!groups.has(key)) groups.set(key, { column, o, v, numbers: [] });
        groups.get(key).numbers.push(j);
      }); });
      groups.forEach(({ column, o, v, numbers }) => {
        const chosen = numbers.includes(bold), long = (chosen ? 0.16 : 0.12) * reach, a = this.project(o), b = this.project(o.clone().addScaledVector(v, long));
        const color = column ? ink.z : ink.x;
        pen.globalAlpha = chosen || !bold ? 1 : 0.8;
        this.arrow(a, b, color, chosen ? 2.2 : 1.4);
        pen.globalAlpha = 1;
        const spelled = (chosen ? [bold] : numbers).map((j) => this.called(j)).filter(Boolean);
        const index = spelled.length < 4 ? spelled.join(",") : `${spelled[0]}..${spelled[spelled.length - 1]}`;
        if (state.names && index) labels.push({ at: b, way: [b[0] - a[0], b[1] - a[1]], text: column ? "z" : "x", index, ink: color, size: 12, bold: chosen });
      });
      if (state.names) d.names.forEach((n) => {
        const at = this.project(this.spot(n.spot));
        labels.push({ at, way: [at[0] >= this.w / 2 ? 1 : -1, 0.1], text: n.text, index: "", ink: ink.quiet, size: 11.5 });
      });
      this.handle(labels);
      const corner = [38, this.h - 38];
      ["x", "y", "z"].forEach((letter, k) => {
        const u = new Vector3().setComponent(k, 1), way = [u.dot(this.D[0]), -u.dot(this.D[1])], tip = [corner[0] + 24 * way[0], corner[1] + 24 * way[1]];
        if (Math.hypot(...way) > 0.12) this.arrow(corner, tip, ink[letter], 1.4);
        labels.push({ at: tip, way, text: letter, index: "", ink: ink[letter], size: 11.5, fixed: true });
      });
      this.number(taken);
      this.chosenLabel(taken);
      labels.forEach((l) => this.spell(l, taken));
    },
    spell(l, taken) {
      const pen = this.pen, weight = l.bold ? 600 : 500, face = `${weight} ${l.size}px Inter, system-ui, sans-serif`, small = `${weight} ${0.74 * l.size}px Inter, system-ui, sans-serif`;
      pen.font = face;
      const wide = pen.measureText(l.text).width;
      pen.font = small;
      const all = wide + (l.index ? pen.measureText(l.index).width : 0), half = [all / 2 + 1.5, 0.6 * l.size], angle = Math.atan2(l.way[1], l.way[0]);
      let best = null, least = Infinity;
      for (const r of l.fixed ? [4] : [3, 9, 17, 27, 40]) for (const t of l.fixed ? [0] : [0, 0.5, -0.5, 1, -1, 1.6, -1.6, 2.3, -2.3, Math.PI]) {
        const p = [l.at[0] + Math.cos(angle + t) * (r + half[0]), l.at[1] + Math.sin(angle + t) * (r + half[1])];
        const box = [p[0] - half[0], p[1] - half[1], p[0] + half[0], p[1] + half[1]];
        let hit = 0;
        for (const b of taken) hit += Math.max(0, Math.min(box[2], b[2]) - Math.max(box[0], b[0])) * Math.max(0, Math.min(box[3], b[3]) - Math.max(box[1], b[1]));
        const outside = Math.max(0, 4 - box[0]) + Math.max(0, 4 - box[1]) + Math.max(0, box[2] + 4 - this.w) + Math.max(0, box[3] + 4 - this.h);
        const cost = 1.5 * hit + 0.35 * r + 2.2 * Math.abs(t) + 20 * outside;
        if (cost < least - 1e-6) { least = cost; best = { p, box }; }
      }
      taken.push(best.box);
      const x = best.p[0] - all / 2, y = best.p[1] + 0.34 * l.size;
      pen.lineJoin = "round"; pen.lineWidth = 3; pen.textAlign = "left"; pen.textBaseline = "alphabetic";
      for (const [way, color] of [["strokeText", this.ink.ground], ["fillText", l.ink]]) {
        pen.strokeStyle = pen.fillStyle = color;
        pen.font = face; pen[way](l.text, x, y);
        if (l.index) { pen.font = small; pen[way](l.index, x + wide, y + 3); }
      }
    },
    chip(at, text, on, taken) {  // a tag, moved away from the others
      const pen = this.pen;
      pen.font = "600 11px Inter, system-ui, sans-serif";
      const wide = Math.max(18, pen.measureText(text).width + (text.length > 2 ? 16 : 8)), tall = text.length > 2 ? 22 : 18;
      let best = at, least = Infinity;
      for (let ring = 0; ring < 6; ring++) for (let k = 0; k < (ring ? 8 : 1); k++) {
        const p = [at[0] + ring * (wide + 3) * 0.55 * Math.cos(k * Math.PI / 4), at[1] + ring * (tall + 3) * 0.55 * Math.sin(k * Math.PI / 4)];
        const box = [p[0] - wide / 2 - 1, p[1] - tall / 2 - 1, p[0] + wide / 2 + 1, p[1] + tall / 2 + 1];
        let hit = 0;
        for (const b of taken) hit += Math.max(0, Math.min(box[2], b[2]) - Math.max(box[0], b[0])) * Math.max(0, Math.min(box[3], b[3]) - Math.max(box[1], b[1]));
        const cost = hit + 3 * ring + 20 * (Math.max(0, 4 - box[0]) + Math.max(0, 4 - box[1]) + Math.max(0, box[2] + 4 - this.w) + Math.max(0, box[3] + 4 - this.h));
        if (cost < least) { least = cost; best = p; }
      }
      const [x, y] = [Math.round(best[0] - wide / 2) + 0.5, Math.round(best[1] - tall / 2) + 0.5];
      taken.push([x, y, x + wide, y + tall]);
      pen.beginPath(); pen.roundRect(x, y, wide, tall, 4);
      pen.fillStyle = on ? this.ink.chosen : this.ink.surface; pen.fill();
      pen.lineWidth = 1; pen.strokeStyle = on ? this.ink.chosen : this.ink.edge; pen.stroke();
      pen.fillStyle = on ? this.ink.onAccent : this.ink.second; pen.textAlign = "center"; pen.textBaseline = "middle";
      pen.fillText(text, x + wide / 2, y + tall / 2 + 0.5);
      pen.textAlign = "left"; pen.textBaseline = "alphabetic";
      return [x, y, x + wide, y + tall];
    },
    number(taken) {  // number tags of solutions, placed where they differ
      this.tagBoxes = [];
      if (!this.state.ghosts) return;
      this.tags.forEach((tag) => { if (!tag.on) this.tagBoxes.push([tag.tag, this.chip(this.project(tag.at), String(tag.tag), false, taken)]); });
      this.tags.forEach((tag) => { if (tag.on) this.tagBoxes.push([tag.tag, this.chip(this.project(tag.at), tag.tag ? String(tag.tag) : "out of reach", true, taken)]); });
    },
    chosenLabel(taken) {
      if (!this.selected || !this.state.names || this.selected >= this.poses.length) return;
      let sum = new Vector3(), count = 0;
      this.solids.forEach(({ solid }) => { if (solid.link === this.selected && solid.tone === "link") ends(solid, this.frames).forEach((p) => { sum.add(p); count++; }); });
      if (!count) { sum = this.origin(this.selected); count = 1; }
      const at = this.project(sum.multiplyScalar(1 / count));
      const name = this.called(this.selected);
      this.chip([at[0], at[1] - 34], name === "P" ? "Platform" : `Link ${name}`, true, taken);
    },
    handle(labels) {
      const j = this.data.flange;
      if (!j || j >= this.poses.length || !(this.leading || this.letters)) return;
      const o = this.origin(j), a = this.project(o), long = 0.17 * this.data.reach, pen = this.pen;
      const letters = this.letters || ["x", "y", "z"], colors = [this.ink.x, this.ink.y, this.ink.z];
      this.tips = [0, 1, 2].map((k) => this.project(o.clone().addScaledVector(this.column(j, k), long)));
      this.tips.forEach((b, k) => {
        this.arrow(a, b, colors[k], this.hover === k ? 3.2 : 2.2);
        labels.push({ at: b, way: [b[0] - a[0], b[1] - a[1]], text: letters[k], index: "", ink: colors[k], size: 12, bold: true });
      });
      if (!this.leading) return;
      if (this.goal) this.line(a, this.project(this.goal), this.ink.error, 1.5, [3, 3]);
      pen.beginPath(); pen.arc(a[0], a[1], this.hover === 3 ? 9 : 7, 0, 7);
      pen.fillStyle = this.ink.surface; pen.fill(); pen.lineWidth = 2.2; pen.strokeStyle = this.ink.chosen; pen.stroke();
    },

    // ---------------------------------------------------------------------------------------- pointer
    near(x, y) {  // the part of the handle under the pointer: the tip of an arrow, or the ball
      const j = this.data?.flange;
      if (!this.leading || !j || j >= this.poses.length) return null;
      const a = this.project(this.origin(j));
      if (Math.hypot(x - a[0], y - a[1]) < 13) return 3;
      const k = (this.tips || []).findIndex((b) => Math.hypot(x - b[0], y - b[1]) < 12);
      return k < 0 ? null : k;
    },
    onto(x, y, point) {  // intersection of the line of sight with the plane through a point, perpendicular to the view
      const ray = new THREE.Raycaster();
      ray.setFromCamera(new THREE.Vector2(2 * x / this.w - 1, 1 - 2 * y / this.h), this.camera);
      const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(this.D[2], point);
      return ray.ray.intersectPlane(plane, new Vector3());
    },
    pick(x, y) {
      const box = (this.tagBoxes || []).find(([, b]) => x >= b[0] && x <= b[2] && y >= b[1] && y <= b[3]);
      if (box) { this.$emit("tag", { tag: box[0] }); return; }
      const ray = new THREE.Raycaster();
      ray.setFromCamera(new THREE.Vector2(2 * x / this.w - 1, 1 - 2 * y / this.h), this.camera);
      const hit = ray.intersectObjects(this.solids.filter(({ mesh }) => mesh.visible).map(({ mesh }) => mesh), false)[0];
      const found = hit && this.solids.find(({ mesh }) => mesh === hit.object);
      this.$emit("pick", { link: found ? found.solid.link : 0 });
    },
    drag(x, y, shift) {
      const grab = this.grabbed, R = grab.frame.clone();
      let goal = grab.start.clone();
      if (shift && grab.part === 3) {
        const turn = new Matrix4().makeRotationAxis(this.D[1], 0.008 * (x - grab.x)).multiply(new Matrix4().makeRotationAxis(this.D[0], 0.008 * (y - grab.y)));
        R.premultiply(turn);
      } else {
        const moved = this.onto(x, y, grab.start).sub(this.onto(grab.x, grab.y, grab.start));
        if (grab.part === 3) goal.add(moved);
        else { const axis = new Vector3().setFromMatrixColumn(grab.frame, grab.part), flat = axis.clone().addScaledVector(this.D[2], -axis.dot(this.D[2])); goal.addScaledVector(axis, moved.dot(flat) / Math.max(0.05, flat.lengthSq())); }
      }
      this.goal = goal;
      const e = R.elements;
      this.pulled = [e[0], e[4], e[8], goal.x, e[1], e[5], e[9], goal.y, e[2], e[6], e[10], goal.z];
      this.follow(this.pulled, 0.014);
    },
    letGo() {
      if (this.pulled) this.follow(this.pulled, ARRIVING);
      this.grabbed = this.goal = this.pulled = null;
      clearTimeout(this.telling);
      this.telling = null;
      this.$emit("moved", { ...this.news, done: true });
      this.ask();
    },
    shift(dx, dy) { this.view.center.addScaledVector(this.D[0], -dx / this.pixels).addScaledVector(this.D[1], dy / this.pixels); },
    turn(dx, dy) { this.view.azimuth -= 0.4 * dx; this.view.elevation = clamp(this.view.elevation + 0.4 * dy, -90, 90); },
    zoom(by) { this.view.zoom = clamp(this.view.zoom * by, 0.15, 40); this.ask(); },
    home() { if (!this.data) return; this.view = { ...this.homeView, center: this.homeView.center.clone() }; this.ask(); },
    look(azimuth, elevation) { if (!this.data) return; this.view.azimuth = azimuth; this.view.elevation = elevation; this.ask(); },
    full() { const box = this.$el.closest(".view") || this.$el; if (document.fullscreenElement) document.exitFullscreen(); else box.requestFullscreen?.(); },
    hands() {
      const over = this.over, place = (e) => { const b = over.getBoundingClientRect(); return [e.clientX - b.left, e.clientY - b.top]; };
      over.addEventListener("pointerdown", (e) => {
        if (!this.data) return;
        over.setPointerCapture(e.pointerId);
        const [x, y] = place(e), part = this.near(x, y);
        this.fingers.set(e.pointerId, [x, y]);
        this.still = [x, y];
        if (part !== null && e.button === 0) {
          const j = this.data.flange;
          this.grabbed = { part, x, y, start: this.origin(j), frame: new Matrix4().extractRotation(this.frames[j]) };
        }
      });
      over.addEventListener("pointermove", (e) => {
        if (!this.data) return;
        const [x, y] = place(e), last = this.fingers.get(e.pointerId);
        if (!last) {
          const part = this.near(x, y);
          if (part !== this.hover) { this.hover = part; over.style.cursor = part === null ? "" : "move"; this.ask(); }
          return;
        }
        if (this.grabbed) { this.still = null; this.drag(x, y, e.shiftKey); this.fingers.set(e.pointerId, [x, y]); return; }
        if (this.still && Math.hypot(x - this.still[0], y - this.still[1]) < 4) return;
        this.still = null;
        const others = [...this.fingers].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
        if (others.length) {
          const far = (p) => Math.hypot(p[0] - others[0][0], p[1] - others[0][1]);
          this.view.zoom = clamp(this.view.zoom * far([x, y]) / (far(last) || 1), 0.15, 40);
          this.shift((x - last[0]) / 2, (y - last[1]) / 2);
        } else if (e.shiftKey || e.buttons & 6) this.shift(x - last[0], y - last[1]);
        else this.turn(x - last[0], y - last[1]);
        this.fingers.set(e.pointerId, [x, y]);
        this.ask();
      });
      ["pointerup", "pointercancel"].forEach((name) => over.addEventListener(name, (e) => {
        const last = this.fingers.get(e.pointerId);
        this.fingers.delete(e.pointerId);
        if (this.grabbed) this.letGo();
        else if (name === "pointerup" && this.still && last && e.button === 0) this.pick(...last);
        this.still = null;
      }));
      over.addEventListener("contextmenu", (e) => e.preventDefault());
      over.addEventListener("wheel", (e) => { e.preventDefault(); this.data && this.zoom(Math.exp(-0.0012 * e.deltaY)); }, { passive: false });
      over.addEventListener("dblclick", () => this.home());
      over.addEventListener("keydown", (e) => {
        if (!this.data || e.ctrlKey || e.altKey || e.metaKey) return;
        const turns = { ArrowLeft: [12, 0], ArrowRight: [-12, 0], ArrowUp: [0, -12], ArrowDown: [0, 12] }[e.key];
        if (turns) { this.turn(...turns); this.ask(); }
        else if (e.key === "+" || e.key === "=") this.zoom(1.15);
        else if (e.key === "-") this.zoom(1 / 1.15);
        else if (e.key === "0" || e.key === "Home") this.home();
        else return;
        e.preventDefault();
      });
    },

    // ---------------------------------------------------------------------------------------- playback
    film(t, poses, trace) {
      this.stop();
      this.motion = t && t.length ? { t, poses } : null;
      this.trace(trace);
      this.now = 0;
      if (!this.motion || !this.data) return;
      this.widen(poses);
      this.seek(0);
    },
    widen(poses) {  // the view contains the whole motion
      if (!this.w) this.draw();
      const [right, above, toward] = this.directions(), at = [[], [], []], s = this.data.start;
      poses.forEach((picture) => picture.forEach((P) => [right, above, toward].forEach((d, k) => at[k].push(P[3] * d.x + P[7] * d.y + P[11] * d.z))));
      const low = at.map((list) => list.reduce((a, b) => Math.min(a, b), Infinity)), high = at.map((list) => list.reduce((a, b) => Math.max(a, b), -Infinity));
      const room = [this.w, Math.max(this.h - BAR, 0.6 * this.h)], pixels = s.scale * Math.min(room[0] / s.width, room[1] / s.height);
      const zoom = Math.min(1.6, ...[0, 1].map((k) => 0.84 * room[k] / (pixels * (high[k] - low[k] + 0.2 * this.data.reach))));
      if (!Number.isFinite(zoom)) return;
      const middle = low.map((x, k) => (x + high[k]) / 2);
      this.homeView.center = right.multiplyScalar(middle[0]).addScaledVector(above, middle[1]).addScaledVector(toward, middle[2]);
      this.homeView.zoom = Math.max(zoom, 0.15);
      this.view = { ...this.view, zoom: this.homeView.zoom, center: this.homeView.center.clone() };
    },
    seek(time) {
      const m = this.motion;
      if (!m || !this.data) return;
      const { t, poses } = m, end = t[t.length - 1];
      this.now = clamp(time, t[0], end);
      let low = 0, high = t.length - 1;
      while (high - low > 1) { const k = (low + high) >> 1; if (t[k] <= this.now) low = k; else high = k; }
      const part = high > low && t[high] > t[low] ? (this.now - t[low]) / (t[high] - t[low]) : 0;
      this.poses = poses[low].map((P, j) => P.map((x, k) => x + part * (poses[high][j][k] - x)));
      this.frames = this.poses.map(poseMatrix);
      this.put();
      this.ask();
      window.dispatchEvent(new CustomEvent("robosym-time", { detail: { now: this.now, end, playing: Boolean(this.playing) } }));
    },
    play(speed) {
      const m = this.motion;
      if (!m) return;
      this.stop();
      this.speed = speed || 1;
      if (this.now >= m.t[m.t.length - 1] - 1e-9) this.now = m.t[0];
      let last = null;
      const tick = (stamp) => {
        const next = this.now + (last === null ? 0 : this.speed * (stamp - last) / 1000), end = m.t[m.t.length - 1];
        last = stamp;
        if (next >= end) { this.playing = null; this.seek(end); this.$emit("ended", {}); return; }
        this.seek(next);
        this.playing = requestAnimationFrame(tick);
      };
      this.playing = requestAnimationFrame(tick);
    },
    stop() { if (this.playing) cancelAnimationFrame(this.playing); this.playing = null; },
    spin(seconds) {  // frames per second while everything moves, for measurements
      return new Promise((done) => {
        let start = performance.now(), count = -10;  // the first ones are not counted
        const tick = () => {
          this.view.azimuth += 1; this.frames = this.poses.map(poseMatrix); this.put(); this.draw(); if (++count === 0) start = performance.now();
          const gone = (performance.now() - start) / 1000;
          if (count <= 0 || gone < seconds) requestAnimationFrame(tick); else done(count / gone);
        };
        requestAnimationFrame(tick);
      });
    },
  },
};
