#pragma once
// Word alignments as text: "0-0 1-2", source-target, counted from 0, as Pharaoh, fast_align, Moses and Marian have it.
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
// In the order of the text. DataError: what is no link; the message begins with `where`.
std::vector<Link> parse_pharaoh(std::string_view text, const std::string& where);

// What is counted: words (text/words.h), tokens, or what stands between white space whatever the script.
enum class LinkUnit { words, pieces, blanks };

// The links of a corpus, of which line i of a file belongs to line i of the corpus files, for its sentences in tokens.
class GoldLinks {
 public:
  // Reads the file whole. DataError, naming file and line: what is no link; another number of lines than the corpus
  // files have.
  GoldLinks(const std::string& path, LinkUnit unit, const Corpus& corpus);

  // Between the tokens of pair i of the corpus, sorted by target, then source, each once. Every token of a word is
  // linked to every token of the words that the word is linked to. DataError, naming file and line: a link out of the
  // sentence.
  std::vector<Link> of_pair(int64_t i, const text::Vocabulary& source, const text::Vocabulary& target) const;

  // What to tell the user where the links seem to count words between blanks in text of a script without blanks, that
  // is, text that was cut into words, though the unit is words; "" otherwise.
  std::string doubt() const;

 private:
  std::string path_;
  LinkUnit unit_;
  const Corpus& corpus_;
  std::vector<std::vector<Link>> lines_;
};

}  // namespace hexapla::data
