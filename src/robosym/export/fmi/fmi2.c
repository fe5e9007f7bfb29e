/* The functions of FMI 2.0 for Model Exchange and Co-Simulation, over a unit. */

typedef void *fmi2Component;
typedef void *fmi2ComponentEnvironment;
typedef void *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef const char *fmi2String;
typedef char fmi2Byte;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;
typedef struct {
    void (*logger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
    void *(*allocateMemory)(size_t, size_t);
    void (*freeMemory)(void *);
    void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;
typedef struct {
    fmi2Boolean newDiscreteStatesNeeded;
    fmi2Boolean terminateSimulation;
    fmi2Boolean nominalsOfContinuousStatesChanged;
    fmi2Boolean valuesOfContinuousStatesChanged;
    fmi2Boolean nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;

#ifdef FMI2_FUNCTION_PREFIX
#define UNIT_JOIN(a, b) a##b
#define UNIT_JOINED(a, b) UNIT_JOIN(a, b)
#define FMI(name) UNIT_JOINED(FMI2_FUNCTION_PREFIX, name)
#else
#define FMI(name) name
#endif
#define FMI_STATUS UNIT_EXPORT fmi2Status

typedef struct {
    Unit unit;
    fmi2CallbackFunctions host;
    fmi2Boolean logging;
    char name[256];
} Instance;

static fmi2Status report(Instance *at, fmi2Status status, const char *message)
{
    if (at->host.logger != NULL) {
        at->host.logger(at->host.componentEnvironment, at->name, status, "logStatusError", "%s", message);
    }
    return status;
}

#define BROKEN "the state is not finite or a loop is open: the position is singular, or the step is too long"
#define UNKNOWN "a value reference does not exist, or does not belong to a variable of this kind"

UNIT_EXPORT const char *FMI(fmi2GetTypesPlatform)(void) { return "default"; }
UNIT_EXPORT const char *FMI(fmi2GetVersion)(void) { return "2.0"; }

FMI_STATUS FMI(fmi2SetDebugLogging)(fmi2Component c, fmi2Boolean on, size_t count, const fmi2String categories[])
{
    (void)count;
    (void)categories;
    ((Instance *)c)->logging = on;
    return fmi2OK;
}

UNIT_EXPORT fmi2Component FMI(fmi2Instantiate)(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
    const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging)
{
    Instance *at = NULL;
    (void)resources;
    (void)visible;
    if (functions == NULL || guid == NULL || strcmp(guid, UNIT_TOKEN) != 0) {
        if (functions != NULL && functions->logger != NULL) {
            functions->logger(functions->componentEnvironment, name, fmi2Error, "logStatusError", "%s",
                "the GUID is not that of this model");
        }
        return NULL;
    }
    if (type == fmi2ModelExchange && !UNIT_EXCHANGED) return NULL;
    at = (Instance *)calloc(1, sizeof *at);
    if (at == NULL) return NULL;
    at->host = *functions;
    at->logging = logging;
    if (name != NULL) strncpy(at->name, name, sizeof at->name - 1);
    unit_start(&at->unit);
    return at;
}

UNIT_EXPORT void FMI(fmi2FreeInstance)(fmi2Component c) { free(c); }

FMI_STATUS FMI(fmi2SetupExperiment)(fmi2Component c, fmi2Boolean tolerant, fmi2Real tolerance, fmi2Real begin,
    fmi2Boolean ends, fmi2Real end)
{
    (void)tolerant;
    (void)tolerance;
    (void)ends;
    (void)end;
    unit_set_time(&((Instance *)c)->unit, begin);
    return fmi2OK;
}

FMI_STATUS FMI(fmi2EnterInitializationMode)(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

FMI_STATUS FMI(fmi2ExitInitializationMode)(fmi2Component c)
{
    Instance *at = (Instance *)c;
    return unit_initialize(&at->unit) ? report(at, fmi2Error, BROKEN) : fmi2OK;
}

FMI_STATUS FMI(fmi2Terminate)(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

FMI_STATUS FMI(fmi2Reset)(fmi2Component c)
{
    unit_start(&((Instance *)c)->unit);
    return fmi2OK;
}

FMI_STATUS FMI(fmi2GetReal)(fmi2Component c, const fmi2ValueReference vr[], size_t count, fmi2Real values[])
{
    Instance *at = (Instance *)c;
    return unit_get(&at->unit, vr, count, values) ? report(at, fmi2Error, UNKNOWN) : fmi2OK;
}

FMI_STATUS FMI(fmi2SetReal)(fmi2Component c, const fmi2ValueReference vr[], size_t count, const fmi2Real values[])
{
    Instance *at = (Instance *)c;
    return unit_set(&at->unit, vr, count, values) ? report(at, fmi2Error, UNKNOWN) : fmi2OK;
}

#define NONE_OF(kind, type)                                                                                            \
    FMI_STATUS FMI(fmi2Get##kind)(fmi2Component c, const fmi2ValueReference vr[], size_t count, type values[])         \
    {                                                                                                                  \
        (void)vr;                                                                                                      \
        (void)values;                                                                                                  \
        return count ? report((Instance *)c, fmi2Error, UNKNOWN) : fmi2OK;                                             \
    }                                                                                                                  \
    FMI_STATUS FMI(fmi2Set##kind)(fmi2Component c, const fmi2ValueReference vr[], size_t count, const type values[])   \
    {                                                                                                                  \
        (void)vr;                                                                                                      \
        (void)values;                                                                                                  \
        return count ? report((Instance *)c, fmi2Error, UNKNOWN) : fmi2OK;                                             \
    }
NONE_OF(Integer, fmi2Integer)
NONE_OF(Boolean, fmi2Boolean)
NONE_OF(String, fmi2String)

FMI_STATUS FMI(fmi2GetFMUstate)(fmi2Component c, fmi2FMUstate *state)
{
    if (*state == NULL) *state = malloc(sizeof(Unit));
    if (*state == NULL) return report((Instance *)c, fmi2Error, "out of memory");
    memcpy(*state, &((Instance *)c)->unit, sizeof(Unit));
    return fmi2OK;
}

FMI_STATUS FMI(fmi2SetFMUstate)(fmi2Component c, fmi2FMUstate state)
{
    memcpy(&((Instance *)c)->unit, state, sizeof(Unit));
    return fmi2OK;
}

FMI_STATUS FMI(fmi2FreeFMUstate)(fmi2Component c, fmi2FMUstate *state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return fmi2OK;
}

FMI_STATUS FMI(fmi2SerializedFMUstateSize)(fmi2Component c, fmi2FMUstate state, size_t *size)
{
    (void)c;
    (void)state;
    *size = sizeof(Unit);
    return fmi2OK;
}

FMI_STATUS FMI(fmi2SerializeFMUstate)(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
    if (size < sizeof(Unit)) return report((Instance *)c, fmi2Error, "the buffer of the state is too small");
    memcpy(bytes, state, sizeof(Unit));
    return fmi2OK;
}

FMI_STATUS FMI(fmi2DeSerializeFMUstate)(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
    if (size < sizeof(Unit)) return report((Instance *)c, fmi2Error, "the buffer of the state is too small");
    if (*state == NULL) *state = malloc(sizeof(Unit));
    if (*state == NULL) return report((Instance *)c, fmi2Error, "out of memory");
    memcpy(*state, bytes, sizeof(Unit));
    return fmi2OK;
}

FMI_STATUS FMI(fmi2GetDirectionalDerivative)(fmi2Component c, const fmi2ValueReference unknowns[], size_t unknown_count,
    const fmi2ValueReference knowns[], size_t known_count, const fmi2Real seed[], fmi2Real sensitivity[])
{
    Instance *at = (Instance *)c;
    const int failed = unit_directional(&at->unit, unknowns, unknown_count, knowns, known_count, seed, sensitivity);
    return failed ? report(at, fmi2Error, UNKNOWN) : fmi2OK;
}

/* ------------------------------------------------------------------------------------------- Model Exchange */

FMI_STATUS FMI(fmi2EnterEventMode)(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

FMI_STATUS FMI(fmi2NewDiscreteStates)(fmi2Component c, fmi2EventInfo *info)
{
    (void)c;
    memset(info, 0, sizeof *info);
    return fmi2OK;
}

FMI_STATUS FMI(fmi2EnterContinuousTimeMode)(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

FMI_STATUS FMI(fmi2CompletedIntegratorStep)(fmi2Component c, fmi2Boolean final, fmi2Boolean *event, fmi2Boolean *stop)
{
    Instance *at = (Instance *)c;
    (void)final;
    *event = 0;
    *stop = 0;
    return unit_is_open(&at->unit) ? report(at, fmi2Error, BROKEN) : fmi2OK;
}

FMI_STATUS FMI(fmi2SetTime)(fmi2Component c, fmi2Real time)
{
    unit_set_time(&((Instance *)c)->unit, time);
    return fmi2OK;
}

FMI_STATUS FMI(fmi2SetContinuousStates)(fmi2Component c, const fmi2Real states[], size_t count)
{
    if (count != UNIT_STATES) return report((Instance *)c, fmi2Error, "the number of states is wrong");
    unit_set_states(&((Instance *)c)->unit, states);
    return fmi2OK;
}

FMI_STATUS FMI(fmi2GetDerivatives)(fmi2Component c, fmi2Real rates[], size_t count)
{
    if (count != UNIT_STATES) return report((Instance *)c, fmi2Error, "the number of states is wrong");
    return unit_get_rates(&((Instance *)c)->unit, rates) ? fmi2OK : report((Instance *)c, fmi2Discard, BROKEN);
}

FMI_STATUS FMI(fmi2GetEventIndicators)(fmi2Component c, fmi2Real values[], size_t count)
{
    if (count != UNIT_INDICATORS) return report((Instance *)c, fmi2Error, "the number of event indicators is wrong");
    unit_get_indicators(&((Instance *)c)->unit, values);
    return fmi2OK;
}

FMI_STATUS FMI(fmi2GetContinuousStates)(fmi2Component c, fmi2Real states[], size_t count)
{
    if (count != UNIT_STATES) return report((Instance *)c, fmi2Error, "the number of states is wrong");
    unit_get_states(&((Instance *)c)->unit, states);
    return fmi2OK;
}

FMI_STATUS FMI(fmi2GetNominalsOfContinuousStates)(fmi2Component c, fmi2Real nominals[], size_t count)
{
    (void)c;
    for (size_t i = 0; i < count; ++i) nominals[i] = 1.0;
    return fmi2OK;
}

/* ------------------------------------------------------------------------------------------- Co-Simulation */

FMI_STATUS FMI(fmi2SetRealInputDerivatives)(fmi2Component c, const fmi2ValueReference vr[], size_t count,
    const fmi2Integer order[], const fmi2Real values[])
{
    (void)vr;
    (void)order;
    (void)values;
    return count ? report((Instance *)c, fmi2Error, "inputs are constant during a step") : fmi2OK;
}

FMI_STATUS FMI(fmi2GetRealOutputDerivatives)(fmi2Component c, const fmi2ValueReference vr[], size_t count,
    const fmi2Integer order[], fmi2Real values[])
{
    (void)vr;
    (void)order;
    (void)values;
    return count ? report((Instance *)c, fmi2Error, "derivatives of outputs are not available") : fmi2OK;
}

FMI_STATUS FMI(fmi2DoStep)(fmi2Component c, fmi2Real begin, fmi2Real length, fmi2Boolean final)
{
    Instance *at = (Instance *)c;
    (void)final;
    return unit_step(&at->unit, begin, length) ? report(at, fmi2Error, BROKEN) : fmi2OK;
}

FMI_STATUS FMI(fmi2CancelStep)(fmi2Component c) { return report((Instance *)c, fmi2Error, "no step is pending"); }

FMI_STATUS FMI(fmi2GetStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value)
{
    (void)c;
    (void)kind;
    *value = fmi2OK;
    return fmi2Discard;
}

FMI_STATUS FMI(fmi2GetRealStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value)
{
    *value = ((Instance *)c)->unit.v[0];
    return kind == fmi2LastSuccessfulTime ? fmi2OK : fmi2Discard;
}

FMI_STATUS FMI(fmi2GetIntegerStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value)
{
    (void)c;
    (void)kind;
    *value = 0;
    return fmi2Discard;
}

FMI_STATUS FMI(fmi2GetBooleanStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value)
{
    (void)c;
    *value = 0;
    return kind == fmi2Terminated ? fmi2OK : fmi2Discard;
}

FMI_STATUS FMI(fmi2GetStringStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2String *value)
{
    (void)c;
    (void)kind;
    *value = "";
    return fmi2Discard;
}
