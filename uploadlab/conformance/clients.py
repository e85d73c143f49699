"""A few clients that work off a list of requests at once."""

import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TypeVar

from uploadlab.interruption import uninterrupted

Item = TypeVar("Item")
Result = TypeVar("Result")


def at_once(clients: int, work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """Return what `work` returned of each item, in their order, done by so many threads; raise what it raised first.

    An interruption is raised in the middle of anything, also while an executor holds a lock that its threads then wait
    for, and the program for them. So none is held here when one may come; what is not begun then is left undone.
    """
    queue: SimpleQueue[tuple[int, Item]] = SimpleQueue()
    for numbered in enumerate(items):
        queue.put(numbered)
    results: dict[int, Result] = {}
    errors: list[Exception] = []

    def client() -> None:
        with suppress(Empty):
            while not errors:
                number, item = queue.get_nowait()
                try:
                    results[number] = work(item)
                except Exception as error:
                    errors.append(error)

    threads = [Thread(target=client, daemon=True) for _ in range(clients)]
    try:
        with uninterrupted():
            for thread in threads:
                thread.start()
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.002)
    finally:
        with suppress(Empty):
            while True:
                queue.get_nowait()
    if errors:
        raise errors[0]
    return [results[number] for number in sorted(results)]
