#include "train/plan/resolve/recipes.h"

#include <fmt/format.h>

#include "base/error.h"
#include "train/plan/resolve/resolve.h"

namespace hexapla::train {
namespace {

// 41.6 BLEU on Multi30k (docs/results.md): 8,000 updates of about 8,192 tokens, after Wu et al.
// 2021, "Good for Misconceived Reasons", plus dropout inside attention and feed-forward networks.
void tiny(TrainOptions& o) {
  o.batch_tokens = 8192;
  o.lr = 5e-3;
  o.warmup = 2000;
  o.architecture.dropout = 0.3;
  o.architecture.attention_dropout = o.architecture.activation_dropout = 0.1;
  o.average_last = 10;
  o.max_updates = 8000;
}

// Usual for IWSLT's 160,000 pairs: batches of 4,096 tokens, dropout of a small corpus.
void small(TrainOptions& o) {
  o.architecture.dropout = 0.3;
  o.average_last = 10;
  o.max_updates = 50'000;
}

// Sections 5.1 to 5.4 and 6.1: about 25,000 target tokens per update, in micro-batches that fit a
// small memory; the paper's learning rate formula; mean of the last 5 checkpoints.
void base(TrainOptions& o) {
  o.batch_tokens = 4096;
  o.accumulate = 6;
  o.average_last = 5;
  o.max_updates = 100'000;
}

// As base, but with the last 20 checkpoints; dropout 0.3 comes from Config (Table 3).
void big(TrainOptions& o) {
  base(o);
  o.average_last = 20;
  o.max_updates = 300'000;
}

using Settings = std::vector<std::pair<std::string, std::string>>;

// Numbers and switches.
Settings settings_of_rows(const OptionRows& rows) {
  Settings all;
  for (const OptionRow& row : rows)
    if (row.is_number() || row.is_switch()) all.emplace_back(row.name, row.in_one_line());
  return all;
}

// Settings that differ between two sets of options, with the second set's values.
Settings difference(const OptionRows& usual, const OptionRows& rows) {
  const Settings before = settings_of_rows(usual);
  Settings now = settings_of_rows(rows);
  auto usual_value = before.begin();
  std::erase_if(now, [&](const auto& setting) { return setting == *usual_value++; });
  return now;
}

// That a preset sets to other than the default.
std::set<std::string> options_of_presets() {
  std::set<std::string> names;
  for (const std::string& preset : model::Config::preset_names()) {
    const TrainOptions o = preset_options(preset);
    const TrainOptions usual;
    for (const auto& [name, value] : difference(all_rows(usual), all_rows(o))) names.insert(name);
  }
  return names;
}

}  // namespace

TrainOptions preset_options(const std::string& name) {
  TrainOptions o;
  o.preset = name;
  o.architecture = model::Config::preset(name);
  if (name == "tiny") tiny(o);
  if (name == "small") small(o);
  if (name == "base") base(o);
  if (name == "big") big(o);
  return o;
}

TrainOptions automatic_options() {
  TrainOptions o;
  o.preset = kAutomatic;
  o.architecture = model::Config::preset("tiny");
  o.hold_out = 1;  // some lines: options about validation have an effect
  o.average_last = 5;
  return o;
}

std::set<std::string> options_of_recipes() {
  std::set<std::string> names = options_of_presets();
  names.insert({"vocab-size", "hold-out", "schedule", "patience"});  // auto decides these, too
  return names;
}

std::string describe_presets() {
  const std::set<std::string> set_by_some = options_of_presets();
  std::string text;
  for (const std::string& preset : model::Config::preset_names()) {
    const TrainOptions o = preset_options(preset);
    std::string line = "  " + preset + ":";
    for (const auto& [option, value] : settings_of_rows(rows_of(o.architecture) + rows_of(o)))
      if (set_by_some.contains(option)) line += cat(" ", option, " ", value, ",");
    line.back() = '\n';
    text += line;
  }
  return text;
}

}  // namespace hexapla::train
