#include "decode/lines/opened_line.h"

namespace hexapla::decode {

OpenedLine opened_line(const text::Vocabulary& target, std::string_view line) {
  if (target.opening() < 0) return {};
  const auto chosen = target.leading(line);
  return {chosen.bytes, chosen.bytes > 0 ? chosen.id : target.opening()};
}

}  // namespace hexapla::decode
