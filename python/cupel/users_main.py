import torch

from cupel.users_host import errands

for work, arguments, done in errands(torch):
    try:
        result, problem = work(*arguments), None
    except BaseException as error:
        result, problem = None, error
    done(result, problem)
