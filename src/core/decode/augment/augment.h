#pragma once
// Makes more training pairs from existing ones, from a model, or from monolingual text. Every
// function reads text of any size in little memory, and writes a pair of files that appear
// completely or not at all.
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "data/files/parallel_text.h"
#include "decode/text/translator.h"
#include "hexapla/augment.h"

namespace hexapla::decode {

// Output files, compressed according to their names (.gz, .zst, .xz).
struct AugmentFiles {
  std::string source, target;
};

// Called for translated lines: the place ("a.en + a.de, line 3") and the translator's note.
using TextNote = std::function<void(const std::string& where, const std::string& what)>;

struct AugmentWork {
  // Lines done, and the fraction of bytes read, 0 .. 1; 0: unknown.
  std::function<void(int64_t lines, double share)> progress = [](int64_t, double) {};
  const std::atomic<bool>* stop = nullptr;  // throws Canceled once it is true
};

struct Translating {
  const decode::TextTranslator& translator;
  decode::TranslateOptions how;
  TextNote note = [](const std::string&, const std::string&) {};
};

// Sequence-level knowledge distillation (Kim and Rush 2016): pairs each source with the model's
// translation. Errors of all functions here: UserError as data::CheckedReader,
// decode::TextTranslator::translate() and data::LineWriter; Canceled.
AugmentCounts distill(const std::vector<data::ParallelSource>& sets, const Translating& teacher, const AugmentFiles& to,
                      const AugmentWork& work);

// Back-translation: writes the pairs of the sets, of which there may be none, and every line of a
// target-language text with its translation by a model of the opposite direction as the source. A
// tag at the beginning of these sources lets the trained model distinguish them (Caswell et al.
// 2019). UsageError: check_tag().
AugmentCounts back_translate(const std::vector<data::ParallelSource>& sets, const std::string& text,
                             const Translating& reverse, const std::string& tag, const AugmentFiles& to,
                             const AugmentWork& work);
// UsageError: the tag has white space, so it could not be one piece. Empty: no tag.
void check_tag(const std::string& tag);

// Writes every pair, followed by the same pair reversed: training data for both directions, before
// training on one (Ding et al. 2021).
AugmentCounts both_directions(const std::vector<data::ParallelSource>& sets, const AugmentFiles& to,
                              const AugmentWork& work);

}  // namespace hexapla::decode
