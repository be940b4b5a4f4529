#include "data/curate/shifts/change_locator.h"

#include <algorithm>
#include <cstdlib>

namespace hexapla::data {
namespace {

constexpr int64_t kReach = 50;           // lines around a place that may contain the change
constexpr double kAwayFromPlace = 0.02;  // of the score of a line, 0 to 1
constexpr int64_t kSurroundings = 3000;  // lines on either side from which words are learned

// Number of source lines after a change whose target lines are missing.
int64_t skipped(const ShiftPlace& place) { return std::max(0, place.before - place.after); }

}  // namespace

const Words* ChangeLocator::Side::at(int64_t line) const {
  return line >= first && line < end() ? &words[line - first] : nullptr;
}

void ChangeLocator::Side::add(int64_t line, const std::string& text) {
  if (words.empty()) first = line;
  words.push_back(words_of(text));
}

void ChangeLocator::Side::drop_before(int64_t line) {
  for (; !words.empty() && first < line; ++first) words.pop_front();
}

ChangeLocator::ChangeLocator(std::vector<ShiftPlace>& places) : places_(places) {
  for (const ShiftPlace& p : places)
    zones_.push_back(p.exact ? Zone{p.line, p.line} : Zone{p.line - kReach, p.line + kReach + skipped(p)});
  skip_exact();
}

void ChangeLocator::read(const RawPair& pair) {
  ++line_;
  if (next_ == places_.size() || line_ < window_begin()) return;
  if (pair.has_source) source_.add(line_, pair.source);
  if (pair.has_target) target_.add(line_, pair.target);
  while (next_ < places_.size() && line_ + 1 >= places_[next_].line + kSurroundings) locate_next();
}

void ChangeLocator::finish() {
  while (next_ < places_.size()) locate_next();
}

int64_t ChangeLocator::window_begin() const { return std::max<int64_t>(1, places_[next_].line - kSurroundings); }

void ChangeLocator::skip_exact() {
  while (next_ < places_.size() && places_[next_].exact) ++next_;
}

void ChangeLocator::locate_next() {
  ShiftPlace& place = places_[next_];
  forget_before(window_begin());
  learn_before(line_ + 1);
  place.line = best_line(place);
  place.exact = true;
  skip_exact();
  if (next_ == places_.size()) return;
  source_.drop_before(window_begin());
  target_.drop_before(window_begin());
}

void ChangeLocator::learn_before(int64_t end) {
  for (to_learn_ = std::max(to_learn_, window_begin()); to_learn_ < end; ++to_learn_) {
    while (passed_ < zones_.size() && zones_[passed_].end <= to_learn_) ++passed_;
    if (passed_ < zones_.size() && zones_[passed_].begin <= to_learn_) continue;
    const int64_t partner = to_learn_ + (passed_ == 0 ? places_[0].before : places_[passed_ - 1].after);
    if (partner >= end) return;  // leave it to the next place
    const Words *x = source_.at(to_learn_), *y = target_.at(partner);
    if (!x || !y) continue;
    lexicon_.add(*x, *y);
    learned_.push_back({std::min(to_learn_, partner), *x, *y});
  }
}

void ChangeLocator::forget_before(int64_t line) {
  for (; !learned_.empty() && learned_.front().first_line < line; learned_.pop_front())
    lexicon_.remove(learned_.front().source, learned_.front().target);
}

double ChangeLocator::score(int64_t line, int shift) const {
  const Words *x = source_.at(line), *y = target_.at(line + shift);
  return x && y ? lexicon_.score(*x, *y) : 0;
}

// The first line for which `after` is the better shift. Words that say little, as numbers that all differ, leave the
// place near that which the lengths tell.
int64_t ChangeLocator::best_line(const ShiftPlace& place) const {
  const int64_t from = std::max(window_begin(), place.line - kReach), to = std::min(source_.end(), place.line + kReach),
                gap = skipped(place);
  // The score of a wrong pair, which is also the score of a line without a partner.
  double chance = 0;
  for (int64_t i = from; i < to; ++i) chance += score(i, i < place.line ? place.after : place.before);
  chance /= static_cast<double>(std::max<int64_t>(1, to - from));
  double sum = 0;
  for (int64_t i = from + gap; i < to; ++i) sum += score(i, place.after) - chance;
  const auto far = [&](int64_t i) { return kAwayFromPlace * static_cast<double>(std::abs(i - place.line)); };
  int64_t line = from;
  double best = sum - far(line);
  for (int64_t c = from; c < to; ++c) {  // the change comes after line c
    sum += score(c, place.before) - chance;
    if (c + gap < to) sum -= score(c + gap, place.after) - chance;
    if (const double value = sum - far(c + 1); value > best) best = value, line = c + 1;
  }
  return line;
}

}  // namespace hexapla::data
