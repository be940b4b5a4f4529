#pragma once
#include <map>
#include <memory>

#include "convert/foreign/foreign_tensors.h"

namespace hexapla::convert {

// Another reader's tensors under new names, some scaled by a factor, plus computed tensors.
class AdjustedTensors : public ForeignTensors {
 public:
  explicit AdjustedTensors(std::shared_ptr<const ForeignTensors> from);

  // Keeps only the tensors whose names begin with this prefix and removes it from their names.
  void keep_below(const std::string& prefix);
  // Adds tensor `name` times `factor` under the name `as`, which may be new or `name` itself. The
  // result is f32 unless the factor is 1.
  void scale(const std::string& name, double factor, const std::string& as);
  void add(const std::string& name, std::vector<size_t> shape, std::vector<float> numbers);

  const std::string& path() const override { return from_->path(); }
  const std::vector<ForeignTensor>& list() const override { return list_; }
  std::vector<float> read(const ForeignTensor& tensor) const override;
  std::vector<float> read_part(const ForeignTensor& tensor, size_t first, size_t count) const override;

 private:
  struct Source {
    std::string name;  // in `from`; empty: numbers
    double factor = 1;
    std::vector<float> numbers = {};
  };
  void put(ForeignTensor tensor, Source source);
  static std::vector<float> scaled(std::vector<float> numbers, double factor);

  std::shared_ptr<const ForeignTensors> from_;
  std::vector<ForeignTensor> list_;
  std::map<std::string, Source> sources_;
};

}  // namespace hexapla::convert
