"""From text to tokens; pure Python."""
