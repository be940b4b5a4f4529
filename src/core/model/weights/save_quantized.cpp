#include "model/weights/save_quantized.h"

#include <algorithm>
#include <functional>

#include "model/weights/quantize.h"

namespace hexapla::model {
namespace {

// The numbers of a parameter or buffer in f32: rows from `first` on of a matrix, or all.
using ReadNumbers = std::function<void(const std::string& name, const Tensor& to, int64_t first)>;

class Quantizer {
 public:
  Quantizer(Transformer& net, const ReadNumbers& read, const std::vector<std::string>& keep) : read_(read) {
    for_each<Parameter>(net, [&](const std::string& name, Parameter& p) {
      const auto how = quantizable(name, p);
      if (how && std::none_of(keep.begin(), keep.end(), [&](const auto& k) { return name.starts_with(k); }))
        how_.emplace(name, *how);
    });
  }

  DType type(const std::string& name) const { return how_.contains(name) ? DType::i8 : DType::f32; }
  void fill(const std::string& name, const Tensor& to) {
    if (const auto scales = scales_.find(name); scales != scales_.end())
      return static_cast<void>(std::copy(scales->second.begin(), scales->second.end(), to.data<float>()));
    if (to.dtype != DType::i8) return read_(name, to, 0);
    const ScaleOf how = how_.at(name);
    const auto [rows, columns] = to.dims<2>("quantize: to");
    // Rows that have their own scales are quantized some at a time.
    const int64_t some = how == ScaleOf::rows ? std::clamp(kNumbers / columns, int64_t{1}, rows) : rows;
    std::vector<float>& scales = scales_[name + ".scales"];
    scales.clear();
    const Pages memory(static_cast<size_t>(some * columns) * sizeof(float));
    for (int64_t at = 0; at < rows; at += some) {
      const Tensor part(memory.data(), {std::min(some, rows - at), columns}, DType::f32);
      read_(name, part, at);
      const Quantized q = quantize(part, how);
      std::copy(q.integers.begin(), q.integers.end(), to.data<int8_t>() + at * columns);
      scales.insert(scales.end(), q.scales.begin(), q.scales.end());
    }
  }

 private:
  static constexpr int64_t kNumbers = 1 << 20;

  const ReadNumbers& read_;
  std::map<std::string, ScaleOf> how_;
  std::map<std::string, std::vector<float>> scales_;  // by their names in the file
};

void save_quantized(const std::string& path, Transformer& net, const ModelText& text,
                    const std::map<std::string, std::string>& history, const std::vector<std::string>& keep,
                    const ReadNumbers& read) {
  Quantizer quantizer(net, read, keep);
  save_model(path, net.config, text, history,
             {[&](const std::string& name, const Tensor& to) { quantizer.fill(name, to); },
              [&](const std::string& name) { return quantizer.type(name); }});
}

}  // namespace

void save_quantized(const std::string& path, Transformer& net, const ModelText& text,
                    const std::map<std::string, std::string>& history, const std::vector<std::string>& keep) {
  std::map<std::string, Tensor> all;
  for_each<Parameter>(net, [&](const std::string& name, Parameter& p) {
    check_numbers(path, {name, p.value});
    all[name] = p.value;
  });
  for_each<Buffer>(net, [&](const std::string& name, Buffer& b) { all[name] = b.value; });
  save_quantized(path, net, text, history, keep, [&](const std::string& name, const Tensor& to, int64_t first) {
    const Tensor& from = all.at(name);
    const float* begin = from.data<float>() + (first > 0 ? first * from.shape[1] : 0);
    std::copy(begin, begin + to.size(), to.data<float>());
  });
}

void save_quantized(const std::string& path, StoredModel& from, const std::vector<std::string>& keep) {
  LoadedModel& m = from.model();
  save_quantized(path, *m.net, m.text(), m.history, keep,
                 [&](const std::string& name, const Tensor& to, int64_t first) { from.read(name, to, first); });
}

}  // namespace hexapla::model
