#include "convert/containers/safetensors_model.h"

#include "convert/containers/shard_index.h"

namespace hexapla::convert {
namespace {

ElementType element_type(DType type) {
  switch (type) {
    case DType::f64:
      return ElementType::f64;
    case DType::bf16:
      return ElementType::bf16;
    case DType::f16:
      return ElementType::f16;
    case DType::i64:
      return ElementType::i64;
    case DType::i32:
      return ElementType::i32;
    case DType::i8:
      return ElementType::i8;
    case DType::u8:
      return ElementType::u8;
    case DType::f32:
      return ElementType::f32;
  }
  fail(cat("no element type ", int(type)));
}

}  // namespace

SafetensorsModel::SafetensorsModel(const std::string& path) : path_(path) {
  if (path.ends_with(".json")) {
    open_index();
  } else {
    add(path);
    catalog_.sort(path_);
  }
}

void SafetensorsModel::open_index() {
  const ShardIndex index = read_shard_index(path_);
  for (const std::string& name : index.files) add(beside(path_, name));
  catalog_.sort(path_);
  for (const auto& [tensor, file] : index.file_of)
    if (const ForeignTensor* found = find(tensor);
        !found || !files_[catalog_.place_of(*found).file].path().ends_with(file))
      throw DataError(cat(path_, ": tensor ", shown(tensor), " should be in ", shown(file),
                          ", but is not; the files are of different models"));
  if (index.file_of.size() != list().size())
    throw DataError(cat(path_, ": the files have ", list().size(), " tensors, but the index names ",
                        index.file_of.size(), "; they are of different models"));
}

void SafetensorsModel::add(const std::string& file) {
  files_.push_back(SafetensorsFile::open(file));
  for (const TensorEntry& entry : files_.back().tensors()) {
    std::vector<size_t> shape;
    for (int i = 0; i < entry.shape.rank(); ++i) shape.push_back(static_cast<size_t>(entry.shape[i]));
    catalog_.add(path_, {entry.name, std::move(shape), element_type(entry.dtype)}, {files_.size() - 1, entry});
  }
}

std::vector<float> SafetensorsModel::read(const ForeignTensor& tensor) const {
  return read_part(tensor, 0, tensor.count());
}

std::vector<float> SafetensorsModel::read_part(const ForeignTensor& tensor, size_t first, size_t count) const {
  const Place& place = catalog_.place_of(tensor);
  return floats_in_blocks(tensor.type, first, count, [&](size_t at, char* to, size_t size) {
    files_[place.file].read(place.entry, at, to, size);
  });
}

}  // namespace hexapla::convert
