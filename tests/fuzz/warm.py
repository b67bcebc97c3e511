"""What a process has done before the first case, so that what libraries take once is not the case's."""


def engine() -> None:
    """Load torch, jieba and the bundled translator; run a search, and the passes that lessons and formulas ask."""
    import explorer
    from tests.fuzz import formulas

    explorer.translate("他在图书馆看书。")
    for preset in ("tiny", "translator"):
        formulas.a_trace(preset)


def window() -> None:
    """Open and close the window once."""
    from tests.fuzz.driving import Driving

    with Driving("他在图书馆看书。", "translator") as driving:
        driving.settle(60.0)
