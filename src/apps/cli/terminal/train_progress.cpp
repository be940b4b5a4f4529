#include "cli/terminal/train_progress.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "base/files/json_lines.h"
#include "base/files/shell_word.h"
#include "lib/display.h"

namespace hexapla::cli {
namespace {

constexpr size_t kSparks = 16;

std::string told(const train::Contender& c) {
  return "the " + c.what + (c.score ? fmt::format(" (validation {} {:.2f})", c.metric, *c.score) : "");
}

// Lines with a name in the left column.
std::string rows(const std::string& name, const std::vector<std::string>& lines) {
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) text += fmt::format("{}{:<11}{}", i ? "\n" : "", i ? "" : name, lines[i]);
  return text;
}

std::vector<std::string> part_lines(const train::TrainStart& s) {
  std::vector<std::string> lines;
  for (const auto& [part, count] : s.parts) lines.push_back(fmt::format("{:<12}{:>13}", part, text::grouped(count)));
  lines.push_back(fmt::format("{:<12}{:>13}", "together", text::grouped(s.parameters)));
  return lines;
}

std::vector<std::string> memory_lines(const train::TrainStart& s) {
  std::vector<std::string> lines;
  for (const auto& [part, bytes] : s.memory.parts)
    lines.push_back(
        fmt::format("{:<19}{:>6} MiB", part, text::grouped(static_cast<long long>(train::mebibytes(bytes)))));
  lines.push_back(fmt::format("{:<19}{:>6} MiB of {} MiB that may be used (--memory)", "together",
                              text::grouped(static_cast<long long>(train::mebibytes(s.memory.total()))),
                              text::grouped(static_cast<long long>(s.memory_limit >> 20))));
  return lines;
}

std::string words_changed(const std::string& now, const std::string& before, bool color) {
  if (!color || before.empty()) return text::printable(now);
  std::vector<std::string_view> old = text::words(before);
  std::string text;
  const char* at = now.data();
  for (const std::string_view word : text::words(now)) {
    text.append(at, word.data());
    at = word.data() + word.size();
    const auto found = std::find(old.begin(), old.end(), word);
    const bool is_new = found == old.end();
    text += is_new ? "\x1b[1m" + text::printable(word) + "\x1b[0m" : text::printable(word);
    if (!is_new) old.erase(found);
  }
  return text.append(at, now.data() + now.size());
}

struct Measure {
  const char* name;
  bool higher_is_better;
  int digits;
  double (*of)(const train::ValidScores&);
};
constexpr Measure kMeasures[] = {
    {"loss", false, 4, [](const train::ValidScores& v) { return v.loss; }},
    {"perplexity", false, 3, [](const train::ValidScores& v) { return v.perplexity; }},
    {"BLEU", true, 2, [](const train::ValidScores& v) { return v.bleu.value_or(std::nan("")); }},
    {"chrF", true, 2, [](const train::ValidScores& v) { return v.chrf.value_or(std::nan("")); }},
    {"script", true, 4, [](const train::ValidScores& v) { return v.script.value_or(std::nan("")); }},
};

std::string name_of_metric(const std::string& metric) {
  return metric == "bleu" ? "BLEU" : metric == "chrf" ? "chrF" : metric;
}

// " : loss 3.2142 : perplexity 24.883 : BLEU 12.01 : chrF 33.40"
std::string measured(const train::ValidScores& v) {
  std::string text;
  for (const Measure& m : kMeasures)
    if (!std::isnan(m.of(v))) text += fmt::format(" : {} {:.{}f}", m.name, m.of(v), m.digits);
  return text;
}

std::optional<double> score(const nlohmann::json& object, const char* key) {
  const double value = number_in(object, key);
  return value >= 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string live_line(const train::TrainReport& r, const std::vector<double>& losses, int columns) {
  std::vector<std::string> parts;
  if (r.seconds_left >= 0)
    parts.push_back(fmt::format("{:.0f} %, {} left", 100 * r.progress, text::duration(r.seconds_left)));
  parts.push_back(fmt::format("loss {:.4f}", r.loss));
  parts.push_back(fmt::format("{} tokens/s", text::grouped(static_cast<long long>(r.tokens_per_second))));
  parts.push_back(fmt::format("lr {:.2e}", r.lr));
  parts.push_back(fmt::format("gradient {:.2f}", r.gradient_norm));
  parts.push_back(inspect::sparkline(losses, 16));
  std::string line = fmt::format("Ep. {} Up. {}", r.epoch, text::grouped(r.update));
  for (const std::string& part : parts)
    if (!part.empty() && text::width(line) + 3 + text::width(part) < columns) line += " | " + part;
  return line;
}

std::string standing(const std::vector<std::pair<int64_t, double>>& values, bool higher_is_better, int digits) {
  size_t best = 0;
  for (size_t i = 1; i < values.size(); ++i)
    if (higher_is_better ? values[i].second > values[best].second : values[i].second < values[best].second) best = i;
  const size_t stalled = values.size() - 1 - best;
  if (stalled == 0) return "new best";
  return fmt::format("stalled {} (best {:.{}f} at update {})", text::counted(static_cast<int64_t>(stalled), "time"),
                     values[best].second, digits, text::grouped(values[best].first));
}

std::string ProgressWatcher::bold(const std::string& text) const {
  return progress_.terminal().color ? "\x1b[1m" + text + "\x1b[0m" : text;
}

void ProgressWatcher::begins(const std::string& folder) {
  progress_.show("reading the training sets ...");
  for (const auto& object : json_lines(folder + "/train.jsonl")) losses_.push_back(number_in(object, "loss"));
  for (const auto& object : json_lines(folder + "/valid.jsonl")) {
    train::Validation v;
    const double update = number_in(object, "update");
    v.update = update > 0 && update < 1e18 ? static_cast<int64_t>(update) : 0;
    v.loss = number_in(object, "loss");
    v.perplexity = number_in(object, "perplexity");
    v.bleu = score(object, "bleu");
    v.chrf = score(object, "chrf");
    if (const auto found = object.find("script"); found != object.end() && found->is_number()) v.script = *found;
    history_.emplace_back(v.update, v);
  }
}

void ProgressWatcher::reading(const char* what, int64_t pairs) {
  if (pairs <= pairs_read_) reading_since_ = Clock::now();  // reading starts again
  pairs_read_ = pairs;
  const double seconds = std::max(std::chrono::duration<double>(Clock::now() - reading_since_).count(), 1e-3);
  progress_.show(pairs == 0 ? fmt::format("{} ...", what)
                            : fmt::format("{} the training sets: {}, {} per second", what, text::counted(pairs, "pair"),
                                          text::grouped(static_cast<long long>(double(pairs) / seconds))));
}

void ProgressWatcher::note(const std::string& text) { progress_.say("note: " + text); }

void ProgressWatcher::started(const train::TrainStart& s) {
  progress_.say(rows("parameters", part_lines(s)));
  const std::string valid =
      s.valid_examples > 0 ? fmt::format("; {} to validate on", text::counted(s.valid_examples, "pair")) : "";
  std::vector<std::string> data{fmt::format("{} in {} per epoch, of at most {}{}", text::counted(s.examples, "pair"),
                                            text::counted(s.batches, "batch", "batches"),
                                            text::counted(s.batch_tokens, "target token"), valid)};
  for (const auto& [set, counts] : s.unknown) data.push_back(cat(set, ": ", counts.text()));
  progress_.say(rows("data", data));
  progress_.say(rows("memory", memory_lines(s)));
  progress_.say(rows("machine", {s.backend}));
  if (s.resumed_at > 0) progress_.say(fmt::format("resumed after update {}", text::grouped(s.resumed_at)));
}

void ProgressWatcher::running(const train::TrainReport& r) {
  progress_.show(live_line(r, losses_, progress_.terminal().width));
}

void ProgressWatcher::updated(const train::TrainReport& r) {
  losses_.push_back(r.loss);
  if (progress_.terminal().live) return running(r);
  std::string line =
      fmt::format("Ep. {} : Up. {} : Loss {:.4f} : {} tokens/s : gNorm {:.3f} : L.r. {:.3e}", r.epoch, r.update, r.loss,
                  text::grouped(static_cast<long long>(r.tokens_per_second)), r.gradient_norm, r.lr);
  if (r.seconds_left >= 0)
    line += fmt::format(" : {:.0f} % : {} left", 100 * r.progress, text::duration(r.seconds_left));
  progress_.say(line);
}

void ProgressWatcher::validated(const train::Validation& v) {
  history_.emplace_back(v.update, v);
  history_.back().second.examples.clear();
  if (!v.signature.empty() && !std::exchange(signature_shown_, true)) progress_.say(v.signature);
  if (progress_.terminal().live) {
    show_table(v);
    show_samples(v);
    return;
  }
  std::string line = fmt::format("[valid] Ep. {} : Up. {}{}", v.epoch, v.update, measured(v));
  if (v.best)
    line += " : new best by " + name_of_metric(v.compared_by);
  else if (v.stalled > 0)  // none counts while the learning rate still rises
    line += " : stalled " + text::counted(v.stalled, "time");
  progress_.say(line);
  for (const auto& [name, scores] : v.sets)
    progress_.say(fmt::format("[valid] Ep. {} : Up. {} : {}{}", v.epoch, v.update, name, measured(scores)));
}

void ProgressWatcher::show_table(const train::Validation& v) {
  progress_.say_painted(bold(fmt::format("validation after update {}, epoch {}", text::grouped(v.update), v.epoch)));
  for (const Measure& m : kMeasures) {
    std::vector<std::pair<int64_t, double>> values;
    std::vector<double> curve;
    for (const auto& [update, earlier] : history_)
      if (const double value = m.of(earlier); !std::isnan(value)) {
        values.emplace_back(update, value);
        curve.push_back(value);
      }
    if (std::isnan(m.of(v))) continue;
    const std::string sparkles = inspect::sparkline(curve, kSparks);
    progress_.say(fmt::format("  {:<10}{:>9.{}f}  {}{}", m.name, m.of(v), m.digits,
                              text::padded(sparkles, int(kSparks) + 2),
                              standing(values, m.higher_is_better, m.digits)));
  }
  if (v.best) progress_.say(fmt::format("  new best model, by {}", name_of_metric(v.compared_by)));
  for (const auto& [name, scores] : v.sets) progress_.say(fmt::format("  of these {}{}", name, measured(scores)));
}

void ProgressWatcher::show_samples(const train::Validation& v) {
  last_hypotheses_.resize(v.examples.size());
  for (size_t i = 0; i < v.examples.size(); ++i) {
    const auto& [source, reference, hypothesis] = v.examples[i];
    progress_.say_painted("    source      " + text::printable(source) + "\n    reference   " +
                          text::printable(reference) + "\n    hypothesis  " +
                          words_changed(hypothesis, last_hypotheses_[i], progress_.terminal().color));
    last_hypotheses_[i] = hypothesis;
  }
}

void ProgressWatcher::saved(int64_t update, const std::string& folder) {
  progress_.show(fmt::format("checkpoint of update {} in {}", update, folder));
}

void say_result(Progress& progress, const train::TrainOptions& o, const train::TrainResult& r) {
  if (r.end == train::TrainEnd::interrupted && !r.missing.empty()) {
    progress.say(fmt::format("stopped after update {}, but not everything could be written. Missing:\n  {}",
                             text::grouped(r.updates), fmt::join(r.missing, "\n  ")));
    return;
  }
  if (r.end == train::TrainEnd::interrupted) {
    progress.say(fmt::format("stopped after update {}; the same command resumes from there", text::grouped(r.updates)));
    return;
  }
  std::string others;
  for (size_t i = 1; i < r.contenders.size(); ++i) others += cat("\nnot taken: ", told(r.contenders[i]));
  progress.say(
      fmt::format("done: {}, {}\nmodel: {}, {}{}\nreport: {}/report.html\n"
                  "translate with: hexapla translate -m {} < TEXT",
                  text::counted(r.updates, "update"), text::counted(r.epochs, "epoch"), r.model,
                  told(r.contenders.front()), others, o.model, shell_word(o.model)));
}

}  // namespace hexapla::cli
