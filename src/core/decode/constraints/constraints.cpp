#include "decode/constraints/constraints.h"

#include <algorithm>

#include "base/error.h"
#include "text/characters.h"
#include "text/lines/letter_case.h"
#include "text/utf8.h"

namespace hexapla::decode {
namespace {

// At least `tokens` tokens before </s>.
struct MinLength final : Constraint {
  int64_t tokens;
  int32_t eos;
  MinLength(int64_t n, int32_t end) : tokens(n), eos(end) {}
  bool allows(const Partial& so_far, int32_t id, std::string_view) const override {
    return id != eos || std::ssize(so_far.ids) > tokens;
  }
};

// Never the unknown piece.
struct KnownWords final : Constraint {
  int32_t unk;
  explicit KnownWords(int32_t id) : unk(id) {}
  bool allows(const Partial&, int32_t id, std::string_view) const override { return id != unk; }
};

// No n-gram of tokens twice (Paulus, Xiong, Socher 2017, section 2.5).
struct NoRepeatedNgram final : Constraint {
  size_t n;
  explicit NoRepeatedNgram(int64_t size) : n(static_cast<size_t>(size)) {}
  bool allows(const Partial& so_far, int32_t id, std::string_view) const override {
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
  explicit LimitedRepetition(int64_t n) : times(static_cast<size_t>(n)) {}
  bool allows(const Partial& so_far, int32_t, std::string_view added) const override {
    if (!bytes_repeat(so_far.text(), added)) return true;
    const std::string text = cat(so_far.text(), added);
    const std::vector<text::Character> all = text::characters_of(text);
    // The last repetition may end anywhere in the added text.
    for (size_t end = all.size(); end > 0 && all[end - 1].to > so_far.text().size(); --end) {
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

// None of the request's forbidden phrases, except inside the prefix. A phrase is decided when the
// character after it is whole, so that it does not depend on the pieces.
struct Forbidden final : Constraint {
  int32_t eos;
  explicit Forbidden(int32_t end) : eos(end) {}
  bool allows(const Partial& so_far, int32_t id, std::string_view added) const override {
    const SentenceConstraints& request = so_far.request;
    if (request.forbidden.empty()) return true;
    std::string before(whole_characters(so_far.text())), text = so_far.text();
    if (before.size() < request.prefix.size()) before = request.prefix;
    text += added;
    if (id != eos) text.resize(whole_characters(text).size());
    if (request.capitals) text::make_capitals(before, {}), text::make_capitals(text, {});
    const Ending ending = id == eos ? Ending::closed : Ending::open;
    return std::none_of(request.forbidden.begin(), request.forbidden.end(),
                        [&](const Phrase& p) { return must_not_stand_in(p, text, ending, before.size()); });
  }
};

template <class F>
bool any_request(const AllConstraints& all, F&& f) {
  return std::any_of(all.sentences.begin(), all.sentences.end(), f);
}
// Whether the word at the end of the prefix ends there.
bool ends_word(const Partial& so_far, std::string_view added) {
  const size_t end = so_far.request.prefix.size();
  if (whole_characters(so_far.text()).size() > end) return true;  // it did
  const std::string text = cat(so_far.text(), added);
  const std::string_view whole = whole_characters(text);
  return whole.size() <= end || text::word_boundary(whole, end);
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
  if (forbidden) {
    add(Forbidden(special.eos));
    forbidden_ = constraints_.back().get();
  }
  if (options.max_repetition > 0) add(LimitedRepetition(options.max_repetition));
}

Partial Constraints::partial(const text::Ids& ids, const SentenceConstraints& request) const {
  return {ids, read_text_ ? pieces_->read(ids, request.prefix) : TextSoFar(), request};
}

TextSoFar Constraints::with(const Partial& so_far, int32_t id) const {
  TextSoFar next = so_far.so_far;
  if (read_text_ && id != eos_) pieces_->add(next, id, so_far.request.prefix);
  return next;
}

bool Constraints::late(const Partial& so_far, int32_t id) const {
  if (!forced(so_far) || opening(so_far)) return false;
  const TextSoFar next = with(so_far, id);
  return next.text.size() < so_far.request.prefix.size() && next.silent > (so_far.request.opening ? 2 : 1);
}

// With the prefix: all of its pieces, pieces without text, and those that reach beyond it.
bool Constraints::allows_prefix(const Partial& so_far, int32_t id, std::string_view added) const {
  const std::string& prefix = so_far.request.prefix;
  if (id == eos_) return pieces_->closed(so_far.text()).size() >= prefix.size();
  if (!forced(so_far)) return true;
  const std::string_view rest = std::string_view(prefix).substr(so_far.text().size());
  return rest.starts_with(added) || added.starts_with(rest);
}

bool Constraints::allows(const Partial& so_far, int32_t id) const {
  if (const auto first = opening(so_far)) return id == *first;
  const SentenceConstraints& request = so_far.request;
  const std::string_view added =
      read_text_ && id != eos_ ? pieces_->added(so_far.so_far, id, request.prefix) : std::string_view();
  if (!request.prefix.empty() && !allows_prefix(so_far, id, added)) return false;
  if (request.word_ends && !ends_word(so_far, added)) return false;
  if (forced(so_far))
    return so_far.text().size() + added.size() < request.prefix.size() || !forbidden_ ||
           forbidden_->allows(so_far, id, added);
  return std::all_of(constraints_.begin(), constraints_.end(),
                     [&](const auto& rule) { return rule->allows(so_far, id, added); });
}

}  // namespace hexapla::decode
