#pragma once
// Forced decoding of many pairs: in batches of similar length, by several workers.
#include <algorithm>
#include <functional>
#include <vector>

#include "decode/lines/line_encoder.h"
#include "decode/options/translate_options.h"
#include "decode/rescoring/alignment.h"
#include "decode/steps/workers.h"

namespace hexapla::decode {

struct PairBatch {
  std::vector<size_t> indices;  // in the input
  std::vector<text::Ids> from, to;
};

// Batches of pairs of similar length, shared by workers.
struct PairBatches {
  std::vector<LineEncoder::Line> from, to;  // the sources end with </s>
  std::vector<std::vector<size_t>> batches;
  const std::atomic<bool>* stop;  // of the options

  PairBatches(std::vector<LineEncoder::Line> sources, std::vector<LineEncoder::Line> targets,
              const TranslateOptions& options);
  PairBatch batch(size_t i) const {
    PairBatch b{batches[i], {}, {}};
    for (size_t index : b.indices) {
      b.from.push_back(from[index].ids);
      b.to.push_back(to[index].ids);
    }
    return b;
  }
  // The largest memory of any batch.
  template <class Memory>
  size_t most(Memory&& memory) const {
    size_t bytes = 0;
    for (size_t i = 0; i < batches.size(); ++i) {
      const PairBatch b = batch(i);
      bytes = std::max<size_t>(bytes, memory(b.from, b.to));
    }
    return bytes;
  }
  // Throws Canceled if `stop` is set between two batches.
  template <class Work>
  void each_batch(Backend& backend, DType dtype, size_t memory, Work&& work) const {
    std::atomic<size_t> next = 0;
    on_workers(std::min<int64_t>(threads(), std::ssize(batches)), backend, dtype, memory, [&](Context& cx) {
      for (size_t i = next++; i < batches.size() && !stopped(); i = next++) work(cx, batch(i));
    });
    if (stopped()) throw Canceled("the scoring was canceled");
  }
  bool stopped() const { return stop && *stop; }
};

// The model for the pairs. Borrows.
struct PairReader {
  const model::Transformer& model;
  SpecialIds special;
  Backend& backend;
};
// Calls see(index in the input, weights of its tokens) for each pair, from the workers' threads.
// UsageError: no such head.
void align_each(const PairReader& reader, const PairBatches& pairs, const AttentionHead& attention,
                const std::function<void(size_t, SoftAlignment)>& see);

}  // namespace hexapla::decode
