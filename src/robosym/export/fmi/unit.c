/* A unit of variables in one array: time, inputs, states and parameters, then what the model computes from them.
 *
 * The value reference of a variable is its index. The generated file before this one defines the sizes, the tables and
 * the functions unit_compute, unit_tangent, unit_adjoint and unit_after.
 */

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define UNIT_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define UNIT_EXPORT __attribute__((visibility("default")))
#else
#define UNIT_EXPORT
#endif

#define UNIT_OPEN 1e-4        /* gap of a loop, in m and rad, at which the numbers become invalid */
#define UNIT_ROUNDS 8         /* Newton steps that close the loops of the initial position */
#define UNIT_ROUNDING 1e-9    /* of the number of steps in a communication step */
#define UNIT_MOST_STEPS 1e9   /* in one communication step */

/* variables rather than constants in conditions: a compiler warns about a size that is below zero never */
static const size_t state_count = UNIT_STATES, indicator_count = UNIT_INDICATORS;

typedef struct {
    double v[UNIT_VARIABLES];
    int stale; /* whether the computed variables must be computed again */
} Unit;

static void unit_start(Unit *unit)
{
    memcpy(unit->v, unit_starts, sizeof unit->v);
    unit->stale = 1;
}

static void unit_update(Unit *unit)
{
    if (!unit->stale) return;
    unit_compute(unit->v);
    unit->stale = 0;
}

/* Return 0, or 1 if there is no such variable. */
static int unit_get(Unit *unit, const unsigned int *references, size_t count, double *values)
{
    for (size_t i = 0; i < count; ++i) {
        if (references[i] >= UNIT_VARIABLES) return 1;
        if (references[i] >= UNIT_COMPUTED) unit_update(unit);
        values[i] = unit->v[references[i]];
    }
    return 0;
}

/* Return 0, or 1 if a variable does not exist or is computed. */
static int unit_set(Unit *unit, const unsigned int *references, size_t count, const double *values)
{
    for (size_t i = 0; i < count; ++i) {
        if (references[i] == 0 || references[i] >= UNIT_COMPUTED) return 1;
        unit->v[references[i]] = values[i];
    }
    unit->stale = 1;
    return 0;
}

static void unit_set_time(Unit *unit, double time)
{
    unit->v[0] = time;
    unit->stale = 1;
}

static void unit_get_states(const Unit *unit, double *states)
{
    for (size_t i = 0; i < state_count; ++i) states[i] = unit->v[unit_state[i]];
}

static void unit_set_states(Unit *unit, const double *states)
{
    for (size_t i = 0; i < state_count; ++i) unit->v[unit_state[i]] = states[i];
    unit->stale = 1;
}

/* Return whether all derivatives of the states are finite. */
static int unit_get_rates(Unit *unit, double *rates)
{
    int finite = 1;
    unit_update(unit);
    for (size_t i = 0; i < state_count; ++i) {
        rates[i] = unit->v[unit_rate[i]];
        finite = finite && isfinite(rates[i]);
    }
    return finite;
}

static void unit_get_indicators(Unit *unit, double *values)
{
    unit_update(unit);
    for (size_t i = 0; i < indicator_count; ++i) values[i] = unit->v[unit_indicator[i]];
}

/* Return whether a loop of the robot is open. */
static int unit_is_open(Unit *unit)
{
#if UNIT_GAP
    unit_update(unit);
    return !(unit->v[UNIT_GAP] <= UNIT_OPEN);
#else
    (void)unit;
    return 0;
#endif
}

/* Project the states onto the constraints: loops, unit quaternions, rotation matrices. */
static void unit_project(Unit *unit)
{
#if UNIT_PROJECTED
    double states[UNIT_STATES + 1];
    unit_after(unit->v, states);
    unit_set_states(unit, states);
#else
    (void)unit;
#endif
}

/* Close the loops of the initial position; return 0, or 1 if they stay open. */
static int unit_initialize(Unit *unit)
{
    if (UNIT_GAP) {
        for (int round = 0; round < UNIT_ROUNDS; ++round) unit_project(unit);
    }
    return unit_is_open(unit);
}

/* One step of the classical Runge-Kutta method of order 4; return whether the states are finite. */
static int unit_runge_kutta(Unit *unit, double begin, double h)
{
    static const double part[] = {0.0, 0.5, 0.5, 1.0};
    static const double weight[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double from[UNIT_STATES + 1], sum[UNIT_STATES + 1], states[UNIT_STATES + 1], rates[UNIT_STATES + 1];
    int finite = 1;
    unit_get_states(unit, from);
    memset(sum, 0, sizeof sum);
    memset(rates, 0, sizeof rates);
    for (int stage = 0; stage < 4; ++stage) {
        for (size_t i = 0; i < state_count; ++i) states[i] = from[i] + part[stage] * h * rates[i];
        unit_set_states(unit, states);
        unit_set_time(unit, begin + part[stage] * h);
        unit_get_rates(unit, rates);
        for (size_t i = 0; i < state_count; ++i) sum[i] += weight[stage] * rates[i];
    }
    for (size_t i = 0; i < state_count; ++i) {
        states[i] = from[i] + h * sum[i];
        finite = finite && isfinite(states[i]);
    }
    unit_set_states(unit, states);
    unit_project(unit);
    return finite;
}

/* Integrate over a communication step in equal internal steps; return 0, or 1 if the states become invalid. */
static int unit_step(Unit *unit, double begin, double length)
{
#if UNIT_STATES
    const double count = ceil(length / unit->v[UNIT_STEP] * (1 - UNIT_ROUNDING));
    const double steps = count < 1 ? 1 : count;
    if (!(length >= 0) || !(unit->v[UNIT_STEP] > 0) || !(count <= UNIT_MOST_STEPS)) return 1;
    for (double k = 0; k < steps && length > 0; ++k) {
        if (!unit_runge_kutta(unit, begin + k * (length / steps), length / steps)) return 1;
    }
#endif
    unit_set_time(unit, begin + length);
    return unit_is_open(unit);
}

/* Sensitivities of unknowns along a direction of knowns; return 0, or 1 if a variable is not of this kind. */
static int unit_directional(Unit *unit, const unsigned int *unknowns, size_t unknown_count, const unsigned int *knowns,
    size_t known_count, const double *seed, double *sensitivity)
{
    double seeds[UNIT_VARIABLES], found[UNIT_VARIABLES];
    memset(seeds, 0, sizeof seeds);
    for (size_t i = 0; i < known_count; ++i) {
        if (knowns[i] >= UNIT_COMPUTED) return 1;
        seeds[knowns[i]] += seed[i];
    }
    memcpy(found, seeds, sizeof seeds); /* a state that is an output is its own unknown */
    unit_tangent(unit->v, seeds, found);
    for (size_t i = 0; i < unknown_count; ++i) {
        if (unknowns[i] >= UNIT_VARIABLES) return 1;
        sensitivity[i] = found[unknowns[i]];
    }
    return 0;
}

/* Sensitivities of a weighted sum of unknowns by knowns; return 0, or 1 if a variable is not of this kind. */
static int unit_reverse(Unit *unit, const unsigned int *unknowns, size_t unknown_count, const unsigned int *knowns,
    size_t known_count, const double *seed, double *sensitivity)
{
    double seeds[UNIT_VARIABLES], found[UNIT_VARIABLES];
    memset(seeds, 0, sizeof seeds);
    memset(found, 0, sizeof found);
    for (size_t i = 0; i < unknown_count; ++i) {
        if (unknowns[i] >= UNIT_VARIABLES) return 1;
        seeds[unknowns[i]] += seed[i];
    }
    unit_adjoint(unit->v, seeds, found);
    for (size_t i = 0; i < known_count; ++i) {
        if (knowns[i] >= UNIT_COMPUTED) return 1;
        sensitivity[i] = found[knowns[i]] + seeds[knowns[i]];
    }
    return 0;
}
