"""Runs Presidio's analyzer over the lines of a JSON Lines file, for `bun run eval DIR --peers presidio`.

Each line is `{"id", "text"}`; printed is a line of what it is, then for each text what it found: spans in UTF-16 units.
"""

import json
import resource
import sys
from importlib.metadata import version

import spacy
from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
from presidio_analyzer.nlp_engine import SpacyNlpEngine


class Loaded(SpacyNlpEngine):
    """A spaCy pipeline that is installed, under whatever name."""

    def __init__(self, pipeline):
        super().__init__()
        self.nlp = {"en": pipeline}


def pipeline():
    """The largest English model that is installed; without one, words only, and no names are found."""
    installed = spacy.util.get_installed_models()
    for size in ("_lg", "_md", "_sm"):
        for name in sorted(installed):
            if name.startswith("en_") and size in name:
                loaded = spacy.load(name)
                return loaded, f"{name} {loaded.meta['version']}"
    return spacy.blank("en"), "no model, patterns alone"


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def units(text):
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def main(path):
    nlp, model = pipeline()
    registry = RecognizerRegistry()
    registry.load_predefined_recognizers(languages=["en"])
    analyzer = AnalyzerEngine(nlp_engine=Loaded(nlp), registry=registry, supported_languages=["en"])
    lines = [json.loads(line) for line in open(path, encoding="utf-8")]
    analyzer.analyze(text="warm up: 4111 1111 1111 1111", language="en")
    began = cpu()
    found = [analyzer.analyze(text=line["text"], language="en") for line in lines]
    seconds = cpu() - began
    print(json.dumps({"version": version("presidio-analyzer"), "model": model, "seconds": seconds}))
    for line, results in zip(lines, found):
        text = line["text"]
        spans = [
            {"type": it.entity_type, "start": units(text[: it.start]), "end": units(text[: it.end]), "score": it.score}
            for it in results
        ]
        print(json.dumps({"id": line["id"], "spans": spans}))


main(sys.argv[1])
