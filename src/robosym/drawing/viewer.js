// A picture that turns, with sliders for its joints or a motion that plays.
(function (root, scene, start) {
  "use strict";
  const view = robosymView(root.querySelector(".stage"), scene, start, { light: scene.theme, dark: scene.theme }, false);
  if (!view) { root.classList.add("still"); return; }
  root.classList.add("turns");
  root.querySelectorAll("button[data-show]").forEach((b) => {
    b.setAttribute("aria-pressed", view.shown[b.dataset.show]);
    b.addEventListener("click", () => b.setAttribute("aria-pressed", view.toggle(b.dataset.show)));
  });

  // ---------------------------------------------------------------- joints
  const inputs = [...root.querySelectorAll("input[data-joint]")];
  if (inputs.length) {
    const mechanism = new robosymKinematics.Mechanism(scene.mechanism);
    let q = mechanism.position(scene.joints);
    const tell = (input) => {
      const read = root.querySelector(`output[data-joint="${CSS.escape(input.dataset.joint)}"]`);
      read.textContent = input.dataset.slides ? `${(+input.value).toFixed(3)} m` : `${(+input.value * 180 / Math.PI).toFixed(1)}°`;
    };
    inputs.forEach((input) => {
      input.addEventListener("input", () => {
        const found = mechanism.place(q, { [input.dataset.joint]: +input.value }), values = mechanism.values((q = found.q));
        inputs.forEach((one) => { if (one !== input || !found.arrived) one.value = values[one.dataset.joint]; tell(one); });
        view.move(mechanism.poses(q));
      });
      tell(input);
    });
  }

  // ---------------------------------------------------------------- a motion that plays
  if (!scene.motion) return;
  const { t, poses: all } = scene.motion, end = t[t.length - 1];
  const bar = root.querySelector("input[data-time]"), told = root.querySelector("output[data-time]"), button = root.querySelector("button[data-play]");
  let playing = !window.matchMedia("(prefers-reduced-motion: reduce)").matches, last = null, now = 0;
  view.over((pen) => {  // the path of the end of the arm
    pen.strokeStyle = "#" + scene.theme.chosen;
    pen.globalAlpha = 0.6;
    pen.lineWidth = 1.4;
    pen.beginPath();
    all.forEach((P) => { const o = P[scene.motion.end]; pen.lineTo(...view.project([o[3], o[7], o[11]])); });
    pen.stroke();
    pen.globalAlpha = 1;
  });
  const show = (time) => {
    now = Math.min(end, Math.max(0, time));
    let low = 0, high = t.length - 1;
    while (high - low > 1) { const m = (low + high) >> 1; if (t[m] <= now) low = m; else high = m; }
    const part = high > low ? (now - t[low]) / (t[high] - t[low]) : 0;
    view.move(all[low].map((P, j) => P.map((x, k) => x + part * (all[high][j][k] - x))));
    bar.value = now;
    told.textContent = `${now.toFixed(2)} s`;
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
  root.querySelector("canvas.names").addEventListener("keydown", (e) => { if (e.key === " ") { e.preventDefault(); play(!playing); } });
  show(0);
  play(playing);
})(document.currentScript.parentElement, /*SCENE*/null, /*START*/null);
