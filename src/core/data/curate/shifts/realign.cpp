#include "data/curate/shifts/realign.h"

#include <algorithm>
#include <deque>
#include <optional>

#include "base/system/cancellation.h"
#include "data/curate/pairs/pair_writer.h"
#include "data/curate/pairs/raw_pairs.h"

namespace hexapla::data {
namespace {

class Realigner {
 public:
  Realigner(std::span<const ShiftPlace> places, std::span<const LostPassage> lost, PairWriter& to)
      : places_(places),
        lost_(lost),
        to_(to),
        look_at_a_place_(std::max<size_t>(1, Realigned::kLook / std::max<size_t>(1, places.size()))) {}

  void read(const RawPair& pair) {
    const bool broken = pair.fields != 2;  // a line that both sides have, but which is no pair
    if (pair.has_source || broken) source_.add(broken ? Line() : pair.source);
    if (pair.has_target || broken) target_.add(broken ? Line() : pair.target);
    while (!source_.empty() && settle(false)) continue;
  }
  Realigned finish() {
    while (!source_.empty()) settle(true);
    out_.target_left_out += std::ssize(target_.lines);
    return std::move(out_);
  }

 private:
  using Line = std::optional<std::string>;
  struct Side {
    int64_t first = 1;  // line of lines[0]
    std::deque<Line> lines;
    void add(Line line) { lines.push_back(std::move(line)); }
    bool empty() const { return lines.empty(); }
    Line take() {
      Line line = std::move(lines.front());
      lines.pop_front(), ++first;
      return line;
    }
  };

  // Pairs the next source line, or leaves it out. False: its partner has not been read.
  bool settle(bool at_end) {
    const int64_t line = source_.first, partner = line + shift_of(line);
    const bool none = partner < target_.first || is_lost(line);
    if (!none && partner >= target_.first + std::ssize(target_.lines)) {
      if (at_end) leave_out();
      return at_end;
    }
    if (none) return leave_out(), true;
    for (; target_.first < partner; ++out_.target_left_out) target_.take();
    pair(line);
    return true;
  }
  int64_t shift_of(int64_t line) {
    for (; next_ < places_.size() && places_[next_].line <= line; ++next_) shown_ = 0;
    return next_ == 0 ? 0 : places_[next_ - 1].after;
  }
  bool is_lost(int64_t line) {
    while (!lost_.empty() && lost_.front().end < line) lost_ = lost_.subspan(1);
    return !lost_.empty() && lost_.front().begin < line;
  }
  void leave_out() { source_.take(), ++out_.source_left_out; }
  void pair(int64_t line) {
    const Line source = source_.take(), target = target_.take();
    if (!source || !target) return static_cast<void>((++out_.source_left_out, ++out_.target_left_out));
    ++out_.kept;
    to_.write(*source, *target);
    const bool after_place = next_ > 0 || places_.empty();
    if (after_place && shown_++ < look_at_a_place_ && out_.look.size() < Realigned::kLook)
      out_.look.push_back({line, beginning(*source), beginning(*target)});
  }

  std::span<const ShiftPlace> places_;
  std::span<const LostPassage> lost_;
  PairWriter& to_;
  size_t look_at_a_place_, shown_ = 0, next_ = 0;  // next_: of places_
  Side source_, target_;
  Realigned out_;
};

}  // namespace

Realigned realign(const ParallelSource& text, std::span<const ShiftPlace> places, std::span<const LostPassage> lost,
                  const std::vector<std::string>& files) {
  PairWriter to(files);
  Realigner realigner(places, lost, to);
  RawReader again(text);
  for (RawPair pair; again.next(pair);) {
    if (again.line_number() % 4096 == 0) check_canceled();
    realigner.read(pair);
  }
  Realigned out = realigner.finish();
  to.finish();
  return out;
}

}  // namespace hexapla::data
