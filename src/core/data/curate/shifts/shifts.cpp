#include "data/curate/shifts/shifts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "base/compute/random.h"

namespace hexapla::data {
namespace {

using Signatures = std::span<const LineSignature>;

constexpr size_t kSlots = kLengths * kLengths + 5 + 16 + 8 * 4;
constexpr size_t kNumbers = kLengths * kLengths, kCapitals = kNumbers + 5, kMarks = kCapitals + 16;
constexpr int64_t kFewPairs = 5000;         // below this, lengths are distinguished less finely
constexpr int64_t kSample = 200'000;        // pairs used for the statistics
constexpr double kPrior = 2;                // pseudo-counts, in pairs, for independence
constexpr double kClip = 3, kLineClip = 4;  // nats: limits the weight of a single feature and of a single line
constexpr int64_t kOften = 16384;           // lines
constexpr int64_t kWindow = 100;            // lines
constexpr int kRounds = 3;
constexpr int kBoth = 2;  // both halves

int numbers_class(int a, int b) {
  if (a == 0 || b == 0) return (a != 0) + 2 * (b != 0);
  return a == b ? 3 : 4;
}

// Calls f with the slot of each feature that a pair of signatures falls into.
template <class F>
void for_slots(const LineSignature& a, const LineSignature& b, int coarse, F f) {
  f(static_cast<size_t>(a.length >> coarse) * kLengths + static_cast<size_t>(b.length >> coarse));
  f(kNumbers + static_cast<size_t>(numbers_class(a.numbers, b.numbers)));
  f(kCapitals + static_cast<size_t>(a.capitals * 4 + b.capitals));
  for (unsigned mark = 0; mark < 8; ++mark)
    f(kMarks + mark * 4 + ((a.marks >> mark) & 1u) * 2 + ((b.marks >> mark) & 1u));
}

struct Counts {
  std::array<double, kSlots> at{};
  double pairs = 0;
};

// Log-likelihood ratios of translations versus unrelated lines.
struct Scores {
  std::array<float, kSlots> at{};
  int coarse = 0;

  float of(const LineSignature& a, const LineSignature& b) const {
    float sum = 0;
    for_slots(a, b, coarse, [&](size_t slot) { sum += at[slot]; });
    return std::clamp(sum, static_cast<float>(-kLineClip), static_cast<float>(kLineClip));
  }
};

// A random number for a line. Texts have rhythms (one corpus alternates short and long lines), so
// unrelated lines and halves must not be chosen at regular intervals.
uint64_t drawn_number(int64_t line, uint32_t draw) {
  const auto r = philox({static_cast<uint32_t>(line), static_cast<uint32_t>(line >> 32), draw, 0}, {0, 0});
  return uint64_t{r[0]} << 32 | r[1];
}
bool in_half(int64_t line, int half) { return half == kBoth || static_cast<int>(drawn_number(line, 9) & 1) == half; }

// Learns scores from matching pairs and from pairs that cannot match.
class Learner {
 public:
  Learner(Signatures source, Signatures target) : source_(source), target_(target) {
    const int64_t n = pairs();
    coarse_ = n < kFewPairs ? 1 : 0;
    step_ = std::max<int64_t>(1, n / kSample);
    for (int64_t i = 0; i < n; i += step_) {
      for (uint32_t draw = 0; draw < 4; ++draw)
        add(apart_, i, static_cast<int64_t>(drawn_number(i, draw) % static_cast<uint64_t>(n)));
    }
  }
  int64_t pairs() const { return static_cast<int64_t>(std::min(source_.size(), target_.size())); }

  // shift_at(i): the shift of source line i's target line. half: 0, 1 or kBoth.
  template <class ShiftAt>
  Scores learn(ShiftAt shift_at, int half = kBoth) const {
    Counts together;
    for_pairs(shift_at, half, [&](int64_t i, int64_t j) { add(together, i, j); });
    Scores scores;
    scores.coarse = coarse_;
    for (size_t slot = 0; slot < kSlots; ++slot) {
      const double chance = apart_.pairs > 0 ? apart_.at[slot] / apart_.pairs * together.pairs : 0;
      scores.at[slot] =
          static_cast<float>(std::clamp(std::log((together.at[slot] + kPrior) / (chance + kPrior)), -kClip, kClip));
    }
    return scores;
  }

  // Nats per pair of one half with scores from the other.
  template <class ShiftAt>
  double information(ShiftAt shift_at) const {
    const Scores scores = learn(shift_at, 0);
    double sum = 0;
    int64_t n = 0;
    for_pairs(shift_at, 1, [&](int64_t i, int64_t j) { sum += scores.of(at(source_, i), at(target_, j)), ++n; });
    return n == 0 ? 0 : sum / static_cast<double>(n);
  }

 private:
  static const LineSignature& at(Signatures side, int64_t i) { return side[i]; }
  void add(Counts& counts, int64_t i, int64_t j) const {
    for_slots(at(source_, i), at(target_, j), coarse_, [&](size_t slot) { counts.at[slot] += 1; });
    counts.pairs += 1;
  }
  template <class ShiftAt, class F>
  void for_pairs(ShiftAt shift_at, int half, F f) const {
    const auto n = std::ssize(source_), m = std::ssize(target_);
    for (int64_t i = 0; i < n; i += step_) {
      const int64_t j = i + shift_at(i);
      if (j >= 0 && j < m && in_half(i, half)) f(i, j);
    }
  }
  Signatures source_, target_;
  int coarse_ = 0;
  int64_t step_ = 1;
  Counts apart_;
};

// Looks up the shift of lines in ascending order.
class ShiftAt {
 public:
  explicit ShiftAt(const std::vector<Stretch>& stretches) : stretches_(stretches) {}
  int operator()(int64_t line) {
    while (at_ + 1 < stretches_.size() && stretches_[at_ + 1].begin <= line) ++at_;
    return stretches_[at_].shift;
  }

 private:
  const std::vector<Stretch>& stretches_;
  size_t at_ = 0;
};

float score_at(const Scores& scores, Signatures source, Signatures target, int64_t i, int shift) {
  const int64_t j = i + shift;
  if (j < 0 || j >= std::ssize(target)) return 0;
  return scores.of(source[i], target[j]);
}

// The best path through shifts, line by line (Viterbi 1967), where a change costs `evidence`.
// States share the history of their changes, so memory grows with the number of changes.
std::vector<Stretch> best_path(const Scores& scores, Signatures source, Signatures target, const ShiftOptions& options,
                               const std::function<void()>& now_and_then) {
  struct Change {
    int64_t begin;
    int shift;
    std::shared_ptr<const Change> before;
  };
  const auto middle = static_cast<size_t>(options.max_shift), states = 2 * middle + 1;
  auto shift_of = [&](size_t state) { return static_cast<int>(state) - options.max_shift; };
  std::vector<double> score(states, -options.evidence);
  std::vector<std::shared_ptr<const Change>> path(states);
  score[middle] = 0;
  for (size_t s = 0; s < states; ++s) path[s] = std::make_shared<Change>(Change{0, shift_of(s), nullptr});
  for (int64_t i = 0; i < std::ssize(source); ++i) {
    if (now_and_then && i % kOften == 0) now_and_then();
    const auto best = static_cast<size_t>(std::max_element(score.begin(), score.end()) - score.begin());
    const double from_best = score[best] - options.evidence;
    for (size_t s = 0; s < states; ++s) {
      if (score[s] < from_best) {
        score[s] = from_best;
        path[s] = std::make_shared<Change>(Change{i, shift_of(s), path[best]});
      }
      score[s] += score_at(scores, source, target, i, shift_of(s));
    }
  }
  std::vector<Stretch> out;
  const auto end = static_cast<size_t>(std::max_element(score.begin(), score.end()) - score.begin());
  for (const Change* c = path[end].get(); c; c = c->before.get()) out.push_back({c->begin, c->shift, 0});
  std::reverse(out.begin(), out.end());
  return out;
}

// Where nothing matches, a path wanders: keeps only stretches that gain enough per pair over the
// previous shift.
std::vector<Stretch> clear_ones(const std::vector<Stretch>& found, const Scores& scores, Signatures source,
                                Signatures target, double gain) {
  std::vector<Stretch> kept;
  for (size_t k = 0; k < found.size(); ++k) {
    Stretch stretch = found[k];
    const int before = kept.empty() ? 0 : kept.back().shift;
    const int64_t end = k + 1 < found.size() ? found[k + 1].begin : std::ssize(source);
    if (stretch.shift == before) {
      if (kept.empty()) kept.push_back({0, 0, 0});
      continue;
    }
    for (int64_t i = stretch.begin; i < end; ++i)
      stretch.evidence +=
          score_at(scores, source, target, i, stretch.shift) - score_at(scores, source, target, i, before);
    if (stretch.evidence >= gain * static_cast<double>(end - stretch.begin))
      kept.push_back(stretch);
    else if (kept.empty())
      kept.push_back({0, 0, 0});
  }
  return kept;
}

// The most informative single shift of the whole text; 0 unless another is clearly better.
int best_single_shift(const Learner& learner, const ShiftOptions& options) {
  int best = 0;
  double most = 1.5 * learner.information([](int64_t) { return 0; }) + options.enough;
  for (int shift = -options.max_shift; shift <= options.max_shift; ++shift) {
    const double information = learner.information([&](int64_t) { return shift; });
    if (information > most) most = information, best = shift;
  }
  return best;
}

// Scores learned only from well-matching windows: those with at least half the score of the 90th
// percentile. If much of the text is misaligned, scores of all lines would be those of chance.
Scores scores_of_good_lines(const Learner& learner, const std::vector<Stretch>& path, Signatures source,
                            Signatures target) {
  constexpr int nowhere = std::numeric_limits<int>::min();
  const int64_t n = learner.pairs();
  std::vector<double> common(static_cast<size_t>((n + kWindow - 1) / kWindow));
  const Scores all = learner.learn(ShiftAt(path));
  ShiftAt shift(path);
  for (int64_t i = 0; i < n; ++i) common[i / kWindow] += score_at(all, source, target, i, shift(i));
  std::vector<double> sorted = common;
  std::sort(sorted.begin(), sorted.end());
  const double good = sorted[sorted.size() * 9 / 10] / 2;
  return learner.learn([&, at = ShiftAt(path)](int64_t i) mutable {
    const int here = at(i);
    return common[i / kWindow] >= good ? here : nowhere;
  });
}

// Passages that chance explains better, by `evidence` (cumulative sums, Page 1954).
std::vector<LostPassage> lost_passages(const Learner& learner, const std::vector<Stretch>& path, Signatures source,
                                       Signatures target, const ShiftOptions& options) {
  const Scores scores = scores_of_good_lines(learner, path, source, target);
  std::vector<LostPassage> out;
  ShiftAt shift(path);
  double sum = 0;
  LostPassage passage;
  const auto close = [&] {
    if (passage.evidence >= options.evidence) out.push_back(passage);
    sum = passage.evidence = 0;
  };
  for (int64_t i = 0; i < learner.pairs(); ++i) {
    if (sum == 0) passage.begin = i;
    sum -= score_at(scores, source, target, i, shift(i));
    if (sum > passage.evidence) passage.evidence = sum, passage.end = i + 1;
    if (sum <= 0 || sum < passage.evidence - options.evidence) close();
  }
  close();
  return out;
}

// Removes stretches that are mostly lost, because their shift is random.
std::vector<Stretch> without_lost(const std::vector<Stretch>& path, const std::vector<LostPassage>& lost,
                                  int64_t lines) {
  std::vector<Stretch> kept{path.front()};
  for (size_t k = 0; k < path.size(); ++k) {
    const int64_t begin = path[k].begin, end = k + 1 < path.size() ? path[k + 1].begin : lines;
    int64_t gone = 0;
    for (const LostPassage& l : lost) gone += std::max<int64_t>(0, std::min(end, l.end) - std::max(begin, l.begin));
    if (2 * gone > end - begin)
      kept.front().shift = k == 0 ? 0 : kept.front().shift;
    else if (k > 0 && path[k].shift != kept.back().shift)
      kept.push_back(path[k]);
  }
  return kept;
}

bool same_path(const std::vector<Stretch>& a, const std::vector<Stretch>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Stretch& x, const Stretch& y) { return x.begin == y.begin && x.shift == y.shift; });
}

}  // namespace

ShiftPath find_shifts(Signatures source, Signatures target, const ShiftOptions& options,
                      const std::function<void()>& now_and_then) {
  ShiftPath out;
  out.stretches = {{0, 0, 0}};
  if (source.empty() || target.empty()) return out;
  const Learner learner(source, target);
  out.stretches[0].shift = best_single_shift(learner, options);
  for (int round = 0; round < kRounds; ++round) {
    const Scores scores = learner.learn(ShiftAt(out.stretches));
    out.information = learner.information(ShiftAt(out.stretches));
    const auto path = best_path(scores, source, target, options, now_and_then);
    const auto before = std::move(out.stretches);
    out.stretches = clear_ones(path, scores, source, target, options.share * std::max(out.information, options.enough));
    if (same_path(before, out.stretches)) break;
  }
  out.information = learner.information(ShiftAt(out.stretches));
  // Information shared even by distant lines, as in a text whose style changes, does not count.
  const double far = learner.information([&](int64_t) { return 3 * options.max_shift; });
  out.can_judge = out.information >= options.enough + 2 * std::max(0.0, far);
  if (out.can_judge) out.lost = lost_passages(learner, out.stretches, source, target, options);
  out.ends_lost = !out.lost.empty() && learner.pairs() - out.lost.back().end < kWindow;
  out.stretches = without_lost(out.stretches, out.lost, std::ssize(source));
  if (out.can_judge) out.shortest = static_cast<int64_t>(std::ceil(2 * options.evidence / out.information));
  return out;
}

}  // namespace hexapla::data
