#include "curate/association.h"

#include <algorithm>
#include <string>

#include "base/hash.h"
#include "text/utf8.h"

namespace hexapla {
namespace {

bool ascii_word(unsigned char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }
// A character of three bytes or more from U+3000 on, Chinese, Japanese or Korean; or of another script without blanks.
bool stands_alone(std::string_view line, size_t at) {
  const auto c = static_cast<unsigned char>(line[at]);
  return c >= 0xE3 || (c >= 0xE0 && begins_without_blank(line.substr(at)));
}

// How many of the `skipped` source lines from a change on have no partner: those whose target lines are missing.
int64_t skipped(int before, int after) { return std::max(0, before - after); }

class Located {
 public:
  Located(const Surroundings& text) : text_(text) {}

  const Words* at(const std::vector<Words>& side, int64_t line) const {
    const int64_t i = line - text_.first_line;
    return i >= 0 && i < static_cast<int64_t>(side.size()) ? &side[static_cast<size_t>(i)] : nullptr;
  }
  void learn(int64_t from, int64_t to, int shift) {
    for (int64_t i = from; i < to; ++i) {
      const Words *x = at(text_.source, i), *y = at(text_.target, i + shift);
      if (x && y) lexicon_.add(*x, *y);
    }
  }
  double score(int64_t i, int shift) const {
    const Words *x = at(text_.source, i), *y = at(text_.target, i + shift);
    return x && y ? lexicon_.score(*x, *y) : 0;
  }

 private:
  const Surroundings& text_;
  Association lexicon_;
};

}  // namespace

Words words_of(std::string_view line) {
  Words words;
  std::string word;
  auto end_word = [&] {
    if (!word.empty()) words.push_back(static_cast<uint32_t>(hash_64(word)));
    word.clear();
  };
  for (size_t i = 0; i < line.size(); ++i) {
    const auto c = static_cast<unsigned char>(line[i]);
    if (stands_alone(line, i)) {
      end_word();
      word = line.substr(i, c >= 0xF0 ? 4 : 3);
      i += word.size() - 1;
      end_word();
    } else if (ascii_word(c)) {
      word += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    } else if (c >= 0x80) {
      word += line[i];
    } else {
      end_word();
    }
  }
  end_word();
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  return words;
}

void Association::add(const Words& source, const Words& target) {
  for (const uint32_t s : source) ++source_[s];
  for (const uint32_t t : target) ++target_[t];
  for (const uint32_t s : source) {
    for (const uint32_t t : target) ++both_[uint64_t{s} << 32 | t];
  }
}

double Association::score(const Words& source, const Words& target) const {
  double sum = 0;
  for (const uint32_t t : target) {
    const auto alone = target_.find(t);
    if (alone == target_.end()) continue;
    double best = 0;
    for (const uint32_t s : source) {
      const auto both = both_.find(uint64_t{s} << 32 | t);
      if (both != both_.end()) best = std::max(best, 2.0 * both->second / (source_.at(s) + alone->second));
    }
    sum += best;
  }
  return target.empty() ? 0 : sum / static_cast<double>(target.size());
}

int64_t locate_change(const Surroundings& text, int64_t near, int before, int after, int64_t reach) {
  Located lines(text);
  const int64_t first = text.first_line, end = first + static_cast<int64_t>(text.source.size());
  const int64_t from = std::max(first, near - reach), to = std::min(end, near + reach), gap = skipped(before, after);
  lines.learn(first, from, before);
  lines.learn(to + gap, end, after);
  // What a pair scores that is none: a line without partner is worth as much.
  double chance = 0;
  for (int64_t i = from; i < to; ++i) chance += lines.score(i, i < near ? after : before);
  chance /= static_cast<double>(std::max<int64_t>(1, to - from));
  double sum = 0;
  for (int64_t i = from + gap; i < to; ++i) sum += lines.score(i, after) - chance;
  double best = sum;
  int64_t place = from;
  for (int64_t c = from; c < to; ++c) {  // the change comes after line c
    sum += lines.score(c, before) - chance;
    if (c + gap < to) sum -= lines.score(c + gap, after) - chance;
    if (sum > best) best = sum, place = c + 1;
  }
  return place;
}

}  // namespace hexapla
