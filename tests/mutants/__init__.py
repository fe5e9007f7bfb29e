"""Small faults put into the algorithms one at a time: do the tests notice? Run with `make mutants`."""
