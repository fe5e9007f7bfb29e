"""Models for other processors: WebAssembly modules, object files and Python packages."""
