#include "decode/rescoring/pair_batches.h"

#include "decode/lines/length_batches.h"

namespace hexapla::decode {

PairBatches::PairBatches(std::vector<LineEncoder::Line> sources, std::vector<LineEncoder::Line> targets,
                         const TranslateOptions& options)
    : from(std::move(sources)), to(std::move(targets)), stop(options.stop) {
  std::vector<int64_t> lengths;
  for (size_t i = 0; i < from.size(); ++i)
    lengths.push_back(static_cast<int64_t>(std::max(from[i].ids.size(), to[i].ids.size() + 1)));
  batches = plan_batches(lengths, options);
}

void align_each(const PairReader& reader, const PairBatches& pairs, const AttentionHead& attention,
                const std::function<void(size_t, SoftAlignment)>& see) {
  check(attention, reader.model.config);
  const DType dtype = reader.model.target_embedding().table.value.dtype;
  const size_t memory =
      pairs.most([&](const auto& x, const auto& y) { return align_memory(reader.model, x, y, dtype); });
  pairs.each_batch(reader.backend, dtype, memory, [&](Context& cx, const PairBatch& batch) {
    auto found = align_pairs(cx, reader.model, batch.from, batch.to, reader.special, attention);
    for (size_t b = 0; b < found.size(); ++b) see(batch.indices[b], std::move(found[b]));
  });
}

}  // namespace hexapla::decode
