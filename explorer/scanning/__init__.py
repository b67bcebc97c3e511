"""Many sentences measured: sums over all heads that merge, in as many processes as there are."""
