#pragma once
#include <cstdint>
#include <string>

namespace hexapla::data {

struct TextPair {
  int32_t corpus = 0;
  int64_t line = 0;
  std::string source, target;
};

}  // namespace hexapla::data
