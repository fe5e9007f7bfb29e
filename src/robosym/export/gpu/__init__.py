"""Kernels of models for graphics processors: CUDA C, PTX, OpenCL C and WGSL, one thread per state."""
