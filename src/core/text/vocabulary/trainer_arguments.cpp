#include "text/vocabulary/trainer_arguments.h"

#include <algorithm>

#include "base/error.h"
#include "text/plain_line.h"
#include "text/vocabulary/normalization.h"

namespace hexapla::text {
namespace {

// SentencePiece sums expected counts per thread, so its result depends on this number (but not on
// the number of cores). It is part of the definition of a vocabulary, not an option.
constexpr int kTrainerThreads = 8;

}  // namespace

void check_vocabulary_options(const VocabularyOptions& options) {
  if (options.type != "unigram" && options.type != "bpe")
    throw UsageError(cat("unknown vocabulary type \"", options.type, "\" (`vocab-type`): use unigram or bpe"));
  if (options.size < 8) throw UsageError(cat("`vocab-size` ", options.size, " is too small: use 8 or more"));
  if (!(options.character_coverage >= 0.98 && options.character_coverage <= 1)) {
    throw UsageError(
        cat("`character-coverage` ", options.character_coverage,
            " is outside [0.98, 1]: use 1.0 for alphabets, 0.9995 for scripts of many thousand characters"));
  }
  for (const std::string& symbol : options.user_symbols) {
    if (symbol.empty() || symbol.find_first_of(", ") != std::string::npos || plain_line(symbol) != symbol)
      throw UsageError(cat("`user-symbols`: \"", plain_line(symbol),
                           "\" cannot be a symbol: give UTF-8 without spaces, ", "commas or control characters"));
    if (symbol == "<s>" || symbol == "</s>" || symbol == "<unk>" || symbol == "<pad>")
      throw UsageError(cat("`user-symbols`: every vocabulary has ", symbol, " already; leave it out"));
    if (std::count(options.user_symbols.begin(), options.user_symbols.end(), symbol) > 1)
      throw UsageError(cat("`user-symbols`: \"", symbol, "\" is given twice; leave one out"));
  }
  if (options.max_lines < 1) throw UsageError(cat("max lines ", options.max_lines, " is too small: use 1 or more"));
  if (!is_normalization(options.normalization))
    throw UsageError(cat("unknown normalization \"", options.normalization, "\": use ", normalization_names()));
}

std::unordered_map<std::string, std::string> trainer_arguments(const VocabularyOptions& options) {
  std::string symbols;
  for (const std::string& symbol : options.user_symbols) symbols += (symbols.empty() ? "" : ",") + symbol;
  std::unordered_map<std::string, std::string> all{{"model_type", options.type},
                                                   {"vocab_size", cat(options.size)},
                                                   {"hard_vocab_limit", "false"},
                                                   {"character_coverage", cat(options.character_coverage)},
                                                   {"normalization_rule_name", options.normalization},
                                                   {"split_digits", options.split_digits ? "true" : "false"},
                                                   {"pad_id", "0"},
                                                   {"bos_id", "1"},
                                                   {"eos_id", "2"},
                                                   {"unk_id", "3"},
                                                   {"num_threads", cat(kTrainerThreads)},
                                                   {"minloglevel", "2"}};
  // Arguments are stored in the model's bytes, so defaults are not passed.
  if (options.byte_fallback) all["byte_fallback"] = "true";
  if (!symbols.empty()) all["user_defined_symbols"] = symbols;
  if (options.normalization == "keep") all["precompiled_charsmap"] = keep_charsmap();
  return all;
}

}  // namespace hexapla::text
