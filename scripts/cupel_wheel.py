"""Builds Cupel's wheel: what `pip install .` and `make wheel` call (a PEP 517 backend).

    python3 scripts/cupel_wheel.py [DIRECTORY]    writes the wheel there (default dist/)

The wheel holds the package `cupel`, and in `cupel/home` what a bundle holds: the binary, the
libraries that it needs, the probe, tasks, prompts and Cupel's Python once more, since the processes
of a task see that directory and not all that is installed. It needs a glibc as new as that of the
machine that it was built on.

CUPEL_BUILT names a CMake build directory to take the binary from; without it the release preset is
built. The standard library only, so that nothing is fetched to build it.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
NAME = "cupel"
# Any date will do, but two wheels of one tree are the same.
ZIP_DATE = (1980, 1, 1, 0, 0, 0)
NEEDS = ("torch>=2.6", "numpy")
SKIPPED = {".git", ".venv", ".cache", "__pycache__", "runs", "dist"}


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """The hook: builds, writes the wheel, returns its file name."""
    version = read_version()
    with tempfile.TemporaryDirectory() as made:
        core = pathlib.Path(made, "core")
        run("scripts/bundle.sh", "--core", core, built_directory())
        wheel = Wheel(version, platform_tag())
        wheel.add_tree(core / "python/cupel", "cupel")
        wheel.add_tree(core, "cupel/home")
        return wheel.write(wheel_directory)


def build_sdist(sdist_directory, config_settings=None):
    """The hook: the tree without what was built."""
    base = f"{NAME}-{read_version()}"
    with tempfile.TemporaryDirectory() as made:
        about = pathlib.Path(made, "PKG-INFO")
        about.write_text(metadata(read_version()), encoding="utf-8")
        path = pathlib.Path(sdist_directory, base + ".tar.gz")
        with tarfile.open(path, "w:gz") as archive:
            archive.add(about, f"{base}/PKG-INFO")
            for source in tree_files(ROOT):
                archive.add(source, f"{base}/{source.relative_to(ROOT)}")
    return path.name


def read_version():
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    return re.search(r"project\(cupel VERSION ([\d.]+)", text)[1]


def platform_tag():
    """What the binary asks of a machine: its processor, and the C library that it was linked to."""
    glibc = os.confstr("CS_GNU_LIBC_VERSION").split()[1]
    return f"manylinux_{glibc.replace('.', '_')}_{os.uname().machine}"


def built_directory():
    """CUPEL_BUILT, else the release preset, built now."""
    if os.environ.get("CUPEL_BUILT"):
        return os.environ["CUPEL_BUILT"]
    run("scripts/setup.sh", "build")
    run("scripts/build.sh", "release", "cupel", "cupel_probe")
    return ROOT / "build-release"


def run(script, *arguments):
    done = subprocess.run([ROOT / script, *arguments], cwd=ROOT, check=False)
    if done.returncode != 0:
        sys.exit(f"cupel: {script} failed; the lines above say why")


def tree_files(root):
    """Files of the tree, sorted, without what was made there."""
    found = []
    for folder, folders, names in os.walk(root):
        at_root = pathlib.Path(folder) == ROOT
        folders[:] = sorted(name for name in folders if name not in SKIPPED
                            and not (at_root and name.split("-")[0] == "build"))
        found += [pathlib.Path(folder, name) for name in sorted(names)
                  if not name.endswith((".pyc", ".so"))]
    return found


def metadata(version):
    needs = "".join(f"Requires-Dist: {need}\n" for need in NEEDS)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return (f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version}\n"
            "Summary: Faster PyTorch programs, proved faster and proved the same\n"
            "License: Apache-2.0\nRequires-Python: >=3.10\n" + needs +
            "Description-Content-Type: text/markdown\n\n" + readme)


class Wheel:
    """A wheel's entries: path -> (bytes, mode)."""

    def __init__(self, version, platform):
        self.entries = {}
        self.tag = f"py3-none-{platform}"
        self.stem = f"{NAME}-{version}"
        about = f"{self.stem}.dist-info"
        self.record = f"{about}/RECORD"
        self.add(f"{about}/METADATA", metadata(version).encode())
        self.add(f"{about}/WHEEL", ("Wheel-Version: 1.0\nGenerator: cupel_wheel\n"
                                    f"Root-Is-Purelib: false\nTag: {self.tag}\n").encode())
        self.add(f"{about}/entry_points.txt", b"[console_scripts]\ncupel = cupel.__main__:main\n")
        self.add(f"{about}/LICENSE", (ROOT / "LICENSE").read_bytes())

    def add(self, name, data, mode=0o644):
        self.entries[name] = (data, mode)

    def add_tree(self, root, below):
        for path in sorted(root.rglob("*")):
            if path.is_file():
                self.add(f"{below}/{path.relative_to(root)}", path.read_bytes(),
                         0o755 if os.access(path, os.X_OK) else 0o644)

    def write(self, directory):
        """Writes the file; returns its name."""
        name = f"{self.stem}-{self.tag}.whl"
        self.add(self.record, self._record().encode())
        with zipfile.ZipFile(pathlib.Path(directory, name), "w", zipfile.ZIP_DEFLATED) as archive:
            for path, (data, mode) in self.entries.items():
                entry = zipfile.ZipInfo(path, ZIP_DATE)
                entry.external_attr = (0o100000 | mode) << 16
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, data)
        return name

    def _record(self):
        lines = []
        for path, (data, _) in self.entries.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{path},sha256={digest},{len(data)}\n")
        return "".join(lines) + f"{self.record},,\n"


if __name__ == "__main__":
    TARGET = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "dist")
    TARGET.mkdir(parents=True, exist_ok=True)
    print(TARGET / build_wheel(TARGET))
