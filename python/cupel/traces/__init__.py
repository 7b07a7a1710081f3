"""What of a process all code in it shares, by kinds: switches, code, operators, random numbers.
process_state.py compares it before a program's import and after its calls."""
