"""Makes an installable package of winners: `python -m cupel.shipping`, which `cupel ship` runs.

package/ is the code of every package as it is; project/ what lies beside it, with names filled in.
"""
