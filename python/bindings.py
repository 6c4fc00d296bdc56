"""What Python calls, made from the public headers: there is no second list of functions, fields or numbers.

    sotto._lab     lab, client, server and core, from libsotto-lab.a: needs libc, libm and zlib
    sotto._wire    a device over HTTP, from libsotto-transport.a: needs libcurl, and is loaded only for that

Both link the static libraries and hide their symbols: another version of Sotto in the same process does no harm.
pkg-config finds the libraries: set PKG_CONFIG_PATH to PREFIX/lib/pkgconfig of an installation."""

import os
import re
import subprocess
import tempfile

from cffi import FFI


def pkg_config(*words):
    found = subprocess.run(["pkg-config", *words], check=False, capture_output=True, text=True)
    if found.returncode != 0:
        raise SystemExit(f"pkg-config {' '.join(words)}: {found.stderr.strip()}; install Sotto, and set PKG_CONFIG_PATH "
                         "to lib/pkgconfig under its prefix (`make python` does both)")
    return found.stdout.strip()


def include_directory():
    return os.path.realpath(pkg_config("--variable=includedir", "sotto-lab"))


def preprocessed(includes, directory):
    """The lines that the compiler reads of Sotto's own headers, without those of the system."""
    with tempfile.NamedTemporaryFile("w", suffix=".c") as source:
        source.write(includes)
        source.flush()
        text = subprocess.run([os.environ.get("CC", "cc"), "-E", f"-I{directory}", source.name], check=True,
                              capture_output=True, text=True).stdout
    ours, lines = False, []
    for line in text.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            ours = os.path.realpath(marker.group(1)).startswith(directory + os.sep)
        elif ours:
            lines.append(line)
    return "\n".join(lines)


def without_bodies(text):
    """Without inline functions: Python does not need them."""
    kept, at = [], 0
    for found in re.finditer(r"static inline [^;{]*\{", text):
        kept.append(text[at:found.start()])
        depth, at = 1, found.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
    kept.append(text[at:])
    return "".join(kept)


def declarations(includes, directory):
    text = preprocessed(includes, directory)
    text = re.sub(r"__attribute__\s*\(\(.*?\)\)\s*(?=[\w*])", "", text)
    text = re.sub(r"const sotto_plugin \*\s*sotto_plugin_get\(void\);", "", text)  # a plug-in defines it
    return without_bodies(text)


def numbers(directory, headers):
    """The macros that are numbers: cffi asks the compiler for them."""
    wholes, reals = [], []
    for header in headers:
        with open(os.path.join(directory, header), encoding="utf-8") as file:
            text = file.read()
        wholes += re.findall(r"^#define (SOTTO_\w+) +(?:\(?UINT(?:32|64)_(?:C|MAX)|\d+u?(?![.e\d]))", text, re.MULTILINE)
        reals += re.findall(r"^#define (SOTTO_\w+) +\d+(?:\.\d+|e-?\d+)", text, re.MULTILINE)
    return "".join([*(f"#define {name} ...\n" for name in wholes), *(f"static const double {name};\n" for name in reals)])


def builder(module, library, headers, calls, helpers=""):
    directory = include_directory()
    includes = "".join(f"#include <{header}>\n" for header in headers)
    ffi = FFI()
    ffi.cdef(declarations(includes, directory))
    ffi.cdef(numbers(directory, headers))
    ffi.cdef(f'extern "Python" {{\n{calls}\n}}')
    ffi.cdef(re.sub(r"^static (.*?)\n\{.*?^\}", r"\1;", helpers, flags=re.DOTALL | re.MULTILINE))
    archive = f"{pkg_config('--variable=libdir', library)}/lib{library}.a"
    needs = [word[2:] for word in pkg_config("--static", "--libs", library).split() if word.startswith("-l")]
    ffi.set_source(module, includes + helpers, include_dirs=[directory], extra_objects=[archive],
                   libraries=[name for name in needs if name != library],
                   extra_link_args=["-Wl,--exclude-libs,ALL", "-Wl,-Bsymbolic"])
    return ffi


# What C calls. Each is defined by the file that hands it out.
LAB_CALLS = """
/* _simulate.py */
bool sotto_py_sweep_known(void *state, uint64_t run);
bool sotto_py_sweep_finished(void *state, uint64_t run, const sotto_point *point, const sotto_run_result *result);
bool sotto_py_sweep_progress(void *state, uint64_t rounds);
bool sotto_py_sweep_failed(void *state, uint64_t run, const char *fault);

/* _method.py */
const char *sotto_py_player_make(void *user, const sotto_problem *problem, double epsilon, double delta,
                                 sotto_stream *stream, void **state, char *text);
size_t sotto_py_player_report_bytes_max(const void *state);
const char *sotto_py_player_decide(const void *state, sotto_stream *stream, const double *context, uint32_t *arm,
                                   char *text);
const char *sotto_py_player_report(const void *state, sotto_stream *stream, const double *context, uint32_t arm,
                                   double reward, uint8_t *report, size_t *report_bytes, char *text);
const char *sotto_py_player_learn(void *state, const uint8_t *report, size_t report_bytes, char *text);
const double *sotto_py_player_estimate(const void *state);
void sotto_py_player_free(void *state);

/* _environment.py */
const char *sotto_py_environment_make(void *user, const sotto_problem *problem, sotto_stream *stream, void **state,
                                      char *text);
const char *sotto_py_environment_context(void *state, sotto_stream *stream, double *context, char *text);
const char *sotto_py_environment_means(void *state, const double *context, double *mean, char *text);
const char *sotto_py_environment_reward(void *state, sotto_stream *stream, const double *context, uint32_t arm,
                                        double mean, double *reward, char *text);
const double *sotto_py_environment_theta(const void *state);
void sotto_py_environment_free(void *state);

/* _audit.py */
const char *sotto_py_mechanism_make(void *user, uint32_t dim, double epsilon, double delta, double radius,
                                    uint32_t *answer_count, void **state, char *text);
const char *sotto_py_mechanism_draw(void *state, sotto_stream *stream, const double *x, double *answer, char *text);
void sotto_py_mechanism_free(void *state);
bool sotto_py_audit_show(void *state, uint64_t done, uint64_t total);

/* _replay.py */
bool sotto_py_replay_progress(void *state, uint64_t done);
"""
# Many draws in one call.
LAB_HELPERS = """
static void sotto_py_stream_uniform(sotto_stream *stream, double *out, size_t count)
{
    for (size_t i = 0; i < count; i++) out[i] = stream->uniform(stream);
}

static void sotto_py_stream_normal(sotto_stream *stream, double *out, size_t count)
{
    for (size_t i = 0; i < count; i++) out[i] = stream->normal(stream);
}
"""
WIRE_CALLS = """
/* _device.py */
void sotto_py_device_event(void *state, const sotto_device_event *event);
"""


def lab():
    subjects = sorted(os.listdir(os.path.join(include_directory(), "sotto/lab")))
    headers = ["sotto/core.h", "sotto/client.h", "sotto/server.h", *(f"sotto/lab/{name}" for name in subjects)]
    return builder("sotto._lab", "sotto-lab", headers, LAB_CALLS, LAB_HELPERS)


def wire():
    return builder("sotto._wire", "sotto-transport", ["sotto/core.h", "sotto/client.h", "sotto/transport.h"], WIRE_CALLS)
