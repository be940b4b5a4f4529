// TER's edits: a word-level edit distance, and a greedy search for the block moves that reduce it
// most. Tie-breaking and limits affect the counts, so they follow Tercom as used by sacreBLEU.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "evaluate/metrics/ter.h"

namespace hexapla::evaluate {
namespace {

constexpr size_t kLongestMove = 10;        // words
constexpr int64_t kFarthestMove = 50;      // words between a block's old and new places
constexpr int64_t kBeam = 25;              // cells of the distance matrix on each side of its diagonal
constexpr int64_t kMostCandidates = 1000;  // moves tried per sentence
constexpr int32_t kUnreached = 1 << 30;

// The edit distance matrix: cell (i, j) is the distance between the first i words of the hypothesis
// and the first j of the reference. Only cells near the diagonal are computed.
class EditDistance {
 public:
  EditDistance(std::u32string_view reference, size_t hypothesis_length)
      : reference_(reference), rows_(static_cast<int64_t>(hypothesis_length)), columns_(std::ssize(reference)) {
    ratio_ = rows_ > 0 ? static_cast<double>(columns_) / static_cast<double>(rows_) : 1;
    beam_ = kBeam < ratio_ / 2 ? static_cast<int64_t>(std::ceil(ratio_ / 2 + kBeam)) : kBeam;
    cells_.assign(static_cast<size_t>((rows_ + 1) * (columns_ + 1)), kUnreached);
    for (int64_t j = 0; j <= columns_; ++j) cell(0, j) = static_cast<int32_t>(j);
  }

  // Reuses the rows of the words that begin both this and the last hypothesis.
  int32_t operator()(const std::u32string& hypothesis) {
    const auto same =
        std::mismatch(last_.begin(), last_.end(), hypothesis.begin(), hypothesis.end()).first - last_.begin();
    for (int64_t i = same + 1; i <= rows_; ++i) compute_row(i, hypothesis[i - 1]);
    last_ = hypothesis;
    return at(rows_, columns_);
  }

  int32_t at(int64_t i, int64_t j) const { return cells_[i * (columns_ + 1) + j]; }
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }

 private:
  int32_t& cell(int64_t i, int64_t j) { return cells_[i * (columns_ + 1) + j]; }

  void compute_row(int64_t i, char32_t word) {
    const auto diagonal = static_cast<int64_t>(std::floor(static_cast<double>(i) * ratio_));
    const int64_t first = std::max<int64_t>(0, diagonal - beam_);
    const int64_t end = i == rows_ ? columns_ + 1 : std::min(columns_ + 1, diagonal + beam_);
    for (int64_t j = first; j < end; ++j) {
      int32_t best = at(i - 1, j) + 1;
      if (j > 0) {
        best = std::min(best, at(i - 1, j - 1) + (word == reference_[j - 1] ? 0 : 1));
        best = std::min(best, at(i, j - 1) + 1);
      }
      cell(i, j) = std::min(best, kUnreached);
    }
  }

  std::u32string_view reference_;
  std::u32string last_;
  int64_t rows_, columns_, beam_;
  double ratio_;
  std::vector<int32_t> cells_;
};

// The effect of the cheapest edits on each word. hypothesis_at[j]: the last hypothesis word aligned
// at or before reference word j, -1 for none.
struct Alignment {
  std::vector<int64_t> hypothesis_at;
  std::vector<char> wrong_in_hypothesis, wrong_in_reference;
};

// Follows the cheapest path backwards. Ties prefer a pair of words, then an extra hypothesis word,
// then a missing one.
Alignment align(const EditDistance& distance, std::u32string_view hypothesis, std::u32string_view reference) {
  int64_t i = distance.rows(), j = distance.columns();
  Alignment out{std::vector<int64_t>(reference.size()), std::vector<char>(hypothesis.size(), 1),
                std::vector<char>(reference.size(), 1)};
  while (i > 0 || j > 0) {
    const bool both = i > 0 && j > 0;
    const bool equal = both && hypothesis[i - 1] == reference[j - 1];
    const int32_t here = distance.at(i, j);
    if (both && distance.at(i - 1, j - 1) + (equal ? 0 : 1) == here) {
      --i, --j;
      out.hypothesis_at[j] = i;
      if (equal) out.wrong_in_hypothesis[i] = out.wrong_in_reference[j] = 0;
    } else if (i > 0 && distance.at(i - 1, j) + 1 == here) {
      --i;
    } else {
      --j;
      out.hypothesis_at[j] = i - 1;
    }
  }
  return out;
}

// Moves `length` words from `start` to before word `target`.
std::u32string moved(std::u32string_view words, size_t start, size_t length, size_t target) {
  std::u32string out(words);
  const auto at = [&](size_t i) { return out.begin() + static_cast<int64_t>(std::min(i, out.size())); };
  if (target < start) {
    std::rotate(at(target), at(start), at(start + length));
  } else if (target > start + length) {
    std::rotate(at(start), at(start + length), at(target));
  } else {  // target inside the block: moves it that many words further
    std::rotate(at(start), at(start + length), at(length + target));
  }
  return out;
}

bool any(const std::vector<char>& wrong, size_t start, size_t length) {
  const auto first = wrong.begin() + static_cast<int64_t>(start);
  return std::any_of(first, first + static_cast<int64_t>(length), [](char c) { return c != 0; });
}

class MoveSearch {
 public:
  MoveSearch(std::u32string_view hypothesis, std::u32string_view reference)
      : words_(hypothesis), reference_(reference), distance_(reference, hypothesis.size()) {}

  int64_t edits() {
    int64_t moves = 0;
    int32_t now = distance_(words_);
    while (find_best(now) && best_gain_ > 0) {
      words_ = best_words_;
      now = distance_(words_);
      ++moves;
    }
    return moves + now;
  }

 private:
  // Finds the best move of a block of words to where the reference has the same words. Returns
  // false once too many moves have been tried.
  bool find_best(int32_t now) {
    best_ = {};
    best_gain_ = 0;
    found_ = false;
    const Alignment alignment = align(distance_, words_, reference_);
    for (size_t h = 0; h < words_.size(); ++h) {
      for (size_t r = 0; r < reference_.size(); ++r) {
        if (std::abs(static_cast<int64_t>(r) - static_cast<int64_t>(h)) > kFarthestMove) continue;
        const size_t longest = common(h, r);
        for (size_t n = 1; n <= longest; ++n) {
          try_targets(alignment, {h, r, n}, now);
          if (tried_ >= kMostCandidates) return false;
        }
      }
    }
    return true;
  }

  size_t common(size_t h, size_t r) const {  // number of equal words from h and from r on
    size_t n = 0;
    while (n < kLongestMove && h + n < words_.size() && r + n < reference_.size() && words_[h + n] == reference_[r + n])
      ++n;
    return n;
  }

  struct Block {
    size_t start, reference, length;
  };

  // Tries moving the block to each place in the reference's block, unless one of the two has no
  // errors, or it is already there.
  void try_targets(const Alignment& alignment, const Block& b, int32_t now) {
    if (!any(alignment.wrong_in_hypothesis, b.start, b.length)) return;
    if (!any(alignment.wrong_in_reference, b.reference, b.length)) return;
    const int64_t position = alignment.hypothesis_at[b.reference], start = static_cast<int64_t>(b.start);
    if (start <= position && position < start + static_cast<int64_t>(b.length)) return;
    int64_t last = -1;
    for (size_t offset = 0; offset <= b.length; ++offset) {
      const size_t before = b.reference + offset;  // the preceding reference word, plus 1
      const int64_t target = before == 0 ? 0 : alignment.hypothesis_at[before - 1] + 1;
      if (target != last) try_move(b, static_cast<size_t>(target), now);
      last = target;
    }
  }

  // Ranks by gain, then longest block, first block, first place.
  void try_move(const Block& b, size_t target, int32_t now) {
    ++tried_;
    std::u32string words = moved(words_, b.start, b.length, target);
    const int64_t gain = now - distance_(words);
    const std::array<int64_t, 4> rank{gain, static_cast<int64_t>(b.length), -static_cast<int64_t>(b.start),
                                      -static_cast<int64_t>(target)};
    if (found_ && rank <= best_) return;
    found_ = true;
    best_ = rank;
    best_gain_ = gain;
    best_words_ = std::move(words);
  }

  std::u32string words_;
  std::u32string_view reference_;
  EditDistance distance_;
  std::u32string best_words_;
  std::array<int64_t, 4> best_{};
  int64_t best_gain_ = 0, tried_ = 0;
  bool found_ = false;
};

}  // namespace

int64_t translation_edits(std::u32string_view hypothesis, std::u32string_view reference) {
  if (reference.empty()) return std::ssize(hypothesis);
  return MoveSearch(hypothesis, reference).edits();
}

}  // namespace hexapla::evaluate
