"""Painting that Views share: canvas, labels, colours, zoom and style."""
