#pragma once
// For tests of readers: models that save_model() would refuse.
#include <cstring>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files/hash.h"
#include "tensor/safetensors.h"

namespace hexapla::model {

// Changes a number in a file and updates the checksum.
template <class T>
void change_number(const std::string& path, const std::string& tensor, size_t i, T number) {
  const SafetensorsFile file = SafetensorsFile::open(path);
  auto metadata = file.metadata();
  std::deque<std::string> contents;
  std::vector<NamedTensor> tensors;
  std::set<std::string> lines{cat("config ", hash_hex(metadata["config"]), "\n")};
  for (const TensorEntry& entry : file.tensors()) {
    std::string& bytes = contents.emplace_back(file.text(entry));
    if (entry.name == tensor) std::memcpy(bytes.data() + i * sizeof number, &number, sizeof number);
    lines.insert(cat(entry.name, " ", name_of(entry.dtype), " ", entry.shape, " ", hash_hex(bytes), "\n"));
    tensors.push_back({entry.name, Tensor(bytes.data(), entry.shape, entry.dtype)});
  }
  std::string all;
  for (const std::string& line : lines) all += line;
  metadata["checksum"] = hash_hex(all);
  write_safetensors(path, std::span<const NamedTensor>(tensors), metadata);
}

}  // namespace hexapla::model
