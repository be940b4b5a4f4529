#pragma once
// Decoding token by token: every step computes only the newest token of each hypothesis and reads
// the earlier ones from a cache. A hypothesis is a list of cache rows, so when a beam changes its
// ancestor, only row numbers are copied, not states.
#include <span>
#include <utility>
#include <vector>

#include "decode/steps/next_logits.h"
#include "decode/steps/shortlist.h"
#include "model/transformer.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::decode {

// Concatenated sentences. InternalError: an empty one.
struct Ragged {
  std::vector<int32_t> ids, offsets{0};
  explicit Ragged(std::span<const text::Ids> sentences);
};

// Gives back everything taken from both stacks of the arena since construction.
class ArenaRewind {
 public:
  explicit ArenaRewind(Arena& arena) : arena_(arena), mark_(arena.mark()) {}
  ~ArenaRewind() { arena_.rewind(mark_); }
  ArenaRewind(const ArenaRewind&) = delete;
  ArenaRewind& operator=(const ArenaRewind&) = delete;
  const Arena::Mark& mark() const { return mark_; }

 private:
  Arena& arena_;
  Arena::Mark mark_;
};

// During its lifetime, forward passes keep nothing for a backward pass: only the last encoder
// layer's output stays. Decoding encodes this way, and decoding_memory() relies on it.
class ForwardOnly {
 public:
  explicit ForwardOnly(Context& cx) : cx_(cx), before_(std::exchange(cx.forward_only, true)) {}
  ~ForwardOnly() { cx_.forward_only = before_; }
  ForwardOnly(const ForwardOnly&) = delete;
  ForwardOnly& operator=(const ForwardOnly&) = delete;

 private:
  Context& cx_;
  bool before_;
};

// A partial translation, and its rows in the cache.
struct Prefix {
  text::Ids ids;              // <s> first
  std::vector<int32_t> rows;  // the cache row of each id already fed to a step

  // Followed by `id`, with room for its row: this runs for every hypothesis of every step.
  Prefix with(int32_t id) const {
    Prefix next;
    next.ids.reserve(ids.size() + 1);
    next.ids.assign(ids.begin(), ids.end());
    next.ids.push_back(id);
    next.rows.reserve(rows.size() + 1);
    next.rows.assign(rows.begin(), rows.end());
    return next;
  }
};

// The decoder for a changing batch of sentences. It takes memory from both stacks of the arena and
// gives all of it back on destruction: nothing else may be kept in the arena during its lifetime.
class DecoderSteps {
 public:
  // memory_rows: room for this many source tokens at a time. cache_rows: upper bound for the number
  // of (hypothesis, step) pairs; rows that no hypothesis uses any more are reused. shortlist: if
  // given, a step computes only the logits that a source allows; it must outlive this.
  DecoderSteps(Context& cx, const model::Transformer& model, int64_t memory_rows, int64_t cache_rows,
               const Shortlist* shortlist = nullptr);
  // A decoder for exactly these sentences, already encoded, in this order.
  DecoderSteps(Context& cx, const model::Transformer& model, std::span<const text::Ids> sources, int64_t cache_rows);

  // Encodes sentences (each ends with </s>) into the memory rows from first_rows[i] on, overwriting
  // them.
  void encode(std::span<const text::Ids> sources, std::span<const int64_t> first_rows);

  // Feeds the last id of each hypothesis and appends its cache row. Sentence i has the memory rows
  // memory[i] .. memory[i + 1] - 1 and the hypotheses hypotheses[i] .. hypotheses[i + 1] - 1 (none
  // for gaps in the memory). Returns the logits of the next token, valid until the next step.
  NextLogits step(std::span<Prefix* const> prefixes, Offsets hypotheses, Offsets memory) {
    take_rows(prefixes);
    return compute(prefixes, hypotheses, memory);
  }
  // For all sentences that the constructor encoded.
  NextLogits step(std::span<Prefix* const> prefixes, Offsets hypotheses) { return step(prefixes, hypotheses, all_); }

  // The two halves of step(), for several models that decode the same hypotheses: only one of them
  // takes the rows.
  void take_rows(std::span<Prefix* const> prefixes);
  NextLogits compute(std::span<Prefix* const> prefixes, Offsets hypotheses, Offsets memory);

 private:
  model::StepInput step_input(std::span<Prefix* const> prefixes, Offsets hypotheses);
  std::vector<int32_t> unseen_rows(std::span<Prefix* const> prefixes);

  Context& cx_;
  const model::Transformer& model_;
  ArenaRewind before_;
  std::vector<model::LayerCache> cache_;
  Arena::Mark step_{};
  std::vector<int32_t> all_;
  std::vector<bool> seen_;  // whether a hypothesis uses the cache row
  const Shortlist* shortlist_;
  std::map<int64_t, text::Ids> allowed_;  // for the sentence whose memory begins at this row
};

// Determines an upper bound of the arena needed to decode a batch.
struct DecodingSizes {
  int64_t source_tokens;  // in the batch
  int64_t hypotheses;     // most decoder rows at a time
  int64_t logit_rows;     // rows of logits at a time
  int64_t longest;        // tokens of the longest sentence on either side
  int64_t cache_rows;
  int64_t candidates;  // taken from each row of logits
};
size_t decoding_memory(const model::Config& c, const DecodingSizes& sizes, DType dtype);  // bytes

}  // namespace hexapla::decode
