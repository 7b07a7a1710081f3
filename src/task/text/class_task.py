"""{module}:{class_name}, {mode}."""

import torch

from {module} import {class_name}


class Model({class_name}):
    def __init__(self, *init):
        super().__init__(*init)
{eval}{forward}

def get_inputs():
    return [
{inputs}    ]


def get_init_inputs():
    return {init}
