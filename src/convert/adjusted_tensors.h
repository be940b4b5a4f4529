#pragma once
#include <map>
#include <memory>

#include "convert/foreign_tensors.h"

namespace hexapla::convert {

// The tensors of another reader under other names, some of them multiplied by a number, and some that are computed.
class AdjustedTensors : public ForeignTensors {
 public:
  explicit AdjustedTensors(std::shared_ptr<const ForeignTensors> from);

  // The tensors whose names begin with it lose this prefix, all others are left out.
  void keep_below(const std::string& prefix);
  // The same numbers, each times `factor`, under a name that is new or already that of `name`. They are f32 then, where
  // the factor is not 1.
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
