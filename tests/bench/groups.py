"""All that is measured, in the order of the table. Another subject is another file with `tasks()`, and a line here."""

from tests.bench import (
    block_rows,
    change_rows,
    effects_rows,
    engine_rows,
    export_rows,
    follow_rows,
    foreign_rows,
    growth,
    long_rows,
    memory_rows,
    page_rows,
    peer_rows,
    river_rows,
    start_rows,
    wall_rows,
    window_rows,
)

GROUPS = (
    *engine_rows.tasks(),
    *effects_rows.tasks(),
    *change_rows.tasks(),
    *peer_rows.tasks(),
    *foreign_rows.tasks(),
    *window_rows.tasks(),
    *river_rows.tasks(),
    *follow_rows.tasks(),
    *block_rows.tasks(),
    *wall_rows.tasks(),
    *long_rows.tasks(),
    *export_rows.tasks(),
    *start_rows.tasks(),
    *memory_rows.tasks(),
    *growth.tasks(),
    *page_rows.tasks(),
)
