"""Studies: many evaluations in this process, on all cores or on a cluster; workspaces and tensions of platforms."""

from robosym.studies.study import Study, study

__all__ = ["Study", "study"]
