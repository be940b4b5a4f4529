#include "train/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/error.h"
#include "data/training_text.h"
#include "evaluate/tokenizers.h"
#include "train/schedule.h"

namespace hexapla {
namespace {

template <class T>
void at_least(const char* option, T value, T least) {
  if constexpr (std::is_floating_point_v<T>)
    if (!std::isfinite(value))
      throw UsageError(cat("--", option, " is ", std::isnan(value) ? std::abs(value) : value,
                           ", but must be a finite number of at least ", least));
  if (!(value >= least)) throw UsageError(cat("--", option, " is ", value, ", but must be at least ", least));
}
void above_0(const char* option, double value) {
  at_least(option, value, 0.0);
  if (value == 0) throw UsageError(cat("--", option, " is 0, but must be above 0"));
}
void fraction(const char* option, double value) {
  if (!(value >= 0 && value < 1)) throw UsageError(cat("--", option, " is ", value, ", but must lie in [0, 1)"));
}
void one_of(const char* option, const std::string& value, const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), value) == choices.end())
    throw UsageError(fmt::format("--{} is '{}', but must be one of: {}", option, value, fmt::join(choices, ", ")));
}
void check_guided_alignment(const TrainOptions& o) {
  one_of("guided-alignment-units", o.guided_alignment_units, {"words", "blanks", "pieces"});
  at_least("guided-alignment-weight", o.guided_alignment_weight, 0.0);
  at_least<int64_t>("guided-alignment-layer", o.guided_alignment_layer, -1);
  at_least<int64_t>("guided-alignment-head", o.guided_alignment_head, 0);
  if (o.guided_alignment.empty()) return;
  const Config& c = o.architecture;
  if (o.guided_alignment_layer >= c.dec_layers)
    throw UsageError(cat("--guided-alignment-layer is ", o.guided_alignment_layer, ", but the decoder has layers 0 to ",
                         c.dec_layers - 1));
  if (o.guided_alignment_head >= c.heads)
    throw UsageError(
        cat("--guided-alignment-head is ", o.guided_alignment_head, ", but a layer has heads 0 to ", c.heads - 1));
  if (o.train_sets.size() > (o.text.tsv ? 1 : 2) || std::count(o.train_sets.begin(), o.train_sets.end(), "-") > 0)
    throw UsageError("--guided-alignment belongs to one training set in files: name one set, and no stdin");
  if (o.text.subword_alpha > 0)
    throw UsageError("--guided-alignment needs the same tokens in every epoch: leave --subword-alpha out");
  if (c.score == "additive")
    throw UsageError("--guided-alignment needs a dot product: leave --score additive out, or the alignment");
}

void check_validation(const TrainOptions& o) {
  if (o.valid_tokenize != "auto") bleu_tokenizer(o.valid_tokenize);  // says what is known, or missing
  at_least("valid-script-minutes", o.valid_script_minutes, 0.0);
  if (o.best_by == "script" && o.valid_script.empty())
    throw UsageError("--best-by script needs a program that measures; give --valid-script PROGRAM");
  if (!o.valid_script.empty() && o.valid_sets.empty())
    throw UsageError("--valid-script needs --valid-sets: without them there is nothing to measure");
}

}  // namespace

void TrainOptions::check() const {
  text.check(parse_sets("train-sets", train_sets, text.tsv).size());
  if (!valid_sets.empty()) parse_sets("valid-sets", valid_sets, text.tsv);
  if (!vocab.empty() && (text.separate_vocabs || !text.vocabs.empty()))
    throw UsageError("--vocab is one vocabulary for both sides; give either it or --vocabs and --separate-vocabs");
  if (model.empty()) throw UsageError("--model is missing: name the folder where checkpoints and the model go");
  at_least<int64_t>("vocab-size", vocab_size, 8);
  at_least<int64_t>("threads", threads, 0);
  if (batch_tokens != 0) at_least<int64_t>("batch-tokens", batch_tokens, 1);
  at_least<int64_t>("memory", memory, 0);
  at_least<int64_t>("max-length", max_length, 2);
  at_least<int64_t>("max-updates", max_updates, 0);
  at_least<int64_t>("max-epochs", max_epochs, 0);
  at_least("max-minutes", max_minutes, 0.0);
  at_least<int64_t>("valid-beam", valid_beam, 1);
  at_least<int64_t>("patience", patience, 0);
  at_least("lr", lr, 0.0);
  above_0("init-gain", init_gain);
  at_least<int64_t>("warmup", warmup, 1);
  above_0("adam-eps", adam_eps);
  at_least("clip-norm", clip_norm, 0.0);
  if (max_loss_jump != 0) at_least("max-loss-jump", max_loss_jump, 1.0);
  at_least<int64_t>("average-last", average_last, 0);
  at_least<int64_t>("keep", keep, 1);
  fraction("label-smoothing", label_smoothing);
  fraction("adam-beta1", beta1);
  fraction("adam-beta2", beta2);
  for (const auto& [option, every] :
       {std::pair{"valid-every", valid_every}, {"save-every", save_every}, {"report-every", report_every}})
    Interval::parse(option, every);
  check_guided_alignment(*this);
  check_recipe();
  if (architecture.positions == "learned" && architecture.max_positions < max_length)
    throw UsageError(cat("--max-positions ", architecture.max_positions, " is less than --max-length ", max_length,
                         ": learned positions cannot hold the longest sentences; raise the one or lower the other"));
}

void TrainOptions::check_recipe() const {
  one_of("schedule", schedule, {"inverse-sqrt", "linear", "cosine", "constant", "plateau"});
  one_of("best-by", best_by, {"bleu", "chrf", "loss", "script"});
  check_validation(*this);
  at_least<int64_t>("accumulate", accumulate, 1);
  at_least("lr-factor", lr_factor, 0.0);
  at_least("min-lr", min_lr, 0.0);
  at_least("weight-decay", weight_decay, 0.0);
  at_least<int64_t>("decay-updates", decay_updates, 0);
  at_least<int64_t>("plateau-patience", plateau_patience, 1);
  at_least<int64_t>("average-best", average_best, 0);
  fraction("plateau-factor", plateau_factor);
  fraction("ema", ema);
  one_of("final-model", final_model, {"better", "mean", "best"});
  make_schedule(*this);
  if (const double peak = peak_learning_rate(*this); min_lr > peak)
    throw UsageError(cat("--min-lr is ", min_lr, ", above the peak learning rate ", peak,
                         lr > 0 ? " (--lr)" : " (--lr 0: the paper's)", "; lower it, or raise --lr"));
  if (average_last > 0 && average_best > 0)
    throw UsageError(cat("--average-last ", average_last, " and --average-best ", average_best,
                         ": the final model can be one of these means only; set the other to 0"));
  if (final_model == "mean" && average_last == 0 && average_best == 0)
    throw UsageError("--final-model mean needs a mean: give --average-last or --average-best");
  if (!valid_sets.empty()) return;
  const std::pair<const char*, bool> measured[] = {{"patience", patience > 0},
                                                   {"average-best", average_best > 0},
                                                   {"schedule plateau", schedule == "plateau"},
                                                   {"final-model best", final_model == "best"}};
  for (const auto& [option, used] : measured)
    if (used) throw UsageError(cat("--", option, " needs --valid-sets: without them nothing is validated"));
}

std::string given_vocabulary(const TrainOptions& o) {
  if (!o.vocab.empty()) return "vocab";
  if (!o.text.vocabs.empty()) return "vocabs";
  return o.init_from.empty() || o.text.separate_vocabs ? "" : "init-from";  // which brings one for both sides only
}

Interval Interval::parse(const std::string& option, const std::string& text) {
  const bool epochs = !text.empty() && text.back() == 'e';
  const std::string digits = epochs ? text.substr(0, text.size() - 1) : text;
  int64_t n = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  if (error != std::errc() || end != digits.data() + digits.size() || n < 1)
    throw UsageError(cat("--", option, " is '", text, "', but must be a number of updates (500) or of epochs (1e)"));
  return epochs ? Interval{0, n} : Interval{n, 0};
}

}  // namespace hexapla
