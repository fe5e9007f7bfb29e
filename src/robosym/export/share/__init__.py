"""Pages in which the models of a robot run in the browser: `share`."""

from robosym.export.share.share import SharedPage, share

__all__ = ["SharedPage", "share"]
