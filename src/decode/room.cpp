#include "decode/room.h"

#include <algorithm>

namespace hexapla {

int64_t longest_translation(const Transformer& model, const Ids& source, const SearchOptions& options) {
  const int64_t cap = static_cast<int64_t>(source.size()) + options.extra_length;
  return model.config.positions == "learned" ? std::min(cap, model.config.max_positions) : cap;
}

Room::Room(const Transformer& model, const Queue& q, const SearchOptions& options) {
  int64_t all = 0, caps = 0, longest_source = 0;
  for (const size_t i : q.order) {
    const auto n = static_cast<int64_t>(q.sources[i].size());
    const int64_t cap = longest_translation(model, q.sources[i], options);
    all += n, caps += cap;
    longest_source = std::max(longest_source, n);
    longest = std::max({longest, n, cap});
  }
  sentences = std::min(q.sentences, static_cast<int64_t>(q.order.size()));
  tokens = std::max(longest_source, std::min(q.tokens, all));
  cache_rows = options.beam_size * std::min(caps, tokens + sentences * options.extra_length);
}

Rows::Rows(std::vector<Sentence>& sentences, int64_t tokens) {
  int64_t gap = 0;
  for (Sentence& s : sentences) {
    if (s.place > gap) begin(gap);
    begin(s.place);
    first.push_back(static_cast<int64_t>(prefixes.size()));
    for (Live& live : s.live) prefixes.push_back(&live.prefix);
    gap = s.place + s.tokens;
  }
  if (tokens > gap) begin(gap);
  begin(tokens);
}

void Rows::begin(int64_t row) {
  memory.push_back(static_cast<int32_t>(row));
  starts.push_back(static_cast<int32_t>(prefixes.size()));
}

}  // namespace hexapla
