#pragma once
// What users ask of the translations of lines, in their words.
#include <span>
#include <string>
#include <vector>

#include "decode/queue.h"

namespace hexapla::decode {

struct LineConstraints {
  std::string prefix;                        // the translation begins so, in the middle of a word if it must
  std::vector<std::string> require, forbid;  // phrases that it has and has not
};

// What is asked of all lines together with the line's own, made ready for a search. UsageError: a blank phrase, a
// required one that the vocabulary cannot write; more required tokens than a beam can share out (999).
class ConstraintMaker {
 public:
  ConstraintMaker(const text::Vocabulary& target, const PieceTexts& pieces, const LineConstraints& everywhere);
  SentenceConstraints make(const LineConstraints& own, uint64_t line) const;

 private:
  const text::Vocabulary& target_;
  const PieceTexts& pieces_;
  SentenceConstraints everywhere_;
};

}  // namespace hexapla::decode
