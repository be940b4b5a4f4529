#include "decode/strategies/beam_search.h"

#include <algorithm>

namespace hexapla::decode {
namespace {

// The required first token of the translation, which costs nothing, if nothing is written yet.
std::optional<int32_t> given_start(const Sentence& s) {
  return s.live.front().prefix.ids.size() == 1 ? s.constraints->opening : std::nullopt;
}

bool better(const Candidate& a, const Candidate& b) { return a.score > b.score; }

// Expand: the candidates of one sentence, best first; ties by the lower beam, then by the order in
// the row. Keeps the list sorted: a row descends, so its first candidate that is no better than a
// full list ends the row.
std::vector<Candidate> expand(const Sentence& s, const BestTokens& best, int64_t first_row, size_t needed) {
  if (const auto given = given_start(s)) return {{0, 0, 0, *given}};
  std::vector<Candidate> all;
  all.reserve(needed + 1);
  for (size_t beam = 0; beam < s.live.size(); ++beam) {
    best.visit(first_row + static_cast<int64_t>(beam), [&](double score, int32_t id) {
      const Candidate c{s.live[beam].score + score, score, beam, id};
      if (all.size() == needed && !better(c, all.back())) return false;
      all.insert(std::upper_bound(all.begin(), all.end(), c, better), c);
      if (all.size() > needed) all.pop_back();
      return true;
    });
  }
  return all;
}

// Call when the finished hypotheses are sorted and at least as many as the beam is wide.
bool outscored(const Sentence& s, const SearchOptions& options) {
  if (s.live.empty() || s.width == 1) return true;
  const BeamEntry& best = s.live.front();
  const auto tokens = std::ssize(best.prefix.ids) - 1;
  return normalized(best.score, tokens, options) <= s.finished.back().normalized;
}

}  // namespace

void sort(std::vector<Candidate>& candidates) { std::stable_sort(candidates.begin(), candidates.end(), better); }

void advance(Sentence& s, const std::vector<Candidate>& candidates, const SearchOptions& options, int32_t eos) {
  const bool shrinks = options.stop_when == StopWhen::shrinking, first = s.live.front().prefix.ids.size() == 1;
  const size_t width = shrinks && !first ? s.live.size() : static_cast<size_t>(s.width);
  std::vector<BeamEntry> next;
  for (size_t rank = 0; rank < candidates.size() && next.size() < width && !(shrinks && rank == width); ++rank) {
    const Candidate& c = candidates[rank];
    const BeamEntry& ancestor = s.live[c.beam];
    if (c.id != eos) {
      next.push_back(extended(ancestor, c.id, c.score, c.last, options));
      next.back().lost += c.lost;
    } else if (rank < width) {
      s.finished.push_back(finish(ancestor, c.last, options, c.lost));
    }
  }
  s.live = std::move(next);
}

void retire(Sentence& s, const SearchOptions& options) {
  sort_best_first(s.finished);
  const auto width = static_cast<size_t>(s.width);
  s.finished.resize(std::min(s.finished.size(), width));
  const bool full = s.finished.size() == width;
  const bool enough = full && options.stop_when != StopWhen::never &&
                      (options.stop_when != StopWhen::outscored || outscored(s, options));
  if (!s.live.empty() && !enough && !passed(s, options)) return;
  s.live.clear();
  s.finished.resize(std::min(s.finished.size(), static_cast<size_t>(options.n_best)));
}

// A score only falls with more tokens, and its divisor is extreme at the next length or at the
// maximum length. Word penalties and rewards grow with the number of tokens.
bool passed(const Sentence& s, const SearchOptions& options) {
  const auto n_best = static_cast<size_t>(options.n_best);
  if (s.finished.size() < n_best) return false;
  const BeamEntry& best = s.live.front();
  const auto next = std::ssize(best.prefix.ids);  // counting <s> in place of the next </s>
  const double score = best.score - options.word_penalty * static_cast<double>(options.word_penalty < 0 ? s.cap : next);
  const double bound =
      std::max(score / divisor(options.length_penalty, next), score / divisor(options.length_penalty, s.cap));
  return bound <= s.finished[n_best - 1].normalized;
}

void BeamSearch::choose(Context& cx, const NextLogits& logits, std::span<Sentence> sentences,
                        std::span<const int64_t> first) {
  const int64_t needed = 2 * options_.beam_size;  // at most half of them end
  const BestTokens best(cx, logits, needed, special_);
  for (size_t i = 0; i < sentences.size(); ++i) {
    Sentence& s = sentences[i];
    if (std::ssize(s.live.front().prefix.ids) < s.cap) {
      const std::vector<Candidate> candidates = expand(s, best, first[i], static_cast<size_t>(needed));
      weighed(s, candidates);
      advance(s, candidates, options_, special_.eos);
    } else {
      end(cx, s, logits.slice(first[i], std::ssize(s.live)));
    }
    retire(s, options_);
  }
}

// At the maximum length every hypothesis gets </s>.
void BeamSearch::end(Context& cx, Sentence& s, const NextLogits& logits) {
  const std::vector<double> ends = end_scores(cx, logits, special_);
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < s.live.size(); ++i)
    candidates.push_back({s.live[i].score + ends[i], ends[i], i, special_.eos});
  weighed(s, candidates);
  for (size_t i = 0; i < s.live.size(); ++i) s.finished.push_back(finish(s.live[i], ends[i], options_));
  s.live.clear();
}

}  // namespace hexapla::decode
