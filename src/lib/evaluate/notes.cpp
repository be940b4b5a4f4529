#include "lib/evaluate/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/error.h"
#include "evaluate/tokenization/tokenizers.h"
#include "lib/evaluate/metrics.h"

namespace hexapla::api {
namespace {

constexpr int64_t kTokenizedLines = 100;  // from this many lines ending in " ." on, it is no coincidence
constexpr size_t kLongestNgram = 4, kLinesForLengths = 2000;

bool computes(const EvaluatorOptions& options, const char* metric) {
  return std::find(options.metrics.begin(), options.metrics.end(), metric) != options.metrics.end();
}

// BLEU multiplies the shares of common n-grams of one to four words: it is 0 if no translation has four.
void note_short_lines(const std::string& tokenizer, const Evaluator::Lines& lines, std::vector<std::string>& notes) {
  const evaluate::Tokenize tokenize = evaluate::bleu_tokenizer(tokenizer);
  const std::span<const std::string> some(lines.data(), std::min(lines.size(), kLinesForLengths));
  const auto count = std::count_if(some.begin(), some.end(),
                                   [&](const std::string& line) { return tokenize(line).size() < kLongestNgram; });
  if (2 * count < std::ssize(some)) return;
  notes.push_back(
      fmt::format("{} have fewer than four words, as the tokenizer {} counts them. BLEU needs common groups of one "
                  "to four words, so it is {} here; chrF and TER are not affected",
                  count == std::ssize(some) ? "all lines" : fmt::format("{} of {} lines", count, some.size()),
                  tokenizer, count == std::ssize(lines) ? "0" : "misleading"));
}

}  // namespace

void note_tokenizer(const EvaluatorOptions& options, const std::vector<Evaluator::Lines>& references,
                    std::vector<std::string>& notes) {
  const evaluate::TokenizerChoice choice = tokenizer_of(references);
  const std::string what = evaluate::text_of(choice);
  if (what.empty()) return;
  if (computes(options, "bleu")) notes.push_back(what + " (`tokenize` 13a is sacreBLEU's default)");
  if (computes(options, "ter") && choice.name != "13a" && !(options.ter_normalized && options.ter_asian_support))
    notes.push_back(cat("the references are ", choice.language,
                        ", and TER takes everything between spaces for a word; ",
                        "`ter-normalized` `ter-asian-support` separate Chinese and Japanese characters"));
}

void note_hypotheses(const EvaluatorOptions& options, const Evaluator::Lines& lines, std::vector<std::string>& notes) {
  if (!computes(options, "bleu")) return;
  const auto ends =
      std::count_if(lines.begin(), lines.end(), [](const std::string& line) { return line.ends_with(" ."); });
  if (options.tokenize != "none" && ends >= kTokenizedLines)
    notes.push_back(
        fmt::format("{} lines end in ' .'; if the text is tokenized, detokenize it before it is scored", ends));
  note_short_lines(options.tokenize, lines, notes);
}

}  // namespace hexapla::api
