#include "documents/captions/spread.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "documents/captions/caption_segments.h"
#include "text/lines/marks.h"
#include "text/utf8.h"

namespace hexapla::text::document {
namespace {

using Kind = Token::Kind;

// A place where the translation may be broken: the text before it ends at `from`, the rest begins
// at `to`.
struct Cut {
  std::size_t from = 0, to = 0;
  double length = 0;    // of the text before, in columns
  bool inside = false;  // in an element
};

bool may_break(std::string_view before, std::string_view after) {
  if (text::is_stop(after) || text::is_comma(after) || text::is_closing(after) || text::is_opening(before))
    return false;
  const std::string both = std::string(before) + std::string(after);
  return text::word_boundary(both, before.size()) &&
         (text::ends_without_blank(before) || text::begins_without_blank(after));
}

class Cuts {
 public:
  explicit Cuts(std::string_view translation) : text_(translation) {}

  std::vector<Cut> find(bool web) {
    const std::vector<Token> tokens = caption_tokens(text_, web);
    const std::vector<std::size_t> partner =
        tokens.size() > 2000 ? std::vector<std::size_t>(tokens.size(), kNoPartner) : partners_of(tokens);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].kind == Kind::text) {
        add_text(tokens[i]);
        continue;
      }
      at_ += tokens[i].raw.size();
      if (partner[i] == kNoPartner) continue;
      open_ += tokens[i].kind == Kind::open ? 1 : -1;
      if (open_ < gap_open_) put_gap(at_, at_);
    }
    cuts_.push_back({text_.size(), text_.size(), length_});
    return std::move(cuts_);
  }

 private:
  void add_text(const Token& t) {
    const bool plain = t.raw == t.text;
    for (std::size_t at = 0; at < t.text.size();) {
      const std::string_view c = text::character_at(t.text, at);
      at += c.size();
      if (plain && c == " ")
        blank_ = true, put_gap(at_, at_ + 1);
      else
        add_character(c);
      at_ += plain ? c.size() : 0;
      if (plain && c != " ") open_gap();
    }
    if (!plain) at_ += t.raw.size(), open_gap();
  }
  void add_character(std::string_view c) {
    if (!last_.empty() && (blank_ || may_break(last_, c))) cuts_.push_back({from_, to_, length_, gap_open_ > 0});
    last_ = c;
    length_ += std::max(text::width(c), 0);
  }
  void open_gap() {
    from_ = to_ = at_;
    gap_open_ = open_;
    blank_ = gap_blank_ = false;
  }
  // Keeps the best place since the last character: outside elements, at spaces.
  void put_gap(std::size_t from, std::size_t to) {
    const bool blank = to > from;
    if (open_ > gap_open_ || (open_ == gap_open_ && gap_blank_ && !(blank && to_ == from))) return;
    from_ = open_ == gap_open_ && gap_blank_ ? from_ : from;
    to_ = to;
    gap_open_ = open_, gap_blank_ = blank;
  }

  std::string_view text_;
  std::vector<Cut> cuts_{{}};
  std::string last_;
  std::size_t at_ = 0, from_ = 0, to_ = 0;
  int open_ = 0, gap_open_ = 0;
  bool blank_ = false, gap_blank_ = false;
  double length_ = 0;
};

class Spreader {
 public:
  Spreader(std::string_view translation, bool web, std::span<const Share> shares)
      : text_(translation), cuts_(Cuts(translation).find(web)), shares_(shares), parts_(shares.size()) {}

  std::vector<std::string> spread() {
    part(0, shares_.size(), cuts_.front(), cuts_.back(), 0);
    return std::move(parts_);
  }

 private:
  using Indices = std::vector<std::size_t>;

  bool new_group(std::size_t i, int level) const {
    return level == 2 || shares_[i].cue != shares_[i - 1].cue || (level == 1 && shares_[i].row != shares_[i - 1].row);
  }

  // Assigns the text between two cuts to shares first to last - 1. level: 0 splits by cues, 1 by
  // rows, 2 by times.
  void part(std::size_t first, std::size_t last, const Cut& begin, const Cut& end, int level) {
    if (level == 3) {
      parts_[first] = text_.substr(begin.to, std::max(end.from, begin.to) - begin.to);
      return;
    }
    Indices groups{first};
    for (std::size_t i = first + 1; i < last; ++i)
      if (new_group(i, level)) groups.push_back(i);
    const std::vector<Cut> chosen = choose(groups, last, begin, end, level);
    for (std::size_t k = 0; k < groups.size(); ++k)
      part(groups[k], k + 1 < groups.size() ? groups[k + 1] : last, chosen[k], chosen[k + 1], level + 1);
  }

  double length(std::size_t first, std::size_t last) const {
    double sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += std::max(shares_[i].length, 0.5);
    return sum;
  }

  std::vector<Cut> allowed(const Indices& groups, const Cut& begin, const Cut& end, int level) const {
    const auto tags = [&](std::size_t i) { return shares_[i].tags_before; };
    const bool outside = level == 0 || std::any_of(groups.begin() + 1, groups.end(), tags);
    std::vector<Cut> found;
    auto cut = std::upper_bound(cuts_.begin(), cuts_.end(), begin.length,
                                [](double value, const Cut& c) { return value < c.length; });
    for (; cut != cuts_.end() && cut->length < end.length; ++cut)
      if (!outside || !cut->inside) found.push_back(*cut);
    return found;
  }

  // Where each group begins, and where the last one ends.
  std::vector<Cut> choose(const Indices& groups, std::size_t last, const Cut& begin, const Cut& end, int level) const {
    std::vector<Cut> chosen{begin};
    const std::size_t wanted = groups.size() - 1;
    std::vector<Cut> cuts = wanted > 0 ? allowed(groups, begin, end, level) : std::vector<Cut>();
    const bool enough = cuts.size() >= wanted;
    if (!enough) cuts.insert(cuts.begin(), after(begin)), cuts.push_back(before(end));
    const double all = length(groups.front(), last);
    double so_far = 0;
    std::size_t next = 0;  // the first cut that is still available
    for (std::size_t k = 1; k <= wanted; ++k) {
      so_far += length(groups[k - 1], groups[k]);
      const double at = begin.length + (end.length - begin.length) * so_far / all;
      const std::size_t most = enough ? cuts.size() - (wanted - k) : cuts.size();
      const auto after_it = std::lower_bound(cuts.begin() + std::ptrdiff_t(next), cuts.begin() + std::ptrdiff_t(most),
                                             at, [](const Cut& c, double value) { return c.length < value; });
      auto i = static_cast<std::size_t>(after_it - cuts.begin());
      if (i == most || (i > next && at - cuts[i - 1].length < cuts[i].length - at)) --i;
      chosen.push_back(cuts[i]);
      next = enough ? i + 1 : i;
    }
    chosen.push_back(end);
    return chosen;
  }
  // Cuts that leave one side empty.
  static Cut after(const Cut& begin) { return {begin.to, begin.to, begin.length}; }
  static Cut before(const Cut& end) { return {end.from, end.from, end.length}; }

  std::string_view text_;
  std::vector<Cut> cuts_;
  std::span<const Share> shares_;
  std::vector<std::string> parts_;
};

}  // namespace

std::vector<std::string> spread(std::string_view translation, bool web, std::span<const Share> shares) {
  if (shares.size() == 1) return {std::string(translation)};
  return Spreader(translation, web, shares).spread();
}

}  // namespace hexapla::text::document
