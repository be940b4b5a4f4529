#include "decode/constraints/constraints.h"

#include <algorithm>

#include "base/error.h"
#include "text/characters.h"
#include "text/lines/letter_case.h"

namespace hexapla::decode {
namespace {

// At least `tokens` tokens before </s>.
struct MinLength final : Constraint {
  int64_t tokens;
  int32_t eos;
  MinLength(int64_t n, int32_t end) : tokens(n), eos(end) {}
  bool allows(const Partial& so_far, int32_t id) const override { return id != eos || std::ssize(so_far.ids) > tokens; }
};

// Never the unknown piece.
struct KnownWords final : Constraint {
  int32_t unk;
  explicit KnownWords(int32_t id) : unk(id) {}
  bool allows(const Partial&, int32_t id) const override { return id != unk; }
};

// No n-gram of tokens twice (Paulus, Xiong, Socher 2017, section 2.5).
struct NoRepeatedNgram final : Constraint {
  size_t n;
  explicit NoRepeatedNgram(int64_t size) : n(static_cast<size_t>(size)) {}
  bool allows(const Partial& so_far, int32_t id) const override {
    const text::Ids& ids = so_far.ids;  // the first, <s>, is not part of the translation, and may equal </s>
    if (ids.size() <= n) return true;
    const auto last = ids.end() - static_cast<std::ptrdiff_t>(n - 1);
    for (auto at = ids.begin() + 1; at != last; ++at)
      if (at[static_cast<std::ptrdiff_t>(n - 1)] == id && std::equal(last, ids.end(), at)) return false;
    return true;
  }
};

// No character sequence that contains a letter more than `times` times in a row: "endendend". A
// mark belongs to the character before it, so no repeated unit begins with one or ends before one.
struct LimitedRepetition final : Constraint {
  size_t times;
  const PieceTexts& pieces;
  LimitedRepetition(int64_t n, const PieceTexts& p) : times(static_cast<size_t>(n)), pieces(p) {}
  bool allows(const Partial& so_far, int32_t id) const override {
    const std::string_view added = pieces.added(so_far.text, id);
    if (!bytes_repeat(so_far.text, added)) return true;
    const std::string text = cat(so_far.text, added);
    const std::vector<text::Character> all = text::characters_of(text);
    // The last repetition may end anywhere in the added text.
    for (size_t end = all.size(); end > 0 && all[end - 1].to > so_far.text.size(); --end) {
      if (end < all.size() && all[end].kind == text::CharacterKind::mark) continue;
      for (size_t unit = 1; unit <= end / (times + 1); ++unit)
        if (repeats(text, std::span(all).first(end).last(unit * (times + 1)), unit)) return false;
    }
    return true;
  }

 private:
  // Whether any byte sequence that ends in the added text is repeated too often. Usually none is,
  // and then the slower check by characters is skipped.
  bool bytes_repeat(std::string_view before, std::string_view added) const {
    const auto byte = [&](size_t i) { return i < before.size() ? before[i] : added[i - before.size()]; };
    const auto repeats_with = [&](size_t period, size_t end) {
      for (size_t i = 1; i <= period * times; ++i)
        if (byte(end - i) != byte(end - i - period)) return false;
      return true;
    };
    for (size_t end = before.size() + added.size(); end > before.size(); --end)
      for (size_t period = 1; period * (times + 1) <= end; ++period)
        if (repeats_with(period, end)) return true;
    return false;
  }
  // Whether the tail consists of its first `unit` characters, repeated.
  static bool repeats(std::string_view text, std::span<const text::Character> tail, size_t unit) {
    const size_t from = tail.front().from, bytes = tail[unit].from - from;
    const std::string_view all = text.substr(from, tail.back().to - from);
    return all.size() == bytes * (tail.size() / unit) && all.substr(bytes) == all.substr(0, all.size() - bytes) &&
           tail.front().kind != text::CharacterKind::mark &&
           std::any_of(tail.begin(), tail.begin() + static_cast<std::ptrdiff_t>(unit),
                       [](const text::Character& c) { return c.kind == text::CharacterKind::letter; });
  }
};

// None of the request's forbidden phrases.
struct Forbidden final : Constraint {
  const PieceTexts& pieces;
  int32_t eos;
  Forbidden(const PieceTexts& p, int32_t end) : pieces(p), eos(end) {}
  bool allows(const Partial& so_far, int32_t id) const override {
    const Ending ending = id == eos ? Ending::closed : Ending::open;
    std::string before = so_far.text, text = before;
    text += pieces.added(so_far.text, id);
    if (so_far.request.capitals) text::make_capitals(before, {}), text::make_capitals(text, {});
    return std::none_of(so_far.request.forbidden.begin(), so_far.request.forbidden.end(),
                        [&](const Phrase& p) { return stands_in(p, text, ending, before.size()); });
  }
};

template <class F>
bool any_request(const AllConstraints& all, F&& f) {
  return std::any_of(all.sentences.begin(), all.sentences.end(), f);
}
bool has_prefix(const SentenceConstraints& r) { return !r.prefix.empty(); }
bool has_forbidden(const SentenceConstraints& r) { return !r.forbidden.empty(); }
bool has_required(const SentenceConstraints& r) { return !r.required.empty(); }

}  // namespace

bool is_constrained(const AllConstraints& all, const SearchOptions& o) {
  return o.min_length > 0 || o.repetition_penalty != 1 || o.no_repeat_ngram > 0 || o.max_repetition > 0 ||
         o.forbid_unknown || any_request(all, [](const SentenceConstraints& r) {
           return has_prefix(r) || has_forbidden(r) || has_required(r);
         });
}

Constraints::Constraints(const AllConstraints& all, const SearchOptions& options, const SpecialIds& special)
    : pieces_(all.pieces), eos_(special.eos) {
  const bool forbidden = any_request(all, has_forbidden);
  read_text_ =
      forbidden || options.max_repetition > 0 || any_request(all, has_prefix) || any_request(all, has_required);
  HEXAPLA_CHECK(pieces_ || !(read_text_ || options.forbid_unknown),
                "search: constraints on text, but no texts of the pieces");
  const auto add = [&](auto rule) { constraints_.push_back(std::make_unique<decltype(rule)>(std::move(rule))); };
  if (options.min_length > 0) add(MinLength(options.min_length, special.eos));
  if (options.forbid_unknown) add(KnownWords(pieces_->unk()));
  if (options.no_repeat_ngram > 0) add(NoRepeatedNgram(options.no_repeat_ngram));
  if (forbidden) add(Forbidden(*pieces_, special.eos));
  if (options.max_repetition > 0) add(LimitedRepetition(options.max_repetition, *pieces_));
}

Partial Constraints::partial(const text::Ids& ids, const SentenceConstraints& request) const {
  return {ids, read_text_ ? pieces_->read(ids, request.prefix) : std::string(), request};
}

bool Constraints::allows(const Partial& so_far, int32_t id) const {
  if (const auto first = opening(so_far)) return id == *first;
  if (forced(so_far)) {
    if (id == eos_) return false;
    const std::string_view rest = std::string_view(so_far.request.prefix).substr(so_far.text.size());
    const std::string_view added = pieces_->added(so_far.text, id, so_far.request.prefix);
    return !added.empty() && (rest.starts_with(added) || added.starts_with(rest));
  }
  return std::all_of(constraints_.begin(), constraints_.end(),
                     [&](const auto& rule) { return rule->allows(so_far, id); });
}

}  // namespace hexapla::decode
