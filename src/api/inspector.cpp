#include "hexapla/inspector.h"

#include <utility>

#include "api/guard.h"
#include "inspect/text_pair.h"
#include "models/open_model.h"
#include "report/picture.h"
#include "report/svg.h"

namespace hexapla {
namespace {

using Labels = std::vector<std::string>;

// Those of the rows and of the columns.
std::pair<const Labels&, const Labels&> labels_of(const Inspection& i, const std::string& sublayer) {
  if (sublayer.find(".cross_attention") != sublayer.npos) return {i.target_tokens, i.source_tokens};
  const Labels& own = sublayer.rfind("encoder", 0) == 0 ? i.source_tokens : i.target_tokens;
  return {own, own};
}

std::string draw(const Inspection& inspection, const std::string& sublayer) {
  const auto found = inspection.tensors.find(sublayer + ".weights");
  if (found == inspection.tensors.end() || found->second.shape.size() != 3)
    throw UsageError(cat("there is no attention called ", sublayer,
                         "; give a sublayer such as encoder.layers.0.self_attention or "
                         "decoder.layers.0.cross_attention"),
                     "sublayer", sublayer);
  const auto& [shape, values] = found->second;
  const auto [rows, columns] = labels_of(inspection, sublayer);
  report::SvgSheet sheet{sublayer, "each row is the attention of one token", rows, columns, {}};
  const auto size = shape[1] * shape[2];
  const std::vector<double>& scores = inspection.tensors.at(sublayer + ".scores").values;
  const std::vector<bool> masked = report::masked_by({scores.begin(), scores.begin() + size});  // alike in every head
  for (std::int64_t h = 0; h < shape[0]; ++h)
    sheet.maps.push_back({cat("head ", h), {values.begin() + h * size, values.begin() + (h + 1) * size}, masked});
  return report::draw_svg(sheet);
}

}  // namespace

struct Inspector::Impl {
  models::OpenModel m;
};

Inspector::Inspector(const std::string& path)
    : impl_(api::guarded([&] { return std::make_unique<Impl>(Impl{models::open_model(path)}); })) {}
Inspector::~Inspector() = default;
Inspector::Inspector(Inspector&&) noexcept = default;
Inspector& Inspector::operator=(Inspector&&) noexcept = default;

Inspection Inspector::inspect(const std::string& source, const std::string& target) const {
  return api::guarded([&] {
    const models::OpenModel& m = impl_->m;
    const inspect::Pair pair = inspect::read_pair({*m.backend, *m.file.net, m.source, m.target}, source,
                                                  target.empty() ? std::nullopt : std::optional(target));
    inspect::Inspection seen = inspect::inspect_pair(*m.backend, *m.file.net, pair, m.target.bos(), m.target.eos());
    Inspection result;
    result.source_tokens = inspect::pieces(m.source, pair.source);
    result.target_tokens = inspect::pieces(m.target, seen.target_in);
    result.predicted = inspect::pieces(m.target, seen.target_out);
    result.log_probabilities = seen.log_p;
    result.score = seen.score;
    for (const auto& [name, recorded] : seen.seen.tensors()) {
      NamedArray& array = result.tensors[name];
      for (int i = 0; i < recorded.shape.rank(); ++i) array.shape.push_back(recorded.shape[i]);
      array.values = recorded.values;
    }
    return result;
  });
}

std::string Inspector::draw_attention(const Inspection& inspection, const std::string& sublayer) {
  return api::guarded([&] { return draw(inspection, sublayer); });
}

}  // namespace hexapla
