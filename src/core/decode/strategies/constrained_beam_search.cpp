#include "decode/strategies/constrained_beam_search.h"

#include <algorithm>
#include <map>

namespace hexapla::decode {
namespace {

// Takes the best candidate of each bank in turn, from the bank with the most tokens down, so that
// the beam is spread evenly over the numbers of required tokens. With one bank this is the order of
// the scores.
template <class Banked>
std::vector<Candidate> in_turns(const std::vector<Banked>& all) {
  std::map<int64_t, std::vector<Candidate>, std::greater<>> banks;
  for (const Banked& b : all) banks[b.bank].push_back(b.candidate);
  for (auto& [tokens, candidates] : banks) sort(candidates);
  std::vector<Candidate> order;
  for (size_t turn = 0; order.size() < all.size(); ++turn)
    for (const auto& [tokens, candidates] : banks)
      if (turn < candidates.size()) order.push_back(candidates[turn]);
  return order;
}

// Puts late candidates beyond the first `most` behind all others.
std::vector<Candidate> with_few_late(const std::vector<Candidate>& candidates, size_t most) {
  std::vector<Candidate> first, last;
  size_t late = 0;
  for (const Candidate& c : candidates) (c.late && ++late > most ? last : first).push_back(c);
  first.insert(first.end(), last.begin(), last.end());
  return first;
}

}  // namespace

void ConstrainedBeamSearch::choose(Context& cx, const NextLogits& logits, std::span<Sentence> sentences,
                                   std::span<const int64_t> first) {
  int64_t widest = 1;
  for (const Sentence& s : sentences) widest = std::max(widest, s.width);
  ConstrainedTokens tokens(cx, logits.whole(cx), 2 * widest, special_);
  for (size_t i = 0; i < sentences.size(); ++i) {
    Sentence& s = sentences[i];
    if (std::ssize(s.live.front().prefix.ids) < s.cap)
      grow({s, tokens, first[i]});
    else
      end({s, tokens, first[i]});
    retire(s);
  }
}

void ConstrainedBeamSearch::grow(const Step& step) const {
  Sentence& s = step.sentence;
  std::vector<Banked> all;
  for (size_t beam = 0; beam < s.live.size(); ++beam) add_row(step, beam, all);
  advance(s, with_few_late(in_turns(all), static_cast<size_t>(s.width) / 2), options_, special_.eos);
  std::stable_sort(s.live.begin(), s.live.end(),
                   [](const BeamEntry& a, const BeamEntry& b) { return a.score > b.score; });
}

void ConstrainedBeamSearch::add_row(const Step& step, size_t beam, std::vector<Banked>& all) const {
  const BeamEntry& live = step.sentence.live[beam];
  const Partial so_far = constraints_.partial(live.prefix.ids, *step.sentence.constraints);
  const auto needed = 2 * static_cast<size_t>(step.sentence.width);
  size_t taken = 0, late = 0;
  const bool may_end = so_far.request.required.empty() || met(so_far.request.required, so_far.so_far).all;
  const auto row = step.first_row + static_cast<int64_t>(beam);
  repeated_.visit(step.tokens, row, so_far, constraints_, [&](double score, double lost, int32_t id) {
    const bool is_late = constraints_.late(so_far, id);
    if ((id != special_.eos || may_end) && (!is_late || late < needed))
      all.push_back({{live.score + score + lost, score, beam, id, lost, is_late}, bank(so_far, id)});
    ++(is_late ? late : taken);
    return taken < needed;
  });
  if (!so_far.request.required.empty() && !constraints_.forced(so_far)) add_required(step, beam, so_far, all);
}

// Adds the tokens that begin or continue required phrases, however improbable; and </s> if every
// other candidate would break the last phrase.
void ConstrainedBeamSearch::add_required(const Step& step, size_t beam, const Partial& so_far,
                                         std::vector<Banked>& all) const {
  const Met m = met(so_far.request.required, so_far.so_far);
  text::Ids wanted = m.next;
  const auto mine = [&](const Banked& b) { return b.candidate.beam == beam; };
  if (m.all && std::none_of(all.begin(), all.end(), [&](const Banked& b) { return mine(b) && b.bank >= m.tokens; }))
    wanted.push_back(special_.eos);
  for (const int32_t id : wanted) {
    if (std::any_of(all.begin(), all.end(), [&](const Banked& b) { return mine(b) && b.candidate.id == id; })) continue;
    if (!constraints_.allows(so_far, id)) continue;
    const int64_t row = step.first_row + static_cast<int64_t>(beam);
    const double score = step.tokens.score(row, id), lost = repeated_.lost(step.tokens, row, so_far, id);
    all.push_back({{step.sentence.live[beam].score + score + lost, score, beam, id, lost}, bank(so_far, id)});
  }
}

int64_t ConstrainedBeamSearch::bank(const Partial& so_far, int32_t id) const {
  return so_far.request.required.empty() ? 0 : met(so_far.request.required, constraints_.with(so_far, id)).tokens;
}

// At the maximum length every hypothesis that may end gets </s>.
void ConstrainedBeamSearch::end(const Step& step) const {
  Sentence& s = step.sentence;
  for (size_t i = 0; i < s.live.size(); ++i) {
    const Partial so_far = constraints_.partial(s.live[i].prefix.ids, *s.constraints);
    if (!constraints_.allows(so_far, special_.eos) || !met(so_far.request.required, so_far.so_far).all) continue;
    s.finished.push_back(
        finish(s.live[i], step.tokens.score(step.first_row + static_cast<int64_t>(i), special_.eos), options_));
  }
  s.live.clear();
}

// Goes on although `width` hypotheses are finished: the first ones placed the phrases early and
// badly.
void ConstrainedBeamSearch::retire(Sentence& s) const {
  if (s.constraints->required.empty() || s.live.empty()) return decode::retire(s, options_);
  sort_best_first(s.finished);
  if (passed(s, options_)) s.live.clear();
  if (s.live.empty()) decode::retire(s, options_);
}

}  // namespace hexapla::decode
