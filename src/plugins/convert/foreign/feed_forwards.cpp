#include "convert/foreign/feed_forwards.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.h"

namespace hexapla::convert {
namespace {

constexpr std::string_view kInnerWeight = ".feed_forward.inner.weight";

// Rows of matrices [out, in] one below the other; 0: some are not there, which check() reports.
size_t rows_of_origin(const Origin& origin, const ForeignTensors& tensors) {
  size_t rows = 0;
  for (const Part& part : origin.parts) {
    const ForeignTensor* t = part.tensor.empty() ? nullptr : tensors.find(part.tensor);
    if (part.rows == 0 && (!t || t->shape.empty())) return 0;
    rows += part.rows > 0 ? part.rows : t->shape[0];
  }
  return rows;
}

void widen(WeightMap& map, const std::string& layer, size_t missing) {
  for (const char* part : {".inner.weight", ".inner.bias", ".linear.weight", ".linear.bias"})
    if (const auto found = map.origins.find(layer + part); found != map.origins.end())
      found->second.parts.push_back({"", 0, missing});
  if (const auto outer = map.origins.find(layer + ".outer.weight"); outer != map.origins.end())
    outer->second.zero_rows = missing;
}

}  // namespace

void widen_feed_forwards(ForeignModel& m, const FeedForwardWidths& recorded, const std::string& file) {
  std::map<std::string, size_t> widths;  // by layer, "encoder.layers.0.feed_forward"
  FeedForwardWidths sides;
  for (const auto& [name, origin] : m.weights.origins) {
    if (!name.ends_with(kInnerWeight) || origin.layout != Layout::transposed) continue;
    const size_t width = rows_of_origin(origin, *m.tensors);
    if (width == 0) return;
    widths[name.substr(0, name.size() - kInnerWeight.size()) + ".feed_forward"] = width;
    int64_t& side = name.starts_with("encoder.") ? sides.encoder : sides.decoder;
    side = std::max(side, static_cast<int64_t>(width));
  }
  if (widths.empty()) return;
  for (const auto& [side, now, before] :
       {std::tuple{"encoder", sides.encoder, recorded.encoder}, {"decoder", sides.decoder, recorded.decoder}})
    if (before > 0 && now > 0 && now != before)
      throw DataError(cat(m.tensors->path(), ": its ", side, " has feed-forward networks of width ", now, ", but ",
                          file, " says ", before, "; the files do not belong together"));
  const auto widest = static_cast<size_t>(std::max(sides.encoder, sides.decoder));
  size_t narrower = 0;
  for (const auto& [layer, width] : widths) {
    if (width == widest) continue;
    widen(m.weights, layer, widest - width);
    ++narrower;
  }
  m.config.d_ff = static_cast<int64_t>(widest);
  if (narrower > 0)
    m.notes.push_back(cat("the feed-forward networks of ", narrower, " of ", widths.size(), " layers are filled with ",
                          "zeros up to ", widest, ", the width of the widest (encoder ", sides.encoder, ", decoder ",
                          sides.decoder, "): the results are the same"));
}

}  // namespace hexapla::convert
