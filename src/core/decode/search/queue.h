#pragma once
#include <atomic>
#include <functional>
#include <span>
#include <vector>

#include "decode/constraints/sentence_constraints.h"
#include "decode/steps/hypothesis.h"

namespace hexapla::decode {

// Sentences to translate: ids that end with </s>. Several workers may take from the same queue.
struct Queue {
  std::span<const text::Ids> sources;
  std::span<const size_t> order;  // indices into sources, in the order of translation
  int64_t sentences;              // that one worker translates at a time, at most
  int64_t tokens;                 // of their sources, at most; a longer sentence is translated alone
  std::atomic<size_t> next = 0;   // of order
  std::span<const SentenceConstraints> requests = {};  // one per source, or empty
  const PieceTexts* pieces = nullptr;                  // required if constraints or options concern text
  const std::atomic<bool>* stop = nullptr;             // if true, unfinished sentences are abandoned

  bool stopped() const { return stop && *stop; }
  AllConstraints constraints() const { return {requests, pieces}; }
};

// Called for each finished sentence: hypotheses best first.
using Done = std::function<void(size_t index, std::vector<Hypothesis>)>;

}  // namespace hexapla::decode
