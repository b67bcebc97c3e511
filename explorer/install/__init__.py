"""Whether the program is whole on this machine, and its entry in a Linux desktop. Nothing here imports Qt."""
