#include "inspect/attention_steps.h"

#include <cmath>
#include <limits>

namespace hexapla::inspect {
namespace {

// Scopes of attention whose weights were recorded.
std::vector<std::string> attentions(const Recorder& seen) {
  const std::string last = ".weights";
  std::vector<std::string> all;
  for (const auto& [name, value] : seen.tensors())
    if (name.ends_with(last) && (name.starts_with("encoder.") || name.starts_with("decoder.")))
      all.push_back(name.substr(0, name.size() - last.size()));
  return all;
}

// a_h b_h^T for each head h: [n, H * d], [m, H * d] -> [H, n, m]
Recorded products_by_head(const Recorded& a, const Recorded& b, int64_t heads) {
  const int64_t n = a.shape[0], m = b.shape[0], width = a.shape[1], d = width / heads;
  Recorded all{{heads, n, m}, DType::f64, {}};
  for (int64_t h = 0; h < heads; ++h)
    for (int64_t t = 0; t < n; ++t)
      for (int64_t u = 0; u < m; ++u) {
        double sum = 0;
        for (int64_t i = h * d; i < (h + 1) * d; ++i) sum += a.values[t * width + i] * b.values[u * width + i];
        all.values.push_back(sum);
      }
  return all;
}

// The derivative of softmax, by row: weight * (d - sum over the row of weight * d).
Recorded softmax_gradient(const Recorded& weights, const Recorded& d) {
  Recorded result = d;
  const size_t columns = weights.shape[-1];
  for (size_t row = 0; row < d.values.size(); row += columns) {
    double mean = 0;
    for (size_t i = row; i < row + columns; ++i) mean += weights.values[i] * d.values[i];
    for (size_t i = row; i < row + columns; ++i) result.values[i] = weights.values[i] * (d.values[i] - mean);
  }
  return result;
}

Recorded times(Recorded r, double factor) {
  for (double& x : r.values) x *= factor;
  return r;
}

Recorded mask_of(const model::Config& c, int64_t n) {
  Recorded mask{{n, n}, DType::f64, std::vector<double>(n * n, 0)};
  for (int64_t t = 0; t < n && model::is_causal(c); ++t)
    for (int64_t u = t + 1; u < n; ++u) mask.values[t * n + u] = -std::numeric_limits<double>::infinity();
  return mask;
}

}  // namespace

void add_attention_steps(Recorder& seen, const model::Config& config) {
  for (const std::string& scope : attentions(seen))
    if (config.score != "additive")
      seen.add(scope + ".unscaled", products_by_head(seen.get(scope + ".q"), seen.get(scope + ".k"), config.heads));
  const Recorded* embedded = config.decoder_mixing == "attention" ? seen.find("decoder.embedded") : nullptr;
  if (embedded) seen.add("decoder.mask", mask_of(config, embedded->shape[0]));
}

void add_attention_gradients(Recorder& seen, const model::Config& config) {
  const double scale = config.score == "scaled-dot" ? 1 / std::sqrt(static_cast<double>(config.d_k)) : 1;
  for (const std::string& scope : attentions(seen)) {
    const Recorded d_weights =
        products_by_head(seen.get("gradient." + scope + ".heads"), seen.get(scope + ".v"), config.heads);
    seen.add("gradient." + scope + ".weights", d_weights);
    if (!config.softmax()) continue;
    const Recorded d_scores = softmax_gradient(seen.get(scope + ".weights"), d_weights);
    if (config.score != "additive") seen.add("gradient." + scope + ".unscaled", times(d_scores, scale));
    seen.add("gradient." + scope + ".scores", d_scores);
  }
}

}  // namespace hexapla::inspect
