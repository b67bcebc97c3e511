"""Checks of the installation, and the program's entry in a Linux desktop. Nothing here imports Qt."""
