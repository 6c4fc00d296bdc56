#!/usr/bin/env python3
"""Runs python/notebooks/*.py and writes each with its output as .ipynb, as Jupyter and GitHub show it. Needs the package:

    build/wheel/python/venv/bin/python tests/measure/notebooks.py"""
import ast
import base64
import contextlib
import io
import json
import os
import re
import sys
from pathlib import Path

NOTEBOOKS = Path(__file__).parents[2] / "python/notebooks"


def cells(text):
    """[(whether it is code, its lines)]: a cell begins with # %%, and words stand behind #."""
    found = []
    for part in re.split(r"^(?=# %%)", text, flags=re.M)[1:]:
        head, _, body = part.partition("\n")
        code = head == "# %%"
        lines = body.strip("\n").split("\n")
        found.append((code, "\n".join(lines if code else [re.sub(r"^# ?", "", line) for line in lines])))
    return found


def figures(pyplot):
    for number in pyplot.get_fignums():
        memory = io.BytesIO()
        pyplot.figure(number).savefig(memory, format="png", dpi=72, metadata={"Software": None})
        yield {"output_type": "display_data", "metadata": {},
               "data": {"image/png": base64.b64encode(memory.getvalue()).decode()}}
    pyplot.close("all")


def played(code, names, count):
    """The outputs of a cell: what it prints, the value of its last line, its figures."""
    from matplotlib import pyplot
    body = ast.parse(code).body
    last = ast.Expression(body.pop().value) if body and isinstance(body[-1], ast.Expr) else None
    printed, value, outputs = io.StringIO(), None, []
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "cell", "exec"), names)  # pylint: disable=exec-used
        value = eval(compile(last, "cell", "eval"), names) if last else None  # pylint: disable=eval-used
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": printed.getvalue()})
    drawn = list(figures(pyplot))
    if value is not None and not drawn:
        shown = {"text/plain": repr(value)}
        if hasattr(value, "_repr_html_"):
            shown["text/html"] = value._repr_html_()
        outputs.append({"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": shown})
    return [*outputs, *drawn]


def notebook(path):
    names, made, count = {"__name__": "__main__"}, [], 0
    for code, text in cells(path.read_text(encoding="utf-8")):
        cell = {"cell_type": "code" if code else "markdown", "id": f"cell-{len(made)}", "metadata": {}, "source": text}
        if code:
            count += 1
            cell.update(execution_count=count, outputs=played(text, names, count))
        made.append(cell)
    return {"cells": made, "nbformat": 4, "nbformat_minor": 5,
            "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}}


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = "agg"
    for source in sorted(NOTEBOOKS.glob("*.py")):
        with open(source.with_suffix(".ipynb"), "w", encoding="utf-8") as file:
            json.dump(notebook(source), file, indent=1, ensure_ascii=False)
            file.write("\n")
        print(source.with_suffix(".ipynb").name, file=sys.stderr)
