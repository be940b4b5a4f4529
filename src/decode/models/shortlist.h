#pragma once
// Lexical shortlists: which pieces a translation may be made of, by the pieces of its source, so that the output layer
// is computed for a few of them. The files are Marian's binary ones, lex.50.50.enpt.s2t.bin, as Firefox Translations
// comes with them.
#include <map>
#include <string>
#include <vector>

#include "text/vocabulary/vocabulary.h"

namespace hexapla::decode {

// What a file says, by ids.
struct ShortlistTable {
  uint64_t first = 0;            // the target pieces 0 .. first - 1 are always allowed: frequent ones, where ids follow
                                 // frequency
  uint64_t best = 0;             // at most so many for a source piece
  std::vector<uint64_t> starts;  // source piece s brings ids[starts[s]] .. ids[starts[s + 1] - 1]
  std::vector<uint32_t> ids;
  bool operator==(const ShortlistTable&) const = default;

  // DataError naming the file and the field: of another format, cut short, damaged, a wrong checksum.
  static ShortlistTable read(const std::string& path);
  void write(const std::string& path) const;  // RunError
};

// How often, or how probably, source piece s is translated by target piece t: counts[s][t].
using LexicalCounts = std::map<int32_t, std::map<int32_t, double>>;
// The `best` of each source piece, among equals those of the lower ids. source_pieces: of the vocabulary.
ShortlistTable make_shortlist(const LexicalCounts& counts, int32_t source_pieces, uint64_t first, uint64_t best);
// A table of probabilities as Marian's tools write it: "TARGET SOURCE PROBABILITY" on each line, NULL for no piece.
// Pieces that the vocabularies have not are passed over. DataError naming file and line; a table of which no line is of
// these vocabularies.
LexicalCounts read_lexical_table(const std::string& path, const text::Vocabulary& source,
                                 const text::Vocabulary& target);

// A table for these vocabularies.
class Shortlist {
 public:
  // DataError naming `file`: the table is of other vocabularies.
  Shortlist(ShortlistTable table, const text::Vocabulary& source, const text::Vocabulary& target,
            const std::string& file);
  // Of a source sentence: </s> and what its pieces bring; a piece itself, where both vocabularies are one. Sorted.
  text::Ids allowed(const text::Ids& source) const;

 private:
  ShortlistTable table_;
  int32_t eos_, target_size_;
  bool shared_;
};

}  // namespace hexapla::decode
