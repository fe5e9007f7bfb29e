"""Many evaluations: in this process, on all cores, on a cluster."""

from robosym.studies.study import Study, study

__all__ = ["Study", "study"]
