import pytest
from queue_parts import build


@pytest.fixture(scope="session")
def programs() -> None:
    build()
