#pragma once
// More training pairs made of those that there are, of a model, or of text in one language. Each of these reads text of
// any size in little memory, and writes a pair of files that appear whole or not at all.
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "data/files/parallel_text.h"
#include "decode/text/translator.h"

namespace hexapla::augment {

// Where the pairs go: compressed as the names ask for (.gz, .zst, .xz).
struct Files {
  std::string source, target;
};

// Called for a translated line: where it stands ("a.en + a.de, line 3"), and what the translator says of it.
using TextNote = std::function<void(const std::string& where, const std::string& what)>;

struct Counts {
  int64_t pairs = 0;               // written, all together
  int64_t made = 0;                // of these not in the text that was read
  int64_t without = 0;             // lines for which the model has no translation: left out
  int64_t unknown = 0;             // lines with mostly unknown letters: their translations mean nothing
  std::vector<std::string> notes;  // what was left out of the text that was read
};

struct Work {
  // How many lines are done, and what share of the bytes that are read, 0 .. 1; 0: not known.
  std::function<void(int64_t lines, double share)> progress = [](int64_t, double) {};
  const std::atomic<bool>* stop = nullptr;  // once it is true: Canceled
};

struct Translating {
  const decode::TextTranslator& translator;
  decode::TranslateOptions how;
  TextNote note = [](const std::string&, const std::string&) {};
};

// Sequence-level knowledge distillation (Kim and Rush 2016): the sources with what the model translates them to.
// All: UserError as data::CheckedReader, decode::TextTranslator::translate() and data::LineWriter; Canceled.
Counts distill(const std::vector<data::ParallelSource>& sets, const Translating& teacher, const Files& to,
               const Work& work);

// Back-translation: the pairs of the sets, which may be none, and every line of a text in the target language with what
// a model of the other direction translates it to as its source. With a tag, which such a source begins with, the model
// that learns from them can tell the two apart (Caswell et al. 2019). UsageError: check_tag().
Counts back_translate(const std::vector<data::ParallelSource>& sets, const std::string& text,
                      const Translating& reverse, const std::string& tag, const Files& to, const Work& work);
// UsageError: a tag with white space, which could not be one piece. Empty: sources have no tag.
void check_tag(const std::string& tag);

// Every pair, and after it the same pair from the other side: what a model learns both directions from before it learns
// one (Ding et al. 2021).
Counts both_directions(const std::vector<data::ParallelSource>& sets, const Files& to, const Work& work);

}  // namespace hexapla::augment
