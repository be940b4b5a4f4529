#include "convert/writing/plain_text.h"

#include <algorithm>

namespace hexapla::convert {

std::string beyond_plain_text(const text::Vocabulary& source, const text::Vocabulary& target) {
  if (source.byte_level() || target.byte_level()) return "byte-level BPE of a model's own";
  if (source.opening() >= 0 || target.opening() >= 0)
    return "language (" + target.piece(std::max(target.opening(), 0)) +
           ") that a model begins its texts with by itself";
  text::Ids one{source.unk()};
  source.end_source(one);
  return one.back() == source.eos() ? "" : "source that does not end with </s>";
}

}  // namespace hexapla::convert
