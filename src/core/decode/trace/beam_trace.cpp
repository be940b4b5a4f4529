#include "decode/trace/beam_trace.h"

#include "base/error.h"
#include "base/system/cancellation.h"
#include "decode/constraints/constraints.h"
#include "decode/search/decode_loop.h"
#include "decode/strategies/beam_search.h"

namespace hexapla::decode {
namespace {

// For a single sentence.
class TracedBeamSearch final : public BeamSearch {
 public:
  TracedBeamSearch(const SearchOptions& options, const SpecialIds& special, Trace& trace)
      : BeamSearch(options, special), options_(options), eos_(special.eos), trace_(trace) {}

  void choose(Context& cx, const NextLogits& logits, std::span<Sentence> sentences,
              std::span<const int64_t> first) override {
    BeamSearch::choose(cx, logits, sentences, first);
    if (sentences.front().live.empty()) end();
  }

 private:
  void weighed(const Sentence& s, const std::vector<Candidate>& candidates) override {
    TracedStep step;
    for (const BeamEntry& live : s.live) step.live.emplace_back(live.prefix.ids.begin() + 1, live.prefix.ids.end());
    const int64_t length = std::ssize(s.live.front().prefix.ids);  // counting </s> in place of <s>
    at_longest_ = length == s.cap;
    size_t going_on = 0;
    for (size_t rank = 0; rank < candidates.size(); ++rank) {
      const Candidate& c = candidates[rank];
      const Fate fate = fate_of(rank, c.id == eos_, going_on);
      going_on += fate == Fate::goes_on;
      finished_ += fate == Fate::finished;
      step.candidates.push_back({c.beam, c.id, c.last, c.score, normalized(c.score, length, options_), fate});
    }
    trace_.steps.push_back(std::move(step));
  }

  // As in advance().
  Fate fate_of(size_t rank, bool ends, size_t going_on) const {
    const auto width = static_cast<size_t>(options_.beam_size);
    if (at_longest_) return Fate::finished;
    if (going_on >= width) return Fate::beaten;
    if (!ends) return Fate::goes_on;
    return rank < width ? Fate::finished : Fate::too_low;
  }

  void end() {
    trace_.ending = ending();
    for (TracedCandidate& c : trace_.steps.back().candidates)
      if (c.fate == Fate::goes_on) c.fate = Fate::left;
  }
  TraceEnd ending() const {
    if (at_longest_) return TraceEnd::longest;
    return finished_ >= static_cast<size_t>(options_.beam_size) ? TraceEnd::enough : TraceEnd::passed;
  }

  const SearchOptions& options_;
  int32_t eos_;
  Trace& trace_;
  bool at_longest_ = false;
  size_t finished_ = 0;
};

}  // namespace

void check_traceable(const SearchOptions& options) {
  check(options);
  if (options.stop_when == StopWhen::shrinking)
    throw UsageError("a trace shows a beam that keeps its width; give another `stop-when`");
  if (options.shortlist) throw UsageError("a trace shows the search among all pieces; leave out `shortlist`");
  if (options.sampling || is_constrained({}, options))
    throw UsageError(
        "a trace shows plain beam search; leave out sampling, `min-length`, and rules on repeats and "
        "unknown words");
}

Trace trace_search(Context& cx, const model::Transformer& model, const text::Ids& source, const SearchOptions& options,
                   const SpecialIds& special, std::optional<int32_t> opening) {
  check_traceable(options);
  Trace trace;
  const std::vector<text::Ids> sources{source};
  const std::vector<size_t> order{0};
  const SentenceConstraints request{.opening = opening};
  Queue queue{.sources = sources,
              .order = order,
              .sentences = 1,
              .tokens = std::ssize(source),
              .requests = {&request, 1},
              .stop = cancel_flag()};
  const DecodingCapacity capacity(positions(model), queue, options);
  TracedBeamSearch strategy(options, special, trace);
  const Done done = [&](size_t, std::vector<Hypothesis> found) { trace.found = std::move(found); };
  ListQueue list(queue, options, strategy, done);
  run_loop(cx, model, list, capacity, options);
  check_canceled();
  return trace;
}

std::string text_of(Fate fate, int beam_size) {
  switch (fate) {
    case Fate::goes_on:
      return "goes on";
    case Fate::finished:
      return "finished";
    case Fate::too_low:
      return cat("dropped: ends below rank ", beam_size);
    case Fate::left:
      return "dropped: the search ends";
    case Fate::beaten:
      break;
  }
  return cat("dropped: ", beam_size, " better ones go on");
}

std::string text_of(TraceEnd ending, int beam_size) {
  switch (ending) {
    case TraceEnd::enough:
      return cat(beam_size, " hypotheses are finished");
    case TraceEnd::passed:
      return "no live hypothesis can still pass the best finished one";
    case TraceEnd::longest:
      break;
  }
  return "the longest length is reached: every live hypothesis got </s>";
}

}  // namespace hexapla::decode
