#!/usr/bin/env python3
"""docs/settings.md, from the tables in the code: the settings of sottod, its metrics, and limits.

  settings.py            the page, as Markdown
  settings.py --write    writes docs/settings.md; `make tables` does

A row of another form than these patterns read is an error: the page would lack it."""

import ast
import os
import re
import sys

from measure import ROOT

PAGE = os.path.join(ROOT, "docs/settings.md")
TEXT = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'  # a string of C, perhaps in several pieces
KINDS = "counter|gauge|histogram"

# What a reader may meet: the macro, its file, what it limits. Its value is read from the file.
LIMITS = (
    ("SOTTO_DIM_MAX", "include/sotto/core.h", "numbers in a context"),
    ("SOTTO_ARMS_MAX", "include/sotto/core.h", "arms"),
    ("SOTTO_CELLS_MAX", "include/sotto/core.h", "numbers in a context times arms"),
    ("SOTTO_CODEBOOK_SIZE_MAX", "include/sotto/core.h", "codewords"),
    ("SOTTO_TICKS_MAX", "include/sotto/core.h", "ticks of a lattice report"),
    ("SOTTO_REPORTS_MAX", "include/sotto/core.h", "reports of an epoch"),
    ("SOTTO_HORIZON_MAX", "include/sotto/server.h", "`horizon`"),
    ("EXPERIMENT_SECONDS_MAX", "src/service/experiment/inner.h", "`epoch_seconds_min`, in seconds"),
    ("CREATE_LABELS_MAX", "src/service/api/inner.h", "labels of an experiment"),
    ("CREATE_LABEL_BYTES_MAX", "src/service/api/inner.h", "bytes of a label"),
    ("REPORT_KEY_BYTES_MAX", "src/service/api/inner.h", "bytes of a report key"),
    ("EXPERIMENT_KEYS_MAX", "src/service/experiment/experiment.h", "report keys at a time"),
    ("JSON_READ_BYTES_MAX", "src/service/api/inner.h", "bytes of a JSON request"),
    ("HISTORY_ROWS_MAX", "src/service/api/inner.h", "rows of a history answer"),
    ("ADMIN_CONNECTIONS_MAX", "src/service/daemon/serve.c", "connections of the admin port"),
    ("AHEAD_MAX", "src/service/front/inner.h", "requests sent ahead on a connection"),
)

# Fields of the policy that a device has unless its owner says otherwise.
POLICY = (
    ("epsilon_per_report_max", "epsilon of a report"),
    ("delta_max", "delta of a report"),
    ("epsilon_lifetime", "epsilon of all reports"),
    ("delta_lifetime", "delta of all reports"),
    ("measure_share_max", "share of measure rounds"),
)

# The name begins so: the heading. The first that fits.
METRICS = (
    (r"sottod_reports_|sottod_watch_", "Of one experiment, or summed over all"),
    (r"sottod_experiment_", "Of one experiment"),
    (r"sottod_refused_(?!key)|sottod_requests_|sottod_connections|sottod_request_", "Of a port"),
    (r"sottod_", "Of the process"),
)
SHARED = "Of the process, only with PostgreSQL"
SHARED_BEGINS = "/* For a shared journal. */"  # in metrics.c: they stand after it

HEAD = """# Settings, metrics, limits

`make tables` makes this page from the tables in the code (`tests/measure/settings.py`). [operations.md](operations.md) says
how to use settings (section 2), metrics (section 8) and limits for clients (section 10).
"""


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def text_of(pieces):
    """One text of the pieces of a C string."""
    return "".join(ast.literal_eval(piece) for piece in re.findall(r'"(?:[^"\\]|\\.)*"', pieces))


def number(text):
    """The value of an expression of C that has numbers alone."""
    text = re.sub(r"U?INT(?:32|64)_C\((\d+)\)|\(size_t\)", r"\1", text)
    if re.fullmatch(r"0x1p\d+", text):
        return int(float.fromhex(text))
    text = re.sub(r"(?<=\d)u\b", "", text)
    if not re.fullmatch(r"[\d() <]+", text):
        raise ValueError(f"{text}: no number")
    left, *shift = [int(part.strip(" ()")) for part in text.split("<<")]
    return left << shift[0] if shift else left


def macro(name, path):
    found = re.findall(rf"^ *#define {name} ([^/\n]+)", read(path), re.M)
    if len(found) != 1:
        raise ValueError(f"{path}: {len(found)} definitions of {name}")
    return number(found[0].strip())


# ---- settings -------------------------------------------------------------------------------------


def names_of(function):
    """The names that a setting may have, from its function in config.c or the levels of the log."""
    source = read("src/service/config/config.c")
    body = source[source.index(f"*{function}(uint32_t value)"):]
    body = body[:body.index("\n}")]
    if "log_level_name" in body:
        source = read("src/service/system/system.c")
        body = source[source.index("*log_level_name("):]
        body = body[:body.index("\n}")]
    return re.findall(r'"(\w+)"', body)


def text_value(value):
    """(default, the word that stands for a text in --help); without a default of its own, ""."""
    source = read("src/service/config/config.c")
    body = re.search(rf"option_value {value} = (.*?)}};", source, re.S)[1]
    usual = re.search(rf"\.usual =\s*{TEXT}", body)
    return text_of(usual[1]) if usual else "", re.search(r'\.word = "([^"]+)"', body)[1]


def allowed(kind, arguments):
    """(default, allowed) of a row."""
    usual, *rest = [part.strip() for part in arguments.split(",")]
    usual = "" if usual == "NULL" else usual.strip('"')
    if kind == "SWITCH":
        return usual, "yes, no"
    if kind == "NAME":
        return usual, ", ".join(names_of(rest[0]))
    if kind == "NUMBER":
        low, high = [macro("SOTTO_NONCES_MAX", "include/sotto/server.h") if part == "SOTTO_NONCES_MAX" else number(part)
                     for part in rest]
        return usual, f"{low} to {high}"
    if kind == "TEXT":
        return usual, text_value(rest[0])[1]
    if kind == "PATH":
        return text_value(usual)
    raise ValueError(f"{kind}: no kind of setting")


def settings():
    """[(group, name, default, allowed, help)] in the order of the table."""
    source = read("src/service/config/config.c")
    groups = dict(re.findall(r'^#define ([A-Z]+) "([^"]+)"$', source, re.M))
    table = source[source.index("const option config_table[]"):source.index("OPTION_END")]
    found = re.findall(rf'\{{"([a-z-]+)", FIELD\w*\([^)]*\), ([A-Z]+)\(([^)]*)\), ([A-Z]+),\s*{TEXT}\}}', table)
    if len(found) != len(re.findall(r'^    \{"', table, re.M)):
        raise ValueError("config.c: a row of another form")
    return [(groups[group], name, *allowed(kind, arguments), text_of(words))
            for name, kind, arguments, group, words in found]


def settings_part():
    lines = ["\n## 1. Settings of sottod", "", "| setting | default | allowed | meaning |", "| --- | --- | --- | --- |"]
    last = None
    for group, name, usual, may_be, words in settings():
        if group != last:
            lines.append(f"| **{group}** | | | |")
            last = group
        lines.append(f"| `{name}` | {usual} | {may_be} | {words} |".replace("|  |", "| |"))
    return lines


# ---- metrics --------------------------------------------------------------------------------------


def title_of(name, is_shared):
    return SHARED if is_shared else next(title for pattern, title in METRICS if re.match(pattern, name))


def metrics():
    """{name: (heading, kind, help)} in the order of the code."""
    source = read("src/service/api/metrics.c")
    named = dict(re.findall(r'static const char (\w+)\[\] = "(sottod_\w+)";', source))
    found = {}
    for row in re.finditer(rf'(?:"(?=sottod_)|head\(out, )(\w+)"?,\s*"({KINDS})",\s*{TEXT}', source):
        name = named.get(row[1], row[1])
        found[name] = title_of(name, row.start() > source.index(SHARED_BEGINS)), row[2], text_of(row[3])
    for word, words in re.findall(rf'X\(\w+, "(\w+)",\s*\\?\s*{TEXT}\)', read("src/service/front/front.h")):
        name = f"sottod_refused_{word}_total"
        found[name] = title_of(name, False), "counter", text_of(words)
    if missing := set(re.findall(r'"(sottod_\w+[a-z])"', source)) - set(found):
        raise ValueError(f"metrics.c: {missing} of another form")
    return found


def metrics_part():
    parts = {title: [] for title in (*(title for _, title in METRICS), SHARED)}
    for name, (title, kind, words) in metrics().items():
        parts[title].append(f"| `{name}` | {kind} | {words} |")
    lines = ["\n## 2. Metrics", "", "Labels are `experiment`, `test` (of the watch), `port` (`public` or `admin`), `state`, "
             "`method` and `route`. Counters", "start at 0 with the process, except `sottod_reports_*`.", "",
             "| metric | kind | meaning |", "| --- | --- | --- |"]
    for title, rows in parts.items():
        lines += [f"| **{title}** | | |", *rows]
    return lines


# ---- limits ---------------------------------------------------------------------------------------


def limits_part():
    policy = read("src/client/policy.c")
    lines = ["\n## 3. Limits", "", "| at most | of |", "| ---: | --- |", "| | **No setting changes these** |"]
    lines += [f"| {macro(name, path):,} | {words} |" for name, path, words in LIMITS]
    lines.append("| | **The policy of a device, unless its owner changes it** |")
    for field, words in POLICY:
        [value] = re.findall(rf"\.{field} = ([^,]+),", policy)
        lines.append(f"| {value} | {words} |")
    return lines


def page():
    return "\n".join([HEAD.rstrip("\n"), *settings_part(), *metrics_part(), *limits_part()]) + "\n"


def main():
    if sys.argv[1:] == ["--write"]:
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(page())
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        print(page(), end="")


if __name__ == "__main__":
    main()
