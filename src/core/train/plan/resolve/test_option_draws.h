#pragma once
// Random values of every training option, for tests of many runs.
#include <fmt/format.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/compute/random.h"
#include "text/vocabulary/normalization.h"
#include "train/plan/options/options.h"

namespace hexapla::train::draws {

class Draw {
 public:
  Draw(Random& random, std::string shared) : folder(std::move(shared)), random_(random) {}
  bool chance(uint32_t of) { return random_.below(of) == 0; }
  int64_t number(int64_t least, int64_t most) { return least + random_.below(static_cast<uint32_t>(most - least + 1)); }
  template <class T>
  T one_of(const std::vector<T>& choices) {
    return choices[random_.below(static_cast<uint32_t>(choices.size()))];
  }
  std::string text(const std::vector<std::string>& choices) { return one_of(choices); }
  double real(const std::vector<double>& choices) { return one_of(choices); }
  // A number of updates or of epochs.
  std::string interval(int64_t most) { return chance(4) ? cat(number(1, 2), "e") : cat(number(1, most)); }
  std::string file(const char* name) const { return folder + "/" + name; }

  std::string folder;  // holds the text and models shared by all combinations

 private:
  Random& random_;
};

inline model::Config small() {
  model::Config c;
  c.enc_layers = c.dec_layers = 1;
  c.d_model = 16;
  c.d_ff = 24;
  c.heads = 2;
  return c;
}

template <class Options>
using Setters = std::map<std::string, std::function<void(Draw&, Options&)>>;

// Sizes of the architecture; choices and switches are drawn from their declarations.
inline const Setters<model::Config> kDimensions{
    {"enc-layers", [](Draw& d, model::Config& c) { c.enc_layers = d.number(1, 2); }},
    {"dec-layers", [](Draw& d, model::Config& c) { c.dec_layers = d.number(1, 2); }},
    {"dim-model",
     [](Draw& d, model::Config& c) {
       c.d_model = d.one_of<int64_t>({12, 16, 32});
     }},
    {"dim-ff", [](Draw& d, model::Config& c) { c.d_ff = d.number(8, 40); }},
    {"heads",
     [](Draw& d, model::Config& c) {
       c.heads = d.one_of<int64_t>({1, 2, 4});
     }},
    {"dim-key", [](Draw& d, model::Config& c) { c.d_k = d.number(3, 9); }},
    {"dim-value", [](Draw& d, model::Config& c) { c.d_v = d.number(3, 9); }},
    {"dropout",
     [](Draw& d, model::Config& c) {
       c.dropout = d.real({0, 0.3});
     }},
    {"attention-dropout",
     [](Draw& d, model::Config& c) {
       c.attention_dropout = d.real({0, 0.2});
     }},
    {"activation-dropout",
     [](Draw& d, model::Config& c) {
       c.activation_dropout = d.real({0, 0.2});
     }},
    {"max-positions",
     [](Draw& d, model::Config& c) {
       c.max_positions = d.one_of<int64_t>({20, 256, 300});
     }},
    {"first-position",
     [](Draw& d, model::Config& c) {
       c.first_position = c.positions == "learned" || c.positions == "none" ? 0 : d.one_of<int64_t>({0, 2});
     }},
    {"kernel-width",
     [](Draw& d, model::Config& c) {
       c.kernel_width = d.one_of<int64_t>({1, 3, 5});
     }},
    {"experts",
     [](Draw& d, model::Config& c) {
       c.experts = d.one_of<int64_t>({0, 2, 5}), c.gated &= c.experts == 0;
     }},
    {"experts-per-token", [](Draw& d, model::Config& c) { c.experts_per_token = d.number(1, 2); }},
    {"dim-expert", [](Draw& d, model::Config& c) { c.d_expert = d.number(0, 20); }},
    {"expert-capacity",
     [](Draw& d, model::Config& c) {
       c.expert_capacity = d.real({0, 0.5, 1.25});
     }},
    {"load-balancing",
     [](Draw& d, model::Config& c) {
       c.load_balancing = d.real({0, 0.1});
     }},
    {"norm-eps",
     [](Draw& d, model::Config& c) {
       c.norm_eps = d.real({1e-6, 1e-3});
     }},
};

inline const Setters<TrainOptions> kSettings{
    {"train-sets",
     [](Draw& d, TrainOptions& o) {
       o.train_sets = d.one_of<std::vector<std::string>>({{d.file("a"), d.file("b"), d.file("c"), d.file("d")},
                                                          {d.file("e.tsv")},
                                                          {d.file("e.tsv"), d.file("a"), d.file("b")}});
     }},
    {"valid-sets",
     [](Draw& d, TrainOptions& o) {
       o.valid_sets = d.one_of<std::vector<std::string>>(
           {{}, {d.file("v"), d.file("w")}, {d.file("v"), d.file("w"), d.file("v.tsv")}, {d.file("v.tsv")}});
     }},
    {"vocab", [](Draw& d, TrainOptions& o) { o.vocab = d.chance(3) ? d.file("joint.spm") : ""; }},
    {"vocab-size", [](Draw& d, TrainOptions& o) { o.vocab_size = d.number(45, 80); }},
    {"train-weights",
     [](Draw& d, TrainOptions& o) {
       const size_t sets = o.train_sets.size() > 2 ? 2 : 1;
       for (size_t i = 0; i < sets; ++i) o.text.train_weights.push_back(d.real({0.5, 1, 1.75}));
     }},
    {"tsv",
     [](Draw& d, TrainOptions& o) {
       if (d.chance(3)) o.text.tsv = true, o.train_sets = o.valid_sets = {d.file("tabs")};
     }},
    {"vocab-type",
     [](Draw& d, TrainOptions& o) {
       o.text.vocab_type = o.text.vocab_type.parse("vocab-type", d.text({"unigram", "bpe"}));
     }},
    {"vocabs",
     [](Draw& d, TrainOptions& o) {
       if (d.chance(3)) o.text.vocabs = {d.file("joint.spm"), d.file("target.spm")}, o.vocab.clear();
     }},
    {"separate-vocabs", [](Draw& d, TrainOptions& o) { o.text.separate_vocabs = d.chance(2), o.vocab.clear(); }},
    {"character-coverage",
     [](Draw& d, TrainOptions& o) {
       o.text.character_coverage = d.real({0.98, 0.9995});
     }},
    {"byte-fallback",
     [](Draw& d, TrainOptions& o) {
       if (d.chance(2)) o.text.byte_fallback = true, o.vocab_size += 256;
     }},
    {"user-symbols",
     [](Draw& d, TrainOptions& o) {
       o.text.user_symbols = d.one_of<std::vector<std::string>>({{"tree"}, {"<x>", "haus"}});
     }},
    {"source-normalization",
     [](Draw& d, TrainOptions& o) { o.text.source_normalization = text::kNormalizations[d.number(0, 5)]; }},
    {"target-normalization",
     [](Draw& d, TrainOptions& o) { o.text.target_normalization = text::kNormalizations[d.number(0, 5)]; }},
    {"vocab-lines", [](Draw& d, TrainOptions& o) { o.text.vocab_lines = d.number(60, 200); }},
    {"subword-alpha",
     [](Draw& d, TrainOptions& o) {
       o.text.subword_alpha = d.real({0, 0.1, 0.5});
     }},
    {"join-sentences",
     [](Draw& d, TrainOptions& o) {
       o.text.join_sentences = d.real({0, 0.3, 0.7});
     }},
    {"shuffle-memory", [](Draw& d, TrainOptions& o) { o.text.shuffle_memory = d.number(1, 3); }},
    {"temp-dir", [](Draw& d, TrainOptions& o) { o.text.temp_dir = d.folder; }},
    {"seed", [](Draw& d, TrainOptions& o) { o.seed = static_cast<uint64_t>(d.number(0, 1000)); }},
    {"threads", [](Draw& d, TrainOptions& o) { o.threads = d.number(1, 2); }},
    {"precision",
     [](Draw& d, TrainOptions& o) {
       o.precision = d.text({"f32", "bf16"});
     }},
    {"batch-tokens",
     [](Draw& d, TrainOptions& o) {
       o.batch_tokens = d.one_of<int64_t>({0, 16, 40, 100, 300});
     }},
    {"memory", [](Draw& d, TrainOptions& o) { o.memory = d.number(500, 1000); }},
    {"accumulate", [](Draw& d, TrainOptions& o) { o.accumulate = d.number(1, 4); }},
    {"shards",
     [](Draw& d, TrainOptions& o) {
       if (o.architecture.norm != "batch") o.shards = d.number(1, o.accumulate);
     }},
    {"overlap",
     [](Draw& d, TrainOptions& o) {
       o.overlap = o.overlap.parse("overlap", d.text({"auto", "on", "off"}));
     }},
    {"max-length",
     [](Draw& d, TrainOptions& o) {
       o.max_length = d.one_of<int64_t>({12, 20, 100});
     }},
    {"max-updates", [](Draw& d, TrainOptions& o) { o.max_updates = d.number(0, 30); }},
    {"max-epochs", [](Draw& d, TrainOptions& o) { o.max_epochs = d.number(0, 3); }},
    {"hold-out",
     [](Draw& d, TrainOptions& o) {
       if (o.valid_sets.empty() && o.guided_alignment.empty()) o.hold_out = d.number(1, 5);
     }},
    {"valid-every", [](Draw& d, TrainOptions& o) { o.valid_every = d.interval(12); }},
    {"save-every", [](Draw& d, TrainOptions& o) { o.save_every = d.interval(9); }},
    {"report-every", [](Draw& d, TrainOptions& o) { o.report_every = d.interval(4); }},
    {"valid-beam", [](Draw& d, TrainOptions& o) { o.valid_beam = d.number(1, 4); }},
    {"valid-tokenize",
     [](Draw& d, TrainOptions& o) {
       o.valid_tokenize = d.text({"auto", "13a", "char", "none", "intl", "zh"});
     }},
    {"valid-script",
     [](Draw& d, TrainOptions& o) {
       if (d.chance(2)) o.valid_script = d.file("script"), o.best_by = "script";
     }},
    {"valid-script-minutes",
     [](Draw& d, TrainOptions& o) {
       o.valid_script_minutes = d.real({0, 5});
     }},
    {"best-by",
     [](Draw& d, TrainOptions& o) {
       if (o.best_by != "script") o.best_by = o.best_by.parse("best-by", d.text({"bleu", "chrf", "loss"}));
     }},
    {"patience", [](Draw& d, TrainOptions& o) { o.patience = d.number(1, 4); }},
    {"schedule",
     [](Draw& d, TrainOptions& o) {
       o.schedule = o.schedule.parse("schedule", d.text({"linear", "cosine", "constant", "plateau", "plateau"}));
     }},
    {"lr",
     [](Draw& d, TrainOptions& o) {
       o.lr = d.real({0, 1e-4, 3e-3, 1e-2});
     }},
    {"lr-factor",
     [](Draw& d, TrainOptions& o) {
       o.lr_factor = d.real({0.1, 0.5});
     }},
    {"warmup", [](Draw& d, TrainOptions& o) { o.warmup = d.number(1, 20); }},
    {"decay-updates", [](Draw& d, TrainOptions& o) { o.decay_updates = d.number(20, 50); }},
    {"cooldown", [](Draw& d, TrainOptions& o) { o.cooldown = d.number(1, 10); }},
    {"min-lr",
     [](Draw& d, TrainOptions& o) {
       o.min_lr = d.real({1e-5, 2e-3});
     }},
    {"plateau-factor",
     [](Draw& d, TrainOptions& o) {
       o.plateau_factor = d.real({0.3, 0.9});
     }},
    {"plateau-patience", [](Draw& d, TrainOptions& o) { o.plateau_patience = d.number(1, 2); }},
    {"init-gain",
     [](Draw& d, TrainOptions& o) {
       o.init_gain = d.real({0.3, 1});
     }},
    {"label-smoothing",
     [](Draw& d, TrainOptions& o) {
       o.label_smoothing = d.real({0, 0.2});
     }},
    {"adam-beta1",
     [](Draw& d, TrainOptions& o) {
       o.beta1 = d.real({0, 0.8});
     }},
    {"adam-beta2",
     [](Draw& d, TrainOptions& o) {
       o.beta2 = d.real({0.9, 0.999});
     }},
    {"adam-eps",
     [](Draw& d, TrainOptions& o) {
       o.adam_eps = d.real({1e-8, 1e-5});
     }},
    {"clip-norm",
     [](Draw& d, TrainOptions& o) {
       o.clip_norm = d.real({0.1, 1});
     }},
    {"guided-alignment",
     [](Draw& d, TrainOptions& o) {
       if (d.chance(2)) return;
       o.guided_alignment = d.file("links"), o.train_sets = {d.file("a"), d.file("b")};
       o.text.train_weights.clear(), o.text.subword_alpha = 0, o.text.join_sentences = 0, o.text.tsv = false;
     }},
    {"guided-alignment-units",
     [](Draw& d, TrainOptions& o) {
       o.guided_alignment_units = o.guided_alignment_units.parse("units", d.text({"words", "blanks"}));
     }},
    {"guided-alignment-weight",
     [](Draw& d, TrainOptions& o) {
       o.guided_alignment_weight = d.real({0.05, 0.5});
     }},
    {"guided-alignment-layer", [](Draw& d, TrainOptions& o) { o.guided_alignment_layer = d.number(-1, 0); }},
    {"guided-alignment-head",
     [](Draw& d, TrainOptions& o) { o.guided_alignment_head = d.number(0, o.architecture.heads - 1); }},
    {"max-loss-jump",
     [](Draw& d, TrainOptions& o) {
       o.max_loss_jump = d.real({5, 100});
     }},
    {"weight-decay",
     [](Draw& d, TrainOptions& o) {
       o.weight_decay = d.real({1e-6, 0.1});
     }},
    {"ema",
     [](Draw& d, TrainOptions& o) {
       o.ema = d.real({0.5, 0.9999});
     }},
    {"average-last", [](Draw& d, TrainOptions& o) { o.average_last = d.number(1, 4); }},
    {"average-best",
     [](Draw& d, TrainOptions& o) {
       if (!o.valid_sets.empty()) o.average_best = d.number(1, 3), o.average_last = 0;
     }},
    {"final-model",
     [](Draw& d, TrainOptions& o) {
       const bool mean = o.average_last + o.average_best > 0;
       if (!o.valid_sets.empty())
         o.final_model = o.final_model.parse("final-model", d.text({"better", mean ? "mean" : "better", "best"}));
     }},
    {"keep", [](Draw& d, TrainOptions& o) { o.keep = d.number(1, 4); }},
    {"init-from",
     [](Draw& d, TrainOptions& o) {
       if (d.chance(2)) o.init_from = d.file("start/model.safetensors"), o.architecture = small();
     }},
    {"freeze",
     [](Draw& d, TrainOptions& o) {
       o.freeze = d.text({"encoder", "embeddings", "decoder.layers.*.cross_attention,encoder.layers.0"});
     }},
};

inline const std::map<std::string, std::string> kLeftAlone{
    {"check-text", "has no effect on the model"},
    {"model", "the folder of the run: each has its own"},
    {"preset", "a name for values of other options"},
    {"max-minutes", "where it ends a run depends on the clock"},
    {"save-minutes", "when it saves depends on the clock; run/killed_test.cpp saves by it"},
    {"device", "no other is on every machine; tests/opencl_test.cpp trains on two"},
};

}  // namespace hexapla::train::draws
