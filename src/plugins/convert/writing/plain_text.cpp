#include "convert/writing/plain_text.h"

#include "text/vocabulary/pieces/piece_table.h"

namespace hexapla::convert {

std::string beyond_plain_text(const text::Vocabulary& source, const text::Vocabulary& target) {
  if (source.has_added() || target.has_added()) return "token that was added to its tokenizer";
  if (source.byte_level() || target.byte_level()) return "byte-level BPE of a model's own";
  for (const text::Vocabulary* v : {&target, &source})
    if (v->opening() >= 0)
      return (text::begins_text(v->piece(v->opening())) ? "language (" : "token (") + v->piece(v->opening()) +
             ") that a model begins its texts with by itself";
  text::Ids one{source.unk()};
  source.end_source(one);
  return one.back() == source.eos() ? "" : "source that does not end with </s>";
}

}  // namespace hexapla::convert
