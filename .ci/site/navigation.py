"""Builds the navigation of the site from the files of docs/, in the order of SECTIONS and of the pages in each section.

Pages that a section does not name follow in alphabetical order, so no page is missing. The hooks also add this folder's
`javascripts` and `stylesheets` to the site, and Mermaid, which .ci/docs downloads.
"""

import re
from pathlib import Path

from mkdocs.structure.files import File

SECTIONS = [
    ("Tutorial", "tutorial", ["first-night.md"]),
    ("How-to guides", "how-to", [
        "install.md", "new-product.md", "your-own-data.md", "serve-from-sqlite.md", "serve-from-postgresql.md", "serve-from-redis.md",
        "schedule-nights.md", "evaluate-a-change.md", "read-the-report.md", "investigate-a-bad-night.md",
        "erase-a-person.md", "run-under-another-account.md"]),
    ("Examples", "examples", ["fusion.md", "finding-friends.md", "madra.md", "fixit.md", "funkify.md", "speed-dating.md"]),
    ("Reference", "reference", ["index.md", "commands.md"]),
    ("Pipeline file", "reference/pipeline-file", [
        "index.md", "general.md", "sources.md", "entities.md", "check-ins.md", "interactions.md",
        "computed.md", "requests-and-friends.md", "model.md", "features.md", "rankings.md", "catalogs.md",
        "publish.md", "evaluation.md", "expect.md"]),
    ("Explanation", "explanation", [
        "architecture.md", "models.md", "discovery.md", "mutual.md", "exposure.md", "exact-search.md", "evaluation.md",
        "privacy.md", "decisions.md"]),
    ("Developing", "developing", []),
]
LAST = ["versions.md"]
HERE = Path(__file__).resolve().parent
MERMAID = HERE.parent.parent / ".build" / "site" / "mermaid"


def on_config(config):
    docs = Path(config["docs_dir"])

    def pages(folder, first):
        found = {page.name for page in (docs / folder).glob("*.md")}
        order = [name for name in first if name in found] + sorted(found - set(first))
        return [f"{folder}/{name}" if folder != "." else name for name in order]

    navigation, seen = [], {"."}
    top = pages(".", ["index.md"])
    navigation += [{"Home": page} if page == "index.md" else page for page in top if page not in LAST]
    for title, folder, first in SECTIONS:
        seen.add(folder)
        if found := pages(folder, first):
            section = {title: found}
            if folder == "reference/pipeline-file" and navigation and "Reference" in navigation[-1]:
                navigation[-1]["Reference"].insert(1, section)
            else:
                navigation.append(section)
    for folder in sorted({str(page.parent.relative_to(docs)) for page in docs.rglob("*.md")} - seen):
        navigation.append({folder: pages(folder, [])})
    navigation += [page for page in top if page in LAST]
    config["nav"] = navigation
    return config


def on_page_markdown(markdown, page, config, files):
    """Drops the marker for tests in the first line, because MkDocs uses a heading as the title only if it comes first."""
    return re.sub(r"\A\s*<!-- needs: [^>]*-->\s*", "", markdown)


def on_page_content(html, page, config, files):
    """Marks short code within a line, which browsers would otherwise break at hyphens and within words on a phone."""
    return re.sub(r"<code>(?=(?:[^<&\n]|&\w+;){1,24}</code>)", '<code class="short">', html)


def on_files(files, config):
    for folder in (HERE / "javascripts", HERE / "stylesheets"):
        for path in sorted(folder.iterdir()):
            files.append(File.generated(config, f"{folder.name}/{path.name}", abs_src_path=str(path)))
    for path in sorted(MERMAID.glob("*.js")):
        files.append(File.generated(config, f"javascripts/mermaid/{path.name}", abs_src_path=str(path)))
    return files
