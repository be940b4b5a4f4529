#include "decode/rescoring/aligner.h"

namespace hexapla::decode {
namespace {

std::vector<LineEncoder::Line> lines_of(std::vector<text::Ids> all) {
  std::vector<LineEncoder::Line> lines;
  for (text::Ids& ids : all) lines.push_back({std::move(ids), {}, 0});
  return lines;
}

}  // namespace

Aligner worker_aligner(const PairReader& reader, const TranslateOptions& options) {
  return [reader, &options](std::vector<text::Ids> sources, std::vector<text::Ids> targets, const SeeAlignment& see) {
    align_each(reader, PairBatches(lines_of(std::move(sources)), lines_of(std::move(targets)), options),
               options.attention, see);
  };
}

Aligner loop_aligner(Context& cx, const model::Transformer& model, const SpecialIds& special,
                     const AttentionHead& attention) {
  return [&cx, &model, special, attention](const std::vector<text::Ids>& sources, const std::vector<text::Ids>& targets,
                                           const SeeAlignment& see) {
    check(attention, model.config);
    for (size_t i = 0; i < sources.size(); ++i)
      see(i, std::move(align_pairs(cx, model, {&sources[i], 1}, {&targets[i], 1}, special, attention).front()));
  };
}

}  // namespace hexapla::decode
