"""What is planned can be run: a relay is never asked for messages, and as published nothing is acknowledged."""

from uploadlab.cli import main

PUBLISHED = ["--study", "queues", "run", "--profile", "published", "--dry-run"]


def test_as_published_there_is_no_floor_as_a_relay_keeps_nothing_that_could_be_asked_for(capsys):
    assert main([*PUBLISHED, "--baseline-repeats", "1"]) == 0
    plan = capsys.readouterr().out
    assert "published-m10000-b19-simplified" in plan
    assert "relay" not in plan
    assert main([*PUBLISHED, "--systems", "relay"]) == 2
    assert "leaves relay out of every scenario asked for; name other systems or levels." in capsys.readouterr().err


def test_as_published_no_acknowledgements_can_be_asked_for(capsys):
    assert main([*PUBLISHED, "--acks", "each"]) == 2
    assert "leaves out every scenario asked for" in capsys.readouterr().err
