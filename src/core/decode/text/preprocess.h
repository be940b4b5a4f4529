#pragma once
// Prepares a search: converts lines of text to sentences of ids, each with its constraints.
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "decode/constraints/constraint_maker.h"
#include "decode/lines/sources.h"
#include "decode/options/translate_options.h"
#include "decode/text/text_sides.h"

namespace hexapla::decode {

// Lines and the constraints of each.
struct Lines {
  std::span<const std::string> text;
  std::span<const LineConstraints> requests = {};  // one per line, or empty
  uint64_t first = 0;                              // number of the first line in the input: seeds its samples
  std::span<const text::Ids> ids = {};             // of each line, without </s>, instead of encoding the text; or empty
};

// A line cannot be translated as requested. The lines before it can: pass only those.
struct LineError : DataError {
  size_t line;  // its index in the lines passed
  LineError(size_t index, const std::string& what) : DataError(what), line(index) {}
};

// Some sentences, whole lines or parts of one.
struct SentenceSpan {
  std::span<const text::Ids> ids;      // with </s>
  std::span<const std::string> texts;  // that the ids encode
  std::span<const SentenceConstraints> constraints;
  std::span<const std::shared_ptr<const text::ProtectedText>> hidden;  // text hidden from the model, or null
};

// Lines as sentences that are translated one by one: usually one per line, none for a blank line.
struct SourceSentences {
  std::vector<text::Ids> ids;
  std::vector<std::string> texts;
  std::vector<std::string> between;  // separator from the previous sentence, if longer than one blank
  std::vector<SentenceConstraints> constraints;
  std::vector<std::shared_ptr<const text::ProtectedText>> hidden;
  std::vector<size_t> first;      // index of each line's first sentence, and the end
  std::vector<std::string> kept;  // of each line: its translation if the model sees none of it

  size_t lines() const { return first.size() - 1; }
  SentenceSpan all() const { return {ids, texts, constraints, hidden}; }
  SentenceSpan one(size_t i) const { return {{&ids[i], 1}, {&texts[i], 1}, {&constraints[i], 1}, {&hidden[i], 1}}; }
};

// Warns and throws as TextTranslator::translate() says.
SourceSentences preprocess(const TextSides& sides, const Lines& lines, const TranslateOptions& options,
                           const LineWarning& warn);

}  // namespace hexapla::decode
