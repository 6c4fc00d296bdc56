#!/usr/bin/env python3
"""The boundary between the sides and the walls between the rooms: what must not compile does not,
and no archive holds or asks for what is not its own. Usage: boundary.py SOURCE_DIR BUILD_DIR CC"""
import functools
import json
import platform
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE, BUILD, CC = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3]
LIBRARIES = BUILD / "packaging"

# The rooms, lowest first, and which of them each uses: what the build was made by.
ROOMS = {room: uses.split() for room, uses in
         (line.split(":") for line in (BUILD / "rooms/rooms.txt").read_text().splitlines())}

# What a side is compiled with: its macro, and the rooms whose headers it sees.
SIDES = {
    "core": ["core"],
    "client": ["client", "core"],
    "server": ["server", "core"],
    "lab": [room for room in ROOMS if not room.startswith(("cli/", "service/"))],
}

PURE = set("""__assert_fail __stack_chk_fail __stack_chk_guard calloc free malloc memcmp memcpy memset
snprintf vsnprintf __memcpy_chk __snprintf_chk __vsnprintf_chk _GLOBAL_OFFSET_TABLE_
acos ceil cos exp expm1 fegetenv fesetenv floor fmax fmin getauxval ilogb frexp ldexp log log10 log1p rint scalbn sin sincos sqrt tanh""".split())
# Functions of the C library whose last bits differ between 64-bit ARM and x86-64 (research/measurements.md, section 4). Calibrations
# ask for them, and the incomplete beta function in special.c that they rest on: their results are rounded before they
# become terms. Everybody else has core/elementary.c.
UNLIKE = set("cbrt cosh erf erfc expm1 hypot lgamma log1p sinh tanh tgamma".split())
CALIBRATIONS = {"calibrate", "calibrate_codebook", "compose", "special", "terms_resolve"}

# The client draws, keeps its ledger in a file, and waits for others who use it.
CLIENT = set("""getrandom __errno_location realloc memmove strlen strrchr __xpg_strerror_r
open close pread pwrite ftruncate fsync fstat lstat flock fcntl link unlink geteuid getpid nanosleep clock_gettime futimens
inotify_init1 inotify_add_watch read""".split())
# The server's set of nonces grows.
MAY_ASK_FOR = {"core": PURE, "server": PURE | {"realloc"}, "client": PURE | CLIENT}

# Public functions of the device that need no floating-point environment of their own: they count,
# copy, compare bytes or free. All others begin with SOTTO__DEFAULT_FLOATS (core.h).
NO_ARITHMETIC = set("""sotto_policy_default sotto_ledger_memory_new sotto_ledger_file_create sotto_ledger_free
sotto_ledger_rounds sotto_ledger_reports sotto_ledger_dropped sotto_ledger_epsilon sotto_ledger_delta
sotto_ledger_fault sotto_client_free sotto_round_free sotto_round_entry sotto_round_reports sotto_round_resend""".split())
# The same of devices over HTTP.
TRANSPORT_NO_ARITHMETIC = set("""sotto_wire_options_default sotto_wire_options_fault sotto_wire_new sotto_wire_free
sotto_wire_due_ms sotto_site_options_default sotto_site_options_fault sotto_site_new sotto_site_free sotto_site_state_of
sotto_site_terms sotto_site_model sotto_site_fault sotto_device_options_default sotto_device_free sotto_device_waiting
sotto_device_counts_of sotto_device_fault sotto_device_options_fault sotto_wire_sending""".split())
# Those whose arithmetic is all in functions of other files.
CALLS_OTHERS = {"sotto_client_new", "sotto_device_new"}
# And who publishes.
PUBLISHES = {"sotto_learner_publish", "engine_end", "publisher_attempt"}

# What the libraries hold beside core.
HELD = {"client": ["client"], "server": ["server"], "lab": ["client", "server", "lab"]}
if "transport" in ROOMS:
    HELD["transport"] = ["client", "transport"]


# Where the compiler has two units for doubles: the one that rounds late.
X87 = ("-mfpmath=387",) if platform.machine() == "x86_64" and "clang" not in CC else ()


def target(room):
    return room.replace("/", "_")


@functools.cache
def compiles(side, text, seen=None, options=()):
    with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
        file.write(text + "\nint sotto__boundary_probe;\n")
        file.flush()
        include = [f"-I{SOURCE}/include"] + [f"-I{BUILD}/rooms/{target(r)}" for r in seen or SIDES[side]]
        command = [CC, "-std=c17", "-fsyntax-only", "-Wfatal-errors", "-D_POSIX_C_SOURCE=200809L",
                   "-D_DEFAULT_SOURCE", f"-DSOTTO_SIDE_{side.upper()}", *include, *options]
        return subprocess.run([*command, file.name], capture_output=True).returncode == 0


def symbols(path, *options):
    lines = subprocess.run(["nm", *options, path], capture_output=True, text=True, check=True)
    return {line.split()[-1].split("@")[0] for line in lines.stdout.splitlines() if line.startswith((" ", "0"))}


@functools.cache
def symbols_of_objects(*options):
    """Of every object of every room. One start of nm reads all of them: a start takes longer than a file."""
    found = {o: set() for room in ROOMS for o in objects(room)}
    lines = subprocess.run(["nm", *options, *found], capture_output=True, text=True, check=True)
    for line in lines.stdout.splitlines():
        if line.endswith(":"):
            current = found[Path(line[:-1])]
        elif line:
            current.add(line.split()[-1])
    return found


def defined(o):
    return symbols_of_objects("-g", "--defined-only")[o]


def asked_by(o):
    return symbols_of_objects("-u")[o]


def public(side):
    """What a side declares: <side>.h, and the headers of its directory if it has one."""
    directory = SOURCE / "include/sotto"
    return "".join(h.read_text() for h in [directory / f"{side}.h", *sorted((directory / side).glob("*.h"))])


def declared(*sides):
    text = "".join(public(side) for side in sides)
    return set(re.findall(r"SOTTO_API[^;(]*?\b(sotto_\w+)\(", text))


def pointers(side):
    """The public functions of a side that take pointers: the places of those, by name."""
    text = re.sub(r"/\*.*?\*/", "", public(side), flags=re.S)
    found = {}
    for name, parameters in re.findall(r"\b(sotto_\w+)\(([^;{}()]*)\)(?:;|\n\{)", text):
        places = [i for i, parameter in enumerate(parameters.split(",")) if re.search(r"[*\[]", parameter)]
        if places:
            found[name] = places
    return found


def definitions(*directories):
    """The body of each public function, by name."""
    found = {}
    for source in sorted(file for f in directories for file in (SOURCE / "src" / f).glob("*.c")):
        pattern = r"^(?!static)\w[^\n;{}()]*?\b(sotto_[a-z]\w*)\([^{};]*\)\n\{\n(.*?)^\}"
        found.update(re.findall(pattern, source.read_text(), re.M | re.S))
    return found


def types(text):
    """The tags with a body and the names of typedefs, as (kind, name)."""
    text = re.sub(r"""/\*.*?\*/|^ *#(?:\\\n|[^\n])*|'"'|"(?:\\.|[^"\\\n])*\"""", "", text, flags=re.M | re.S)
    found = [("tag", name) for name in re.findall(r"\b(?:struct|union|enum)\s+(\w+)\s*\{", text)]
    text, bodies = re.sub(r"\bextern\s*\{|__attribute__\(\(.*?\)\)", "", text), 1
    while bodies:
        text, bodies = re.subn(r"\{[^{}]*\}", "", text)
    for declared in re.findall(r"\btypedef\b([^;]*);", text):
        function = re.search(r"(\w+)\)?\s*\([^()]*\)\s*$", declared)
        found.append(("typedef", function[1] if function else re.findall(r"\w+", declared.partition("[")[0])[-1]))
    return found


def objects(directory):
    """Of today's sources: a build directory keeps those of files that are gone."""
    made = BUILD / f"src/{directory}/CMakeFiles/sotto_{target(directory)}.dir"
    found = [made / f"{source.name}.o" for source in sorted((SOURCE / "src" / directory).glob("*.c"))]
    return [o for o in found if o.exists()]  # of files that differ by platform, one is built


def headers_of(room):
    """As other rooms write them in an include."""
    return [f"{room}/{header.name}" for header in sorted((SOURCE / "src" / room).glob("*.h"))]


def included(room):
    """What the files of a room include in quotes: (file, what it writes)."""
    for file in sorted((SOURCE / "src" / room).glob("*.[ch]")):
        for name in re.findall(r'^ *# *include *["<]([^">]+)[">]', file.read_text(), re.M):
            yield file.name, name


@functools.cache
def commands():
    return json.loads((BUILD / "compile_commands.json").read_text())


def seen_by(room, headers):
    """Those headers that the compiler finds, called as the build calls it for a file of the room."""
    own = next(c for c in commands() if Path(c["file"]).parent == SOURCE / "src" / room)
    flags = [flag for flag in shlex.split(own["command"]) if flag.startswith(("-I", "-D", "-std"))]
    probe = "".join(f'#if __has_include("{h}")\nFOUND {h}\n#endif\n' for h in headers)
    text = subprocess.run([CC, *flags, "-E", "-"], input=probe, capture_output=True, text=True, check=True)
    return re.findall(r"^FOUND (\S+)$", text.stdout, re.M)


class WhatMustNotCompile(unittest.TestCase):
    def test_each_side_compiles_its_own_headers(self):
        for side, headers in {
            "core": ["<sotto/core.h>", '"core/core.h"'],
            "client": ["<sotto/client.h>", '"client/client.h"', '"core/core.h"'],
            "server": ["<sotto/server.h>", '"server/server.h"', '"core/core.h"'],
            "lab": ["<sotto/client.h>", "<sotto/server.h>", '"client/client.h"', '"server/server.h"',
                    '"lab/random/random.h"'],
        }.items():
            for header in headers:
                self.assertTrue(compiles(side, f"#include {header}"), f"{side} and {header}")

    def test_no_side_compiles_the_other_s_headers(self):
        for side, header in [
            ("server", "<sotto/client.h>"), ("core", "<sotto/client.h>"),
            ("client", "<sotto/server.h>"), ("core", "<sotto/server.h>"),
            ("server", '"client/client.h"'), ("client", '"server/server.h"'),
            ("core", '"client/client.h"'), ("client", '"lab/random/random.h"'),
            ("server", "<sotto/transport.h>"), ("core", "<sotto/transport.h>"),
            ("server", '"lab/random/random.h"'),
            *((side, f"<sotto/{header.relative_to(SOURCE / 'include/sotto')}>")
              for side in ("core", "client", "server")
              for header in (SOURCE / "include/sotto").glob("lab/*.h")),
        ]:
            self.assertFalse(compiles(side, f"#include {header}"), f"{side} and {header}")

    def test_not_even_when_a_directory_is_smuggled_into_the_search_path(self):
        everything = tuple(SIDES["lab"])
        for directory, intruder in [("client", "server"), ("client", "core"), ("server", "client"),
                                 ("server", "core"), ("transport", "server"), ("transport", "core")]:
            for header in sorted((SOURCE / "src" / directory).glob("*.h")):
                text = f'#include "{header}"'
                self.assertTrue(compiles("lab", text, everything), header)
                self.assertFalse(compiles(intruder, text, everything), f"{intruder} and {header}")

    def test_every_public_header_compiles_alone_in_old_and_new_c_and_in_cxx(self):
        cxx = next((c for c in ("c++", "clang++", "clang-14") if shutil.which(c)), None)
        for header in sorted((SOURCE / "include/sotto").rglob("*.h")):
            for compiler, language, standard in [(CC, "c", "c11"), (CC, "c", "c17"), (cxx, "c++", "c++17")]:
                command = [compiler, "-x", language, f"-std={standard}", "-pedantic-errors", "-Wall", "-Werror",
                           "-fsyntax-only", f"-I{SOURCE}/include", "-"]
                if compiler:
                    text = f"#include <sotto/{header.relative_to(SOURCE / 'include/sotto')}>\nint probe;\n"
                    made = subprocess.run(command, input=text, capture_output=True, text=True)
                    self.assertEqual(made.returncode, 0, made.stderr)

    def test_no_source_file_compiles_on_the_other_side(self):
        for directory, intruder in [("client", "server"), ("server", "client")]:
            for source in sorted((SOURCE / "src" / directory).glob("*.c")):
                text = re.sub(r'#include "(\w+\.h)"', rf'#include "{directory}/\1"', source.read_text())
                self.assertTrue(compiles(directory, text), source)
                if f"{directory}/" not in text:
                    continue
                self.assertFalse(compiles(intruder, text), f"{source} compiled as {intruder}")


class WhatComputes(unittest.TestCase):
    """In the default floating-point environment, and as IEEE 754 says."""

    def test_every_public_function_of_the_device_sets_the_environment_or_computes_nothing(self):
        sides = {"client": NO_ARITHMETIC, "transport": TRANSPORT_NO_ARITHMETIC}
        for side in sides.keys() & ROOMS.keys():
            body, names = definitions(side), declared(side)
            self.assertEqual(sides[side] - names, set(), "listed, but not declared")
            for name in sorted(names - sides[side]):
                self.assertRegex(body[name], r"\A    SOTTO__DEFAULT_FLOATS;", name)
                self.assertEqual("SOTTO__UNSEEN(" in body[name], name not in CALLS_OTHERS, name)

    def test_nobody_else_sets_it_but_who_publishes(self):
        text = "".join(file.read_text() for file in (SOURCE / "src").rglob("*.c"))
        setting = re.findall(r"\b(\w+)\([^{};()]*\)\n\{\n    SOTTO__DEFAULT_FLOATS;", text)
        self.assertEqual(len(setting), text.count("SOTTO__DEFAULT_FLOATS"), "not the first line of a function")
        self.assertEqual(set(setting) - declared("client", "transport"), PUBLISHES)

    def test_every_public_function_of_the_client_is_tested_in_foreign_environments(self):
        test = "".join(file.read_text() for file in (SOURCE / "tests/unit/client").glob("test_float_*.c"))
        for name in sorted(declared("client")):
            self.assertRegex(test, rf"UNDER\(mode,[^;]*\b{name}\(", name)

    def test_only_calibrations_ask_for_functions_whose_bits_differ_between_machines(self):
        asking = {o.name.removesuffix(".c.o") for o in symbols_of_objects("-u") if asked_by(o) & UNLIKE}
        self.assertEqual(asking, CALIBRATIONS)

    def test_files_of_every_platform_compile_without_assertions_and_without_a_warning(self):
        """Those of this processor: others need its intrinsics."""
        other = {"x86_64": "_aarch64", "aarch64": "_x86_64"}.get(platform.machine(), "_none")
        kind = re.compile(r"_(posix|host|linux|other|none|curl|aarch64|x86_64)$")
        files = [file for directory in ("core", "client", "transport") for file in sorted((SOURCE / "src" / directory).glob("*.c"))
                 if kind.search(file.stem) and not file.stem.endswith(other)]
        self.assertGreater(len(files), 9)
        for file in files:
            directory = file.parent.name
            text = re.sub(r'#include "(\w+\.h)"', rf'#include "{directory}/\1"', file.read_text())
            side = "core" if directory == "core" else "client"
            options = ("-O2", "-DNDEBUG", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror")
            self.assertTrue(compiles(side, text, ("core", "client", "transport"), options), file)
            self.assertFalse(compiles(side, text + "void probe(void);\nvoid probe(void) { int unused; }", ("core", "client", "transport"), options), file)

    def test_fast_math_does_not_compile(self):
        for directory in ("core", "client"):
            for source in sorted((SOURCE / "src" / directory).glob("*.c")):
                if not re.search(r"\b(double|math\.h)\b", source.read_text()):
                    continue
                text = re.sub(r'#include "(\w+\.h)"', rf'#include "{directory}/\1"', source.read_text())
                self.assertTrue(compiles(directory, text), source)
                for option in ("-ffast-math", "-ffinite-math-only", *X87):
                    self.assertFalse(compiles(directory, text, options=(option,)), f"{source} {option}")


class WhatIsMissing(unittest.TestCase):
    def test_every_public_function_is_called_with_each_pointer_missing_in_turn(self):
        for side in ("core", "client", "server", "lab", "transport"):
            test = (SOURCE / f"tests/unit/{side}/test_null.c").read_text()
            self.assertTrue(pointers(side))
            for name, places in pointers(side).items():
                calls = [call.split(",") for call in re.findall(rf"\b{name}\(([^()]*)\)", test)]
                missing = [[i for i, argument in enumerate(call) if argument.strip() == "NULL"]
                           for call in calls]
                for place in places:
                    self.assertIn([place], missing, f"{side}/test_null.c: {name}, argument {place + 1}")

    def test_every_public_function_of_a_device_that_can_refuse_is_searched_for_canaries(self):
        test = (SOURCE / "tests/unit/transport/test_canaries.c").read_text()
        for side in ("client", "transport"):
            names = re.findall(r"sotto_status (sotto_\w+)\(", (SOURCE / f"include/sotto/{side}.h").read_text())
            self.assertGreater(len(names), 10)
            self.assertEqual([name for name in names if f"{name}(" not in test], [])


class Walls(unittest.TestCase):
    """Each room sees the rooms on its list, and no others."""

    def test_every_directory_of_the_source_is_a_room(self):
        directories = {str(f.parent.relative_to(SOURCE / "src")) for f in (SOURCE / "src").rglob("*.c")}
        self.assertEqual(directories - {"cli", "service", "wasm"}, set(ROOMS))

    def test_no_name_of_a_type_is_defined_twice(self):
        where = {}
        for path in [*(SOURCE / "src").rglob("*.[ch]"), *(SOURCE / "include").rglob("*.h")]:
            for kind_and_name in types(path.read_text()):
                where.setdefault(kind_and_name, []).append(path.relative_to(SOURCE).as_posix())
        self.assertEqual({name: paths for name, paths in where.items() if len(paths) > 1}, {})
        self.assertGreater(len(where), 1500)

    def test_types_are_found_however_they_are_written(self):
        text = """/* struct comment { */ #define LIST struct macro { int x; }
            struct a { union b { int x; }; }; enum c\n{ D }; typedef struct { struct a e; } f; struct declared;
            extern "C" { typedef struct g g; typedef int h[3]; typedef void (*i)(int x); typedef int k(int x); }
            typedef double l __attribute__((vector_size(32), aligned(8))); static const struct m { int x; } n;"""
        self.assertEqual(sorted(types(text.replace(" #define", "\n#define"))),
                         [("tag", name) for name in "abcm"] + [("typedef", name) for name in "fghikl"])

    def test_a_room_uses_only_rooms_below_it(self):
        order = list(ROOMS)
        for room, uses in ROOMS.items():
            for used in uses:
                self.assertLess(order.index(used), order.index(room), f"{room} uses {used}")

    def test_the_compiler_finds_every_header_that_a_room_may_use(self):
        for room, uses in ROOMS.items():
            allowed = [h for used in uses for h in headers_of(used)]
            self.assertEqual(seen_by(room, allowed), allowed, room)

    def test_the_compiler_finds_no_header_of_any_other_room(self):
        for room, uses in ROOMS.items():
            others = [other for other in ROOMS if other not in (room, *uses)]
            forbidden = [h for other in others for h in headers_of(other)]
            self.assertEqual(seen_by(room, forbidden), [], room)

    def test_nobody_climbs_over_a_wall_by_a_path(self):
        for room in ROOMS:
            for file, name in included(room):
                self.assertFalse(".." in name or name.startswith("/"), f"{room}/{file} includes {name}")
                own = name.startswith(room + "/")
                self.assertFalse(own, f"{room}/{file} includes {name} of its own room by its path")

    def test_a_room_shows_others_one_header_and_keeps_one_to_itself(self):
        for room in ROOMS:
            for file, name in included(room):
                self.assertFalse(name.endswith("/inner.h"), f"{room}/{file} includes {name}")
            own = {"inner.h", "side.h", room.rpartition("/")[2] + ".h"}
            self.assertLessEqual({h.name for h in (SOURCE / "src" / room).glob("*.h")}, own, room)

    def test_no_room_calls_what_another_defines_unless_it_uses_that_room(self):
        """An `extern` of one's own needs no header, so the symbols are compared too."""
        owner = {}
        for room in ROOMS:
            for o in objects(room):
                owner.update(dict.fromkeys(defined(o), room))
        for room, uses in ROOMS.items():
            asked = set().union(*(asked_by(o) for o in objects(room)))
            self.assertTrue(asked, room)
            for name in asked & owner.keys():
                if room.startswith("service/") and owner[name].startswith("cli/"):
                    continue  # no program links both; jansson has names that cli/print has, too
                self.assertIn(owner[name], (room, *uses), f"{room} calls {name}")

    def test_the_program_calls_commands_texts_and_the_core_only(self):
        """main.c stands in no room, here and in the service."""
        asked = symbols(BUILD / "src/cli/CMakeFiles/sotto.dir/main.c.o", "-u")
        for room in ROOMS:
            if room in ("core", "text", "option") or room.startswith("cli/"):
                continue
            for o in objects(room):
                self.assertEqual(asked & defined(o), set(), room)

    def test_no_list_names_a_room_that_is_not_used(self):
        owner = {name: room for room in ROOMS for o in objects(room)
                 for name in defined(o)}
        for room, uses in ROOMS.items():
            asked = set().union(*(asked_by(o) for o in objects(room)))
            used = {owner[name] for name in asked & owner.keys()}
            reached, waiting = set(), [room]
            while waiting:  # a header of a room that is used may include those of others
                new = {name.rpartition("/")[0] for _, name in included(waiting.pop())} & ROOMS.keys()
                waiting += new - reached
                reached |= new
            self.assertEqual(set(uses) - used - reached, set(), room)


@unittest.skipUnless("service/daemon" in ROOMS, "built without the service")
class TheService(unittest.TestCase):
    """sottod stands on the server's side, and draws in one place."""

    def test_no_room_of_the_service_uses_the_client_or_the_lab(self):
        for room, uses in ROOMS.items():
            if room.startswith("service/"):
                self.assertEqual([u for u in uses if u.split("/")[0] not in ("service", "server", "text", "threads", "option", "core")], [], room)

    def test_the_binary_holds_no_function_of_the_client_or_the_lab(self):
        held = symbols(BUILD / "sottod", "--defined-only")
        self.assertIn("sotto_learner_publish", held)  # its symbols can be read
        for room in ROOMS:
            if room in ("client", "transport", "fleet") or room.startswith(("lab/", "cli/")):
                for o in objects(room):
                    self.assertEqual(held & defined(o), set(), o)

    def test_one_file_draws(self):
        draws = {"getrandom", "getentropy", "random", "rand", "rand_r", "drand48", "arc4random",
                 "arc4random_buf", "sqlite3_randomness"}
        found = {o.name for room in ROOMS if room in ("core", "server") or room.startswith("service/")
                 for o in objects(room) if asked_by(o) & draws}
        self.assertEqual(found, {"entropy.c.o"})

    def test_the_program_calls_the_daemon_the_settings_texts_and_the_core_only(self):
        """main.c stands in no room."""
        asked = symbols(BUILD / "src/service/CMakeFiles/sottod.dir/main.c.o", "-u")
        for room in ROOMS:
            if room not in ("core", "text", "option", "service/daemon", "service/config"):
                for o in objects(room):
                    self.assertEqual(asked & defined(o), set(), room)


@unittest.skipUnless(LIBRARIES.exists(), "a sanitized build packs no libraries")
class WhatTheLibrariesHold(unittest.TestCase):
    def test_shared_libraries_export_the_public_functions_and_nothing_else(self):
        for side, held in HELD.items():
            got = symbols(LIBRARIES / f"libsotto-{side}.so", "-D", "--defined-only")
            self.assertEqual(got, declared("core", *held), side)

    def test_static_libraries_export_no_internal_function_of_their_side(self):
        for side, held in HELD.items():
            got = symbols(LIBRARIES / f"sotto-{side}.o", "-g", "--defined-only")
            self.assertEqual(got, declared(*held), side)

    def test_in_the_static_lab_the_functions_of_both_sides_give_way_to_those_of_their_libraries(self):
        lines = subprocess.run(["nm", "-g", "--defined-only", LIBRARIES / "sotto-lab.o"], capture_output=True,
                               text=True, check=True).stdout.splitlines()
        weak = {line.split()[-1] for line in lines if line.split()[-2] in "VW"}
        self.assertEqual(weak, declared("client", "server"))

    def test_there_is_no_way_to_seed_and_no_mechanism_without_noise_outside_the_lab(self):
        found = {path for side in HELD if side != "lab" for path in LIBRARIES.glob(f"libsotto-{side}.[as]*")}
        self.assertGreaterEqual(len(found), 4)
        for path in sorted(found):
            for name in symbols(path, *(["-D"] if ".so" in path.name else ["-g"]), "--defined-only"):
                self.assertIsNone(re.search(r"seed|none|random|lab|mechanism", name), f"{path}: {name}")

    def test_each_side_asks_only_for_what_it_may(self):
        core = set().union(*(defined(o) for o in objects("core")))
        for directory in ("core", "client", "server"):
            own = set().union(*(defined(o) for o in objects(directory)))
            asked = set().union(*(asked_by(o) for o in objects(directory)))
            self.assertTrue(asked, directory)
            self.assertEqual(asked - own - core - MAY_ASK_FOR[directory], set(), directory)

    def test_only_the_client_can_draw(self):
        self.assertIn("getrandom", symbols(LIBRARIES / "libsotto-client.so", "-D", "-u"))
        self.assertNotIn("getrandom", symbols(LIBRARIES / "libsotto-server.so", "-D", "-u"))

    def test_the_soname_carries_a_version(self):
        for side in HELD:
            library = LIBRARIES / f"libsotto-{side}.so"
            head = subprocess.run(["objdump", "-p", library], capture_output=True, text=True, check=True)
            self.assertRegex(head.stdout, rf"SONAME +libsotto-{side}\.so\.\d+")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
