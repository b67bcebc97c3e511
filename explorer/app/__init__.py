"""The window, its session and its preferences.

Whoever imports it has NumPy multiply with one thread, unless told otherwise. NumPy's threads go on looking for work for 30 ms
behind a product of two small matrices, on the cores that the model's threads and the window need: a recorded pass over 320
tokens took 25 to 100 ms on pages with such products, and takes 17.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy reads it when it is imported.
