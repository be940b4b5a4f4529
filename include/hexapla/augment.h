#pragma once
// More training pairs from existing ones, from a model, or from text in one language.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hexapla/error.h"
#include "hexapla/export.h"
#include "hexapla/translator.h"

namespace hexapla {

struct AugmentOptions {
  // "distill": the sources with the model's translations instead of the targets. "back-translate": the pairs and, for
  // each line of `text` in the target language, its translation by a model of the other direction as the source.
  // "both-directions": every pair, and the same pair with its sides exchanged.
  std::string kind = "distill";
  std::vector<std::string> train_sets;  // the pairs to start from: source and target files in turn, or .tsv files
  bool tsv = false;                     // every set is one file of SOURCE<TAB>TARGET lines, with any name
  std::string text;                     // a file to translate back
  std::string tag = "<BT>";             // first word of back-translated sources; "": none
  std::vector<std::string> models;      // that translate; several are an ensemble
  ModelOptions how;
  TranslatorOptions search;  // not its functions; its stop ends every kind
  // Called for lines that were split, truncated or not UTF-8: "a.en + a.de, line 3", and what was done.
  std::function<void(const std::string& where, const std::string& what)> warn{};
  // Called with the lines that are done, and the share of a text's bytes, 0 to 1; 0: unknown.
  std::function<void(std::int64_t lines, double share)> on_progress{};
};

struct AugmentCounts {
  std::int64_t pairs = 0;          // written in total
  std::int64_t made = 0;           // new pairs among them
  std::int64_t without = 0;        // omitted lines, for which the model has no translation
  std::int64_t unknown = 0;        // lines of mostly unknown letters, whose translations are meaningless
  std::vector<std::string> notes;  // what was dropped from the input
};

// Writes pairs to two files, compressed according to their names (.gz, .zst, .xz), which appear when they are complete.
// UsageError: options that are missing or exclude each other, a tag with white space, one file twice. DataError: text
// that training would refuse. Canceled: by search.stop; nothing is written. Further errors as Translator.
HEXAPLA_API AugmentCounts augment(const AugmentOptions& options, const std::string& source, const std::string& target);

}  // namespace hexapla
