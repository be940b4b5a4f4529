#pragma once
// What hexapla compare finds out about two models: whether they compute the same, and whether they translate the same.
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "decode/translate_options.h"
#include "evaluate/metrics/metric.h"
#include "models/open_model.h"

namespace hexapla::report {

// A model with the options that it is searched with.
struct Compared {
  std::string name;
  const models::OpenModel& model;
  decode::TranslateOptions how;
};

// The largest absolute difference between two numbers of both models, and where it was met.
struct LargestDifference {
  double most = 0;
  size_t line = 0;  // index of the line
};

struct Comparison {
  std::vector<std::string> names;               // of the two
  std::vector<std::string> lines;               // what was translated
  std::vector<evaluate::Sentences> translated;  // by each of the two
  size_t equal = 0;                             // lines with the same translation

  // With teacher forcing of the first model's translations. Nothing where the two have other target pieces: then their
  // numbers mean different things. Blank lines, and lines longer than kLongestCompared tokens, are left out.
  size_t forced = 0;           // lines
  size_t segmented_apart = 0;  // of these: their source is cut into other pieces by the second model
  std::optional<LargestDifference> logits, log_probabilities;

  std::vector<double> scores;  // BLEU of each; empty without references
  std::string signature;       // of BLEU
};

inline constexpr size_t kLongestCompared = 256;  // tokens of a line: every intermediate result of it is kept at a time

// Takes what the translator of the named model says of a line (its index).
using ModelNote = std::function<void(const std::string& model, size_t line, const std::string& what)>;

// Translates the lines with both, in f32, and compares. Errors as of TextTranslator::translate().
Comparison compare(
    const Compared& first, const Compared& second, const std::vector<std::string>& lines,
    const ModelNote& note = [](const std::string&, size_t, const std::string&) {});

// One line of each of `count` made-up sentences of 1 to 20 pieces of a model's source vocabulary, the same for the same
// seed: for who has no text at hand.
std::vector<std::string> lines_of_pieces(const text::Vocabulary& vocabulary, int64_t count, uint64_t seed);

void print_comparison(std::ostream& out, const Comparison& comparison, bool json);

}  // namespace hexapla::report
