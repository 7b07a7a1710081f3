"""What lies beside a package's code: project/ with names and numbers filled in."""

import json
import pathlib

TEMPLATES = pathlib.Path(__file__).parent / "project"


# Of a package of `kernels`: nothing in it is compiled for one torch.
REPOSITORIES = {"cpu": "torch-cpu", "cuda": "torch-cuda"}


def write_repository(package, name, devices):
    """A local repository of layers for Hugging Face's `kernels`, which looks for
    build/VARIANT/__init__.py and the metadata beside it."""
    text = (TEMPLATES / "repository.py").read_text(encoding="utf-8").replace("PACKAGE", name)
    for device in sorted(devices):
        folder = package / "repository" / "build" / REPOSITORIES[device]
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text(text, encoding="utf-8")
        metadata = {"id": f"{name}_{device}_layers", "name": name.replace("_", "-"), "version": 1,
                    "license": "other", "python-depends": [], "backend": {"type": device}}
        (folder / "metadata.json").write_text(json.dumps(metadata) + "\n", encoding="utf-8")


def write(project, order, manifest, sentences):
    """`sentences`: of the calls that winners answer."""
    filled = {"PACKAGE": order["name"], "CUPEL_VERSION": order["cupel"],
              "TABLE": "\n\n".join([table(manifest["entries"]), *sentences,
                                    *refused(manifest["entries"])])}
    (project / "tests").mkdir()
    (project / "tests" / "__init__.py").write_text("", encoding="utf-8")
    for name, target in (("README.md", "README.md"), ("pyproject.toml", "pyproject.toml"),
                         ("test_package.py", f"tests/test_{order['name']}.py")):
        text = (TEMPLATES / name).read_text(encoding="utf-8")
        for word, value in filled.items():
            text = text.replace(word, value)
        (project / target).write_text(text, encoding="utf-8")


def table(entries):
    """The dispatch table, for Markdown."""
    rows = ["| task | call | device | torch | policy | winner | over the original |",
            "|---|---|---|---|---|---|---:|"]
    for entry in entries:
        machine = entry["machines"][0]
        threads = f", {entry['threads']} threads" if entry["threads"] else ""
        rows.append(f"| {_cell(entry['task'])} | {entry['shown']} | {machine['device']}{threads} "
                    f"| {machine['torch']} | {entry['policy']} | {_cell(entry['label'])} "
                    f"| {entry['ratio']:.2f}x [{entry['low']:.2f}, {entry['high']:.2f}] |")
    return "\n".join(rows)


def refused(entries):
    """For Markdown: a list of what winners refuse; empty where none does."""
    lines = [f"- {_cell(entry['task'])}, {entry['shown']}: {sentence}"
             for entry in entries for sentence in entry["refuses"]]
    return ["What winners refuse, as their audits saw it:\n\n" + "\n".join(lines)] if lines else []


def _cell(text):
    return " ".join(text.split()).replace("|", "/")[:60]


def settings_text(settings):
    """A task's settings as the file beside it has them; "" for the defaults."""
    lines = []
    for key in ("value_classes", "held_out"):
        if settings.get(key):
            lines.append(f"{key} = [{', '.join(_quoted(text) for text in settings[key])}]")
    for key in ("strict_strides", "allow_mutated_inputs"):
        if settings.get(key):
            lines.append(f"{key} = true")
    for key in ("policy", "mode"):
        if settings.get(key) not in (None, "eager", "as_constructed"):
            lines.append(f"{key} = {_quoted(settings[key])}")
    return "".join(line + "\n" for line in lines)


def _quoted(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
