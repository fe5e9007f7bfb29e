"""Many evaluations: in this process, on all cores, on a cluster."""
