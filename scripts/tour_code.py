#!/usr/bin/env -S python3 -B
"""Compares (or writes) the excerpts of the sources that the page's tour shows, src/apps/serve/page/tour/tour_code.js.
Usage: tour_code.py [--write]"""
import json
import sys

from course import ROOT, excerpt

FILE = ROOT / "src/apps/serve/page/tour/tour_code.js"
STEPS = {  # step: (file, what is in the first line, what the last line begins with)
    "tokens": ("src/core/text/vocabulary/vocabulary.cpp", "std::vector<std::string> Vocabulary::pieces(", "}"),
    "embedding": ("src/core/model/layers/embedding.h", "Tensor forward(Context& cx, Tensor ids) const {", "  }"),
    "positions": ("src/core/backend/reference/elementwise.cpp", "void Reference::sinusoids(Sinusoids kind, Tensor table) {", "}"),
    "projections": ("src/core/model/layers/attention.cpp", "Tensor MultiHeadAttention::forward(", "}"),
    "scores": ("src/core/ops/attention.cpp", "double score(const AttentionInput& in", "}"),
    "scaling": ("src/core/model/layers/attention.h", "static Heads scaled_dot(", "  }"),
    "softmax": ("src/core/backend/reference/attention.cpp", "double softmax(std::vector<double>& s)", "}"),
    "weighted": ("src/core/backend/reference/attention.cpp", "void forward(const LoadedAttention& a", "}"),
    "heads": ("src/core/tensor/tensor.h", "Tensor heads(int64_t h) const {", "  }"),
    "norm": ("src/core/backend/reference/norms.cpp", "Statistics normalize(Rows& x, double eps) {", "}"),
    "ffn": ("src/core/model/layers/feed_forward.cpp", "Tensor FeedForward::forward(Context& cx", "}"),
    "mask": ("src/core/ops/attention.cpp", "AttentionWeights attention_weights(Context& cx", "}"),
    "cross": ("src/core/model/layers/attention.h", "Tensor forward(Context& cx, Tensor x, Offsets rows, Tensor memory", "  }"),
    "search": ("src/core/decode/strategies/beam_search.cpp", "void advance(Sentence& s", "}"),
}


def module():
    lines = [f"  {step}: {{ file: {json.dumps(where[0])}, code: {json.dumps(excerpt(*where), ensure_ascii=False)} }},\n" for step, where in STEPS.items()]
    return "// Excerpts of the sources, written by scripts/tour_code.py.\nexport const CODE = {\n" + "".join(lines) + "};\n"


def main():
    if "--write" in sys.argv[1:]:
        FILE.write_text(module(), encoding="utf-8")
    elif FILE.read_text(encoding="utf-8") != module():
        sys.exit(f"{FILE.relative_to(ROOT)} is not what the sources say; run scripts/tour_code.py --write")


if __name__ == "__main__":
    main()
