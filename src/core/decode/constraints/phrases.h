#pragma once
// Phrases that a translation must or must not contain. They are matched in its text, independent of
// its pieces, and as whole words: "art" is neither in "party" nor in "arts".
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decode/constraints/spelling.h"

namespace hexapla::decode {

struct Phrase {
  std::string text;   // normalized
  Spelling spelling;  // of a required phrase
};
// UsageError naming the option: a blank phrase; in writable_phrase() also one that no pieces of the
// vocabulary spell.
Phrase make_phrase(const PieceTexts& pieces, const std::string& text, const std::string& option);
Phrase writable_phrase(const text::Vocabulary& target, const PieceTexts& pieces, const std::string& text,
                       const std::string& option);

// The same check of a text that PieceTexts::normalized() gave.
void check_writable(const PieceTexts& pieces, std::string_view text, const std::string& option);

enum class Ending { open, closed };  // whether the text may still grow

// Whether the text contains the phrase, ending at byte `from` or later.
bool stands_in(const Phrase& phrase, std::string_view text, size_t from = 0);
// The same for a phrase that must not be there, in whatever steps the text grows. At an open end it
// does not count yet if what follows may continue its last word, that is, if it ends with a letter
// of a script with blanks. In other scripts it counts even if a mark follows, which belongs to its
// last letter: at that letter nothing else could be done than to write such a mark.
bool must_not_stand_in(const Phrase& phrase, std::string_view text, Ending ending, size_t from = 0);

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
  int64_t tokens = 0;  // of the requirements met, and of the phrase that is written furthest
  bool all = true;     // all are met: it may end
  text::Ids next;      // the tokens that continue or begin a missing phrase
};
Met met(std::span<const Requirement> required, const TextSoFar& so_far);

}  // namespace hexapla::decode
