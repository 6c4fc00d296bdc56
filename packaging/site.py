#!/usr/bin/env python3
"""The pages and an API reference as a static site with search: `site.py DIRECTORY`, by Debian's mkdocs. `make docs` calls it.

Pages keep their places (docs/x.md, research/x.md, README.md), so that their links hold; files of the repository that they
link to are copied. Afterwards every link and fragment of the site is checked, and that nothing is loaded from elsewhere.
Exit status 1 if one leads nowhere."""

import html.parser
import json
import re
import shutil
import subprocess
import sys
import urllib.parse
from pathlib import Path

import reference

ROOT = Path(__file__).resolve().parents[1]
# Chapters, and pages whose titles are not what a reader looks for. Pages that are in none come last.
CHAPTERS = {
    "": ("README.md",),
    "Start": ("docs/start.md", "docs/lab.md", "docs/data.md", "docs/methods.md", "docs/plan.md"),
    "Devices and programs": ("docs/embedding.md", "docs/devices.md", "docs/browser.md", "docs/python.md"),
    "Service": ("docs/install.md", "docs/operations.md", "docs/settings.md", "docs/guarantees.md"),
    "Privacy": ("docs/privacy.md", "docs/audit.md", "SECURITY.md"),
    "Protocol": ("docs/protocol.md", "docs/formats.md"),
    "Project": ("docs/decisions.md", "CONTRIBUTING.md", "CHANGELOG.md"),
    "Research": ("research/README.md", "research/reproduction.md", "research/data.md", "research/epochs.md",
                 "research/liars.md", "research/week.md", "research/measurements.md"),
}
STYLE = "table { display: block; overflow-x: auto; font-size: 0.85em; } .table td, .table th { padding: 0.2rem 0.5rem; }\n"
PATTERNS = ("*.md", "docs/*.md", "research/*.md", "tests/fuzz/README.md")
FENCED = re.compile(r"(^```.*?^```$)", re.M | re.S)


def fragment(title):
    """The id of a heading, as GitHub makes it."""
    title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", title)
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def for_mkdocs(text):
    """Headings get the ids that GitHub gives them, and a list that follows a paragraph an empty line, which Python's
    Markdown wants."""
    parts, seen = FENCED.split(text), {}

    def heading(match):
        name = fragment(match[2])
        seen[name] = seen.get(name, -1) + 1
        return f"{match[1]} {match[2]} {{: #{name}{f'-{seen[name]}' if seen[name] else ''} }}"

    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"^(#+) (.+?)[ \t]*$", heading, parts[i], flags=re.M)
        parts[i] = re.sub(r"^((?![-*#|> ]|\d+\. ).+)\n(?=- |1\. )", r"\1\n\n", parts[i], flags=re.M)
    return "".join(parts)


def title_of(path):
    return re.search(r"^# (.+?)(?: \{: #.*\})?$", path.read_text(encoding="utf-8"), re.M)[1].replace("`", "")


def gather(place):
    """Pages, what they link to, and the reference, under `place`; the pages by their paths."""
    pages = sorted(path for pattern in PATTERNS for path in ROOT.glob(pattern))
    for page in pages:
        text = page.read_text(encoding="utf-8")
        target = place / page.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(for_mkdocs(text), encoding="utf-8")
        for link in re.findall(r"\]\(([^)\s#:]+)", text):
            linked = (page.parent / link).resolve()
            if linked.is_file() and linked.suffix != ".md" and linked.is_relative_to(ROOT):
                copy = place / linked.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(linked, copy)
    (place / "site.css").write_text(STYLE, encoding="utf-8")
    for table in ROOT.glob("research/*.csv"):
        shutil.copy(table, place / "research" / table.name)
    for name, text in reference.pages(ROOT).items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    return [str(page.relative_to(ROOT)) for page in pages]


def contents(place, pages):
    """The site's own table of contents."""
    nav, left = [], [page for page in pages if not any(page in chapter for chapter in CHAPTERS.values())]
    for chapter, names in CHAPTERS.items():
        entries = [{title_of(place / name): name} for name in names if name in pages]
        nav += entries if not chapter else [{chapter: entries}] if entries else []
    api = sorted(str(path.relative_to(place)) for path in place.glob("api/*.md"))
    nav.append({"API reference": [{title_of(place / name): name} for name in api]})
    if left:
        nav.append({"More": [{title_of(place / name): name} for name in left]})
    return nav


def configuration(place, site, pages):
    """mkdocs.yml; JSON is YAML."""
    return json.dumps({
        "site_name": "Sotto", "docs_dir": str(place), "site_dir": str(site), "nav": contents(place, pages),
        "use_directory_urls": False, "plugins": ["search"], "extra_css": ["site.css"],
        "theme": {"name": "mkdocs", "highlightjs": False, "locale": "en", "nav_style": "light"},
        "markdown_extensions": ["tables", "fenced_code", "attr_list", "sane_lists", {"toc": {"permalink": False}}],
    })


class Links(html.parser.HTMLParser):
    """Ids of a page, where it leads, and what it loads."""

    def __init__(self):
        super().__init__()
        self.ids, self.links, self.loads = set(), [], []

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.ids.update(attributes[name] for name in ("id", "name") if attributes.get(name))
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        elif tag in ("link", "script", "img") and (attributes.get("href") or attributes.get("src")):
            self.loads.append(attributes.get("href") or attributes["src"])


def read(path):
    page = Links()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def faults(site):
    """A sentence for every link of a page that leads nowhere, and for everything that it loads from elsewhere."""
    found, known = [], {}
    for path in sorted(site.rglob("*.html")):
        if path.name in ("404.html", "search.html"):
            continue
        page = known[path] = known.get(path) or read(path)
        where = path.relative_to(site)
        found += [f"{where}: loads {link}" for link in page.loads if re.match(r"(https?:)?//", link)]
        for link in [*page.links, *page.loads]:
            if re.match(r"[a-z]+:|//", link):
                continue
            name, _, mark = link.partition("#")
            target = (path.parent / urllib.parse.unquote(name)).resolve() if name else path
            if not target.exists():
                found.append(f"{where}: {link}: no such file")
            elif mark and target.suffix == ".html":
                if target not in known:
                    known[target] = read(target)
                if urllib.parse.unquote(mark) not in known[target].ids:
                    found.append(f"{where}: {link}: no such heading")
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: site.py DIRECTORY")
    site = Path(sys.argv[1]).resolve()
    place = site.with_name(site.name + "-pages")
    for old in (site, place):
        shutil.rmtree(old, ignore_errors=True)
    place.mkdir(parents=True)
    pages = gather(place)
    settings = place.with_name(place.name + ".yml")
    settings.write_text(configuration(place, site, pages), encoding="utf-8")
    built = subprocess.run(["mkdocs", "build", "--quiet", "--config-file", settings], check=False)
    if built.returncode != 0:
        sys.exit("site: mkdocs could not render the pages (its words are above)")
    wrong = faults(site)
    if wrong:
        sys.exit("\n".join(["site: links that lead nowhere:", *wrong]))
    print(f"{site}/index.html: {len(pages)} pages and the API reference, every link checked")


if __name__ == "__main__":
    main()
