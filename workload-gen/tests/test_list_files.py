import os

import pytest

from workload_gen import ensure_list, plan_list, sample_source
from workload_gen.payloads.manifest import read_manifest, record_of


def ensure(root, **options):
    return ensure_list(sample_source(3, count=300, seed=1), root, **options)


def test_every_size_of_the_list_has_a_payload_of_exactly_that_size_and_the_manifest_every_file(tmp_path):
    files = ensure(tmp_path)
    sizes = [int(line) for line in files.sizes_csv.read_text().splitlines()]
    assert (len(sizes), sum(sizes)) == (files.count, files.bytes_total)
    payloads = {p.name: p.stat().st_size for p in files.payload_dir.iterdir()}
    assert payloads == {f"{size}.split": size for size in sizes}
    assert files.unique == len(payloads)
    found = {str(p.relative_to(files.folder)): record_of(p) for p in files.folder.rglob("*") if p.is_file()}
    del found["manifest.json"]
    assert read_manifest(files.folder).files == found


@pytest.mark.parametrize("damage", ["truncate", "change", "hide", "remove", "remove list"])
def test_a_damaged_file_is_found_and_made_again_and_that_is_said(tmp_path, capsys, damage):
    files = ensure(tmp_path)
    victim = files.sizes_csv if damage == "remove list" else max(files.payload_dir.iterdir())
    good, stat = victim.read_bytes(), victim.stat()
    if damage.startswith("remove"):
        victim.unlink()
    else:
        victim.write_bytes(good[:-1] if damage == "truncate" else b"x" + good[1:])
    capsys.readouterr()
    if damage == "hide":
        os.utime(victim, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        ensure(tmp_path)
        assert capsys.readouterr().err == ""
    ensure(tmp_path, verify="hash" if damage == "hide" else "stat")
    assert f"{victim.name} had changed or was missing" in capsys.readouterr().err
    assert victim.read_bytes() == good
    ensure(tmp_path, verify="hash")
    assert capsys.readouterr().err == ""


def test_files_that_were_copied_are_taken_as_they_are(tmp_path, capsys):
    files = ensure(tmp_path)
    victim = max(files.payload_dir.iterdir())
    os.utime(victim)
    capsys.readouterr()
    ensure(tmp_path)
    assert capsys.readouterr().err == ""
    assert read_manifest(files.folder).files[f"payloads/{victim.name}"] == record_of(victim)


def test_the_plan_writes_nothing_and_agrees_with_what_is_made(tmp_path):
    plan = plan_list(sample_source(3, count=300, seed=1), tmp_path / "none")
    assert not (tmp_path / "none").exists()
    files = ensure(tmp_path)
    used = sum(p.stat().st_blocks * 512 for p in files.folder.rglob("*") if p.is_file())
    assert used <= plan.disk_bytes <= used + 100_000
    assert not plan.present
    assert plan_list(sample_source(3, count=300, seed=1), tmp_path).present
