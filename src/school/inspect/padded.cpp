#include "inspect/padded.h"

#include <algorithm>
#include <limits>

namespace hexapla::inspect {
namespace {

constexpr double kHidden = -std::numeric_limits<double>::infinity();

// Runs only the encoder; the target does not matter.
Recorder encoder_of(Backend& backend, const model::Transformer& model, const text::Ids& source) {
  return inspect_pair(backend, model, {source, {}}, 0, 0).seen;
}

// [n, d], followed by rows of zeros.
void pad_rows(const Recorded& r, int64_t longest, std::vector<double>& to) {
  to.insert(to.end(), r.values.begin(), r.values.end());
  to.resize(to.size() + (longest - r.shape[0]) * r.shape[1], 0);
}

// [H, n, n] -> [H, longest, longest]; `key` is the value for padded keys.
void pad_heads(const Recorded& r, int64_t longest, double key, std::vector<double>& to) {
  const int64_t n = r.shape[1];
  for (int64_t h = 0; h < r.shape[0]; ++h)
    for (int64_t t = 0; t < longest; ++t)
      for (int64_t u = 0; u < longest; ++u) to.push_back(u >= n ? key : t >= n ? 0 : r.values[(h * n + t) * n + u]);
}

Recorded padded(const std::string& name, const Recorded& first, const Recorded& second) {
  const int64_t rows = first.shape.rank() == 2 ? 0 : 1, longest = std::max(first.shape[rows], second.shape[rows]);
  Recorded both{{}, first.dtype, {}};
  both.shape = rows == 0 ? Shape{2, longest, first.shape[1]} : Shape{2, first.shape[0], longest, longest};
  for (const Recorded* r : {&first, &second}) {
    if (rows == 0)
      pad_rows(*r, longest, both.values);
    else
      pad_heads(*r, longest, name.ends_with(".scores") ? kHidden : 0, both.values);
  }
  return both;
}

}  // namespace

Recorded of_source(const Recorded& padded, int64_t source) {
  const Shape& both = padded.shape;
  Recorded one{{both[1]}, padded.dtype, {}};
  if (both.rank() == 3) one.shape = {both[1], both[2]};
  if (both.rank() == 4) one.shape = {both[1], both[2], both[3]};
  const int64_t size = one.shape.size();
  one.values.assign(padded.values.begin() + source * size, padded.values.begin() + (source + 1) * size);
  return one;
}

void add_padded(Inspection& inspection, Backend& backend, const model::Transformer& model, const text::Ids& first,
                const text::Ids& second, int32_t padding) {
  const Recorder other = encoder_of(backend, model, second);
  const size_t longest = std::max(first.size(), second.size());
  const int64_t columns = static_cast<int64_t>(longest);
  Recorded ids{{2, columns}, DType::i32, {}}, mask{{2, columns}, DType::f64, {}};
  for (const text::Ids& source : {first, second})
    for (size_t u = 0; u < longest; ++u) {
      ids.values.push_back(u < source.size() ? source[u] : padding);
      mask.values.push_back(u < source.size() ? 0 : kHidden);
    }
  std::map<std::string, Recorded> all;
  for (const auto& [name, value] : other.tensors())
    if (name.starts_with("encoder.")) all.emplace("padded." + name, padded(name, inspection.seen.get(name), value));
  for (auto& [name, value] : all) inspection.seen.add(name, std::move(value));
  inspection.seen.add("padded.ids", std::move(ids));
  inspection.seen.add("padded.mask", std::move(mask));
}

}  // namespace hexapla::inspect
