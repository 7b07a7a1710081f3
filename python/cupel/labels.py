"""What a reader of a candidate should know, found in its syntax tree: triage, not proof. A label
neither rejects nor acquits, and a program that hides what it does has none. Nothing of it runs.

Names are followed through imports (`import torch.cuda as c`); what a string holds is read where it
looks like C++."""

import ast
import re

LABELS = ("does not parse", "calls the reference", "falls back in except", "side streams",
          "threads or processes", "patches torch", "only torch.compile", "torch.compile",
          "cpp_kernel", "cuda_kernel", "load_inline", "triton", "CUDA graph", "lower precision",
          "reads addresses", "looks at its surroundings")
# Calls and attributes by the end of their dotted name: "torch.cuda.Stream" ends in "cuda.Stream".
CALLED = {
    "side streams": ("cuda.Stream", "cuda.stream", "cuda.ExternalStream"),
    "threads or processes": ("threading.Thread", "ThreadPoolExecutor", "ProcessPoolExecutor",
                             "multiprocessing.Process", "multiprocessing.Pool", "os.fork",
                             "subprocess.run", "subprocess.Popen", "subprocess.check_output"),
    "torch.compile": ("torch.compile",),
    "cpp_kernel": ("cpp_kernel",),
    "cuda_kernel": ("cuda_kernel",),
    "load_inline": ("load_inline", "cpp_extension.load"),
    "triton": ("triton.jit", "triton.autotune"),
    "CUDA graph": ("CUDAGraph", "make_graphed_callables", "cuda.graph"),
    "lower precision": ("torch.bfloat16", "torch.float16", "torch.half", "autocast"),
    "looks at its surroundings": (
        "gethostname", "getpass.getuser", "os.getcwd", "os.environ", "os.getenv", "os.uname",
        "platform.node", "expanduser", "sys._getframe", "inspect.stack", "inspect.currentframe",
        "sys.argv", "sys.modules", "os.getppid", "os.getuid"),
}
METHODS = {"lower precision": ("half", "bfloat16"), "reads addresses": ("data_ptr",)}
CPP = {
    "side streams": r"cudaStreamCreate|cuStreamCreate|getStreamFromPool",
    "threads or processes": r"std::j?thread\b|std::async|pthread_create|\bfork\s*\(",
    "lower precision": r"\b__half|__nv_bfloat16|\b_Float16|\b__bf16",
}
# Settings that may lower the precision of products, each with the value that does not.
STRICTEST = {"allow_tf32": False, "fp32_precision": "ieee",
             "set_float32_matmul_precision": "highest"}
MADE_OF_KERNELS = {"cpp_kernel", "cuda_kernel", "load_inline", "triton"}
PATCHED = ("torch.", "time.")  # modules in which nothing is to be exchanged...
SETTINGS = re.compile(r"^torch\.(backends|set_)|config")  # ...but for settings


def reply(source):
    """To the judge's request."""
    return {"re": "labels", "labels": [{"label": label, "line": line}
                                       for label, line in labels_of(source)]}


def labels_of(source):
    """[(label, line)] in the order of LABELS, each at most once, with its first line."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return [("does not parse", getattr(error, "lineno", None) or 1)]
    finder = _Finder()
    try:
        finder.visit(tree)
    except RecursionError:  # absurd nesting: what was found by then
        pass
    found = finder.found
    if "torch.compile" in found and not MADE_OF_KERNELS & set(found):
        found["only torch.compile"] = found["torch.compile"]
    return [(label, found[label]) for label in LABELS if label in found]


class _Finder(ast.NodeVisitor):
    def __init__(self):
        self.found = {}
        self._names = {"F": "torch.nn.functional", "nn": "torch.nn"}  # as imports say

    def _note(self, label, node):
        self.found[label] = min(node.lineno, self.found.get(label, node.lineno))

    def _dotted(self, node):
        """ "torch.cuda.Stream", imports followed; "" for what is no dotted name."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return ""
        parts.append(self._names.get(node.id, node.id))
        return ".".join(reversed(parts))

    def visit_Import(self, node):
        for alias in node.names:
            if alias.asname:
                self._names[alias.asname] = alias.name
            if alias.name.split(".")[0] == "triton":
                self._note("triton", node)

    def visit_ImportFrom(self, node):
        for alias in node.names:
            self._names[alias.asname or alias.name] = f"{node.module or ''}.{alias.name}"
        if (node.module or "").split(".")[0] == "triton":
            self._note("triton", node)

    def visit_Name(self, node):
        self._note_name(node)

    def visit_Attribute(self, node):
        self._note_name(node)
        self.generic_visit(node)

    def _note_name(self, node):
        name = "." + self._dotted(node)
        for label, ends in CALLED.items():
            if name.endswith(tuple("." + end for end in ends)):
                self._note(label, node)

    def visit_Call(self, node):
        function = node.func
        if isinstance(function, ast.Attribute):
            for label, methods in METHODS.items():
                if function.attr in methods:
                    self._note(label, node)
        name = self._dotted(function)
        if name == "id":
            self._note("reads addresses", node)
        if name in ("Model", "Model.forward", "Model.__call__") or _is_inherited_call(function):
            self._note("calls the reference", node)
        if name == "setattr" and node.args and self._is_patched(self._dotted(node.args[0]) + "."):
            self._note("patches torch", node)
        if name == "setattr" and len(node.args) == 3 and isinstance(node.args[1], ast.Constant):
            self._note_setting(node.args[1].value, node.args[2], node)
        if node.args:
            self._note_setting(name.rpartition(".")[2], node.args[0], node)
        for keyword in node.keywords:
            self._note_setting(keyword.arg, keyword.value, node)
        self.generic_visit(node)

    def _note_setting(self, name, value, node):
        if isinstance(name, str) and name in STRICTEST and not (
                isinstance(value, ast.Constant) and value.value == STRICTEST[name]):
            self._note("lower precision", node)

    def visit_Assign(self, node):
        for target in node.targets:
            self._note_patch(target)
            if isinstance(target, ast.Attribute):
                self._note_setting(target.attr, node.value, node)
        self.generic_visit(node)

    def visit_AugAssign(self, node):
        self._note_patch(node.target)
        self.generic_visit(node)

    def _note_patch(self, target):
        if isinstance(target, ast.Subscript):
            if self._dotted(target.value) == "sys.modules":
                self._note("patches torch", target)
        elif isinstance(target, ast.Attribute) and self._is_patched(self._dotted(target)):
            self._note("patches torch", target)

    @staticmethod
    def _is_patched(name):
        return name.startswith(PATCHED) and not SETTINGS.search(name)

    def visit_Try(self, node):
        for handler in node.handlers:
            packages = {self._dotted(one) for one in ast.walk(handler.type or ast.Constant(0))}
            working = [line for line in handler.body if _computes(line)]
            if working and not packages & {"ImportError", "ModuleNotFoundError"}:
                self._note("falls back in except", working[0])
        self.generic_visit(node)

    def visit_Constant(self, node):
        text = node.value
        if not isinstance(text, str) or "{" not in text or ";" not in text:
            return
        code = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)
        for label, pattern in CPP.items():
            if re.search(pattern, code):
                self._note(label, node)


def _is_inherited_call(function):
    """super().forward and the like, which a subclass of the reference calls."""
    return (isinstance(function, ast.Attribute) and function.attr in ("forward", "__call__")
            and isinstance(function.value, ast.Call)
            and isinstance(function.value.func, ast.Name) and function.value.func.id == "super")


def _computes(line):
    """More than marking, importing or raising."""
    if isinstance(line, (ast.Pass, ast.Raise, ast.Import, ast.ImportFrom, ast.Continue)):
        return False
    return any(isinstance(one, (ast.Call, ast.BinOp, ast.Return)) for one in ast.walk(line))
