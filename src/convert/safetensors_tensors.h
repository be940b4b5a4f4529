#pragma once
#include "convert/foreign_tensors.h"
#include "tensor/safetensors.h"

namespace hexapla::convert {

// One safetensors file.
class SafetensorsTensors : public ForeignTensors {
 public:
  explicit SafetensorsTensors(const std::string& path);  // DataError: SafetensorsFile::open()
  const std::string& path() const override { return file_.path(); }
  const std::vector<ForeignTensor>& list() const override { return list_; }
  std::vector<float> read(const ForeignTensor& tensor) const override;

 private:
  SafetensorsFile file_;
  std::vector<ForeignTensor> list_;
};

}  // namespace hexapla::convert
