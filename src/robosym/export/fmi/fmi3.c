/* The functions of FMI 3.0 for Model Exchange and Co-Simulation, over a unit. */

#include <stdbool.h>
#include <stdint.h>

typedef void *fmi3Instance;
typedef void *fmi3Environment;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef double fmi3Float64;
typedef bool fmi3Boolean;
typedef const char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef void (*fmi3LogMessage)(fmi3Environment, fmi3Status, fmi3String, fmi3String);
typedef void (*fmi3Callback)(void);

#ifdef FMI3_FUNCTION_PREFIX
#define UNIT_JOIN(a, b) a##b
#define UNIT_JOINED(a, b) UNIT_JOIN(a, b)
#define FMI(name) UNIT_JOINED(FMI3_FUNCTION_PREFIX, name)
#else
#define FMI(name) name
#endif
#define FMI_STATUS UNIT_EXPORT fmi3Status
#define MANY const fmi3ValueReference vr[], size_t count

typedef struct {
    Unit unit;
    fmi3Environment environment;
    fmi3LogMessage log;
} Instance;

static fmi3Status report(fmi3Instance c, fmi3Status status, const char *message)
{
    Instance *at = (Instance *)c;
    if (at->log != NULL) at->log(at->environment, status, "logStatusError", message);
    return status;
}

#define BROKEN "the state is not finite or a loop is open: the position is singular, or the step is too long"
#define UNKNOWN "a value reference does not exist, or does not belong to a variable of this kind"
#define UNSUPPORTED "this model has no clocks and no configuration"

UNIT_EXPORT const char *FMI(fmi3GetVersion)(void) { return "3.0"; }

FMI_STATUS FMI(fmi3SetDebugLogging)(fmi3Instance c, fmi3Boolean on, size_t count, const fmi3String categories[])
{
    (void)c;
    (void)on;
    (void)count;
    (void)categories;
    return fmi3OK;
}

static fmi3Instance instance_of(fmi3String token, fmi3Environment environment, fmi3LogMessage log)
{
    Instance *at = NULL;
    if (token == NULL || strcmp(token, UNIT_TOKEN) != 0) {
        if (log != NULL) log(environment, fmi3Error, "logStatusError", "the token is not that of this model");
        return NULL;
    }
    at = (Instance *)calloc(1, sizeof *at);
    if (at == NULL) return NULL;
    at->environment = environment;
    at->log = log;
    unit_start(&at->unit);
    return at;
}

UNIT_EXPORT fmi3Instance FMI(fmi3InstantiateModelExchange)(fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logging, fmi3Environment environment, fmi3LogMessage log)
{
    (void)name;
    (void)resources;
    (void)visible;
    (void)logging;
    return UNIT_EXCHANGED ? instance_of(token, environment, log) : NULL;
}

UNIT_EXPORT fmi3Instance FMI(fmi3InstantiateCoSimulation)(fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean events, fmi3Boolean early, MANY, fmi3Environment environment,
    fmi3LogMessage log, fmi3Callback intermediate)
{
    (void)name;
    (void)resources;
    (void)visible;
    (void)logging;
    (void)events;
    (void)early;
    (void)vr;
    (void)count;
    (void)intermediate;
    return instance_of(token, environment, log);
}

UNIT_EXPORT fmi3Instance FMI(fmi3InstantiateScheduledExecution)(fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logging, fmi3Environment environment, fmi3LogMessage log, fmi3Callback clock,
    fmi3Callback lock, fmi3Callback unlock)
{
    (void)name;
    (void)token;
    (void)resources;
    (void)visible;
    (void)logging;
    (void)clock;
    (void)lock;
    (void)unlock;
    if (log != NULL) log(environment, fmi3Error, "logStatusError", "scheduled execution is not supported");
    return NULL;
}

UNIT_EXPORT void FMI(fmi3FreeInstance)(fmi3Instance c) { free(c); }

FMI_STATUS FMI(fmi3EnterInitializationMode)(fmi3Instance c, fmi3Boolean tolerant, fmi3Float64 tolerance,
    fmi3Float64 begin, fmi3Boolean ends, fmi3Float64 end)
{
    (void)tolerant;
    (void)tolerance;
    (void)ends;
    (void)end;
    unit_set_time(&((Instance *)c)->unit, begin);
    return fmi3OK;
}

FMI_STATUS FMI(fmi3ExitInitializationMode)(fmi3Instance c)
{
    return unit_initialize(&((Instance *)c)->unit) ? report(c, fmi3Error, BROKEN) : fmi3OK;
}

#define NOTHING_TO_DO(name)                                                                                            \
    FMI_STATUS FMI(name)(fmi3Instance c)                                                                               \
    {                                                                                                                  \
        (void)c;                                                                                                       \
        return fmi3OK;                                                                                                 \
    }
NOTHING_TO_DO(fmi3EnterEventMode)
NOTHING_TO_DO(fmi3Terminate)
NOTHING_TO_DO(fmi3EnterContinuousTimeMode)
NOTHING_TO_DO(fmi3EnterStepMode)
NOTHING_TO_DO(fmi3EvaluateDiscreteStates)

FMI_STATUS FMI(fmi3EnterConfigurationMode)(fmi3Instance c) { return report(c, fmi3Error, UNSUPPORTED); }
FMI_STATUS FMI(fmi3ExitConfigurationMode)(fmi3Instance c) { return report(c, fmi3Error, UNSUPPORTED); }

FMI_STATUS FMI(fmi3Reset)(fmi3Instance c)
{
    unit_start(&((Instance *)c)->unit);
    return fmi3OK;
}

FMI_STATUS FMI(fmi3GetFloat64)(fmi3Instance c, MANY, fmi3Float64 values[], size_t size)
{
    return size != count || unit_get(&((Instance *)c)->unit, vr, count, values) ? report(c, fmi3Error, UNKNOWN) : fmi3OK;
}

FMI_STATUS FMI(fmi3SetFloat64)(fmi3Instance c, MANY, const fmi3Float64 values[], size_t size)
{
    return size != count || unit_set(&((Instance *)c)->unit, vr, count, values) ? report(c, fmi3Error, UNKNOWN) : fmi3OK;
}

#define NONE_OF(kind, type)                                                                                            \
    FMI_STATUS FMI(fmi3Get##kind)(fmi3Instance c, MANY, type values[], size_t size)                                    \
    {                                                                                                                  \
        (void)vr;                                                                                                      \
        (void)values;                                                                                                  \
        (void)size;                                                                                                    \
        return count ? report(c, fmi3Error, UNKNOWN) : fmi3OK;                                                         \
    }                                                                                                                  \
    FMI_STATUS FMI(fmi3Set##kind)(fmi3Instance c, MANY, const type values[], size_t size)                              \
    {                                                                                                                  \
        (void)vr;                                                                                                      \
        (void)values;                                                                                                  \
        (void)size;                                                                                                    \
        return count ? report(c, fmi3Error, UNKNOWN) : fmi3OK;                                                         \
    }
NONE_OF(Float32, float)
NONE_OF(Int8, int8_t)
NONE_OF(UInt8, uint8_t)
NONE_OF(Int16, int16_t)
NONE_OF(UInt16, uint16_t)
NONE_OF(Int32, int32_t)
NONE_OF(UInt32, uint32_t)
NONE_OF(Int64, int64_t)
NONE_OF(UInt64, uint64_t)
NONE_OF(Boolean, fmi3Boolean)
NONE_OF(String, fmi3String)

FMI_STATUS FMI(fmi3GetBinary)(fmi3Instance c, MANY, size_t sizes[], fmi3Binary values[], size_t size)
{
    (void)vr;
    (void)sizes;
    (void)values;
    (void)size;
    return count ? report(c, fmi3Error, UNKNOWN) : fmi3OK;
}

FMI_STATUS FMI(fmi3SetBinary)(fmi3Instance c, MANY, const size_t sizes[], const fmi3Binary values[], size_t size)
{
    (void)vr;
    (void)sizes;
    (void)values;
    (void)size;
    return count ? report(c, fmi3Error, UNKNOWN) : fmi3OK;
}

/* Functions of clocks, of which there are none: the arguments are not read. */
#define NO_CLOCK(name, ...)                                                                                            \
    FMI_STATUS FMI(name)(fmi3Instance c, __VA_ARGS__) { return report(c, fmi3Error, UNSUPPORTED); }
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
NO_CLOCK(fmi3GetClock, MANY, fmi3Boolean values[])
NO_CLOCK(fmi3SetClock, MANY, const fmi3Boolean values[])
NO_CLOCK(fmi3GetIntervalDecimal, MANY, fmi3Float64 intervals[], int qualifiers[])
NO_CLOCK(fmi3GetIntervalFraction, MANY, uint64_t counters[], uint64_t resolutions[], int qualifiers[])
NO_CLOCK(fmi3GetShiftDecimal, MANY, fmi3Float64 shifts[])
NO_CLOCK(fmi3GetShiftFraction, MANY, uint64_t counters[], uint64_t resolutions[])
NO_CLOCK(fmi3SetIntervalDecimal, MANY, const fmi3Float64 intervals[])
NO_CLOCK(fmi3SetIntervalFraction, MANY, const uint64_t counters[], const uint64_t resolutions[])
NO_CLOCK(fmi3SetShiftDecimal, MANY, const fmi3Float64 shifts[])
NO_CLOCK(fmi3SetShiftFraction, MANY, const uint64_t counters[], const uint64_t resolutions[])
NO_CLOCK(fmi3ActivateModelPartition, fmi3ValueReference clock, fmi3Float64 time)
NO_CLOCK(fmi3GetNumberOfVariableDependencies, fmi3ValueReference reference, size_t *number)
NO_CLOCK(fmi3GetVariableDependencies, fmi3ValueReference dependent, size_t places[], fmi3ValueReference independents[],
    size_t other_places[], int kinds[], size_t number)
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

FMI_STATUS FMI(fmi3GetFMUState)(fmi3Instance c, fmi3FMUState *state)
{
    if (*state == NULL) *state = malloc(sizeof(Unit));
    if (*state == NULL) return report(c, fmi3Error, "out of memory");
    memcpy(*state, &((Instance *)c)->unit, sizeof(Unit));
    return fmi3OK;
}

FMI_STATUS FMI(fmi3SetFMUState)(fmi3Instance c, fmi3FMUState state)
{
    memcpy(&((Instance *)c)->unit, state, sizeof(Unit));
    return fmi3OK;
}

FMI_STATUS FMI(fmi3FreeFMUState)(fmi3Instance c, fmi3FMUState *state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return fmi3OK;
}

FMI_STATUS FMI(fmi3SerializedFMUStateSize)(fmi3Instance c, fmi3FMUState state, size_t *size)
{
    (void)c;
    (void)state;
    *size = sizeof(Unit);
    return fmi3OK;
}

FMI_STATUS FMI(fmi3SerializeFMUState)(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
    if (size < sizeof(Unit)) return report(c, fmi3Error, "the buffer of the state is too small");
    memcpy(bytes, state, sizeof(Unit));
    return fmi3OK;
}

FMI_STATUS FMI(fmi3DeserializeFMUState)(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
    if (size < sizeof(Unit)) return report(c, fmi3Error, "the buffer of the state is too small");
    if (*state == NULL) *state = malloc(sizeof(Unit));
    if (*state == NULL) return report(c, fmi3Error, "out of memory");
    memcpy(*state, bytes, sizeof(Unit));
    return fmi3OK;
}

FMI_STATUS FMI(fmi3GetDirectionalDerivative)(fmi3Instance c, const fmi3ValueReference unknowns[], size_t unknown_count,
    const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[], size_t seeds,
    fmi3Float64 sensitivity[], size_t sensitivities)
{
    Unit *unit = &((Instance *)c)->unit;
    if (seeds != known_count || sensitivities != unknown_count
        || unit_directional(unit, unknowns, unknown_count, knowns, known_count, seed, sensitivity)) {
        return report(c, fmi3Error, UNKNOWN);
    }
    return fmi3OK;
}

FMI_STATUS FMI(fmi3GetAdjointDerivative)(fmi3Instance c, const fmi3ValueReference unknowns[], size_t unknown_count,
    const fmi3ValueReference knowns[], size_t known_count, const fmi3Float64 seed[], size_t seeds,
    fmi3Float64 sensitivity[], size_t sensitivities)
{
    Unit *unit = &((Instance *)c)->unit;
    if (seeds != unknown_count || sensitivities != known_count
        || unit_reverse(unit, unknowns, unknown_count, knowns, known_count, seed, sensitivity)) {
        return report(c, fmi3Error, UNKNOWN);
    }
    return fmi3OK;
}

FMI_STATUS FMI(fmi3UpdateDiscreteStates)(fmi3Instance c, fmi3Boolean *again, fmi3Boolean *stop, fmi3Boolean *nominals,
    fmi3Boolean *values, fmi3Boolean *timed, fmi3Float64 *time)
{
    (void)c;
    *again = *stop = *nominals = *values = *timed = false;
    *time = 0;
    return fmi3OK;
}

/* ------------------------------------------------------------------------------------------- Model Exchange */

FMI_STATUS FMI(fmi3CompletedIntegratorStep)(fmi3Instance c, fmi3Boolean final, fmi3Boolean *event, fmi3Boolean *stop)
{
    (void)final;
    *event = *stop = false;
    return unit_is_open(&((Instance *)c)->unit) ? report(c, fmi3Error, BROKEN) : fmi3OK;
}

FMI_STATUS FMI(fmi3SetTime)(fmi3Instance c, fmi3Float64 time)
{
    unit_set_time(&((Instance *)c)->unit, time);
    return fmi3OK;
}

FMI_STATUS FMI(fmi3SetContinuousStates)(fmi3Instance c, const fmi3Float64 states[], size_t count)
{
    if (count != UNIT_STATES) return report(c, fmi3Error, "the number of states is wrong");
    unit_set_states(&((Instance *)c)->unit, states);
    return fmi3OK;
}

FMI_STATUS FMI(fmi3GetContinuousStateDerivatives)(fmi3Instance c, fmi3Float64 rates[], size_t count)
{
    if (count != UNIT_STATES) return report(c, fmi3Error, "the number of states is wrong");
    return unit_get_rates(&((Instance *)c)->unit, rates) ? fmi3OK : report(c, fmi3Discard, BROKEN);
}

FMI_STATUS FMI(fmi3GetEventIndicators)(fmi3Instance c, fmi3Float64 values[], size_t count)
{
    if (count != UNIT_INDICATORS) return report(c, fmi3Error, "the number of event indicators is wrong");
    unit_get_indicators(&((Instance *)c)->unit, values);
    return fmi3OK;
}

FMI_STATUS FMI(fmi3GetContinuousStates)(fmi3Instance c, fmi3Float64 states[], size_t count)
{
    if (count != UNIT_STATES) return report(c, fmi3Error, "the number of states is wrong");
    unit_get_states(&((Instance *)c)->unit, states);
    return fmi3OK;
}

FMI_STATUS FMI(fmi3GetNominalsOfContinuousStates)(fmi3Instance c, fmi3Float64 nominals[], size_t count)
{
    (void)c;
    for (size_t i = 0; i < count; ++i) nominals[i] = 1.0;
    return fmi3OK;
}

FMI_STATUS FMI(fmi3GetNumberOfEventIndicators)(fmi3Instance c, size_t *count)
{
    (void)c;
    *count = UNIT_INDICATORS;
    return fmi3OK;
}

FMI_STATUS FMI(fmi3GetNumberOfContinuousStates)(fmi3Instance c, size_t *count)
{
    (void)c;
    *count = UNIT_STATES;
    return fmi3OK;
}

/* ------------------------------------------------------------------------------------------- Co-Simulation */

FMI_STATUS FMI(fmi3GetOutputDerivatives)(fmi3Instance c, MANY, const int32_t orders[], fmi3Float64 values[],
    size_t size)
{
    (void)vr;
    (void)orders;
    (void)values;
    (void)size;
    return count ? report(c, fmi3Error, "derivatives of outputs are not available") : fmi3OK;
}

FMI_STATUS FMI(fmi3DoStep)(fmi3Instance c, fmi3Float64 begin, fmi3Float64 length, fmi3Boolean final, fmi3Boolean *event,
    fmi3Boolean *stop, fmi3Boolean *early, fmi3Float64 *reached)
{
    Instance *at = (Instance *)c;
    const int failed = unit_step(&at->unit, begin, length);
    (void)final;
    *event = *stop = *early = false;
    *reached = at->unit.v[0];
    return failed ? report(c, fmi3Error, BROKEN) : fmi3OK;
}
