#pragma once
// The result of hexapla compare: whether two models compute the same and translate the same.
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "decode/opened/open_model.h"
#include "decode/options/translate_options.h"
#include "evaluate/metrics/metric.h"

namespace hexapla::inspect {

struct Compared {
  std::string name;
  const decode::OpenModel& model;
  decode::TranslateOptions how;
};

// The largest absolute difference between corresponding numbers of both models, and its place.
struct LargestDifference {
  double most = 0;
  size_t line = 0;  // index of the line
};

struct Comparison {
  std::vector<std::string> names;               // of both models
  std::vector<std::string> lines;               // the sources
  std::vector<evaluate::Sentences> translated;  // by each model
  size_t equal = 0;                             // lines with equal translations

  // With teacher forcing of the first model's translations. Empty if the target pieces differ,
  // because then the numbers are not comparable. Omits blank lines and lines longer than
  // kLongestCompared tokens.
  size_t forced = 0;           // lines
  size_t segmented_apart = 0;  // of these, lines whose source the second model segments differently
  std::optional<LargestDifference> logits, log_probabilities;

  std::vector<double> scores;  // BLEU of each; empty without references
  std::string signature;       // of BLEU
};

inline constexpr size_t kLongestCompared = 256;  // tokens per line; all intermediates of a line are kept at a time

// Receives the named model's note about a line (its index).
using ModelNote = std::function<void(const std::string& model, size_t line, const std::string& what)>;

// Translates the lines with both models in f32, and compares. Errors as
// TextTranslator::translate().
Comparison compare(
    const Compared& first, const Compared& second, const std::vector<std::string>& lines,
    const ModelNote& note = [](const std::string&, size_t, const std::string&) {});

// `count` artificial lines of 1 to 20 pieces of a source vocabulary, reproducible by seed; for
// users without a text.
std::vector<std::string> lines_of_pieces(const text::Vocabulary& vocabulary, int64_t count, uint64_t seed);

void print_comparison(std::ostream& out, const Comparison& comparison, bool json);

}  // namespace hexapla::inspect
