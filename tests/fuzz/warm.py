"""What a process has done before the first case, so that what libraries take once is not the case's."""


def engine() -> None:
    """Load torch, jieba and the bundled translator; run a pass and a search."""
    import explorer

    explorer.explore("我爱北京天安门", preset="tiny")
    explorer.translate("他在图书馆看书。")


def window() -> None:
    """Open and close the window once."""
    from tests.fuzz.driving import Driving

    with Driving("他在图书馆看书。", "translator") as driving:
        driving.settle(60.0)
