"""Callbacks of Python code inside calls of the library."""

from typing import Any, Callable, Optional


class Callbacks:
    """Calls Python functions for the library. If one raises, the work stops, and the exception is raised again once the
    library has returned: it must not pass through C."""

    def __init__(self) -> None:
        self.raised: Optional[BaseException] = None

    def goes_on(self, function: Callable[..., Any], *arguments: Any) -> int:
        """1, or 0 if the function returns False or has raised."""
        if self.raised is not None:
            return 0
        try:
            return 0 if function(*arguments) is False else 1
        except BaseException as error:  # KeyboardInterrupt too
            self.raised = error
            return 0

    def finish(self) -> None:
        if self.raised is not None:
            raise self.raised
