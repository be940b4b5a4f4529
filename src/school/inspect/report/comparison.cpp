#include "inspect/report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "base/compute/random.h"
#include "base/json.h"
#include "inspect/recorder.h"
#include "text/quantities.h"
#include "text/utf8.h"

namespace hexapla::inspect {
namespace {

text::Ids source_of(const text::Vocabulary& vocabulary, const std::string& line) {
  text::Ids ids = vocabulary.encode(text::clean_utf8(line));
  if (!ids.empty()) vocabulary.end_source(ids);
  return ids;
}

int64_t longest_of(const decode::OpenModel& m) {
  const model::Config& c = m.file.config;
  return c.positions == "learned" ? c.max_positions : static_cast<int64_t>(kLongestCompared);
}

void take(std::optional<LargestDifference>& to, const inspect::Recorded& a, const inspect::Recorded& b, size_t line) {
  if (!to) to.emplace();
  for (size_t i = 0; i < a.values.size(); ++i) {
    const double difference = std::fabs(a.values[i] - b.values[i]);
    if (difference <= to->most) continue;  // numbers are finite here
    *to = {difference, line};
  }
}

// Forces the first model's translation on both.
void compare_numbers(Comparison& c, const Compared& first, const Compared& second, size_t line,
                     const text::Ids& target) {
  const decode::OpenModel &a = first.model, &b = second.model;
  const text::Ids of_a = source_of(a.source, c.lines[line]), of_b = source_of(b.source, c.lines[line]);
  const auto longest = static_cast<size_t>(std::min({longest_of(a), longest_of(b), int64_t{kLongestCompared}}));
  if (of_a.empty() || of_b.empty() || std::max({of_a.size(), of_b.size(), target.size() + 1}) > longest) return;
  ++c.forced;
  c.segmented_apart += a.source.pieces(c.lines[line]) != b.source.pieces(c.lines[line]);
  const auto seen = [&](const decode::OpenModel& m, const text::Ids& source) {
    return inspect::inspect_pair(*m.backend, *m.file.net, {source, target}, m.target.bos(), m.target.eos());
  };
  const inspect::Inspection x = seen(a, of_a), y = seen(b, of_b);
  take(c.logits, x.seen.get("generator.logits"), y.seen.get("generator.logits"), line);
  take(c.log_probabilities, x.seen.get("generator.log_probabilities"), y.seen.get("generator.log_probabilities"), line);
}

nlohmann::ordered_json json_of(const std::optional<LargestDifference>& d) {
  if (!d) return nullptr;
  return {{"difference", d->most}, {"line", d->line + 1}};
}

void print_json(std::ostream& out, const Comparison& c) {
  nlohmann::ordered_json j;
  j["models"] = c.names;
  j["lines"] = c.lines.size();
  j["equal_translations"] = c.equal;
  j["forced_lines"] = c.forced;
  j["lines_cut_otherwise"] = c.segmented_apart;
  j["largest_difference"] = {{"logits", json_of(c.logits)}, {"log_probabilities", json_of(c.log_probabilities)}};
  if (!c.scores.empty()) j["bleu"] = {{"scores", c.scores}, {"signature", c.signature}};
  j["different"] = nlohmann::ordered_json::array();
  for (size_t i = 0; i < c.lines.size(); ++i)
    if (c.translated[0][i] != c.translated[1][i])
      j["different"].push_back(
          {{"line", i + 1}, {"source", c.lines[i]}, {"translations", {c.translated[0][i], c.translated[1][i]}}});
  out << text::printable(json_text(j, 1)) << "\n";
}

}  // namespace

Comparison compare(const Compared& first, const Compared& second, const std::vector<std::string>& lines,
                   const ModelNote& note) {
  Comparison c{.names = {first.name, second.name}, .lines = lines, .translated = {}};
  std::vector<text::Ids> targets;
  for (const Compared* one : {&first, &second}) {
    evaluate::Sentences texts;
    const decode::LineWarning warn = [&](size_t line, const std::string& what) { note(one->name, line, what); };
    for (auto& found : one->model.translator().translate(lines, one->how, warn)) {
      texts.push_back(std::move(found.front().text));
      if (one == &first) targets.push_back(std::move(found.front().ids));
    }
    c.translated.push_back(std::move(texts));
  }
  for (size_t i = 0; i < lines.size(); ++i) c.equal += c.translated[0][i] == c.translated[1][i];
  if (text::same_pieces(first.model.target, second.model.target))
    for (size_t i = 0; i < lines.size(); ++i) compare_numbers(c, first, second, i, targets[i]);
  return c;
}

std::vector<std::string> lines_of_pieces(const text::Vocabulary& vocabulary, int64_t count, uint64_t seed) {
  constexpr uint32_t longest = 20;
  std::vector<std::string> lines;
  for (int64_t i = 0; i < count; ++i) {
    Random random(seed, static_cast<uint64_t>(i));
    text::Ids ids(1 + random.below(longest));
    for (int32_t& id : ids) id = static_cast<int32_t>(random.below(static_cast<uint32_t>(vocabulary.size())));
    lines.push_back(vocabulary.decode(ids));
  }
  return lines;
}

void print_comparison(std::ostream& out, const Comparison& c, bool json) {
  if (json) return print_json(out, c);
  const auto row = [&](const std::string& key, const std::string& value) {
    out << fmt::format("{} {}\n", text::padded(key, 30), value);
  };
  const auto text_of = [](const std::optional<LargestDifference>& d) {
    return d ? fmt::format("{:.3g} (line {})", d->most, d->line + 1)
             : "not comparable: other target pieces, or no text";
  };
  for (size_t i = 0; i < c.names.size(); ++i) row(cat("model ", i + 1), text::printable(c.names[i]));
  row("lines", text::grouped(std::ssize(c.lines)));
  const double share = c.lines.empty() ? 0 : 100.0 * static_cast<double>(c.equal) / static_cast<double>(c.lines.size());
  row("equal translations", fmt::format("{} ({:.1f} %)", text::grouped(static_cast<int64_t>(c.equal)), share));
  row("logits, largest difference", text_of(c.logits));
  row("log p, largest difference", text_of(c.log_probabilities));
  if (c.segmented_apart > 0)
    row("source cut otherwise", text::counted(static_cast<int64_t>(c.segmented_apart), "line"));
  for (size_t i = 0; i < c.scores.size(); ++i) row(cat("BLEU of model ", i + 1), fmt::format("{:.2f}", c.scores[i]));
  if (!c.scores.empty()) row("signature", c.signature);
}

}  // namespace hexapla::inspect
