"""The lessons beside the pages."""
