"""All that is measured, in the order of the table. Another subject is another file with `tasks()`, and a line here."""

from tests.bench import (
    block_rows,
    key_rows,
    large_rows,
    many_rows,
    memory_rows,
    peer_rows,
    picture_rows,
    recording_rows,
    start_rows,
    streamed_rows,
)

TASKS = (
    *start_rows.tasks(),
    *key_rows.tasks(),
    *recording_rows.tasks(),
    *memory_rows.tasks(),
    *block_rows.tasks(),
    *peer_rows.tasks(),
    *large_rows.tasks(),
    *streamed_rows.tasks(),
    *many_rows.tasks(),
    *picture_rows.tasks(),
)
