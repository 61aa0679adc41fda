"""The families of `make torture`. Each is a module with NAME and trial(world, trial)."""
