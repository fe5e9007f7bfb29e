"""`python -m robosym` is the command `robosym`."""

from robosym.app.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
