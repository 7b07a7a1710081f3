"""Layers of PACKAGE for Hugging Face's `kernels`: see PACKAGE/layers.py."""

import importlib
import pathlib
import sys

try:
    layers = importlib.import_module("PACKAGE.layers")
except ModuleNotFoundError:  # it is not installed: this lies in it
    sys.path.append(str(pathlib.Path(__file__).resolve().parents[4]))
    layers = importlib.import_module("PACKAGE.layers")
