#pragma once
#include <atomic>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decode/constraints/phrases.h"
#include "decode/hypothesis.h"

namespace hexapla::decode {

// What is asked of one translation beyond being one.
struct SentenceConstraints {
  std::optional<int32_t> opening;     // the token that it begins with, before its text
  std::string prefix;                 // its text begins so; normalized, and a blank at the end ends the last word
  int64_t prefix_tokens = 0;          // that the prefix can take
  std::vector<Requirement> required;  // it has each of these
  std::vector<Phrase> forbidden;      // it has none of these
  bool capitals = false;              // its text, but for those and the prefix, is put into capitals in the end
  uint64_t line = 0;                  // with `part` it names what is drawn for this sentence
  uint32_t part = 0;                  // of the line
};

// What is asked of the sentences of a search.
struct AllConstraints {
  std::span<const SentenceConstraints> sentences = {};  // one a sentence, or none at all
  const PieceTexts* pieces = nullptr;                   // needed where they, or the options, speak of text
};

// Sentences that wait to be translated: ids that end with </s>. Several workers may draw on one of these.
struct Queue {
  std::span<const text::Ids> sources;
  std::span<const size_t> order;  // indices into sources, in the order in which they are to be begun
  int64_t sentences;              // translated at a time by one worker, at most
  int64_t tokens;                 // of their sources, at most; a longer one stands alone
  std::atomic<size_t> next = 0;   // of order
  std::span<const SentenceConstraints> requests = {};  // one a source, or none at all
  const PieceTexts* pieces = nullptr;                  // needed where there are requests or rules on text
  const std::atomic<bool>* stop = nullptr;             // once it is true, what is not yet done never is

  bool stopped() const { return stop && *stop; }
  AllConstraints constraints() const { return {requests, pieces}; }
};

// Called for each sentence that is done: hypotheses best first.
using Done = std::function<void(size_t index, std::vector<Hypothesis>)>;

}  // namespace hexapla::decode
