// Kinematics of a robot with numbers: poses of frames, loops that stay closed, a frame that follows a goal.
// Lengths in m, angles in rad. A position is an array over the joints of the tree and, after them, the cut joints.
(function (home) {
  "use strict";
  const CLOSED = 1e-9, EXACT = 1e-12;  // gaps of closed loops, and where Newton's method stops
  const ROUNDS = 60, NEAR = 14, STRIDE = 0.12, JUMP = 0.3;  // steps to close loops, and those from nearby; longest step of a led joint; steps that may change the assembly mode
  const STEPS = 24, LONGEST = 0.25, FAR = 0.8;  // steps of a led frame, their length, and the largest turn of a joint in one

  // ------------------------------------------------------------------------------------------------ matrices
  function product(A, B) {  // of poses: the first three rows, row by row
    const C = new Array(12);
    for (let r = 0; r < 12; r += 4) for (let c = 0; c < 4; c++) {
      C[r + c] = A[r] * B[c] + A[r + 1] * B[4 + c] + A[r + 2] * B[8 + c] + (c === 3 ? A[r + 3] : 0);
    }
    return C;
  }
  function link(f, theta, r) {  // Rot(z, gamma) Trans(z, b) Rot(x, alpha) Trans(x, d) Rot(z, theta) Trans(z, r)
    const cg = Math.cos(f.gamma), sg = Math.sin(f.gamma), ca = Math.cos(f.alpha), sa = Math.sin(f.alpha), c = Math.cos(theta), s = Math.sin(theta);
    const z = [sg * sa, -cg * sa, ca], y = [-sg * ca, cg * ca, sa];
    return [
      c * cg + s * y[0], c * y[0] - s * cg, z[0], f.d * cg + r * z[0],
      c * sg + s * y[1], c * y[1] - s * sg, z[1], f.d * sg + r * z[1],
      s * y[2], c * y[2], z[2], f.b + r * z[2],
    ];
  }
  const dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);
  const norm = (a) => Math.sqrt(dot(a, a));
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const column = (P, k) => [P[k], P[4 + k], P[8 + k]];
  const turned = (P, v) => [0, 4, 8].map((r) => P[r] * v[0] + P[r + 1] * v[1] + P[r + 2] * v[2]);
  const seen = (P, v) => [0, 1, 2].map((c) => P[c] * v[0] + P[4 + c] * v[1] + P[8 + c] * v[2]);
  function turnBetween(A, B) {  // rotation vector from A to B, in A
    const R = [0, 1, 2].map((r) => [0, 1, 2].map((c) => A[r] * B[c] + A[4 + r] * B[4 + c] + A[8 + r] * B[8 + c]));
    const skew = [R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]].map((x) => x / 2);
    const sine = norm(skew), cosine = (R[0][0] + R[1][1] + R[2][2] - 1) / 2;
    if (sine < 1e-12) return cosine > 0 ? skew : [0, 1, 2].map((k) => Math.PI * Math.sqrt(Math.max(0, (R[k][k] + 1) / 2)));
    return skew.map((x) => x * Math.atan2(sine, cosine) / sine);
  }
  function gram(rows, n) {  // transposed times itself
    const G = Array.from({ length: n }, () => new Float64Array(n));
    for (const row of rows) for (let i = 0; i < n; i++) if (row[i]) for (let k = 0; k <= i; k++) G[i][k] += row[i] * row[k];
    for (let i = 0; i < n; i++) for (let k = 0; k < i; k++) G[k][i] = G[i][k];
    return G;
  }
  function solved(G, right) {  // Cholesky's method; G is positive definite and is overwritten
    const n = right.length, x = Array.from(right);
    for (let i = 0; i < n; i++) {
      for (let k = 0; k <= i; k++) {
        let sum = G[i][k];
        for (let m = 0; m < k; m++) sum -= G[i][m] * G[k][m];
        G[i][k] = i === k ? Math.sqrt(Math.max(sum, 1e-300)) : sum / G[k][k];
      }
      let sum = x[i];
      for (let m = 0; m < i; m++) sum -= G[i][m] * x[m];
      x[i] = sum / G[i][i];
    }
    for (let i = n - 1; i >= 0; i--) {
      for (let m = i + 1; m < n; m++) x[i] -= G[m][i] * x[m];
      x[i] /= G[i][i];
    }
    return x;
  }
  function damped(rows, right, n, damping) {  // minimize |rows x - right|^2 + damping |x|^2
    const G = gram(rows, n), b = new Float64Array(n);
    let trace = 0;
    for (let i = 0; i < n; i++) trace += G[i][i];
    for (let i = 0; i < n; i++) G[i][i] += Math.max(damping, 1e-14 * trace);
    rows.forEach((row, k) => { for (let i = 0; i < n; i++) b[i] += row[i] * right[k]; });
    return solved(G, b);
  }
  function determinant(M) {
    const A = M.map((row) => Array.from(row)), n = A.length;
    let value = 1;
    for (let k = 0; k < n; k++) {
      let best = k;
      for (let i = k + 1; i < n; i++) if (Math.abs(A[i][k]) > Math.abs(A[best][k])) best = i;
      if (!A[best][k]) return 0;
      if (best !== k) { [A[k], A[best]] = [A[best], A[k]]; value = -value; }
      value *= A[k][k];
      for (let i = k + 1; i < n; i++) {
        const share = A[i][k] / A[k][k];
        for (let m = k; m < n; m++) A[i][m] -= share * A[k][m];
      }
    }
    return value;
  }
  function free(rows, n, last) {  // basis of the kernel by rows; the columns of `last` are the last to depend on others
    const A = rows.map((row) => Float64Array.from(row)), pivots = [], taken = new Uint8Array(n);
    const largest = A.reduce((most, row) => row.reduce((m, x) => Math.max(m, Math.abs(x)), most), 0);
    for (let rank = 0; rank < A.length; rank++) {
      let best = null, size = 1e-7 * largest;
      for (let turn = 0; turn < 2 && !best; turn++) {
        for (let k = 0; k < n; k++) if (!taken[k] && last.has(k) === (turn === 1)) for (let i = rank; i < A.length; i++) {
          if (Math.abs(A[i][k]) > size) { size = Math.abs(A[i][k]); best = [i, k]; }
        }
      }
      if (!best) break;
      const [row, k] = best;
      [A[rank], A[row]] = [A[row], A[rank]];
      const scale = 1 / A[rank][k];
      for (let m = 0; m < n; m++) A[rank][m] *= scale;
      for (let i = 0; i < A.length; i++) if (i !== rank && A[i][k]) {
        const share = A[i][k];
        for (let m = 0; m < n; m++) A[i][m] -= share * A[rank][m];
      }
      pivots.push(k);
      taken[k] = 1;
    }
    const loose = [...Array(n).keys()].filter((k) => !taken[k]);
    return loose.map((k) => {
      const row = new Array(n).fill(0);
      row[k] = 1;
      pivots.forEach((pivot, rank) => { row[pivot] = -A[rank][k]; });
      return row;
    });
  }
  function eigen(M) {  // eigenvalues and eigenvectors (rows) of a small symmetric matrix, by Jacobi rotations
    const A = M.map((row) => Array.from(row)), n = A.length, V = A.map((_, i) => A.map((_, k) => Number(i === k)));
    for (let sweep = 0; sweep < 30; sweep++) {
      let off = 0;
      for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) {
        off += A[p][q] * A[p][q];
        if (Math.abs(A[p][q]) < 1e-300) continue;
        const t = (A[q][q] - A[p][p]) / (2 * A[p][q]), tan = Math.sign(t || 1) / (Math.abs(t) + Math.hypot(t, 1)), c = 1 / Math.hypot(tan, 1), s = c * tan;
        for (let k = 0; k < n; k++) [A[k][p], A[k][q]] = [c * A[k][p] - s * A[k][q], s * A[k][p] + c * A[k][q]];
        for (let k = 0; k < n; k++) [A[p][k], A[q][k]] = [c * A[p][k] - s * A[q][k], s * A[p][k] + c * A[q][k]];
        for (let k = 0; k < n; k++) [V[p][k], V[q][k]] = [c * V[p][k] - s * V[q][k], s * V[p][k] + c * V[q][k]];
      }
      if (off < 1e-30) break;
    }
    return A.map((_, k) => ({ value: A[k][k], vector: V[k] })).sort((a, b) => b.value - a.value);
  }

  // ------------------------------------------------------------------------------------------------ the mechanism
  class Mechanism {
    constructor(data) {
      Object.assign(this, data);
      this.count = data.joints.length;
      this.names = data.joints.map((joint) => joint.name);
      this.motors = data.joints.flatMap((joint, k) => (joint.movable ? [k] : []));
      this.paths = [[]];
      const own = new Map(data.joints.map((joint, k) => [joint.frame, k]));
      data.table.forEach((f, k) => this.paths.push(own.has(k + 1) ? [...this.paths[f.ant], own.get(k + 1)] : this.paths[f.ant]));
      this.jointOf = own;
      this.closes = data.loops.length > 0;
    }
    position(values) { return this.names.map((name) => values[name] ?? 0); }
    values(q) { return Object.fromEntries(this.names.map((name, k) => [name, q[k]])); }
    poses(q) {  // 0Tj of every frame, frame 0 first
      const found = [[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]];
      this.table.forEach((f, k) => {
        const joint = this.jointOf.get(k + 1), v = joint === undefined ? 0 : q[joint];
        const { angular, linear } = joint === undefined ? { angular: 0, linear: 0 } : this.joints[joint];
        found.push(product(found[f.ant], link(f, f.theta + angular * v, f.r + linear * v)));
      });
      return found;
    }
    coupled(q) {  // an open robot with its coupled joints
      if (this.closes) return q;
      const found = [...q];
      this.couplings.forEach((one) => { found[one.joint] = one.offset + one.ratios.reduce((sum, [k, ratio]) => sum + ratio * q[k], 0); });
      return found;
    }
    twist(poses, joint, point) {  // velocity of a point and angular velocity, for a unit rate of a joint
      const { frame, angular, linear } = this.joints[joint], P = poses[frame], z = column(P, 2);
      const v = cross(z, point.map((x, k) => x - P[4 * k + 3]));
      return [...v.map((x, k) => angular * x + linear * z[k]), ...z.map((x) => angular * x)];
    }
    columns(poses, frame) {  // 6 rows over all joints: velocity of the origin of a frame, and angular velocity
      const point = column(poses[frame], 3), rows = Array.from({ length: 6 }, () => new Array(this.count).fill(0));
      for (const k of this.paths[frame]) this.twist(poses, k, point).forEach((x, r) => { rows[r][k] = x; });
      return rows;
    }

    // ---------------------------------------------------------------------------------------------- loops
    gaps(q, poses) {  // of both sides of each cut, between opposite links of parallelograms, of couplings; and their slopes
      const gap = [], slope = [], n = this.count, T = poses || this.poses(q);
      this.loops.forEach(([cut, fixed]) => {
        const A = T[fixed], apart = column(T[cut], 3).map((x, k) => x - A[4 * k + 3]);
        gap.push(...seen(A, apart), ...turnBetween(A, T[cut]));
        for (let k = 0; k < 6; k++) slope.push(new Array(n).fill(0));
      });
      this.moves.forEach(([loop, , joint, sense]) => {
        const [cut, fixed] = this.loops[loop], t = this.twist(T, joint, column(T[cut], 3)), A = T[fixed];
        [...seen(A, t.slice(0, 3)), ...seen(A, t.slice(3))].forEach((x, k) => { slope[6 * loop + k][joint] = sense * x; });
      });
      this.sides.forEach(([one, along, other, parallel, across], k) => {
        const a = turned(T[one], along);
        gap.push(Math.atan2(dot(a, turned(T[other], across)), dot(a, turned(T[other], parallel))));
        slope.push(this.turning[k]);
      });
      if (this.closes) this.couplings.forEach((one) => {
        const row = new Array(n).fill(0);
        row[one.joint] = 1;
        one.ratios.forEach(([k, ratio]) => { row[k] -= ratio; });
        gap.push(dot(row, q) - one.offset);
        slope.push(row);
      });
      return { gap, slope };
    }
    settle(q, held = new Set(), rounds = ROUNDS) {  // close the loops without moving some joints: [position, largest gap]
      if (!this.closes) return [this.coupled(q), 0];
      const loose = [...Array(this.count).keys()].filter((k) => !held.has(k));
      let here = [...q], { gap, slope } = this.gaps(here), size = norm(gap), damping = 1e-5;
      for (let round = 0; round < rounds && size > EXACT && damping < 3e8; round++) {
        const step = damped(slope.map((row) => loose.map((k) => row[k])), gap, loose.length, damping), tried = [...here];
        loose.forEach((k, i) => { tried[k] -= step[i]; });
        const next = this.gaps(tried), less = norm(next.gap);
        if (less < size) { [here, gap, slope, size] = [tried, next.gap, next.slope, less]; damping = Math.max(damping / 10, 1e-16); }
        else damping *= 10;
      }
      return [here, gap.reduce((most, x) => Math.max(most, Math.abs(x)), 0)];
    }
    unit(k) { return this.joints[k].slides ? this.reach : 1; }
    rates(q, poses) {  // joint rates that loops and couplings allow, by rows
      const n = this.count;
      if (this.closes) return free(this.gaps(q, poses).slope, n, new Set(this.motors));
      const rows = this.couplings.map((one) => {
        const row = new Array(n).fill(0);
        row[one.joint] = 1;
        one.ratios.forEach(([k, ratio]) => { row[k] -= ratio; });
        return row;
      });
      return free(rows, n, new Set(this.motors));
    }
    overdriven(q) { return (this.over ??= this.closes && this.rates(q).length < this.motors.length); }  // more motors than degrees of freedom
    place(q, wanted) {  // move joints to values: {q, arrived}; the motion stops where the loops cannot close
      const goal = [...q], led = Object.entries(wanted).map(([name, value]) => [this.names.indexOf(name), value]);
      led.forEach(([k, value]) => { goal[k] = value; });
      if (!this.closes) return { q: this.coupled(goal), arrived: true };
      const held = new Set(led.map(([k]) => k));
      if (!this.overdriven(q)) this.motors.forEach((k) => held.add(k));
      const far = led.reduce((most, [k, value]) => Math.max(most, Math.abs(value - q[k]) / this.unit(k)), 0);
      let here = q, done = 0, part = far > STRIDE ? STRIDE / far : 1;
      const most = part, least = Math.max(part / 64, 1e-5);
      while (done < 1 && part >= least) {
        const share = Math.min(1, done + part), tried = [...here];
        led.forEach(([k, value]) => { tried[k] = q[k] + share * (value - q[k]); });
        const [found, gap] = this.settle(tried, held, NEAR);
        if (gap > CLOSED || found.some((x, k) => Math.abs(x - here[k]) / this.unit(k) > JUMP)) part /= 2;
        else { here = found; done = share; part = Math.min(2 * part, most); }
      }
      return { q: here, arrived: done === 1 };
    }

    // ---------------------------------------------------------------------------------------------- a frame to a pose
    lead(q, frame, goal, { seconds = 0.012, rounds = STEPS } = {}) {  // damped least squares: {q, error}, a part of the reach
      const end = performance.now() + 1000 * seconds, n = this.count;
      const dof = this.closes ? this.rates(q).length : this.motors.length, turning = dof <= 3 ? 0 : dof < 6 ? 0.35 : 1;
      const weights = [1, 1, 1].map(() => 1 / this.reach).concat([turning, turning, turning]);
      const errorOf = (P) => [...column(goal, 3).map((x, k) => x - P[4 * k + 3]), ...turned(P, turnBetween(P, goal))].map((x, k) => x * weights[k]);
      let here = q, poses = this.poses(here), error = errorOf(poses[frame]), damping = 1e-6;
      for (let round = 0; round < rounds && norm(error) > 1e-10 && performance.now() < end; round++) {
        const N = this.rates(here, poses), J = this.columns(poses, frame).map((row, k) => row.map((x) => x * weights[k]));
        const A = J.map((row) => N.map((rate) => dot(row, rate)));
        let better = false;
        for (let attempt = 0; attempt < 4 && !better; attempt++) {
          const share = damped(A, error, N.length, damping), step = new Array(n).fill(0);
          N.forEach((rate, i) => { for (let k = 0; k < n; k++) step[k] += share[i] * rate[k]; });
          const tried = this.stepped(here, step);
          if (tried) {
            const there = this.poses(tried), left = errorOf(there[frame]);
            if (norm(left) < 0.9999 * norm(error)) { [here, poses, error] = [tried, there, left]; damping = Math.max(damping / 10, 1e-12); better = true; }
          }
          if (!better) damping = Math.min(damping * 30, 1e3);
        }
        if (!better) break;
      }
      return { q: here, error: norm(error.slice(0, 3)) };
    }
    stepped(q, step) {  // within limits and with closed loops; null if they stay open
      const most = step.reduce((m, x, k) => Math.max(m, Math.abs(x) / this.unit(k)), 0), share = most > LONGEST ? LONGEST / most : 1;
      const moved = q.map((x, k) => {
        const { lower, upper } = this.joints[k];
        return Math.min(upper === null ? Infinity : Math.max(upper, x), Math.max(lower === null ? -Infinity : Math.min(lower, x), x + share * step[k]));
      });
      if (!this.closes) return this.coupled(moved);
      const [closed, gap] = this.settle(moved, undefined, NEAR);
      const jumps = closed.some((x, k) => !this.joints[k].slides && Math.abs(Math.atan2(Math.sin(x - q[k]), Math.cos(x - q[k]))) > FAR);
      return gap > CLOSED || jumps ? null : closed;
    }

    // ---------------------------------------------------------------------------------------------- dexterity
    jacobian(q, frame, poses) {  // 6 rows over the motors, about the origin of a frame
      const T = poses || this.poses(q), N = this.rates(q, T), rows = this.columns(T, frame), motors = this.motors;
      const B = N.map((rate) => rows.map((row) => dot(row, rate)));  // by rate
      const own = N.map((rate) => motors.map((k) => rate[k]));
      const columns = motors.map((_, m) => damped(motors.map((_, i) => own.map((rate) => rate[i])), motors.map((_, i) => Number(i === m)), N.length, 1e-14));
      return rows.map((_, r) => motors.map((_, m) => columns[m].reduce((sum, share, i) => sum + share * B[i][r], 0)));
    }
    manipulability(J) {  // sqrt(det(J J^T)), or sqrt(det(J^T J)) if fewer than six joints move the frame
      const used = J[0].map((_, k) => k).filter((k) => this.closes || J.some((row) => Math.abs(row[k]) > 1e-6));
      const rows = J.map((row) => used.map((k) => row[k])), wide = used.length >= 6;
      const across = used.map((_, k) => rows.map((row) => row[k]));
      return used.length ? Math.sqrt(Math.max(0, determinant(wide ? gram(across, 6) : gram(rows, used.length)))) : 0;
    }
    ellipsoid(J, force) {  // axes of the linear velocities for unit joint rates, or of the forces for unit motor efforts
      const M = gram(J[0].map((_, k) => J.slice(0, 3).map((row) => row[k])), 3);
      return eigen(M).map(({ value, vector }) => ({ vector, length: force ? 1 / Math.sqrt(Math.max(value, 1e-12)) : Math.sqrt(Math.max(value, 0)) }));
    }
  }
  home.robosymKinematics = { Mechanism, product, column, determinant, turnBetween };
})(globalThis);
