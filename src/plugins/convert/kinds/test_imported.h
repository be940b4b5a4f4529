#pragma once
// For tests: an imported model, and its results for rows of ids.
#include <cmath>

#include "backend/context.h"
#include "convert/import.h"
#include "model/weights/model_file.h"

namespace hexapla::convert {

// Imports the model at `path` to `output` and loads it.
class ImportedModel {
 public:
  ImportedModel(const std::string& path, const std::string& output, const ImportOptions& options)
      : import_(import_model(path, output, options, [](double) {})), file_(model::load_model(output)) {}

  const Imported& import() const { return import_; }
  const model::LoadedModel& file() const { return file_; }

  // Log probabilities of all tokens at every target position, [M * V].
  std::vector<float> log_probabilities(Backend& backend, const model::BatchView& batch) {
    Arena arena(size_t{64} << 20);
    Context cx{backend, arena};
    model::Transformer::Saved saved;
    const Tensor all = file_.net->log_probabilities(cx, batch, saved);
    const auto values = all.values<float>();
    return {values.begin(), values.end()};
  }

 private:
  Imported import_;
  model::LoadedModel file_;
};

inline double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size() || a.empty()) return INFINITY;
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i) most = std::max(most, std::fabs(double(a[i]) - double(b[i])));
  return std::isnan(most) ? INFINITY : most;
}

}  // namespace hexapla::convert
