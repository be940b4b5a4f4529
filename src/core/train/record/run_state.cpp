#include "train/record/run_state.h"

#include <fmt/format.h>
#include <sstream>

#include "base/classic.h"
#include "base/error.h"
#include "base/range.h"
#include "text/utf8.h"

namespace hexapla::train {
namespace {
// Means "no score yet"; dates from when no score was negative.
constexpr const char* kNoScore = "-1";
// Marks a shard that has no more batches in the epoch.
constexpr const char* kEnded = "end";

template <Number T>
void parse(const std::string& text, T& value) {
  const std::optional<T> number = parse_number<T>(text);
  if (!number) throw DataError(cat("a checkpoint has '", text::printable(text, ""), "' where a number belongs"));
  value = *number;
}
void parse(const std::string& text, BestModels& value) { value = BestModels::parse(text); }
void parse(const std::string& text, std::optional<Standing>& value) {
  if (text != kNoScore) parse(text, value.emplace().score);
}

void parse_two(const std::string& text, int64_t& first, int64_t& second) {
  const size_t blank = text.find(' ');
  if (blank == std::string::npos) return;
  parse(text.substr(0, blank), first);
  parse(text.substr(blank + 1), second);
}

// Checkpoints store a position as one number: part, 16 bits of window, 32 bits of batch.
constexpr int kWindowBits = 16, kBatchBits = 32;
constexpr int64_t lowest(int bits) { return (int64_t{1} << bits) - 1; }
void parse(const std::string& text, data::BatchPosition& value) {
  int64_t place = 0;
  parse(text, place);
  value = {{.part = place >> (kWindowBits + kBatchBits), .number = place >> kBatchBits & lowest(kWindowBits)},
           place & lowest(kBatchBits)};
}

// fmt writes the shortest decimal that reads back as the same double.
template <class T>
std::string text_of(const T& value) {
  return fmt::format("{}", value);
}
std::string text_of(const data::BatchPosition& value) {
  const auto& [window, batch] = value;
  HEXAPLA_CHECK(window.number <= lowest(kWindowBits) && batch <= lowest(kBatchBits), "window ", window.number,
                " of a part, batch ", batch, ": a checkpoint has no room for so large a position");
  return text_of((window.part << kWindowBits | window.number) << kBatchBits | batch);
}
std::string text_of(const BestModels& value) { return value.text(); }
std::string text_of(const std::optional<Standing>& value) {
  if (!value) return kNoScore;
  return value->score == -1 ? "-1.0" : text_of(value->score);
}

// Metrics and ties, beside the scores: "1200 bleu 60.1 2.3 1400 bleu 60.2 2.4". Earlier versions stored only the
// scores.
template <class State, class F>
void each_standing(State& state, F&& f) {
  if (state.best) f(state.best_update, *state.best);
  state.best_models.each(f);
}
std::string text_of_ties(RunState state) {
  std::string text;
  each_standing(state, [&](int64_t update, const Standing& s) {
    if (s.ties)
      text += fmt::format("{}{} {} {} {}", text.empty() ? "" : " ", update, s.metric, (*s.ties)[0], (*s.ties)[1]);
  });
  return text;
}
void parse_ties(const std::string& text, RunState& state) {
  Classic<std::istringstream> in(text);
  int64_t update = 0;
  std::string metric, chrf, loss;
  while (in >> update >> metric >> chrf >> loss) {
    std::array<double, 2> ties{};
    parse(chrf, ties[0]);
    parse(loss, ties[1]);
    each_standing(state, [&](int64_t own, Standing& s) {
      if (own == update) s.metric = metric, s.ties = ties;
    });
  }
}

std::vector<double> parse_resampled(const std::string& text) {
  Classic<std::istringstream> in(text);
  std::vector<double> all;
  for (std::string number; in >> number;) {
    parse(number, all.emplace_back());
  }
  return all;
}
}  // namespace

void RunState::name_metric(const std::string& metric) {
  each_standing(*this, [&](int64_t, Standing& s) {
    if (s.metric.empty()) s.metric = metric;
  });
}

void RunState::forget_scores() {
  best.reset();
  best_update = worse_validations = plateau.stalled = 0;
  best_models = {};
  scores_since = update;
}

std::map<std::string, std::string> RunState::to_strings() const {
  std::map<std::string, std::string> strings;
  visit(*this, [&](const char* name, const auto& value) { strings[name] = text_of(value); });
  if (const std::string ties = text_of_ties(*this); !ties.empty()) strings["ties"] = ties;
  if (best && !best->resampled.empty()) strings["resampled"] = fmt::format("{}", fmt::join(best->resampled, " "));
  for (const auto& [name, tokens] : {std::pair{"tokens_validated", tokens_validated},
                                     {"tokens_saved", tokens_saved},
                                     {"tokens_reported", tokens_reported},
                                     {"validation_cost", validation_cost}})
    if (tokens > 0) strings[name] = text_of(tokens);
  if (best_update > 0) strings["best_update"] = text_of(best_update);
  if (!measure.empty()) strings["measure"] = measure;
  if (scores_since > 0) strings["scores_since"] = text_of(scores_since);
  if (!changed.empty()) strings["changed"] = changed;
  if (validation_due) strings["validation_due"] = "yes";
  std::string all;
  for (const auto& place : places) {
    if (!all.empty()) all += ' ';
    all += place ? text_of(*place) : kEnded;
  }
  if (!all.empty()) strings["places"] = all;
  if (warmup > 0) strings["warmup"] = fmt::format("{} {}", asked_warmup, warmup);
  if (cooldown) strings["cooldown"] = fmt::format("{} {}", cooldown.from, cooldown.end);
  if (!lost_checkpoints.empty()) strings["lost_checkpoints"] = fmt::format("{}", fmt::join(lost_checkpoints, " "));
  return strings;
}

RunState RunState::from_strings(const std::map<std::string, std::string>& strings, const std::string& file) {
  RunState state;
  visit(state, [&](const char* name, auto& value) {
    const auto found = strings.find(name);
    if (found == strings.end())
      throw DataError(cat(file, ": the checkpoint has no '", name,
                          "'; it was written by another version: use a new `model` folder"));
    parse(found->second, value);
  });
  const auto optional = [&](const char* name, auto read) {
    if (const auto found = strings.find(name); found != strings.end()) read(found->second);
  };
  optional("best_update", [&](const std::string& text) { parse(text, state.best_update); });
  optional("ties", [&](const std::string& text) { parse_ties(text, state); });
  optional("resampled", [&](const std::string& text) {
    if (state.best) state.best->resampled = parse_resampled(text);
  });
  for (const auto& [name, tokens] : {std::pair{"tokens_validated", &state.tokens_validated},
                                     {"tokens_saved", &state.tokens_saved},
                                     {"tokens_reported", &state.tokens_reported},
                                     {"validation_cost", &state.validation_cost}})
    optional(name, [tokens = tokens](const std::string& text) { parse(text, *tokens); });
  optional("measure", [&](const std::string& text) { state.measure = text; });
  optional("scores_since", [&](const std::string& text) { parse(text, state.scores_since); });
  optional("changed", [&](const std::string& text) { state.changed = text; });
  optional("validation_due", [&](const std::string&) { state.validation_due = true; });
  optional("places", [&](const std::string& text) {
    Classic<std::istringstream> all(text);
    for (std::string place; all >> place;) {
      state.places.emplace_back();
      if (place != kEnded) parse(place, state.places.back().emplace());
    }
  });
  optional("warmup", [&](const std::string& text) { parse_two(text, state.asked_warmup, state.warmup); });
  optional("cooldown", [&](const std::string& text) { parse_two(text, state.cooldown.from, state.cooldown.end); });
  optional("lost_checkpoints", [&](const std::string& text) {
    Classic<std::istringstream> updates(text);
    for (int64_t one; updates >> one;) state.lost_checkpoints.push_back(one);
  });
  return state;
}

}  // namespace hexapla::train
