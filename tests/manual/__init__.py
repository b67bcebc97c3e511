"""Tests of the manual: every chapter in both languages, and everything declared in it."""
