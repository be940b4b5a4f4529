#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/options/device_option.h"
#include "base/options/when.h"
#include "base/options/word.h"
#include "base/range.h"
#include "model/config.h"
#include "train/plan/options/text_options.h"

namespace hexapla::train {

struct TrainOptions;
// Name of the option that supplies the vocabulary ("vocab", "vocabs", "init-from"); "" if it is
// trained.
std::string given_vocabulary(const TrainOptions& options);

// All options of a training run. Each is declared once, in visit(); the command line, the config
// file and the checkpoint's record of the run follow from it.
struct TrainOptions {
  std::vector<std::string> train_sets, valid_sets;  // source, target
  std::string model;                                // run folder
  std::string preset = "base";
  std::string vocab;  // an existing SentencePiece model; empty: trained from the training sets
  int64_t vocab_size = 10000;
  uint64_t seed = 1;
  int64_t threads = 0;                         // 0: every core
  std::string precision = "auto";              // for the operands of matrix products
  std::string device = "cpu";                  // as for make_backend()
  int64_t batch_tokens = 4096;                 // 0: auto
  int64_t memory = 0;                          // MiB for training; 0: a share of the machine's memory
  int64_t accumulate = 1;                      // batches per update
  int64_t shards = 1;                          // parts of an update; at most this many processes
  Word<"auto", "on", "off"> overlap = "auto";  // gradient sums of several processes during the backward pass
  int64_t max_length = 256;
  int64_t max_updates = 0, max_epochs = 0;  // 0: no limit
  double max_minutes = 0;
  std::string valid_every = "auto", save_every = "auto", report_every = "auto";  // updates or epochs: "500", "1e"
  double save_minutes = 10;  // between checkpoints besides those of save_every; 0: none
  int64_t valid_beam = 1;
  std::string valid_tokenize = "auto";  // for validation BLEU; auto: by the script of the references
  std::string valid_script;             // a program that scores translations; empty: none
  double valid_script_minutes = 10;     // its time limit
  // Metric for the best model, patience and the plateau schedule.
  Word<"auto", "bleu", "chrf", "loss", "script"> best_by = "auto";
  int64_t patience = 0;  // validations without improvement before stopping; 0: never
  Word<"inverse-sqrt", "linear", "cosine", "constant", "plateau"> schedule = "inverse-sqrt";
  double lr = 0;         // peak; 0: the paper's, lr_factor * (d_model * warmup)^-0.5
  double lr_factor = 1;  // multiplies the paper's rate
  int64_t warmup = 4000;
  int64_t decay_updates = 0;  // end of linear and cosine decay; 0: max_updates
  int64_t cooldown = 0;       // updates at the end during which the rate falls to 0; 0: auto
  double min_lr = 0;          // applies after warm-up
  double plateau_factor = 0.5;
  int64_t plateau_patience = 3;
  double init_gain = 0.577;  // docs/adr/0006
  double label_smoothing = 0.1;
  double beta1 = 0.9, beta2 = 0.98, adam_eps = 1e-9, clip_norm = 0;
  std::string guided_alignment;  // a file of word alignments; empty: attention is not guided
  Word<"words", "blanks", "pieces"> guided_alignment_units = "words";
  double guided_alignment_weight = 0.1;                            // in the loss
  int64_t guided_alignment_layer = -1, guided_alignment_head = 0;  // layer -1: the last but one; see guided_layer()
  double max_loss_jump = 0;                                        // 0: never stops
  double weight_decay = 0;
  double ema = 0;                                         // decay of the moving average that becomes the model; 0: none
  int64_t average_last = 0;                               // the final model is the mean of the last N checkpoints
  int64_t average_best = 0;                               // or of the N best validated models
  Word<"better", "mean", "best"> final_model = "better";  // better: of that mean and the best validated model
  int64_t keep = 2;                                       // checkpoints to keep
  std::string init_from;                                  // a model to start from
  std::string freeze;          // parts of the model that are not trained (train/plan/freeze.h)
  TextOptions text;            // sets, vocabularies, subwords, shuffling
  model::Config architecture;  // the preset's, overridden by given options

  // Calls f(name, field, help, allowed, effect, when) with long option names without dashes.
  // allowed is a Range, the Choices of a word, or AnyValue; when says whether the option has an
  // effect given the others. Config::visit visits the architecture's options, which change the
  // shape of the model. Options added after the first version have Effect::none while they are off,
  // so that models and checkpoints stay byte-identical to those of earlier versions.
  template <class Self, class F>
  static void visit(Self& o, F&& f) {
    const std::string from = given_vocabulary(o);
    const When trained{from.empty(),
                       "applies to a vocabulary that is trained, but this one comes from `" + from + "`: leave it out"};
    f("train-sets", o.train_sets, "text to train on: source and target files in turn, or .tsv files; \"-\" is stdin",
      AnyValue{}, Effect::content, kAlways);
    f("valid-sets", o.valid_sets,
      "text to validate on: source and target files in turn, or .tsv files; several sets are reported by name and "
      "together",
      AnyValue{}, Effect::content, kAlways);
    f("model", o.model, "folder of the run: checkpoints, logs, final model", AnyValue{}, Effect::none, kAlways);
    f("preset", o.preset, "tiny, small, base or big: a model and the recipe that trains it", AnyValue{}, Effect::last,
      kAlways);
    f("vocab", o.vocab, "SentencePiece model for both sides, instead of training one", AnyValue{}, Effect::vocabulary,
      kAlways);
    f("vocab-size", o.vocab_size, "size of the vocabulary that is trained if none is given", Range<int64_t>{8, 1 << 22},
      Effect::vocabulary, trained);
    TextOptions::visit(o.text, f, trained);
    f("seed", o.seed, "random seed for initialization, shuffling and dropout", ranges::kSeed, Effect::fixed, kAlways);
    f("threads", o.threads, "compute threads; 0: one per available core; the result does not depend on it",
      ranges::kThreads, Effect::none, kAlways);
    f("precision", o.precision,
      "precision of the operands of matrix products: f32, bf16, or auto: bf16 if faster on this processor, else f32",
      AnyValue{}, Effect::fixed, kAlways);
    f("device", o.device, kDeviceHelp, AnyValue{}, Effect::none, kAlways);
    f("batch-tokens", o.batch_tokens, "target tokens per batch; auto: as many as `memory` allows, at most 25000",
      Range<int64_t>{.least = 1, .most = 1 << 24, .zero = "auto"}, Effect::fixed, kAlways);
    f("memory", o.memory, "MiB that training may use; 0: four fifths of the memory of the machine or the container",
      ranges::kMebibytes, Effect::none, kAlways);
    f("accumulate", o.accumulate,
      "batches per update (gradient accumulation); the loss is the mean over all their target tokens",
      Range<int64_t>{1, 1'000'000}, Effect::fixed, kAlways);
    f("shards", o.shards,
      "parts that the batches of an update are computed in, at most `accumulate`, by that many processes or fewer: the "
      "result depends on it, and not on the number of processes",
      Range<int64_t>{1, 1024}, o.shards > 1 ? Effect::fixed : Effect::none, kAlways);
    f("overlap", o.overlap,
      "sum the gradients of several processes during the backward pass: on, off, or auto: if they run on more than one "
      "host; the result does not depend on it",
      o.overlap.choices(), Effect::none,
      When{o.shards > 1, "is for several processes, which take at least 2 `shards`: give those, or leave it out"});
    f("max-length", o.max_length, "leave out pairs with more tokens than this on either side",
      Range<int64_t>{2, 1 << 20}, Effect::fixed, kAlways);
    f("max-updates", o.max_updates,
      "stop after this many updates; 0: no limit; the preset's number applies only if no other limit is given",
      ranges::kCount, Effect::last, kAlways);
    f("max-epochs", o.max_epochs, "stop after this many epochs; 0: no limit", ranges::kCount, Effect::last, kAlways);
    f("max-minutes", o.max_minutes,
      "stop after this many minutes, including the time before a resume, with a warm-up and a `cooldown` that fit into "
      "them; 0: no limit",
      Range<double>{0, 1e7}, Effect::last, kAlways);
    visit_course(o, f);
    visit_recipe(o, f);
  }

  int64_t guided_layer() const {
    return guided_alignment_layer >= 0 ? guided_alignment_layer : std::max<int64_t>(0, architecture.dec_layers - 2);
  }

  // Checks everything that needs no file. UsageError names the option, the value and what is
  // allowed.
  void check() const;

 private:
  // The rest of visit(): validations, checkpoints, reports; optimization; outcome.
  template <class Self, class F>
  static void visit_course(Self& o, F&& f) {
    const When validating{!o.valid_sets.empty(), "is for validation: give `valid-sets`, or leave it out"};
    f("valid-every", o.valid_every,
      "updates (500) or epochs (1e) between validations; auto: at the end of an epoch, so that they take about a tenth "
      "of the training at most, and within long epochs",
      AnyValue{}, Effect::noted, validating);
    f("save-every", o.save_every,
      "updates (500) or epochs (1e) between checkpoints; auto: at the end of an epoch, if it is not too short",
      AnyValue{}, Effect::noted, kAlways);
    f("save-minutes", o.save_minutes,
      "minutes after which to save, too, wherever the run is: a killed run loses no more; 0: never",
      Range<double>{0, 1e7}, Effect::none, kAlways);
    f("report-every", o.report_every,
      "updates (50) or epochs (1e) between reports; auto: every 50 updates, and more often at first and at the end",
      AnyValue{}, Effect::last, kAlways);
    f("valid-beam", o.valid_beam, "beam size of validation; 1: greedy", ranges::kBeam, Effect::noted, validating);
    f("valid-tokenize", o.valid_tokenize,
      "tokenizer of the validation BLEU: 13a, none, intl, char, zh, ja-mecab, ko-mecab; auto: by the references' "
      "script",
      AnyValue{}, Effect::noted, validating);
    f("valid-script", o.valid_script,
      "program that scores translations: called with the files of translations, references and sources, it prints a "
      "number",
      AnyValue{}, Effect::noted, validating);
    f("valid-script-minutes", o.valid_script_minutes, "time limit for that program; 0: none", Range<double>{0, 1e6},
      Effect::last, When{!o.valid_script.empty(), "is for `valid-script`: give a program, or leave it out"});
    f("best-by", o.best_by,
      "metric that selects the best validated model: bleu, chrf, loss or script; auto: BLEU, but chrF or the loss "
      "where "
      "BLEU cannot tell models apart (several sets count as one)",
      o.best_by.choices(), Effect::fixed, validating);
    f("patience", o.patience, "stop after this many validations without a better model; 0: never", ranges::kCount,
      Effect::last, kAlways);
  }

  template <class Self, class F>
  static void visit_recipe(Self& o, F&& f) {
    const When stalling{o.schedule == "plateau", "is for `schedule` plateau: choose that, or leave it out"};
    const When guided{!o.guided_alignment.empty(),
                      "is for `guided-alignment`: give a file of alignments, or leave it out"};
    f("schedule", o.schedule,
      "learning rate after warm-up: inverse-sqrt (the paper's), linear, cosine, constant or plateau",
      o.schedule.choices(), Effect::fixed, kAlways);
    f("lr", o.lr, "peak learning rate; 0: the paper's, `lr-factor` * (`dim-model` * `warmup`)^-0.5", ranges::kFrom0,
      Effect::noted, kAlways);
    f("lr-factor", o.lr_factor, "factor applied to the paper's learning rate", ranges::kFrom0, Effect::noted,
      When{o.lr == 0,
           "scales the paper's learning rate, but `lr` sets it directly: give `lr` 0, too, or leave it out"});
    f("warmup", o.warmup, "updates during which the learning rate rises linearly to its peak", ranges::kCountFrom1,
      Effect::noted, kAlways);
    f("decay-updates", o.decay_updates,
      "update at which linear and cosine decay and a `cooldown` end; 0: the `max-updates` that the run started with",
      ranges::kCount, Effect::fixed,
      When{o.schedule == "linear" || o.schedule == "cosine" || o.cooldown > 0,
           "is for `schedule` linear and cosine and for a `cooldown`: choose one of them, or leave it out"});
    f("cooldown", o.cooldown,
      "updates at the end of the run over which the learning rate falls to 0; auto: the last quarter of `max-minutes`, "
      "none where that is not given",
      Range<int64_t>{.least = 1, .most = ranges::kCount.most, .zero = "auto"},
      o.cooldown > 0 ? Effect::noted : Effect::none, kAlways);
    f("min-lr", o.min_lr, "lower bound of the learning rate after warm-up", ranges::kFrom0, Effect::fixed,
      When{o.schedule != "constant" || o.cooldown > 0 || o.max_minutes > 0,
           "is for a learning rate that falls, but `schedule` is constant: choose another, or leave it out"});
    f("plateau-factor", o.plateau_factor, "plateau: factor applied to the learning rate when validations stall",
      ranges::kBelow1, Effect::fixed, stalling);
    f("plateau-patience", o.plateau_patience, "plateau: validations without a better model before the rate is lowered",
      ranges::kCountFrom1, Effect::fixed, stalling);
    f("init-gain", o.init_gain, "factor applied to the Xavier-uniform limits of the initial weights", ranges::kAbove0,
      Effect::fixed,
      When{given_vocabulary(o) != "init-from",
           "is for new weights, but all of them come from `init-from`: leave one of them out"});
    f("label-smoothing", o.label_smoothing, "probability mass that is spread evenly over the vocabulary",
      ranges::kBelow1, Effect::fixed, kAlways);
    f("adam-beta1", o.beta1, "Adam's beta 1", ranges::kBelow1, Effect::fixed, kAlways);
    f("adam-beta2", o.beta2, "Adam's beta 2", ranges::kBelow1, Effect::fixed, kAlways);
    f("adam-eps", o.adam_eps, "Adam's epsilon", ranges::kAbove0, Effect::fixed, kAlways);
    f("clip-norm", o.clip_norm, "clip the gradient to this norm; 0: off", ranges::kFrom0, Effect::noted, kAlways);
    f("guided-alignment", o.guided_alignment,
      "word alignments of the training set, one line of '0-0 1-2' per pair: one attention head learns to follow them",
      AnyValue{}, Effect::content, kAlways);
    f("guided-alignment-units", o.guided_alignment_units,
      "what the links number: words, blanks (whitespace-separated words in any script) or pieces",
      o.guided_alignment_units.choices(), Effect::content, guided);
    f("guided-alignment-weight", o.guided_alignment_weight, "weight of the alignment loss", ranges::kFrom0,
      Effect::fixed, guided);
    f("guided-alignment-layer", o.guided_alignment_layer,
      "decoder layer of the guided head, from 0; -1: the last but one", Range<int64_t>{-1, 255}, Effect::fixed, guided);
    f("guided-alignment-head", o.guided_alignment_head, "number of the guided head, from 0", Range<int64_t>{0, 4095},
      Effect::fixed, guided);
    visit_outcome(o, f);
  }

  // Options that determine the resulting model.
  template <class Self, class F>
  static void visit_outcome(Self& o, F&& f) {
    const When averaged{o.final_model != "best",
                        "makes a mean, but `final-model` best takes none: leave one of them out"};
    f("max-loss-jump", o.max_loss_jump,
      "stop if the loss of an update exceeds this multiple of the running mean; 0: only if it is not finite",
      Range<double>{.least = 1, .most = ranges::kFloat, .or_zero = true}, Effect::last, kAlways);
    f("weight-decay", o.weight_decay, "decoupled weight decay (AdamW), applied to the matrices of linear layers",
      ranges::kFrom0, Effect::fixed, kAlways);
    f("ema", o.ema, "validate and save an exponential moving average of the parameters with this decay (0.999); 0: off",
      ranges::kBelow1, Effect::fixed, kAlways);
    f("average-last", o.average_last, "checkpoint averaging: mean of the last N checkpoints; 0: none",
      Range<int64_t>{0, 1'000'000}, Effect::noted, averaged);
    f("average-best", o.average_best, "checkpoint averaging: mean of the N best validated models; 0: none",
      Range<int64_t>{0, 1'000'000}, Effect::fixed, averaged);
    f("final-model", o.final_model,
      "the result of the run: the better of mean and best model by `best-by` (better), always the mean, or always the "
      "best",
      o.final_model.choices(), Effect::last,
      When{o.average_last > 0 || o.average_best > 0,
           "is for a mean of models: give `average-last` or `average-best`, or leave it out"});
    f("keep", o.keep, "checkpoints to keep on disk (at least `average-last`)", Range<int64_t>{1, 1'000'000},
      Effect::last, kAlways);
    f("init-from", o.init_from,
      "start from the weights of this model; its dimensions and vocabulary apply unless given", AnyValue{},
      Effect::content, kAlways);
    f("freeze", o.freeze, "parts of the model that are not trained: encoder,embeddings,decoder.layers.*.self_attention",
      AnyValue{}, Effect::fixed, kAlways);
  }

  void check_recipe() const;
};

// "500", "1e" or "auto".
struct Interval {
  int64_t updates = 0, epochs = 0;                                            // both 0: auto (train/loop/due.h)
  static Interval parse(const std::string& option, const std::string& text);  // UsageError
  bool is_auto() const { return updates == 0 && epochs == 0; }
  // Is it due after this update? epoch_ends: whether the epoch ends with this update.
  bool due(int64_t update, int64_t finished_epochs, bool epoch_ends) const {
    if (updates > 0) return update % updates == 0;
    return epochs > 0 && epoch_ends && finished_epochs % epochs == 0;
  }
};

}  // namespace hexapla::train
