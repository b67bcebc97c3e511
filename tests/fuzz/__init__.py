"""Random use of everything that takes input: what raises, hangs, grows or blocks is told with the seed that does it again."""
