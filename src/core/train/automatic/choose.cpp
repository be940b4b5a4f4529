#include "train/automatic/choose.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "base/error.h"
#include "base/files/file.h"
#include "text/quantities.h"
#include "train/automatic/made_up_training.h"
#include "train/automatic/recipe_rules.h"
#include "train/plan/resolve/recipes.h"
#include "train/plan/resolve/resolve.h"

namespace hexapla::train {
namespace {

constexpr double kShareOfMeasuring = 0.005;  // of the time, for each size
constexpr double kShareOfUpdates = 0.85;     // of the time; the rest goes to reading, validations and checkpoints

// Weights that are trained already need smaller steps: this share of the recipe's rate.
constexpr double kShareOfRate = 0.1;

TrainOptions laid_over(TrainOptions recipe, const TrainOptions& asked) {
  if (!asked.architecture.softmax()) recipe.architecture.attention_dropout = 0;  // it has none
  TrainOptions o = resolve_options(std::move(recipe), asked.given).options;
  o.precision = asked.precision;
  return o;
}

RunLength length_of(const TrainOptions& o, const CorpusFacts& facts, double speed) {
  RunLength length{o.max_minutes * 60 * kShareOfUpdates * speed, static_cast<double>(o.max_updates)};
  const auto in_epochs = static_cast<double>(o.max_epochs * target_tokens(facts, o.vocab_size));
  if (in_epochs > 0) length.tokens = length.tokens > 0 ? std::min(length.tokens, in_epochs) : in_epochs;
  return length;
}

// Target tokens per second.
double measured_speed(const TrainOptions& o, const CorpusFacts& facts, Backend& backend) {
  const int64_t target = std::max<int64_t>(1, target_tokens(facts, o.vocab_size) / facts.pairs - 1);
  const auto source = static_cast<int64_t>(static_cast<double>(target) * static_cast<double>(facts.source_characters) /
                                           static_cast<double>(std::max<int64_t>(1, facts.target_characters)));
  return training_speed(o, backend, std::max<int64_t>(1, source), target, o.max_minutes * 60 * kShareOfMeasuring);
}

std::string told(const TrainOptions& o, const CorpusFacts& facts, double speed, double run) {
  const model::Config& c = o.architecture;
  const int64_t tokens = target_tokens(facts, o.vocab_size);
  std::string text =
      fmt::format("auto: {}, about {} target tokens", text::counted(facts.pairs, "pair"), text::grouped(tokens));
  if (speed > 0) text += fmt::format(", {} min at {} tokens/s", o.max_minutes, text::grouped(std::llround(speed)));
  text += fmt::format(": {}+{} layers of {}, {} {} pieces, batches of {} tokens, dropout {}", c.enc_layers,
                      c.dec_layers, c.d_model, text::grouped(o.vocab_size), o.text.separate() ? "separate" : "shared",
                      text::grouped(o.batch_tokens * o.accumulate), c.dropout);
  if (run > 0)
    text += fmt::format(", about {}", text::counted(std::llround(run / static_cast<double>(tokens)), "epoch"));
  else if (o.patience > 0)
    text += ", until it stops improving (`max-minutes` limits it)";
  return text;
}

// Those that the recipe decides: all that affect the result, but what was given.
std::set<std::string> names_of_choices(const TrainOptions& asked, const TrainOptions& chosen) {
  std::set<std::string> names;
  for (const OptionRow& row : rows_of(chosen))
    if (row.effect != Effect::none) names.insert(row.name);
  for (const OptionRow& row : rows_of(chosen.architecture)) names.insert(row.name);
  for (const GivenOption& given : asked.given) names.erase(given.name);
  names.insert("preset");
  return names;
}

TrainOptions recipe_of(std::vector<GivenOption> recorded) {
  TrainOptions recipe;
  take_given(by_name(recorded, names_of_options()), all_rows(recipe));
  return recipe;
}

}  // namespace

Chosen choose_recipe(const TrainOptions& asked, const CorpusFacts& facts, Backend& backend) {
  const bool given_size = !asked.init_from.empty();
  for (int64_t size = given_size ? size_of(asked.architecture) : largest_size(facts);; --size) {
    const TrainOptions first = laid_over(recipe(size, facts, {}), asked);
    const double speed = asked.max_minutes > 0 ? measured_speed(first, facts, backend) : 0;
    const RunLength length = length_of(first, facts, speed);
    const double tokens =
        length.tokens > 0 ? length.tokens : length.updates * static_cast<double>(first.batch_tokens * first.accumulate);
    if (size > 0 && !given_size && tokens > 0 && !enough_tokens(first.architecture, tokens)) continue;
    TrainOptions chosen = recipe(size, facts, length);
    if (given_size) chosen.lr *= kShareOfRate;
    const TrainOptions o = laid_over(std::move(chosen), asked);
    return {o, told(o, facts, speed, tokens)};
  }
}

void keep_recipe(const TrainOptions& asked, const Chosen& chosen) {
  write_file_atomically(
      asked.model + "/" + kRecipeFile,
      cat("# ", chosen.why, "\n", dump_options(chosen.options, names_of_choices(asked, chosen.options)), "\n"));
}

Chosen recipe_of_run(const TrainOptions& asked) {
  const std::string file = asked.model + "/" + kRecipeFile;
  if (!std::filesystem::exists(file))
    return {laid_over(preset_options("base"), asked), "the run began without `preset` auto: it goes on with base"};
  return {laid_over(recipe_of(read_options_file(file)), asked), cat("auto: goes on with the recipe in ", file)};
}

TrainOptions of_first(cluster::Processes& processes, const TrainOptions& asked, const std::optional<Chosen>& chosen) {
  if (!processes.several()) return chosen->options;
  std::vector<std::string> words;
  if (chosen) {
    const OptionRows rows = all_rows(chosen->options);
    for (const OptionRow& row : rows) {
      words.push_back(row.name);
      words.push_back(cluster::pack(row.words()));
    }
  }
  words = cluster::unpack(cluster::of_first(processes, cluster::pack(words)));
  std::vector<GivenOption> recorded;
  for (size_t i = 0; i + 1 < words.size(); i += 2) recorded.push_back({words[i], cluster::unpack(words[i + 1])});
  return laid_over(recipe_of(std::move(recorded)), asked);
}

}  // namespace hexapla::train
