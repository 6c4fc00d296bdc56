"""An API reference as Markdown: of C from the public headers, of Python from signatures and docstrings.

Nothing is compiled or imported: the headers are ours and have one form. A comment stands above what it explains, and both
end at an empty line."""

import ast
import re
from pathlib import Path

HEADERS = ("core.h", "client.h", "server.h", "transport.h", "flat.h", "host.h", "lab.h")


def prose(text):
    """Paragraphs as Markdown: signs of Markdown and HTML stay as they are, and columns stay columns, as code."""
    paragraphs = []
    for paragraph in re.split(r"\n\s*\n", text):
        lines = paragraph.splitlines()
        if any(re.match(r" {4}|\S+(?: \S+)* {2,}\S", line) for line in lines):
            paragraphs.append("\n".join("    " + line.removeprefix("    ") if all(l.startswith("    ") for l in lines)
                                        else "    " + line for line in lines))
        else:
            parts = re.split(r"(`[^`]*`)", paragraph)
            paragraphs.append("".join(part if part.startswith("`") else part.replace("<", "&lt;").replace("*", "\\*")
                                      for part in parts))
    return "\n\n".join(paragraphs)


# ---- C


def plain(comment):
    """The text of /* ... */, as paragraphs; indented lines are code."""
    lines = [re.sub(r"^ ?\* ?", "", line.strip() if not line.startswith(" *") else line[1:])
             for line in comment.strip()[2:-2].strip("\n").splitlines()]
    return "\n".join(line.rstrip() for line in lines).strip("\n").strip()


def chunks(text):
    """[(comment or "", code)] of a header, in pieces: a comment at the left margin begins one, an empty line outside of
    braces ends one."""
    text = re.sub(r"^#ifdef __cplusplus\n.*?^#endif\n", "", text, flags=re.M | re.S)
    opening = re.match(r"/\*.*?\*/", text, re.S)
    found, comment, code, depth, inside = [], [], [], 0, False

    def end():
        nonlocal comment, code
        if comment or code:
            found.append((plain("\n".join(comment)) if comment else "", "\n".join(code)))
        comment, code = [], []

    for line in text[opening.end() if opening else 0:].splitlines():
        if not inside and depth == 0 and (line == "" or line.startswith("/*")):
            end()
        inside = inside or line.startswith("/*") and depth == 0
        if inside:
            comment.append(line)
            inside = "*/" not in line
        elif line or code:
            code.append(line)
            bare = re.sub(r"/\*.*?\*/", "", line)
            depth += bare.count("{") - bare.count("}")
    end()
    return found


def names(code):
    """What a piece of code declares, in order."""
    code = re.sub(r"/\*.*?\*/", "", code, flags=re.S)
    outside = re.sub(r"\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}", "{}", code)
    found = re.findall(r"^\s*#define (SOTTO_\w+)", outside, re.M)
    found += re.findall(r"\b(sotto_\w+)\s*\(", re.sub(r"^\s*#.*$", "", outside, flags=re.M))
    found += re.findall(r"(?:\}|typedef struct \w+|typedef enum \w+|typedef \w+)\s*(sotto_\w+)\s*;", outside)
    return list(dict.fromkeys(found))


def of_header(path, title):
    text = path.read_text(encoding="utf-8")
    lines = [f"# {title}", ""]
    opening = re.match(r"/\*.*?\*/", text, re.S)
    if opening:
        lines += [prose(plain(opening[0])), ""]
    for comment, code in chunks(text):
        section = re.fullmatch(r"-+ (.*?) -+", comment)
        declared = [name for name in names(code) if not name.endswith("_H")]
        if section:
            lines += [f"## {section[1].capitalize()}", ""]
        elif comment and (declared or not code):
            title = ", ".join(f"`{name}`" for name in declared[:3]) + (" …" if len(declared) > 3 else "")
            lines += [f"### {title}", ""] if declared else []
            lines += [prose(comment), ""]
        elif declared:
            lines += [f"### `{declared[0]}`" + (" …" if len(declared) > 1 else ""), ""]
        if declared:
            lines += ["```c", re.sub(r"(?<!#define )\bSOTTO_API\s+", "", code).rstrip(), "```", ""]
    return "\n".join(lines)


def of_c(include):
    """{page: Markdown} of the public headers under include/sotto."""
    headers = [include / name for name in HEADERS if (include / name).exists()]
    headers += sorted((include / "lab").glob("*.h"))
    return {f"api/c-{path.relative_to(include).with_suffix('').as_posix().replace('/', '-')}.md":
            of_header(path, f"sotto/{path.relative_to(include).as_posix()}") for path in headers}


# ---- Python


def signature(node, name=None):
    """Without self and cls; one parameter per line if it is long."""
    arguments = ast.unparse(node.args)
    arguments = re.sub(r"^(self|cls)(, |$)", "", arguments)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns and name is None else ""
    line = f"{name or node.name}({arguments}){returns}"
    if len(line) <= 100:
        return line
    parts = [re.sub(r"^(self|cls), ", "", part) for part in split_arguments(arguments)]
    return f"{name or node.name}(\n    " + ",\n    ".join(parts) + f"){returns}"


def split_arguments(text):
    """At commas outside of brackets."""
    parts, depth = [""], 0
    for sign in text:
        depth += (sign in "([{") - (sign in ")]}")
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts]


def docstring(node):
    return prose(ast.get_docstring(node) or "")


def of_class(node):
    lines = [f"## `{node.name}`", "", docstring(node), ""]
    fields = [ast.unparse(item) for item in node.body if isinstance(item, ast.AnnAssign)
              and not item.target.id.startswith("_")]
    if fields:
        lines += ["```python", *fields, "```", ""]
    for item in node.body:
        if not isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        if item.name.startswith("_") and item.name != "__init__":
            continue
        decorators = {ast.unparse(decorator) for decorator in item.decorator_list}
        if "overload" in decorators or any(name.endswith(".setter") for name in decorators):
            continue
        shown = item.name if "property" in decorators else signature(item, node.name if item.name == "__init__" else None)
        said = docstring(item)
        if item.name == "__init__" and not said:
            lines += ["```python", shown, "```", ""]
        else:
            lines += [f"### `{node.name}.{item.name}`", "", "```python", shown, "```", "", said, ""]
    return lines


def of_python(package):
    """Markdown of what `__all__` names, in its order, from the files of the package."""
    start = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    public = next(ast.literal_eval(node.value) for node in start.body if isinstance(node, ast.Assign)
                  and getattr(node.targets[0], "id", "") == "__all__")
    public = [name for name in public if not name.startswith("__")]
    nodes = {}
    for path in sorted(package.glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                decorators = [ast.unparse(item) for item in getattr(node, "decorator_list", [])]
                if "overload" not in decorators:
                    nodes.setdefault(node.name, node)
    missing = [name for name in public if name not in nodes]
    if missing:
        raise ValueError(f"__all__ of {package} names what no file defines: {', '.join(missing)}")
    if "PrivateBandit" in nodes and "PrivateBandit" not in public:
        public.append("PrivateBandit")  # loaded when it is asked for
    lines = ["# Python", "", docstring(start), ""]
    for name in sorted(public, key=str.lower):
        node = nodes[name]
        if isinstance(node, ast.ClassDef):
            lines += of_class(node)
        else:
            lines += [f"## `{name}`", "", "```python", signature(node), "```", "", docstring(node), ""]
    return "\n".join(lines)


def pages(source):
    """{page: Markdown} of the whole reference."""
    source = Path(source)
    found = of_c(source / "include/sotto")
    found["api/python.md"] = of_python(source / "python/sotto")
    return found
