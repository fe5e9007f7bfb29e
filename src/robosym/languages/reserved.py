"""Reserved words of each language, and names of its standard library that a variable would shadow.

Further names that the printed templates use are in the module of the language.
"""

from __future__ import annotations

import keyword

__all__ = [
    "C_WORDS", "FORTRAN_WORDS", "JULIA_WORDS", "MAPLE_WORDS", "MATHEMATICA_WORDS", "MATLAB_KEYWORDS", "MATLAB_WORDS",
    "MODELICA_WORDS", "PYTHON_WORDS", "RUST_WORDS",
]  # fmt: skip


def _words(*texts: str) -> frozenset[str]:
    return frozenset(word for text in texts for word in text.split())


#: C17 (6.4.1), the words that C23 adds, and those that common compilers add in their default dialect
_C_KEYWORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while alignas
    alignof bool constexpr false nullptr static_assert thread_local true typeof typeof_unqual asm near far huge
    interface fortran complex imaginary noreturn"""
#: C++23 (lex.key), its alternative tokens and contextual keywords: C files are also compiled as C++
_CPP_KEYWORDS = """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class
    co_await co_return co_yield compl concept const consteval constexpr constinit const_cast continue
    contract_assert decltype default delete do double dynamic_cast else enum explicit export extern false final
    float for friend goto if import inline int long module mutable namespace new noexcept not not_eq nullptr
    operator or or_eq override private protected public reflexpr register reinterpret_cast requires return short
    signed sizeof static static_assert static_cast struct switch synchronized template this thread_local throw
    true try typedef typeid typename union unsigned using virtual void volatile wchar_t while xor xor_eq std"""
#: macros of compilers and of headers that a program may include first
_C_MACROS = """
    NULL EOF I NAN INFINITY HUGE HUGE_VAL HUGE_VALF HUGE_VALL SNAN SNANF SNANL MAXFLOAT CMPLX CMPLXF CMPLXL FP_NAN
    FP_INFINITE FP_ZERO FP_NORMAL FP_SUBNORMAL FP_ILOGB0 FP_ILOGBNAN MATH_ERRNO MATH_ERREXCEPT math_errhandling
    M_E M_LOG2E M_LOG10E M_LN2 M_LN10 M_PI M_PI_2 M_PI_4 M_1_PI M_2_PI M_2_SQRTPI M_SQRT2 M_SQRT1_2 DOMAIN SING
    OVERFLOW UNDERFLOW PLOSS TLOSS BUFSIZ FILENAME_MAX FOPEN_MAX TMP_MAX L_tmpnam L_ctermid P_tmpdir SEEK_SET
    SEEK_CUR SEEK_END RAND_MAX SIZE_MAX EXIT_SUCCESS EXIT_FAILURE BIG_ENDIAN LITTLE_ENDIAN BYTE_ORDER errno
    assert stdin stdout stderr offsetof setjmp va_arg va_copy va_end va_start CHAR_BIT CHAR_MAX CHAR_MIN INT_MAX
    INT_MIN LONG_MAX LONG_MIN SHRT_MAX SHRT_MIN UCHAR_MAX UINT_MAX ULONG_MAX USHRT_MAX DBL_MAX DBL_MIN
    DBL_EPSILON FLT_MAX FLT_MIN FLT_EPSILON CLOCKS_PER_SEC EDOM ERANGE EILSEQ EINVAL IN OUT OPTIONAL CONST VOID
    TRUE FALSE BOOL BYTE WORD DWORD ERROR DELETE STRICT min max small linux unix i386 sun mips sparc vax hppa"""
#: functions of <math.h> (C23 and POSIX), without the suffixes f and l
_C_MATH = """
    acos acosh acospi asin asinh asinpi atan atan2 atan2pi atanh atanpi canonicalize cbrt ceil compoundn copysign cos
    cosh cospi drem erf erfc exp exp10 exp10m1 exp2 exp2m1 expm1 fabs fdim finite floor fma fmax fmaximum fmin
    fminimum fmod frexp gamma hypot ilogb j0 j1 jn ldexp lgamma lgamma_r llogb llrint llround log log10 log10p1
    log1p log2 log2p1 logb logp1 lrint lround modf nan nearbyint nextafter nextdown nexttoward nextup pow pown
    powr remainder remquo rint rootn round roundeven rsqrt scalb scalbln scalbn significand sin sinh sinpi sqrt
    tan tanh tanpi tgamma trunc y0 y1 yn"""
#: other functions and types of the standard library
_C_LIBRARY = """
    signbit isnan isinf isfinite isnormal fpclassify isgreater isless islessgreater isunordered iscanonical
    issignaling abort abs atexit atof atoi atol atoll bsearch calloc clock ctime difftime div exit fclose feof
    ferror fflush fgetc fgets fopen fprintf fputc fputs fread free freopen fscanf fseek ftell fwrite getc getchar
    getenv gets gmtime imaxabs index labs ldiv llabs lldiv localtime longjmp main malloc memchr memcmp memcpy
    memmove memset mktime perror printf putc putchar puts qsort raise rand random realloc remove rename rewind
    rindex scanf signal signgam snprintf sprintf srand sscanf strcat strchr strcmp strcoll strcpy strcspn
    strerror strftime strlen strncat strncmp strncpy strpbrk strrchr strspn strstr strtod strtof strtok strtol
    strtold strtoul strxfrm system time timezone daylight tzname tmpfile tmpnam ungetc vfprintf vprintf vsprintf
    read write open close pipe select link unlink sleep wait kill size_t ptrdiff_t wchar_t FILE fpos_t time_t
    clock_t va_list double_t float_t div_t ldiv_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t
    uint64_t intptr_t uintptr_t"""
C_WORDS = _words(_C_KEYWORDS, _CPP_KEYWORDS, _C_MACROS, _C_LIBRARY) | {
    name + end for name in _C_MATH.split() for end in ("", "f", "l")
}

#: Fortran has no reserved words; these start statements or are intrinsic functions (F2018)
FORTRAN_WORDS = _words(
    """abstract allocatable allocate all assign assignment associate asynchronous backspace bind block call case
    character class close codimension common complex concurrent contains contiguous continue critical cycle data
    deallocate deferred dimension do double elemental else elseif elsewhere end endassociate endblock endcritical
    enddo endenum endfile endforall endfunction endif endinterface endmodule endprocedure endprogram endselect
    endsubmodule endsubroutine endteam endtype endwhere entry enum enumerator equivalence error event exit
    extends external fail final flush forall form format function generic go goto if images implicit import
    impure in include inout inquire integer intent interface intrinsic kind len lock logical memory module name
    namelist none non_intrinsic non_overridable nopass nullify only open operator optional out parameter pass
    pause pointer post precision print private procedure program protected public pure quiet rank read real
    recursive result return rewind save select sequence stop submodule subroutine sync target team then to type
    unlock use value volatile wait where while write""",
    """abs acos acosh aimag aint anint asin asinh atan atan2 atanh ceiling cmplx conjg cos cosh cotan dabs dacos dasin
    datan datan2 dble dcos dexp dim dlog dmax1 dmin1 dmod dprod dsign dsin dsqrt dtan dtanh epsilon erf exp float
    floor fraction gamma huge hypot index int ishft log log10 matmul max maxval merge min minval mod modulo nint
    norm2 not product reshape scale shape sign sin sinh size spread sqrt sum tan tanh tiny transpose""",
)
#: `iskeyword` of MATLAB and GNU Octave, and keywords of class and function blocks
MATLAB_KEYWORDS = _words(
    """arguments break case catch classdef continue do else elseif end end_try_catch end_unwind_protect endarguments
    endclassdef endenumeration endevents endfor endfunction endif endmethods endparfor endproperties endspmd
    endswitch endwhile enumeration events for function global if import methods otherwise parfor persistent
    properties return spmd static switch try until unwind_protect unwind_protect_cleanup while"""
)
MATLAB_WORDS = MATLAB_KEYWORDS | _words(
    """sin cos tan asin acos atan atan2 sqrt exp log tanh abs sign power pi size max zeros isstruct isinteger
    numel isvector i j e Inf NaN NA ans eps inf nan I J true false varargin varargout nargin nargout nargchk inputname
    ones eye plus
    minus times rdivide mtimes mrdivide uminus uplus transpose ctranspose horzcat vertcat subsref subsasgn
    subsindex colon double single realmax realmin argn beep"""
)
PYTHON_WORDS = frozenset(keyword.kwlist) | _words(
    """_ case match type print exec async await True False None NotImplemented Ellipsis __debug__ __name__ __file__
    __doc__ __builtins__ abs all any complex dict enumerate filter float hash id input int iter len list map max
    min next object open pow range repr round set slice sorted str sum super tuple vars zip"""
)
#: keywords of the Julia manual, names parsed as operators or compiler calls, and constants
JULIA_WORDS = _words(
    """baremodule begin break catch const continue do else elseif end export false finally for function global if import
    let local macro module outer public quote return struct true try using while abstract bitstype ccall cglobal
    immutable importall llvmcall mutable new primitive type typealias where as in isa im pi missing nothing ans
    ARGS Inf Inf16 Inf32 Inf64 NaN NaN16 NaN32 NaN64 ENV stdin stdout stderr undef Base Core Main eval include
    sin cos tan asin acos atan sqrt exp log tanh abs sign similar zeros eltype promote_type float Float64
    Matrix Vector"""
)
#: keywords of Modelica 3.6 (2.3.3), its operators and functions (3.7), built-in types and names of the printed package
MODELICA_WORDS = _words(
    """algorithm and annotation block break class connect connector constant constrainedby der discrete each else
    elseif elsewhen encapsulated end enumeration equation expandable extends external false final flow for function
    if import impure in initial inner input loop model not operator or outer output package parameter partial
    protected public pure record redeclare replaceable return stream then true type when while within abs sign sqrt
    div mod rem ceil floor integer sin cos tan asin acos atan atan2 sinh cosh tanh exp log log10 delay cardinality
    homotopy semiLinear inStream actualStream spatialDistribution getInstanceName terminal noEvent smooth sample pre
    edge change reinit assert terminate promotion scalar vector matrix identity diagonal zeros ones fill linspace
    min max sum product transpose outerProduct symmetric cross skew cat size ndims String Integer Boolean Real
    Clock StateSelect AssertionLevel ExternalObject time Modelica RealInput RealOutput evaluate Signals"""
)
#: strict, reserved and weak keywords of the Rust reference, primitive types and the prelude
RUST_WORDS = _words(
    """as async await break const continue crate dyn else enum extern false fn for gen if impl in let loop macro_rules
    match mod move mut pub raw ref return safe self Self static struct super trait true type unsafe use where
    while abstract become box do final macro override priv try typeof unsized virtual yield union _ bool char str
    f16 f32 f64 f128 i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize None Some Ok Err Box Clone Copy Default
    Drop Eq Fn FnMut FnOnce From Into Iterator Option Ord PartialEq PartialOrd Result Send Sized String Sync
    ToString Vec alloc core std"""
)
#: reserved words of Maple, protected constants, and reserved words of other programs that read Maple code
MAPLE_WORDS = _words(
    """and assuming break by catch description do done elif else end error export fi finally for from global if implies
    in intersect local minus mod module next not od option options or proc quit read return save stop subset then
    to try union until use uses while xor xnor coproc I Pi D E O Re Im Zeta Beta GAMMA Psi Chi Ci Si Ei Li gamma
    e i infinity true false undefined Catalan FAIL Digits Order NULL constants double float integer complex
    string vector list set function operator program begin case default of switch del let If Return PI pi inf
    goto label Gamma True False TRUE FALSE sin cos tan arcsin arccos arctan sqrt exp ln tanh abs sign signum log
    order series assert continue div otherwise throw"""
)
#: protected one-letter symbols and those used by the generated functions; other symbols may be local variables
MATHEMATICA_WORDS = _words(
    """C D E I K N O Pi pi In Out Sin Cos Tan ArcSin ArcCos ArcTan Sqrt Exp Log Abs Sign Power Module List Return Block
    With Table Set SetDelayed CompoundExpression Plus Times Tanh Part Rational Re Im Null True False All None Get
    Put Dt If Do Or And Not Xor Det Tr Degree GoldenRatio EulerGamma Catalan Infinity ComplexInfinity
    Indeterminate Pattern Blank BlankSequence Slot Span Sequence Evaluate Hold HoldPattern Unevaluated"""
)
