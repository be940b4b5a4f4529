#pragma once
// Lexical shortlists: the pieces that a translation may consist of, given the pieces of its source,
// so that the output layer is computed for only a few pieces. Uses Marian's binary files,
// lex.50.50.enpt.s2t.bin, which come with Firefox Translations.
#include <map>
#include <string>
#include <vector>

#include "text/vocabulary/vocabulary.h"

namespace hexapla::decode {

// The contents of a file, by ids.
struct ShortlistTable {
  uint64_t first = 0;            // target pieces 0 .. first - 1 are always allowed: frequent ones, if ids are ordered
                                 // by frequency
  uint64_t best = 0;             // at most this many per source piece
  std::vector<uint64_t> starts;  // source piece s allows ids[starts[s]] .. ids[starts[s + 1] - 1]
  std::vector<uint32_t> ids;
  bool operator==(const ShortlistTable&) const = default;

  // DataError naming the file and the field: another format, truncated, damaged, wrong checksum.
  static ShortlistTable read(const std::string& path);
  void write(const std::string& path) const;  // RunError
};

// The count or probability of target piece t as a translation of source piece s: counts[s][t].
using LexicalCounts = std::map<int32_t, std::map<int32_t, double>>;
// Takes the `best` of each source piece; ties by the lower id. source_pieces: size of the
// vocabulary.
ShortlistTable make_shortlist(const LexicalCounts& counts, int32_t source_pieces, uint64_t first, uint64_t best);
// Reads a probability table of Marian's tools: lines "TARGET SOURCE PROBABILITY", with NULL for no
// piece. Ignores pieces that the vocabularies do not have. DataError naming file and line; also if
// no line matches the vocabularies.
LexicalCounts read_lexical_table(const std::string& path, const text::Vocabulary& source,
                                 const text::Vocabulary& target);

// A table for these vocabularies.
class Shortlist {
 public:
  // DataError naming `file`: the table is for other vocabularies.
  Shortlist(ShortlistTable table, const text::Vocabulary& source, const text::Vocabulary& target,
            const std::string& file);
  // The pieces allowed for a source sentence: </s> and the pieces that its pieces allow; with a
  // shared vocabulary also its own. Sorted.
  text::Ids allowed(const text::Ids& source) const;

 private:
  ShortlistTable table_;
  int32_t eos_, target_size_;
  bool shared_;
};

}  // namespace hexapla::decode
