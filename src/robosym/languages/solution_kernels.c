#ifndef IGM_TOLERANCE
#define IGM_TOLERANCE 1e-7  /* maximum error of an entry of the pose when a solution is verified */
#endif

/*** finite ***/
/* Return 1 if all numbers are finite and at most 1e30, so that their powers do not overflow.
   Comparing bits also works if the compiler assumes that NaN does not occur (-ffast-math). */
static int igm_finite(int n, const double *x)
{
    for (int i = 0; i < n; ++i) {
        unsigned long long bits = 0;
        if (!(fabs(x[i]) <= 1e30)) return 0;
        if (sizeof bits != sizeof x[i]) continue;
        (void)memcpy(&bits, &x[i], sizeof x[i]);
        if ((bits & 0x7FFFFFFFFFFFFFFFULL) > 0x46293E5939A08CEAULL) return 0;  /* 1e30 */
    }
    return 1;
}

/*** linear ***/
/* Solve k0 + k1 r = 0. */
static int igm_linear(const double *k, double scale, double *r, int *is_free)
{
    *is_free = fabs(k[1]) <= 1e-10*scale;
    r[0] = *is_free ? 0.0 : -k[0]/k[1];
    return 1;
}

/*** sine ***/
/* Solve k0 S + k1 C + k2 = 0; a free angle is set to that of `rest`. */
static int igm_sine(const double *k, double scale, const double *rest, double *c, double *s, int *is_free)
{
    const double h2 = k[0]*k[0] + k[1]*k[1], h = sqrt(h2);
    const double inside = (h - k[2])*(h + k[2]);
    *is_free = h <= 1e-10*scale || (h <= 1e-6*scale && inside < 0.0);  /* or only rounding errors are left */
    if (*is_free) {
        c[0] = rest[0]; s[0] = rest[1];
        return 1;
    }
    if (!(inside >= -1e-7*h2)) return 0;
    const double root = inside > 0.0 ? sqrt(inside) : 0.0;
    const double norm = inside > 0.0 ? 1.0/h2 : 1.0/(h*fabs(k[2]));
    c[0] = (-k[1]*k[2] - k[0]*root)*norm; s[0] = (-k[0]*k[2] + k[1]*root)*norm;
    if (root == 0.0) return 1;
    c[1] = (-k[1]*k[2] + k[0]*root)*norm; s[1] = (-k[0]*k[2] - k[1]*root)*norm;
    return 2;
}

/*** pair ***/
/* Solve k0 S + k1 C + k2 = 0 and k3 S + k4 C + k5 = 0. */
static int igm_pair(const double *k, double scale, const double *rest, double *c, double *s, int *is_free)
{
    const double D = k[0]*k[4] - k[3]*k[1];
    const double first = k[0]*k[0] + k[1]*k[1], second = k[3]*k[3] + k[4]*k[4];
    const double larger = first > second ? first : second;
    if (fabs(D) <= 1e-7*larger || larger <= 1e-20*scale)
        return igm_sine(first >= second ? k : k + 3, sqrt(scale), rest, c, s, is_free);
    s[0] = k[1]*k[5] - k[4]*k[2]; c[0] = k[3]*k[2] - k[0]*k[5];
    const double h = sqrt(s[0]*s[0] + c[0]*c[0]);
    *is_free = 0;
    if (!(fabs(h - fabs(D)) <= 1e-2*fabs(D))) {
        if (larger > 1e-12*scale) return 0;
        *is_free = 1;  /* only rounding errors are left */
        c[0] = rest[0]; s[0] = rest[1];
        return 1;
    }
    const double norm = D < 0.0 ? -1.0/h : 1.0/h;
    s[0] *= norm; c[0] *= norm;
    return 1;
}

/*** complex ***/
/* All roots of a0 + a1 z + .. + an z^n with complex coefficients, n <= 4 (Durand-Kerner method). */
static void igm_complex_roots(int n, const double (*a)[2], double (*z)[2])
{
    double lead = a[n][0]*a[n][0] + a[n][1]*a[n][1], b[5][2], radius = 0.0;
    for (int i = 0; i <= n; ++i) {
        b[i][0] = (a[i][0]*a[n][0] + a[i][1]*a[n][1])/lead;
        b[i][1] = (a[i][1]*a[n][0] - a[i][0]*a[n][1])/lead;
        if (i < n) radius = fmax(radius, pow(b[i][0]*b[i][0] + b[i][1]*b[i][1], 0.5/(n - i)));
    }
    for (int i = 0; i < n; ++i) {
        z[i][0] = radius*cos(0.7 + 6.283185307179586*i/n);
        z[i][1] = radius*sin(0.7 + 6.283185307179586*i/n);
    }
    for (int turn = 0; turn < 120; ++turn) {
        double change = 0.0, size = 0.0;
        for (int i = 0; i < n; ++i) {
            double p0 = 1.0, p1 = 0.0, d0 = 1.0, d1 = 0.0, t;
            for (int j = n - 1; j >= 0; --j) {
                t = p0*z[i][0] - p1*z[i][1] + b[j][0];
                p1 = p0*z[i][1] + p1*z[i][0] + b[j][1]; p0 = t;
            }
            for (int j = 0; j < n; ++j) if (j != i) {
                const double x = z[i][0] - z[j][0], y = z[i][1] - z[j][1];
                t = d0*x - d1*y; d1 = d0*y + d1*x; d0 = t;
            }
            const double m = d0*d0 + d1*d1;
            if (m == 0.0) { z[i][0] += 1e-9*(radius + 1e-30); continue; }
            const double u = (p0*d0 + p1*d1)/m, v = (p1*d0 - p0*d1)/m;
            z[i][0] -= u; z[i][1] -= v;
            change = fmax(change, fabs(u) + fabs(v));
            size = fmax(size, fabs(z[i][0]) + fabs(z[i][1]));
        }
        if (change <= 1e-15*size) break;
    }
}

/*** roots ***/
/* Real roots of k0 + k1 r + .. + kn r^n; leading coefficients may be zero. */
static int igm_roots(int n, const double *k, double scale, double *r, int *is_free)
{
    double most = 0.0, biggest = fabs(k[0]);
    for (int i = 1; i <= n; ++i) most = fmax(most, fabs(k[i]));
    biggest = fmax(biggest, most);
    *is_free = most <= 1e-10*scale;
    if (*is_free) { r[0] = 0.0; return 1; }
    while (n > 0 && !(fabs(k[n]) > 1e-13*biggest)) --n;
    if (n == 0) return 0;
    if (n == 1) { r[0] = -k[0]/k[1]; return 1; }
    if (n == 2) {
        const double inside = k[1]*k[1] - 4.0*k[0]*k[2];
        if (inside < -1e-7*(k[1]*k[1] + fabs(4.0*k[0]*k[2])) - 1e-12*scale*scale) return 0;
        const double half = -0.5*(k[1] + copysign(sqrt(fmax(inside, 0.0)), k[1]));
        r[0] = half/k[2];
        if (inside <= 0.0 || half == 0.0) return 1;
        r[1] = k[0]/half;
        return 2;
    }
    double a[5][2], z[4][2];
    for (int i = 0; i <= n; ++i) { a[i][0] = k[i]; a[i][1] = 0.0; }
    igm_complex_roots(n, (const double (*)[2])a, z);
    int count = 0;
    for (int i = 0; i < n; ++i) {
        if (!(fabs(z[i][1]) <= 1e-4*(1.0 + fabs(z[i][0])))) continue;
        double x = z[i][0];
        for (int turn = 0; turn < 3; ++turn) {
            double p = k[n], d = 0.0;
            for (int j = n - 1; j >= 0; --j) { d = d*x + p; p = p*x + k[j]; }
            if (d != 0.0 && fabs(p/d) < 1e-3*(1.0 + fabs(x))) x -= p/d;
        }
        int known = 0;
        for (int j = 0; j < count; ++j) known |= fabs(r[j] - x) <= 1e-9*(1.0 + fabs(x));
        if (!known) r[count++] = x;
    }
    return count;
}

/*** sine2 ***/
/* Solve k0 C^2 + k1 C S + k2 C + k3 S + k4 = 0 by the roots of a quartic in exp(i t) on the unit circle. */
static int igm_sine2(const double *k, double scale, const double *rest, double *c, double *s, int *is_free)
{
    const double most = fmax(fmax(fabs(k[0]), fabs(k[1])), fmax(fabs(k[2]), fabs(k[3])));
    *is_free = most <= 1e-10*scale;
    if (*is_free) { c[0] = rest[0]; s[0] = rest[1]; return 1; }
    if (fabs(k[0]) + fabs(k[1]) <= 1e-13*(most + fabs(k[4]))) {
        const double first[3] = {k[3], k[2], 0.5*k[0] + k[4]};
        return igm_sine(first, scale, rest, c, s, is_free);
    }
    const double a[5][2] = {{k[0]/4, k[1]/4}, {k[2]/2, k[3]/2}, {k[0]/2 + k[4], 0.0}, {k[2]/2, -k[3]/2}, {k[0]/4, -k[1]/4}};
    double z[4][2];
    igm_complex_roots(4, a, z);
    int count = 0;
    for (int i = 0; i < 4; ++i) {
        const double size = sqrt(z[i][0]*z[i][0] + z[i][1]*z[i][1]);
        if (!(fabs(size - 1.0) <= 1e-3)) continue;
        double x = z[i][0]/size, y = z[i][1]/size;
        for (int turn = 0; turn < 3; ++turn) {
            const double f = (k[0]*x + k[1]*y + k[2])*x + k[3]*y + k[4];
            const double d = -2.0*k[0]*x*y + k[1]*(x*x - y*y) - k[2]*y + k[3]*x;
            if (d == 0.0 || fabs(f/d) > 1e-2) break;
            const double step = -f/d, u = x - step*y, v = y + step*x, norm = 1.0/sqrt(u*u + v*v);
            x = u*norm; y = v*norm;
        }
        int known = 0;
        for (int j = 0; j < count; ++j) known |= fabs(c[j] - x) + fabs(s[j] - y) <= 1e-9;
        if (!known) { c[count] = x; s[count] = y; ++count; }
    }
    return count;
}

/*** orthonormal ***/
/* Orthonormalize the columns s n a of a pose, whose entries may be rounded to a few digits. */
static void igm_orthonormal(const double *T, double *E)
{
    for (int i = 0; i < 12; ++i) E[i] = T[i];
    for (int turn = 0; turn < 4; ++turn) {  /* Newton's iteration E (3 - E^T E)/2 */
        double G[3][3], worst = 0.0;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                G[i][j] = E[i]*E[j] + E[4 + i]*E[4 + j] + E[8 + i]*E[8 + j];
                const double off = fabs(G[i][j] - (i == j ? 1.0 : 0.0));
                if (off > worst) worst = off;
            }
        if (!(worst > 1e-15) || worst > 1e-3) return;  /* exact, or not a rotation */
        for (int k = 0; k < 12; k += 4) {
            const double v[3] = {E[k], E[k + 1], E[k + 2]};
            for (int j = 0; j < 3; ++j) E[k + j] = 1.5*v[j] - 0.5*(v[0]*G[0][j] + v[1]*G[1][j] + v[2]*G[2][j]);
        }
    }
}

/*** store ***/
/* Store a solution unless it is a duplicate; return 1 if it was added. */
static int igm_store(int n, int most, const double *found, double *q, int *count)
{
    for (int i = 0; i < *count; ++i) {
        int same = 1;
        for (int j = 0; j < n && same; ++j) {
            const double off = found[j] - q[i*n + j];
            same = fabs(off) <= 1e-9 || fabs(fabs(off) - 6.283185307179586) <= 1e-9;
        }
        if (same) return 0;
    }
    if (*count >= most) return 0;
    for (int j = 0; j < n; ++j) q[*count*n + j] = found[j];
    ++*count;
    return 1;
}

/*** rotation ***/
/* Return 1 if the columns s n a of a pose are a rotation within 1e-3. */
static int igm_is_rotation(const double *T)
{
    for (int i = 0; i < 3; ++i)
        for (int j = i; j < 3; ++j) {
            const double dot = T[i]*T[j] + T[4 + i]*T[4 + j] + T[8 + i]*T[8 + j];
            if (!(fabs(dot - (i == j ? 1.0 : 0.0)) <= 1e-3)) return 0;
        }
    return T[0]*(T[5]*T[10] - T[6]*T[9]) - T[1]*(T[4]*T[10] - T[6]*T[8]) + T[2]*(T[4]*T[9] - T[5]*T[8]) > 0.0;
}

/*** nearest ***/
/* Select the solution within the limits nearest to q_now, with angles shifted by multiples of 2 Pi; return 0 if none. */
static int igm_nearest(int n, int count, const double *found, const int *is_angle, const double *q_now,
    const double *limits, double *q)
{
    const double turn = 6.283185307179586;
    double least = -1.0;
    for (int i = 0; i < count; ++i) {
        double sum = 0.0;
        int inside = 1;
        for (int pass = 0; pass < 2 && inside; ++pass) {  /* first its distance; then, if it is the nearest, store it */
            if (pass == 1 && !(least < 0.0 || sum < least)) break;
            if (pass == 1) least = sum;
            for (int j = 0; j < n && inside; ++j) {
                double x = found[i*n + j];
                if (is_angle[j]) {
                    x += turn*floor((q_now[j] - x)/turn + 0.5);
                    if (limits != NULL && x < limits[2*j]) x += turn*ceil((limits[2*j] - x)/turn);
                    if (limits != NULL && x > limits[2*j + 1]) x -= turn*ceil((x - limits[2*j + 1])/turn);
                }
                if (limits != NULL && !(x >= limits[2*j] && x <= limits[2*j + 1])) inside = 0;
                if (!(fabs(x) <= 1e300)) inside = 0;
                if (pass == 0) sum += (x - q_now[j])*(x - q_now[j]);
                else q[j] = x;
            }
        }
    }
    return least >= 0.0;
}
