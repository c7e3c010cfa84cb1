"""Text of the reports: wrapped lines and grouped numbers."""

import textwrap


def wrapped(text: str) -> list[str]:
    """Returns a paragraph as lines of at most 120 characters. Any white space counts as one space."""
    return textwrap.wrap(" ".join(text.split()), 120)


def item(text: str) -> list[str]:
    """Returns an item of a list as lines of at most 120 characters."""
    return textwrap.wrap(text, 120, initial_indent="- ", subsequent_indent="  ")


def grouped(number: int) -> str:
    """Returns the digits in groups of three, as in `12 000`."""
    return f"{number:,}".replace(",", " ")
