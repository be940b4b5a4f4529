#pragma once
// Files of torch.save(): dictionaries of tensors, numbers and texts, as a zip archive (PyTorch 1.6
// and later) or as pickles followed by the numbers (earlier, and with
// _use_new_zipfile_serialization=False). A checkpoint may contain more than weights. A tensor's
// name is the keys that lead to it, joined by dots: "model.encoder.weight" in {"model":
// {"encoder.weight": ...}}.
#include <memory>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "convert/containers/catalog.h"
#include "convert/parsing/pickle.h"
#include "convert/parsing/zip_archive.h"

namespace hexapla::convert {

class TorchFile : public ForeignTensors {
 public:
  // DataError naming the file and the place in it: neither format, truncated, damaged, something
  // other than tensors and plain values (names the first), a tensor beyond its storage.
  explicit TorchFile(const std::string& path);
  // Whether the file begins like one of the formats; a zip archive may still hold something else.
  static bool is_one(const std::string& path);

  const std::string& path() const override { return path_; }
  const std::vector<ForeignTensor>& list() const override { return catalog_.tensors(); }
  std::vector<float> read(const ForeignTensor& tensor) const override;
  std::vector<float> read_part(const ForeignTensor& tensor, size_t first, size_t count) const override;

  // Everything besides tensors: options, vocabularies, numbers.
  const Pickle& values() const { return values_; }

 private:
  // Memory that tensors are views of.
  struct Storage {
    std::string key;
    ElementType type = ElementType::f32;
    size_t count = 0;                 // elements
    const ZipEntry* entry = nullptr;  // its entry in a zip archive,
    size_t offset = 0;                // or in the file
  };
  // A tensor's view of a storage, in elements.
  struct View {
    Storage storage;
    size_t offset = 0;
    std::vector<size_t> strides;
  };
  struct Walk;

  void open_archive();
  void open_legacy();
  void check_legacy_head(Cursor& bytes) const;
  void place_storages(Cursor& bytes);
  Storage storage_of(const PickleValue& reference) const;
  void find_tensors(Walk& walk, PickleId at, const std::string& name);
  void add_tensor(const std::string& name, const PickleValue& rebuilt);
  std::vector<size_t> sizes_of(const std::string& name, const PickleValue& list) const;
  ReadBytes reader(const View& view, ElementType type) const;  // starts at the view's first element
  void check_view(const std::string& place, const ForeignTensor& tensor, const View& view) const;
  [[noreturn]] void damaged(const std::string& what) const;

  std::string path_;
  std::unique_ptr<ZipArchive> archive_;
  std::string prefix_;  // of the archive's entries: "model/"
  FileReader file_;     // of the legacy format
  std::vector<Storage> legacy_;
  std::unique_ptr<std::string> pickled_;  // the bytes of the pickles
  Pickle values_;
  Catalog<View> catalog_;
};

}  // namespace hexapla::convert
