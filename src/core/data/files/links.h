#pragma once
// Word alignments as text: "0-0 1-2", source-target, from 0, the format of Pharaoh, fast_align,
// Moses and Marian.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/corpus.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::data {

struct Link {
  int32_t source, target;
  auto operator<=>(const Link&) const = default;
};

std::string pharaoh(std::span<const Link> links);
// In text order. DataError: not a link; the message begins with `where`.
std::vector<Link> parse_pharaoh(std::string_view text, const std::string& where);

// The units counted: words (text/words.h), tokens, or blank-separated strings in any script.
enum class LinkUnit { words, pieces, blanks };

// The links of a corpus, from a file whose line i belongs to line i of the corpus files, converted
// to tokens.
class GoldLinks {
 public:
  // Reads the whole file. DataError, naming file and line: not a link; a different number of lines
  // than the corpus files.
  GoldLinks(const std::string& path, LinkUnit unit, const Corpus& corpus);

  // Links between the tokens of pair i of the corpus, sorted by target, then source, without
  // duplicates. Every token of a word is linked to every token of the linked words. DataError,
  // naming file and line: a link outside the sentence.
  std::vector<Link> of_pair(int64_t i, const text::Vocabulary& source, const text::Vocabulary& target) const;

  // A warning if the unit is words, but the links seem to count blank-separated words of
  // pre-segmented text in a script without blanks; "" otherwise.
  std::string doubt() const;

 private:
  std::string path_;
  LinkUnit unit_;
  const Corpus& corpus_;
  std::vector<std::vector<Link>> lines_;
};

}  // namespace hexapla::data
