#include "cli/text/score_text.h"

#include <fmt/format.h>

#include <cmath>

#include "base/json.h"
#include "lib/display.h"

namespace hexapla::cli {
namespace {

std::string numbers(const std::vector<double>& all) {
  std::string text;
  for (double x : all) text += fmt::format("{}{:.6f}", text.empty() ? "" : " ", x);
  return text;
}

// [["ein", -0.5], ["</s>", -0.1]]
nlohmann::ordered_json with_scores(const std::vector<std::string>& units, const std::vector<double>& scores) {
  auto list = nlohmann::ordered_json::array();
  for (size_t i = 0; i < scores.size(); ++i) list.push_back({i < units.size() ? units[i] : "</s>", scores[i]});
  return list;
}

}  // namespace

std::string ScoreFormat::line(const ScoreResult& score, const Alignment& aligned) const {
  return (json ? json_line(score, aligned) : columns(score, aligned)) + "\n";
}

std::string ScoreFormat::columns(const ScoreResult& s, const Alignment& aligned) const {
  std::string line = fmt::format("{:.6f}\t{:.6f}", s.score, s.normalized);
  if (words) line.append("\t").append(numbers(s.word_scores));
  if (tokens) line.append("\t").append(numbers(s.token_scores));
  if (!alignment.empty()) line.append("\t").append(aligned.text(alignment));
  return line;
}

std::string ScoreFormat::json_line(const ScoreResult& s, const Alignment& aligned) const {
  nlohmann::ordered_json j{{"score", s.score}, {"normalized", s.normalized}, {"tokens", s.token_scores.size()}};
  j["pieces"] = with_scores(s.tokens, s.token_scores);
  j["words"] = with_scores(s.words, s.word_scores);
  if (!alignment.empty()) j["alignment"] = aligned.text(alignment);
  if (!alignment.empty() && of_words)
    j["source_words"] = aligned.source_words, j["target_words"] = aligned.target_words;
  return json_text(j);
}

void ScoreTotals::add(const ScoreResult& pair) {
  ++pairs;
  tokens += std::ssize(pair.token_scores);
  words += static_cast<int64_t>(pair.words_read);
  score += pair.score;
}

std::string ScoreTotals::text() const {
  if (pairs == 0) return "no pairs";
  const auto perplexity = [&](int64_t n) { return std::exp(-score / static_cast<double>(n)); };
  return fmt::format(
      "{}, log-probability {:.3f}; {}, perplexity {:.4f}; {}, perplexity {:.4f} (</s> counted as "
      "a token and as a word)",
      text::counted(pairs, "pair"), score, text::counted(tokens, "token"), perplexity(tokens),
      text::counted(words, "word"), perplexity(words));
}

}  // namespace hexapla::cli
