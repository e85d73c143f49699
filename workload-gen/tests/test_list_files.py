import pytest
from PIL import Image

from workload_gen import ensure_sample, plan_sample
from workload_gen.payloads.manifest import read_manifest, sha256_of


def ensure(root, sample=3, count=300, **options):
    said = []
    return ensure_sample(sample, count=count, seed=1, root=root, say=said.append, **options), said


def test_every_size_of_the_list_has_a_payload_of_exactly_that_size(tmp_path):
    files, _ = ensure(tmp_path)
    sizes = [int(line) for line in files.sizes_csv.read_text().splitlines()]
    assert len(sizes) == files.count == 300
    assert sum(sizes) == files.bytes_total
    payloads = {p.name: p.stat().st_size for p in files.payload_dir.iterdir()}
    assert payloads == {f"{size}.split": size for size in sizes}
    assert files.unique == len(payloads)


def test_the_manifest_holds_the_sha256_of_every_file(tmp_path):
    files, _ = ensure(tmp_path)
    manifest = read_manifest(files.folder)
    found = {str(p.relative_to(files.folder)): sha256_of(p) for p in files.folder.rglob("*") if p.is_file()}
    del found["manifest.json"]
    assert {name: record.sha256 for name, record in manifest.files.items()} == found


def test_a_payload_large_enough_opens_as_a_picture(tmp_path):
    files, _ = ensure(tmp_path)
    with Image.open(max(files.payload_dir.iterdir(), key=lambda p: p.stat().st_size)) as image:
        image.load()
        assert image.size == (64, 64)


@pytest.mark.parametrize("damage", ["truncate", "change", "remove", "remove list"])
def test_a_damaged_file_is_found_and_made_again_with_one_line_said(tmp_path, damage):
    files, _ = ensure(tmp_path)
    victim = files.sizes_csv if damage == "remove list" else max(files.payload_dir.iterdir())
    good = victim.read_bytes()
    if damage == "truncate":
        victim.write_bytes(good[:-1])
    elif damage == "change":
        victim.write_bytes(b"x" + good[1:])
    else:
        victim.unlink()
    _, said = ensure(tmp_path)
    assert len(said) == 1
    assert victim.name in said[0]
    assert victim.read_bytes() == good
    assert ensure(tmp_path, verify="hash")[1] == []


def test_a_change_that_hides_behind_size_and_time_is_found_by_hash(tmp_path):
    import os

    files, _ = ensure(tmp_path)
    victim = max(files.payload_dir.iterdir())
    good, stat = victim.read_bytes(), victim.stat()
    victim.write_bytes(b"x" + good[1:])
    os.utime(victim, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert ensure(tmp_path)[1] == []
    assert victim.name in ensure(tmp_path, verify="hash")[1][0]
    assert victim.read_bytes() == good


def test_the_plan_writes_nothing_and_agrees_with_what_is_made(tmp_path):
    plan = plan_sample(3, count=300, seed=1, root=tmp_path / "none")
    assert not (tmp_path / "none").exists()
    files, _ = ensure(tmp_path)
    assert "".join(f"{size}\n" for size in plan.sizes) == files.sizes_csv.read_text()
    used = sum(p.stat().st_blocks * 512 for p in files.folder.rglob("*") if p.is_file())
    assert used <= plan.disk_bytes <= used + 100_000
    assert not plan.present
    assert plan_sample(3, count=300, seed=1, root=tmp_path).present
