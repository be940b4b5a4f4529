#include "decode/search/decoding_capacity.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hexapla::decode {

namespace {

// Two hypotheses per bank translate the rest better than one. The fullest banks continue in a
// narrow beam, too, and a sentence may contain many glossary terms.
constexpr int64_t kWidestOfTerms = 16;

// The number of tokens that a request forces into a translation.
int64_t demanded(const SentenceConstraints& request) {
  int64_t n = request.prefix_tokens;
  for (const Requirement& r : request.required) n += r.tokens();
  return n;
}

const SentenceConstraints& request(const Queue& q, size_t source) {
  static const SentenceConstraints none;
  return q.requests.empty() ? none : q.requests[source];
}

}  // namespace

int64_t positions(const model::Transformer& model) {
  return model.config.positions == "learned" ? model.config.max_positions : std::numeric_limits<int64_t>::max();
}

int64_t longest_translation(int64_t positions, const text::Ids& source, const SearchOptions& options,
                            const SentenceConstraints& request) {
  const auto tokens = std::ssize(source);
  int64_t cap = tokens + options.extra_length + demanded(request);
  if (options.longest > 0) cap = std::min(cap, options.longest + 1);  // for </s>
  if (options.longest_ratio > 0)
    cap = std::min(cap, static_cast<int64_t>(std::ceil(options.longest_ratio * static_cast<double>(tokens - 1))) + 1);
  if (options.min_length > 0) cap = std::max(cap, options.min_length + 1);
  return std::min(cap, positions);
}

int64_t width(const SearchOptions& options, const SentenceConstraints& request) {
  if (options.sampling) return options.n_best;
  int64_t phrases = 0, terms = 0;
  for (const Requirement& r : request.required) (r.apart ? terms : phrases) += r.tokens();
  if (phrases + terms == 0) return options.beam_size;
  const int64_t wide = terms == 0 ? 0 : std::min(2 * (phrases + terms + 1), kWidestOfTerms);
  return std::max({static_cast<int64_t>(options.beam_size), phrases + 1, wide});
}

DecodingCapacity::DecodingCapacity(int64_t positions, const Queue& q, const SearchOptions& options) {
  int64_t all = 0, rows = 0, longest_source = 0;
  int64_t beyond = 0;  // most tokens of a translation beyond those of its source
  for (const size_t i : q.order) {
    const SentenceConstraints& r = request(q, i);
    const auto n = std::ssize(q.sources[i]);
    const int64_t cap = longest_translation(positions, q.sources[i], options, r), hypotheses = width(options, r);
    all += n, rows += cap * hypotheses;
    beyond = std::max(beyond, cap - n);
    widest = std::max(widest, hypotheses);
    longest_source = std::max(longest_source, n);
    longest = std::max({longest, n, cap});
  }
  sentences = std::min(q.sentences, std::ssize(q.order));
  tokens = std::max(longest_source, std::min(q.tokens, all));
  cache_rows = std::min(rows, widest * (tokens + sentences * beyond));
}

StepLayout::StepLayout(std::vector<Sentence>& sentences, int64_t tokens) {
  int64_t gap = 0;
  for (Sentence& s : sentences) {
    if (s.first_row > gap) begin(gap);
    begin(s.first_row);
    first.push_back(std::ssize(prefixes));
    for (BeamEntry& live : s.live) prefixes.push_back(&live.prefix);
    gap = s.first_row + s.tokens;
  }
  if (tokens > gap) begin(gap);
  begin(tokens);
}

void StepLayout::begin(int64_t row) {
  memory.push_back(static_cast<int32_t>(row));
  offsets.push_back(static_cast<int32_t>(prefixes.size()));
}

}  // namespace hexapla::decode
