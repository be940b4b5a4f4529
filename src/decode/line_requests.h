#pragma once
// What users ask of the translations of lines, in their words.
#include <span>
#include <string>
#include <vector>

#include "decode/search.h"

namespace hexapla {

struct LineRequest {
  std::string prefix;                        // the translation begins so, in the middle of a word if it must
  std::vector<std::string> require, forbid;  // phrases that it has and has not
};

// What is asked of all lines together with the line's own, made ready for a search. UsageError: a blank phrase, a
// required one that the vocabulary cannot write; more required tokens than a beam can share out (999).
class RequestMaker {
 public:
  RequestMaker(const Vocabulary& target, const PieceTexts& pieces, const LineRequest& everywhere);
  Request make(const LineRequest& own, uint64_t line) const;

 private:
  const Vocabulary& target_;
  const PieceTexts& pieces_;
  Request everywhere_;
};

}  // namespace hexapla
