#pragma once
// Pairs that are taken out of the training text to validate on.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "data/text_pair.h"

namespace hexapla::data {

// Holds out the sources with the smallest hashes: every reading of the text finds the same ones, wherever they are.
// Sources that differ only in blanks and in the case and punctuation of ASCII are held out together, so that no
// validation line was trained on.
class HeldOut {
 public:
  explicit HeldOut(int64_t sources) : most_(static_cast<size_t>(sources)) {}

  void show(const TextPair& pair);  // every pair of the text, once
  // Call after the last one: gives back the sources that are most of the text.
  void settle();
  bool holds(const std::string& source) const;
  std::vector<TextPair> pairs() const;  // one per source, in the order of the text

 private:
  struct Held {
    TextPair pair;
    int64_t times = 0;
  };
  size_t most_;
  int64_t shown_ = 0;
  std::map<uint64_t, Held> smallest_;
};

}  // namespace hexapla::data
