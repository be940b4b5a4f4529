#include "convert/safetensors_tensors.h"

namespace hexapla::convert {
namespace {

ElementType element_type(DType dtype) {
  switch (dtype) {
    case DType::f32:
      return ElementType::f32;
    case DType::f64:
      return ElementType::f64;
    case DType::bf16:
      return ElementType::bf16;
    case DType::f16:
      return ElementType::f16;
    case DType::i8:
      return ElementType::i8;
    case DType::i32:
      return ElementType::i32;
    case DType::i64:
      return ElementType::i64;
    case DType::u8:
      return ElementType::u8;
  }
  fail(cat("no element type for ", static_cast<int>(dtype)));
}

}  // namespace

SafetensorsTensors::SafetensorsTensors(const std::string& path) : file_(SafetensorsFile::open(path)) {
  for (const TensorEntry& entry : file_.tensors()) {
    ForeignTensor& tensor = list_.emplace_back(ForeignTensor{entry.name, {}, element_type(entry.dtype)});
    for (int i = 0; i < entry.shape.rank(); ++i) tensor.shape.push_back(static_cast<size_t>(entry.shape[i]));
  }
}

std::vector<float> SafetensorsTensors::read(const ForeignTensor& tensor) const {
  const TensorEntry& entry = file_.get(tensor.name);
  if (entry.dtype == DType::f32) {
    std::vector<float> values(tensor.count());
    file_.read(entry, values.data());
    return values;
  }
  return as_floats(tensor.type, file_.text(entry).data(), tensor.count());
}

}  // namespace hexapla::convert
