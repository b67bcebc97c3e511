"""What experiments found in extra passes, as frozen values."""
