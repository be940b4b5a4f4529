#pragma once
// Before a search: lines of text become sentences of ids, each with its constraints.
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "decode/text/text_sides.h"
#include "decode/translate_options.h"

namespace hexapla::decode {

// Lines and what is asked of each.
struct Lines {
  std::span<const std::string> text;
  std::span<const LineConstraints> requests = {};  // as many, or none
  uint64_t first = 0;                              // the number of the first in the input: it names what is drawn
  std::span<const text::Ids> ids = {};  // of each, without </s>, instead of those that the text is cut into; or none
};

// One of the lines cannot be translated as it was asked for. Those before it can: give them alone.
struct LineError : DataError {
  size_t line;  // its index among those that were given
  LineError(size_t index, const std::string& what) : DataError(what), line(index) {}
};

// Some sentences, whole lines or parts of one.
struct SentenceSpan {
  std::span<const text::Ids> ids;      // with </s>
  std::span<const std::string> texts;  // that they were made of
  std::span<const SentenceConstraints> constraints;
  std::span<const std::shared_ptr<const text::ProtectedText>> hidden;  // of each what the model did not see, or null
};

// Lines as the sentences that are translated one by one: usually one a line, none of a blank one.
struct SourceSentences {
  std::vector<text::Ids> ids;
  std::vector<std::string> texts;
  std::vector<std::string> between;  // what separates each from the one before, where that is more than one blank
  std::vector<SentenceConstraints> constraints;
  std::vector<std::shared_ptr<const text::ProtectedText>> hidden;
  std::vector<size_t> first;      // of each line, and the end
  std::vector<std::string> kept;  // of each line: what of it is its own translation, if the model sees nothing of it

  size_t lines() const { return first.size() - 1; }
  SentenceSpan all() const { return {ids, texts, constraints, hidden}; }
  SentenceSpan one(size_t i) const { return {{&ids[i], 1}, {&texts[i], 1}, {&constraints[i], 1}, {&hidden[i], 1}}; }
};

// Warns and throws as TextTranslator::translate() says.
SourceSentences preprocess(const TextSides& sides, const Lines& lines, const TranslateOptions& options,
                           const LineWarning& warn);

}  // namespace hexapla::decode
