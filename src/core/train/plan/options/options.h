#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/options/device_option.h"
#include "base/options/given_option.h"
#include "base/options/option_row.h"
#include "model/config.h"
#include "train/plan/options/text_options.h"

namespace hexapla::train {

struct TrainOptions;
// Name of the option that supplies the vocabulary ("vocab", "vocabs", "init-from"); "" if it is
// trained.
std::string given_vocabulary(const TrainOptions& options);

// All options of a training run. Each is declared once, in rows(); the command line, the config
// file and the checkpoint's record of the run follow from it.
struct TrainOptions {
  std::vector<std::string> train_sets, valid_sets;  // source, target
  std::string model;                                // run folder
  std::string preset = "auto";
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
  double save_minutes = 10;             // between checkpoints besides those of save_every; 0: none
  Word<"on", "off"> check_text = "on";  // before the training: train/automatic/check_text.h
  int64_t hold_out = 0;                 // sources of the training sets that validate instead of `valid-sets`; 0: none
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
  double init_gain = 0.577;  // docs/adr/0011
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
  // With preset auto: what was given, over which the recipe is laid once the text is known (train/automatic/choose.h).
  std::vector<GivenOption> given;

  // The rows of all options but the architecture's, which change the shape of the model (Config::rows()). Options added
  // after the first version have Effect::none while they are off, so that models and checkpoints stay byte-identical
  // to those of earlier versions.
  OptionRows rows();

  bool validates() const { return !valid_sets.empty() || hold_out > 0; }
  int64_t guided_layer() const {
    return guided_alignment_layer >= 0 ? guided_alignment_layer : std::max<int64_t>(0, architecture.dec_layers - 2);
  }

  // Checks everything that needs no file. UsageError names the option, the value and what is
  // allowed.
  void check() const;

 private:
  OptionRows rows_of_limits();
  OptionRows rows_of_course();
  OptionRows rows_of_recipe();
  OptionRows rows_of_outcome();
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
