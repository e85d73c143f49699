"""What the campaign says of itself: machine, rig, versions, settings, as pairs of a name and a text."""

from uploadlab.words.language import Language


def without_folders(rig: object) -> object:
    """Return the rig without the folders of its disks: they are this machine's business."""
    if isinstance(rig, dict):
        return {key: without_folders(value) for key, value in rig.items() if key not in ("path", "folder")}
    return rig


def facts_of(document: object, words: Language) -> list[tuple[str, str]]:
    """Return the leaves of a JSON document as pairs of a name and a text, in their order."""
    pairs: list[tuple[str, str]] = []
    _collect(document, "", pairs, words)
    return pairs


def _collect(value: object, name: str, pairs: list[tuple[str, str]], words: Language) -> None:
    if isinstance(value, dict):
        for key, inner in value.items():
            _collect(inner, f"{name} {key}".strip().replace("_", " "), pairs, words)
    elif isinstance(value, list):
        pairs.append((name, ", ".join(_leaf(inner, words) for inner in value)))
    elif isinstance(value, int) and name.endswith(" bytes"):
        pairs.append((name.removesuffix(" bytes"), words.figures.size(value)))
    elif value not in (None, ""):
        pairs.append((name, _leaf(value, words)))


def _leaf(value: object, words: Language) -> str:
    if isinstance(value, bool):
        return words["yes"] if value else words["no"]
    if isinstance(value, float):
        return words.figures.short(value, 4)
    if isinstance(value, dict):
        return ", ".join(f"{key} {_leaf(inner, words)}" for key, inner in value.items())
    if value is None:
        return words.figures.missing
    return str(value)
