#pragma once
// Words that a translation must have or must not have. They are found in its text, whatever pieces it is made of, and
// as whole words: "art" is neither in "party" nor in "arts".
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decode/constraints/piece_texts.h"

namespace hexapla::decode {

struct Phrase {
  std::string text;  // normalized
  text::Ids ids;     // as tokens that follow other words
};
// UsageError: a blank phrase; or, if it is to be written, one with a character that the vocabulary does not have. The
// option that it came from stands in the message.
Phrase make_phrase(const text::Vocabulary& target, const PieceTexts& pieces, const std::string& text,
                   const std::string& option);
Phrase writable_phrase(const text::Vocabulary& target, const PieceTexts& pieces, const std::string& text,
                       const std::string& option);

enum class Ending { open, closed };  // whether something may still be added to the text

// Whether the phrase stands in the text so that it ends at byte `from` or later. At an open end a phrase is not yet
// there if the next piece may go on with its last word: one that ends with a letter of a script with blanks.
bool stands_in(const Phrase& phrase, std::string_view text, Ending ending, size_t from = 0);

// What a translation must have.
struct Requirement {
  std::shared_ptr<const std::vector<Phrase>> forms;  // one of these, at least one
  bool apart = false;  // at a place that no other such requirement has: two of them are two places

  int64_t tokens() const;  // of the longest form
};

// One place of each requirement that a text has, each apart from the others.
std::vector<text::TokenSpan> places(std::span<const Requirement> required, std::string_view text);

// How far a translation has come with what it must have.
struct Met {
  int64_t tokens = 0;  // of requirements that it has, and of the longest phrase that it has begun
  bool all = true;     // it could end now
  text::Ids next;      // the tokens that go on with a phrase or begin one
};
// ids: the translation so far, <s> first; text: what it reads as.
Met met(std::span<const Requirement> required, const text::Ids& ids, std::string_view text);

}  // namespace hexapla::decode
