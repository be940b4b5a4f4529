#include "decode/augment/augment.h"

#include <algorithm>

#include "base/error.h"
#include "data/files/corpus.h"
#include "data/files/lines.h"
#include "text/utf8.h"

namespace hexapla::decode {
namespace {

constexpr size_t kPortion = 1000;  // lines translated together

// Writes both sides and counts the pairs.
class Pairs {
 public:
  Pairs(const AugmentFiles& to, const AugmentWork& work) : source_(to.source), target_(to.target), work_(work) {}

  void write(const std::string& source, const std::string& target) {
    source_.write(source);
    target_.write(target);
    ++counts.pairs;
  }
  void shown(int64_t lines, double share) const {
    if (work_.stop && *work_.stop) throw Canceled("stopped");
    work_.progress(lines, share);
  }
  AugmentCounts commit() {
    source_.finish();
    target_.finish();
    source_.commit();
    target_.commit();
    return std::move(counts);
  }

  AugmentCounts counts;

 private:
  data::LineWriter source_, target_;
  const AugmentWork& work_;
};

// Where a line comes from.
struct Place {
  std::string text;
  int64_t line = 0;
};

// Calls use(source, target, place) for the usable pairs of all sets.
template <class Use>
void for_pairs(const std::vector<data::ParallelSource>& sets, Pairs& out, const Use& use) {
  for (const data::ParallelSource& set : sets) {
    data::CheckedReader reader(set);
    for (std::string source, target; reader.next(source, target);)
      use(source, target, Place{reader.text().name(), reader.line_number()});
    for (std::string& note : reader.notes()) out.counts.notes.push_back(std::move(note));
  }
}

// Collects lines to translate; calls use(line, translation) in order for each with a translation.
template <class Use>
class InPortions {
 public:
  InPortions(const Translating& by, Pairs& out, const Use& use) : by_(by), out_(out), use_(use) {}

  void add(std::string line, Place place, double share) {
    lines_.push_back(std::move(line));
    places_.push_back(std::move(place));
    if (lines_.size() == kPortion) translate(share);
  }
  void translate(double share) {
    const auto found = by_.translator.translate(decode::Lines{.text = lines_, .first = static_cast<uint64_t>(done_)},
                                                by_.how, [&](size_t i, const decode::LineNote& what) {
                                                  out_.counts.unknown += what.unknown_letters;
                                                  by_.note(cat(places_[i].text, ", line ", places_[i].line), what);
                                                });
    for (size_t i = 0; i < lines_.size(); ++i)
      if (const decode::Translation& best = found[i].front(); best.whole() && !best.text.empty())
        use_(lines_[i], best.text), ++out_.counts.made;
      else
        ++out_.counts.without;
    done_ += std::ssize(lines_);
    lines_.clear();
    places_.clear();
    out_.shown(done_, share);
  }

 private:
  const Translating& by_;
  Pairs& out_;
  const Use& use_;
  std::vector<std::string> lines_;
  std::vector<Place> places_;  // one per line
  int64_t done_ = 0;
};

bool is_blank(const std::string& line) { return line.find_first_not_of(" \t") == std::string::npos; }

}  // namespace

AugmentCounts distill(const std::vector<data::ParallelSource>& sets, const Translating& teacher, const AugmentFiles& to,
                      const AugmentWork& work) {
  Pairs out(to, work);
  const auto write = [&](const std::string& source, const std::string& translation) { out.write(source, translation); };
  InPortions translations(teacher, out, write);
  for_pairs(sets, out, [&](std::string& source, const std::string&, Place place) {
    translations.add(std::move(source), std::move(place), 0);
  });
  translations.translate(1);
  return out.commit();
}

AugmentCounts back_translate(const std::vector<data::ParallelSource>& sets, const std::string& text,
                             const Translating& reverse, const std::string& tag, const AugmentFiles& to,
                             const AugmentWork& work) {
  check_tag(tag);
  Pairs out(to, work);
  for_pairs(sets, out,
            [&](const std::string& source, const std::string& target, const Place&) { out.write(source, target); });
  const std::string before = tag.empty() ? "" : tag + " ";
  const auto write = [&](const std::string& line, const std::string& made) { out.write(before + made, line); };
  InPortions translations(reverse, out, write);
  data::LineReader reader(text);
  for (std::string line; reader.next(line);) {
    data::check_line(line, reader.name(), reader.line_number());
    if (!is_blank(line)) translations.add(std::move(line), {reader.name(), reader.line_number()}, reader.share_read());
  }
  translations.translate(1);
  return out.commit();
}

void check_tag(const std::string& tag) {
  if (tag.find_first_of(" \t\n\r") != std::string::npos)
    throw UsageError(cat("`tag` '", text::printable(tag), "' has white space, but it is to be one piece; leave it out"),
                     "tag", tag);
}

AugmentCounts both_directions(const std::vector<data::ParallelSource>& sets, const AugmentFiles& to,
                              const AugmentWork& work) {
  Pairs out(to, work);
  for_pairs(sets, out, [&](const std::string& source, const std::string& target, const Place&) {
    out.write(source, target);
    out.write(target, source);
    if (++out.counts.made % 10'000 == 0) out.shown(out.counts.made, 0);
  });
  return out.commit();
}

}  // namespace hexapla::decode
