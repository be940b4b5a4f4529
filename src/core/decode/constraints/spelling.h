#pragma once
// How the pieces of a vocabulary write a phrase, from any of its bytes on.
#include <string>
#include <string_view>
#include <vector>

#include "decode/constraints/piece_texts.h"

namespace hexapla::decode {

class Spelling {
 public:
  Spelling() = default;
  // usual: the tokens with which the vocabulary writes the phrase after another word. They count as
  // the way to write it from where they begin; elsewhere, and if they do not spell it, the fewest
  // pieces do.
  Spelling(const PieceTexts& pieces, std::string_view phrase, const text::Ids& usual = {});

  bool possible() const { return tokens() > 0; }
  int64_t tokens() const { return steps_.empty() ? 0 : steps_.front().left; }

  // The rest of the phrase after a text that ends with its beginning, or without it.
  struct Step {
    int64_t left = kNever;  // tokens
    int32_t next = -1;      // the first of them
  };
  // Requires possible(). begun: as in TextSoFar.
  Step after(std::string_view text, bool begun) const;

 private:
  static constexpr int64_t kNever = int64_t{1} << 40;
  bool spell(const PieceTexts& pieces, std::string text, const text::Ids& usual);

  std::string phrase_;
  std::string text_;         // of the tokens: the phrase, and perhaps a blank before or after it
  size_t blank_ = 0;         // bytes of the blank before it
  std::vector<Step> steps_;  // by the number of bytes written
};

}  // namespace hexapla::decode
