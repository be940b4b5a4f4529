#pragma once
// Phrases that a translation must or must not contain. They are matched in its text, independent of
// its pieces, and as whole words: "art" is neither in "party" nor in "arts".
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decode/constraints/piece_texts.h"

namespace hexapla::decode {

struct Phrase {
  std::string text;  // normalized
  text::Ids ids;     // its tokens after another word
};
// UsageError naming the option: a blank phrase; in writable_phrase() also one with a character that
// the vocabulary lacks.
Phrase make_phrase(const text::Vocabulary& target, const PieceTexts& pieces, const std::string& text,
                   const std::string& option);
Phrase writable_phrase(const text::Vocabulary& target, const PieceTexts& pieces, const std::string& text,
                       const std::string& option);

// The same check of a text that PieceTexts::normalized() gave.
void check_writable(const PieceTexts& pieces, std::string_view text, const std::string& option);

enum class Ending { open, closed };  // whether the text may still grow

// Whether the text contains the phrase, ending at byte `from` or later. A phrase at an open end
// does not count yet if the next piece may continue its last word, that is, if it ends with a
// letter of a script with blanks.
bool stands_in(const Phrase& phrase, std::string_view text, Ending ending, size_t from = 0);

// A phrase that a translation must contain, in one of its forms.
struct Requirement {
  std::shared_ptr<const std::vector<Phrase>> forms;  // at least one
  bool apart = false;                                // must not overlap the places of other such requirements

  int64_t tokens() const;  // of the longest form
};

// The place of each requirement that the text meets; those that are `apart` do not overlap.
std::vector<text::TokenSpan> places(std::span<const Requirement> required, std::string_view text);

// How much of its requirements a translation has met.
struct Met {
  int64_t tokens = 0;  // of the requirements met, and of the longest phrase begun
  bool all = true;     // all are met: it may end
  text::Ids next;      // the tokens that continue or begin a missing phrase
};
// ids: the translation so far, <s> first; text: of the ids.
Met met(std::span<const Requirement> required, const text::Ids& ids, std::string_view text);

}  // namespace hexapla::decode
