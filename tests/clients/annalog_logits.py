#!/usr/bin/env python3
"""Writes the outputs of the published model of the package annalog, computed by the package's own modules.

    annalog_logits.py OUT

OUT gets JSON: the files of the model and of its vocabulary, and for some molecules the ids of the source, those of the
most likely translation, which the decoder reads, and the logits.
"""
import importlib.util
import json
import pathlib
import pickle
import sys
import types

import torch

MOLECULES = ["C C ( = O ) N c 1 c c c ( O ) c c 1", "C N 1 C = N C 2 = C 1 C ( = O ) N ( C ) C ( = O ) N 2 C",
             "O = C ( O ) c 1 c c c c c 1 O C ( C ) = O", "C C ( C ) C c 1 c c c ( c c 1 ) [C@H] ( C ) C ( = O ) O",
             "Cl c 1 c c c c c 1"]


def modules_of(package):
    """Loads the file alone, because the package's own __init__ needs chemistry packages."""
    name = "annalog_modules"
    code = (package / "model_files" / "seq2seq_attention.py").read_text().replace("from . import vocabulary", "")
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(compile(code, name, "exec"), module.__dict__)
    return module


def main(out):
    package = pathlib.Path(importlib.util.find_spec("annalog").submodule_search_locations[0])
    files = package / "ckpt_and_vocab"
    checkpoint, vocabulary = files / "Lev_extended.pt", files / "stereo_experiment_vocab_ttf.pkl"
    modules, tokens = modules_of(package), pickle.loads(vocabulary.read_bytes())["itos"]
    device, n = torch.device("cpu"), len(tokens)
    model = modules.Seq2Seq(modules.Encoder(n, 256, 3, 8, 512, 0.1, device, 102), modules.Decoder(n, 256, 3, 8, 512, 0.1, device, 102),
                            1, 1, device)
    model.load_state_dict(torch.load(checkpoint, map_location=device))
    model.eval()
    pairs = []
    for molecule in MOLECULES:
        source = [2] + [tokens.index(t) if t in tokens else 0 for t in molecule.split()] + [3]
        target = [2]
        with torch.no_grad():
            while len(target) < 60:
                logits, _ = model(torch.tensor([source]), torch.tensor([target]))
                if (best := int(logits[0, -1].argmax())) == 3:
                    break
                target.append(best)
        pairs.append({"text": molecule, "source": source, "target": target, "logits": logits[0].flatten().tolist(),
                      "ended": best == 3})
    pathlib.Path(out).write_text(json.dumps({"checkpoint": str(checkpoint), "vocabulary": str(vocabulary), "pairs": pairs}))


if __name__ == "__main__":
    main(sys.argv[1])
