"""The command ``borduel``, also as ``python -m borduel``: the same code as the binary's."""

import signal
import sys

from borduel._core import command


def main() -> int:
    """Do what the arguments say, and return the exit code."""
    # The command hears Ctrl-C itself; Python would only take note of it until the command returns.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return command(["borduel", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
