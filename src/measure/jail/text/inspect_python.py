"""Tells of the interpreter that runs it: versions, and where its files lie. As JSON."""

import importlib.util, json, os, site, sys, sysconfig
try:
    from importlib.metadata import version
    torch = version("torch")
except Exception:
    torch = ""
# A prefix may be anybody's directory that has a virtual environment in it.
parts = ("bin", "lib", "lib64", "libexec", "include", "nvvm", "targets", "pyvenv.cfg")
prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
paths = {os.path.join(prefix, part) for prefix in prefixes for part in parts}
paths |= {path for name, path in sysconfig.get_paths().items() if name != "data"}
paths |= set(site.getsitepackages())
if site.ENABLE_USER_SITE:
    paths.add(site.getusersitepackages())
for name in ("torch", "triton", "numpy"):  # of a checkout, it may be, which is then its own
    spec = importlib.util.find_spec(name)
    paths |= set(spec.submodule_search_locations or ()) if spec else set()
# Another environment's packages, lent to this one by a .pth file.
paths |= {path for path in sys.path if os.path.basename(path) in ("site-packages", "dist-packages")}
paths = {path for path in paths if os.path.exists(path)}
print(json.dumps({"version": sys.version.split()[0], "torch": torch, "executable": sys.executable,
                  "paths": sorted(os.path.realpath(p) for p in paths) + sorted(paths)}))
