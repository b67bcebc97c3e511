"""What experiments found beside a pass, as frozen values."""
