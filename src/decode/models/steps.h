#pragma once
// Decoding token by token: every step computes the newest token of each hypothesis alone and finds the earlier ones in
// a cache. A hypothesis is a list of cache rows, so a beam that changes its ancestor copies row numbers, never states.
#include <span>
#include <utility>
#include <vector>

#include "decode/models/next_logits.h"
#include "decode/models/shortlist.h"
#include "model/transformer.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::decode {

// Sentences one after the other. InternalError: an empty one.
struct Ragged {
  std::vector<int32_t> ids, offsets{0};
  explicit Ragged(std::span<const text::Ids> sentences);
};

// Gives back, of both stacks, all that was taken from the arena since it was made.
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

// For a while, a forward pass keeps nothing for a backward one: of the encoder's layers only the last one's output
// stays. Whoever decodes encodes so, and decoding_memory() counts on it.
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

// A translation so far, and where the cache holds it.
struct Prefix {
  text::Ids ids;              // <s> first
  std::vector<int32_t> rows;  // the cache row of each id that a step has seen
};

// The decoder of a batch of sentences, which may come and go. It takes its memory from the arena's two stacks and gives
// all of it back when it goes: nothing else may be kept in the arena meanwhile.
class DecoderSteps {
 public:
  // memory_rows: room for so many source tokens at a time. cache_rows: how many (hypothesis, step) there can be at
  // most; rows that no hypothesis holds any more are used again.
  // shortlist: if there is one, a step computes the logits of what a source allows and no others; it must live as long.
  DecoderSteps(Context& cx, const model::Transformer& model, int64_t memory_rows, int64_t cache_rows,
               const Shortlist* shortlist = nullptr);
  // DecodingCapacity for just these sentences, encoded, one after the other.
  DecoderSteps(Context& cx, const model::Transformer& model, std::span<const text::Ids> sources, int64_t cache_rows);

  // Encodes sentences (each ends with </s>) into the memory rows from first_rows[i] on. What stood there is lost.
  void encode(std::span<const text::Ids> sources, std::span<const int64_t> first_rows);

  // Feeds the last id of each hypothesis and appends its cache row. Sentence i is the memory rows memory[i] ..
  // memory[i + 1] - 1 and has the hypotheses hypotheses[i] .. hypotheses[i + 1] - 1 (perhaps none: so gaps are
  // skipped).
  // -> logits of the next token, valid until the next step.
  NextLogits step(std::span<Prefix* const> prefixes, Offsets hypotheses, Offsets memory) {
    take_rows(prefixes);
    return compute(prefixes, hypotheses, memory);
  }
  // All the sentences that the constructor encoded.
  NextLogits step(std::span<Prefix* const> prefixes, Offsets hypotheses) { return step(prefixes, hypotheses, all_); }

  // The two halves of step, for several models that decode the same hypotheses: one of them takes the rows.
  void take_rows(std::span<Prefix* const> prefixes);
  NextLogits compute(std::span<Prefix* const> prefixes, Offsets hypotheses, Offsets memory);

 private:
  std::vector<int32_t> unseen_rows(std::span<Prefix* const> prefixes);

  Context& cx_;
  const model::Transformer& model_;
  ArenaRewind before_;
  std::vector<model::LayerCache> cache_;
  Arena::Mark step_{};
  std::vector<int32_t> all_;
  std::vector<bool> seen_;  // of each cache row: does a hypothesis hold it?
  const Shortlist* shortlist_;
  std::map<int64_t, text::Ids> allowed_;  // of the sentence whose memory begins at this row
};

// An upper bound of the arena that decoding a batch needs.
struct DecodingSizes {
  int64_t source_tokens;  // of the batch
  int64_t hypotheses;     // rows that go through the decoder at a time, at most
  int64_t logit_rows;     // those of which logits are computed at a time
  int64_t longest;        // tokens of the longest sentence on either side
  int64_t cache_rows;
  int64_t candidates;  // taken from each row of logits
};
size_t decoding_memory(const model::Config& c, const DecodingSizes& sizes, DType dtype);  // bytes

}  // namespace hexapla::decode
