#pragma once
// The output of `hexapla translate`.
#include <cstdint>
#include <string>
#include <vector>

#include "hexapla/translation.h"

namespace hexapla::cli {

struct TranslationFormat {
  int n_best = 1;         // more: lines have their number
  bool json = false;      // else text
  std::string alignment;  // hard, soft or a threshold; empty: none
  bool of_words = true;   // alignments number words, which JSON lists

  // Lines of output for the translations of line `number`, from 0.
  std::string text(int64_t number, const std::vector<Translation>& found) const;

 private:
  std::string json_line(const std::vector<Translation>& found) const;
};

}  // namespace hexapla::cli
