"""Small random CTranslate2 models, with CTranslate2's scores and translations (pip install ctranslate2 numpy).

Writes tests/fixtures/foreign/ctranslate2_<variant>/ (model.bin, config.json, vocabularies) with expected.json: sources and
targets as tokens, the log probability of each target token, and translations by greedy search and with beam 4, without
length normalization.
src/plugins/convert/kinds/ctranslate2/ctranslate2_test.cpp reads them.
"""
import json
import pathlib
import shutil

import ctranslate2
import numpy as np
from ctranslate2.specs import common_spec, transformer_spec

OUT = pathlib.Path(__file__).resolve().parents[2] / "tests" / "fixtures" / "foreign"
D, HEADS, INNER, SOURCE, TARGET = 8, 2, 12, 23, 19
ACTIVATIONS = {"relu": common_spec.Activation.RELU, "swish": common_spec.Activation.SWISH, "gelu": common_spec.Activation.GELU}


def tokens(n):
    return ["<blank>", "<s>", "</s>", "<unk>"] + [f"w{i}" for i in range(4, n)]


def sinusoids(n):
    """-> sines, then cosines, with 10000^(-2i/d), as the converters of Marian models store them"""
    angles = np.arange(n)[:, None] / 10000 ** (2 * np.arange(D // 2) / D)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1).astype(np.float32)


class Filler:
    def __init__(self, seed):
        self.random = np.random.default_rng(seed)

    def normal(self, *shape, scale=0.4):
        return (scale * self.random.normal(size=shape)).astype(np.float32)

    def linear(self, layer, rows, columns):
        layer.weight, layer.bias = self.normal(rows, columns), self.normal(rows, scale=0.1)

    def norm(self, layer):
        layer.gamma, layer.beta = 1 + self.normal(D, scale=0.1), self.normal(D, scale=0.1)

    def attention(self, layer, cross):
        rows = [D, 2 * D, D] if cross else [3 * D, D]
        for linear, n in zip(layer.linear, rows):
            self.linear(linear, n, D)
        self.norm(layer.layer_norm)

    def feed_forward(self, layer, gated):
        self.linear(layer.linear_0, INNER, D)
        self.linear(layer.linear_1, D, INNER)
        if gated:
            self.linear(layer.linear_0_noact, INNER, D)
        self.norm(layer.layer_norm)


def make_spec(pre_norm, activation, gated, tied, norm_embeddings, positions, scale, layers, seed):
    spec = transformer_spec.TransformerSpec.from_config(layers, HEADS, pre_norm=pre_norm, activation=ACTIVATIONS[activation],
                                                        ffn_glu=gated, layernorm_embedding=norm_embeddings)
    fill = Filler(seed)
    source_size = TARGET if tied == "all" else SOURCE
    for side in (spec.encoder, spec.decoder):
        side.scale_embeddings = scale
        if pre_norm:
            fill.norm(side.layer_norm)
        if norm_embeddings:
            fill.norm(side.layernorm_embedding)
        if positions == "stored sinusoids":
            side.position_encodings.encodings = sinusoids(40)
        if positions == "learned":
            side.position_encodings.encodings = fill.normal(40, D)
        for layer in side.layer:
            fill.attention(layer.self_attention, cross=False)
            fill.feed_forward(layer.ffn, gated)
    for layer in spec.decoder.layer:
        fill.attention(layer.attention, cross=True)
    spec.decoder.embeddings.weight = fill.normal(TARGET, D)
    spec.encoder.embeddings[0].weight = (spec.decoder.embeddings.weight if tied == "all" else fill.normal(source_size, D))
    fill.linear(spec.decoder.projection, TARGET, D)
    spec.decoder.projection.bias[[0, 1, 3]] -= 20  # tokens that hexapla never writes, or writes differently
    spec.decoder.projection.bias[2] += 2  # so that most translations end before the limit
    if tied != "none":
        spec.decoder.projection.weight = spec.decoder.embeddings.weight
    spec.register_source_vocabulary(tokens(source_size))
    spec.register_target_vocabulary(tokens(TARGET))
    spec.config.add_source_eos = True
    return spec, source_size


def make(name, quantization="float32", **options):
    settings = dict(pre_norm=True, activation="relu", gated=False, tied="all", norm_embeddings=False, positions="built in",
                    scale=True, layers=1, seed=41) | options
    spec, source_size = make_spec(**settings)
    spec.validate()
    spec.optimize(quantization=quantization)
    folder = OUT / f"ctranslate2_{name}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    spec.save(str(folder))
    translator = ctranslate2.Translator(str(folder), compute_type="float32", inter_threads=1, intra_threads=1)
    random = np.random.default_rng(settings["seed"] + 1)

    def sentences(size):
        return [[f"w{i}" for i in random.integers(4, size, random.integers(1, 9))] for _ in range(10)]

    sources, targets = sentences(source_size), sentences(TARGET)
    scores = [result.log_probs for result in translator.score_batch(sources, targets)]
    search = dict(max_decoding_length=40)
    greedy = translator.translate_batch(sources, beam_size=1, **search)
    beam = translator.translate_batch(sources, beam_size=4, length_penalty=0, **search)
    expected = {"sources": sources, "targets": targets, "log_probabilities": scores,
                "greedy": [r.hypotheses[0] for r in greedy], "beam": [r.hypotheses[0] for r in beam]}
    (folder / "expected.json").write_text(json.dumps(expected, separators=(",", ":")) + "\n")
    print(name, sum(path.stat().st_size for path in folder.iterdir()))


def main():
    make("built_in")
    make("post_norm", pre_norm=False, activation="swish", positions="stored sinusoids", tied="decoder", layers=2, seed=43)
    make("learned", activation="gelu", gated=True, positions="learned", tied="none", scale=False, norm_embeddings=True, seed=45)
    make("own_scale", scale=3.0, seed=47)
    make("int8", quantization="int8", seed=49)
    make("float16", quantization="float16", seed=51)


if __name__ == "__main__":
    main()
