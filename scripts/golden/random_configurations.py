#!/usr/bin/env python3
"""Writes FOLDER/cases.json: random configurations of Hugging Face's Marian, M2M-100, mBART and BART, with known and unknown
keys in config.json and generation_config.json, and the translations of transformers with each. A test imports them:
it must translate the same, or reject one of the changed keys by name.

    pip install torch transformers==5.24.0 sentencepiece safetensors
    scripts/golden/random_configurations.py src/plugins/convert/fixtures FOLDER [cases] [seed]

The first folder has the models, hf_marian_joint, hf_m2m, hf_mbart, hf_mbart25 and hf_bart, whose weights are not changed. Excludes
lines whose two best translations score nearly equal, or whose translations do not end before the maximum length.
"""
import json
import pathlib
import random
import shutil
import sys
import tempfile

import torch
import transformers

MODELS = {"hf_marian_joint": "MarianMTModel", "hf_m2m": "M2M100ForConditionalGeneration",
          "hf_mbart": "MBartForConditionalGeneration", "hf_mbart25": "MBartForConditionalGeneration",
          "hf_bart": "BartForConditionalGeneration"}
ONE_TARGET = ("hf_marian_joint", "hf_mbart25", "hf_bart")
LINES = 4
EXTRA = 48  # translations have at most 50 tokens more than their source

# Values are drawn from these; some change nothing.
CONFIG = {
    "activation_function": ["relu", "gelu", "swish", "silu", "gelu_new", "gelu_fast", "gelu_pytorch_tanh", "quick_gelu", "tanh"],
    "scale_embedding": [True, False], "dropout": [0.0, 0.3], "attention_dropout": [0.0, 0.2],
    "activation_dropout": [0.0, 0.2], "classifier_dropout": [0.0, 0.5], "encoder_layerdrop": [0.0, 0.1],
    "decoder_layerdrop": [0.0, 0.1], "init_std": [0.02, 1.0], "use_cache": [True, False],
    "tie_word_embeddings": [True, True, False], "share_encoder_decoder_embeddings": [True, True, False],
    "max_position_embeddings": [64, 64, 128], "normalize_before": [True, False], "add_final_layer_norm": [True, False],
    "normalize_embedding": [True, False], "static_position_embeddings": [True, False], "num_hidden_layers": [1, 2, 3],
    "d_model": [16, 16, 32], "encoder_layers": [1, 2], "decoder_layers": [2, 3], "encoder_attention_heads": [4, 2],
    "decoder_attention_heads": [4, 8], "encoder_ffn_dim": [24, 32], "is_decoder": [False, True],
    "is_encoder_decoder": [True, True, False], "pad_token_id": [0, 1, None], "eos_token_id": [0, 2, 3, [2]],
    "bos_token_id": [0, 1, None], "tokenizer_class": ["MarianTokenizer", "MBartTokenizer", "SMALL100Tokenizer", None],
    "layer_norm_eps": [1e-5, 1e-3], "torch_dtype": ["float32", "float16"], "num_beams": [1, 3], "max_length": [20, 60],
    "attention_temperature": [2.0], "pruned_heads": [{}, {"0": [1]}], "chunk_size_feed_forward": [0, 8],
    "id2label": [{"0": "a"}], "decoder_start_token_id": [0, 2, 5], "forced_eos_token_id": [0, 2, 4],
    "output_attentions": [False, True], "hidden_size": [16], "relative_attention": [True],
}
GENERATION = {
    "num_beams": [1, 2, 3, 4, 5], "length_penalty": [-1.0, 0.0, 0.5, 1.0, 2.0], "max_length": [30, 40, 60],
    "max_new_tokens": [20, 30], "min_length": [0, 1, 5, 12], "min_new_tokens": [0, 1, 4, 10],
    "early_stopping": [True, False, "never", None], "no_repeat_ngram_size": [0, 1, 2, 3],
    "repetition_penalty": [1.0, 1.2, 2.0, 0.8], "encoder_no_repeat_ngram_size": [0, 3],
    "encoder_repetition_penalty": [1.0, 1.5], "exponential_decay_length_penalty": [None, [5, 1.5]],
    "renormalize_logits": [True, False], "remove_invalid_values": [False, True], "do_sample": [False, True],
    "suppress_tokens": [None, [7, 8]], "begin_suppress_tokens": [None, [9]], "sequence_bias": [None, [[[9], 5.0]]],
    "forced_bos_token_id": [None, 0, 7], "forced_eos_token_id": [None, "same", 3], "decoder_start_token_id": ["same", 7],
    "eos_token_id": ["same", 3], "pad_token_id": ["same"], "bad_words_ids": [None, "padding", [[9]], [[9, 10]]],
    "num_beam_groups": [1, 2], "diversity_penalty": [0.0, 0.5], "temperature": [1.0, 0.3], "top_k": [50, 3],
    "top_p": [1.0, 0.5], "typical_p": [1.0], "num_return_sequences": [1, 2], "guidance_scale": [None, 1.5],
    "output_scores": [True, False], "use_cache": [True, False], "my_own_key": [1], "penalty_alpha": [None, 0.6],
}


def drawn(draw, values, most, generation, config):
    changed = {}
    for key in draw.sample(sorted(values), draw.randint(0, most)):
        value = draw.choice(values[key])
        if value == "same":
            value = generation.get(key, config.get(key))
        elif value == "padding":
            value = [[config["pad_token_id"]]]
        changed[key] = value
    return changed


def lines_of(fixture):
    """-> lines in the folder's default language, with its start token"""
    lines = json.loads((fixture / "golden.json").read_text())
    usual = lines[0].get("language")
    return [line for line in lines if line.get("language") == usual and len(line["source"]) < 14]


def translations(model, lines, forced):
    found, config = [], model.generation_config
    limit = (config.max_new_tokens + 1) if config.max_new_tokens else config.max_length or 20
    for line in lines:
        options = {} if forced is None else {"forced_bos_token_id": line["best"][0]}
        several = (config.num_beams or 1) > 1
        with torch.no_grad():
            out = model.generate(input_ids=torch.tensor([line["source"]]), return_dict_in_generate=True, output_scores=True,
                                 num_return_sequences=2 if several else 1, **options)
        ids = out.sequences[0].tolist()[1:]
        if config.eos_token_id not in ids:
            continue
        ids = ids[: ids.index(config.eos_token_id)]
        near = several and float(out.sequences_scores[0] - out.sequences_scores[1]) < 1e-4
        if not near and len(ids) + 3 < limit and len(ids) < len(line["source"]) + EXTRA:
            found.append({"text": line["text"], "ids": ids})
    return found


def make_case(draw, fixtures, name):
    fixture = fixtures / name
    config = json.loads((fixture / "config.json").read_text())
    generation = json.loads((fixture / "generation_config.json").read_text())
    case = {"model": name, "config": drawn(draw, CONFIG, 3, generation, config),
            "generation": drawn(draw, GENERATION, 5, generation, config), "alone": draw.random() < 0.15}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for file in fixture.iterdir():
            shutil.copy(file, folder / file.name)
        generation |= case["generation"]
        config |= case["config"]
        if case["alone"]:  # as written by old versions
            del generation["_from_model_config"]
            config |= generation
            (folder / "generation_config.json").unlink()
        else:
            (folder / "generation_config.json").write_text(json.dumps(generation))
        (folder / "config.json").write_text(json.dumps(config))
        try:
            model = getattr(transformers, MODELS[name]).from_pretrained(folder, dtype=torch.float32).eval()
            lines = draw.sample(lines_of(fixture), LINES)
            forced = None if name in ONE_TARGET or model.generation_config.forced_bos_token_id is not None else True
            case["lines"] = translations(model, lines, forced)
        except Exception as error:  # of any type: invalid configurations
            case["failed"] = f"{type(error).__name__}: {error}".splitlines()[0][:120]
    return case


def main(fixtures, folder, cases=30, seed=1):
    transformers.logging.set_verbosity_error()
    draw = random.Random(int(seed))
    all_cases = [make_case(draw, pathlib.Path(fixtures), list(MODELS)[i % len(MODELS)]) for i in range(int(cases))]
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    text = ",\n".join(json.dumps(case, ensure_ascii=False, separators=(",", ":")) for case in all_cases)
    (pathlib.Path(folder) / "cases.json").write_text(f"[\n{text}\n]\n")
    failed = sum("failed" in case for case in all_cases)
    print(f"{len(all_cases)} cases, {failed} of which transformers does not take,",
          sum(len(case.get("lines", [])) for case in all_cases), "lines")


if __name__ == "__main__":
    main(*sys.argv[1:])
