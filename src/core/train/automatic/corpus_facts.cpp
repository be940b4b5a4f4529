#include "train/automatic/corpus_facts.h"

#include <algorithm>
#include <vector>

#include "text/characters.h"

namespace hexapla::train {
namespace {

class Alphabet {
 public:
  // -> number of code points
  int64_t read(const std::string& line) {
    int64_t characters = 0;
    for (size_t at = 0; at < line.size(); ++characters) {
      const auto [code_point, bytes] = text::code_point_at(line, at);
      seen_[code_point] = true;
      at += bytes;
    }
    return characters;
  }
  int64_t size() const { return std::count(seen_.begin(), seen_.end(), true); }

 private:
  std::vector<bool> seen_ = std::vector<bool>(0x110000);
};

}  // namespace

CorpusFacts facts_of(data::TrainingText& text, const data::ReadingProgress& progress) {
  CorpusFacts facts;
  Alphabet alphabet;
  data::for_each_pair(text, progress, [&](const data::TextPair& pair) {
    ++facts.pairs;
    facts.source_characters += alphabet.read(pair.source);
    facts.target_characters += alphabet.read(pair.target);
  });
  facts.alphabet = alphabet.size();
  return facts;
}

}  // namespace hexapla::train
