#include "train/plan/options/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "data/training_text.h"
#include "evaluate/tokenization/tokenizers.h"
#include "train/plan/options/schedule.h"

namespace hexapla::train {
namespace {

void check_guided_alignment(const TrainOptions& o) {
  if (o.guided_alignment.empty()) return;
  const model::Config& c = o.architecture;
  if (o.guided_alignment_layer >= c.dec_layers)
    throw UsageError(cat("`guided-alignment-layer` is ", o.guided_alignment_layer, ", but the decoder has layers 0 to ",
                         c.dec_layers - 1));
  if (o.guided_alignment_head >= c.heads)
    throw UsageError(
        cat("`guided-alignment-head` is ", o.guided_alignment_head, ", but a layer has heads 0 to ", c.heads - 1));
  const auto once = [](const std::string& file) { return file == "-" || file == data::kPairsOfProgram; };
  if (o.train_sets.size() > (o.text.tsv ? 1 : 2) || std::any_of(o.train_sets.begin(), o.train_sets.end(), once))
    throw UsageError("`guided-alignment` works with one training set in files: name a single set, and not stdin");
  if (o.text.subword_alpha > 0)
    throw UsageError("`guided-alignment` needs the same tokens in every epoch: leave `subword-alpha` out");
  if (o.hold_out > 0) throw UsageError("`guided-alignment` has links for every line of the text: leave `hold-out` out");
  if (o.text.join_sentences > 0)
    throw UsageError("`guided-alignment` has links for single lines of the text: leave `join-sentences` out");
  if (c.score != "scaled-dot" && c.score != "dot")
    throw UsageError(
        cat("`guided-alignment` needs a dot product and a softmax: leave `score` ", c.score, " out, or the alignment"));
}

void check_shards(const TrainOptions& o) {
  if (o.shards == 1) return;
  if (o.shards > o.accumulate)
    throw UsageError(cat("`shards` is ", o.shards, ", but an update has only ", o.accumulate,
                         o.accumulate == 1 ? " batch" : " batches", " (`accumulate`): give `accumulate` ", o.shards,
                         " or more, with smaller batches (`batch-tokens`), or fewer `shards`"));
  if (o.architecture.norm == "batch")
    throw UsageError(cat("`shards` ", o.shards, " does not go with `norm` batch: its running statistics change from ",
                         "batch to batch, in the order in which one process sees them; leave one of them out"));
}

void check_tokenizer(const std::string& name) try {
  if (name != "auto") evaluate::bleu_tokenizer(name);  // throws if unknown or not installed
} catch (const UsageError& e) {
  throw UsageError(e.what(), "valid-tokenize", e.value());
}

void check_validation(const TrainOptions& o) {
  check_tokenizer(o.valid_tokenize);
  if (o.best_by == "script" && o.valid_script.empty())
    throw UsageError("`best-by` script needs a scoring program; give `valid-script` PROGRAM");
  if (!o.valid_script.empty() && !o.validates())
    throw UsageError("`valid-script` needs `valid-sets` or `hold-out`: without them there is nothing to score");
}

}  // namespace

void TrainOptions::check() const {
  for (const OptionRow& row : rows_of(*this)) row.check();
  text.check(data::parse_sets("train-sets", train_sets, text.tsv).size());
  if (!valid_sets.empty()) data::parse_sets("valid-sets", valid_sets, text.tsv);
  if (!vocab.empty() && (text.separate_vocabs || !text.vocabs.empty()))
    throw UsageError("`vocab` is one vocabulary for both sides; give either it or `vocabs` and `separate-vocabs`");
  if (model.empty())
    throw UsageError("`model` is missing: name the folder where checkpoints and the model go", "model", "");
  for (const auto& [option, every] :
       {std::pair{"valid-every", valid_every}, {"save-every", save_every}, {"report-every", report_every}})
    Interval::parse(option, every);
  check_guided_alignment(*this);
  check_shards(*this);
  check_recipe();
  if (architecture.positions == "learned" && architecture.max_positions < max_length)
    throw UsageError(
        cat("`max-positions` ", architecture.max_positions, " is less than `max-length` ", max_length,
            ": the longest sentences have no learned positions; raise `max-positions` or lower `max-length`"));
}

void TrainOptions::check_recipe() const {
  check_validation(*this);
  make_schedule(*this);
  given_cooldown(*this);
  if (const double peak = peak_learning_rate(*this); min_lr > peak)
    throw UsageError(cat("`min-lr` is ", min_lr, ", above the peak learning rate ", peak,
                         lr > 0 ? " (`lr`)" : " (`lr` 0: the paper's)", "; lower it, or raise `lr`"));
  if (average_last > 0 && average_best > 0)
    throw UsageError(cat("`average-last` ", average_last, " and `average-best` ", average_best,
                         ": the final model can be only one of these means; set the other to 0"));
  if (final_model == "mean" && average_last == 0 && average_best == 0)
    throw UsageError("`final-model` mean needs a mean: give `average-last` or `average-best`");
  if (validates()) return;
  const std::pair<const char*, bool> measured[] = {{"`patience`", patience > 0},
                                                   {"`average-best`", average_best > 0},
                                                   {"`schedule` plateau", schedule == "plateau"},
                                                   {"`final-model` best", final_model == "best"}};
  for (const auto& [option, used] : measured)
    if (used) throw UsageError(cat(option, " needs `valid-sets` or `hold-out`: without them nothing is validated"));
}

std::string given_vocabulary(const TrainOptions& o) {
  if (!o.vocab.empty()) return "vocab";
  if (!o.text.vocabs.empty()) return "vocabs";
  return o.init_from.empty() || o.text.separate_vocabs ? "" : "init-from";  // only for a joint vocabulary
}

Interval Interval::parse(const std::string& option, const std::string& text) {
  if (text == "auto") return {};
  const bool epochs = !text.empty() && text.back() == 'e';
  const std::string digits = epochs ? text.substr(0, text.size() - 1) : text;
  const auto n = parse_number<int64_t>(digits);
  if (!n || !ranges::kCountFrom1.has(*n))
    throw UsageError(
        cat("`", option, "` is '", text, "', but must be auto or a number of updates (500) or of epochs (1e), ",
            ranges::kCountFrom1.text()),
        option, text);
  return epochs ? Interval{0, *n} : Interval{*n, 0};
}

}  // namespace hexapla::train
