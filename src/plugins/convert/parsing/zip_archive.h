#pragma once
// Zip archives (PKWARE's APPNOTE.TXT 6.3) to the extent that PyTorch and NumPy write them: one
// file, entries stored or deflated, zip64, no encryption. The directory is compared with each
// entry's local header, and no two entries share a byte, so the contents cannot multiply.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "data/packed/compression.h"

namespace hexapla::convert {

struct ZipEntry {
  std::string name;
  size_t size = 0, packed = 0;  // of its content, and of its data in the file
  size_t offset = 0;            // of its data in the file
  uint32_t crc = 0;             // of its content; 0 if the writer omitted it
  bool deflated = false;
};

class ZipArchive {
 public:
  // DataError naming the file and the entry: not a zip archive, truncated, damaged, or of an
  // unsupported kind.
  explicit ZipArchive(const std::string& path);
  // Whether the file begins like an archive. DataError: no such file.
  static bool is_one(const std::string& path);

  const std::string& path() const { return file_.path(); }
  const std::vector<ZipEntry>& entries() const { return entries_; }  // sorted by name
  const ZipEntry* find(std::string_view name) const;                 // nullptr: there is none

  // Bytes of a stored entry's content, from byte `at`. InternalError: deflated, or beyond its end.
  void read(const ZipEntry& entry, size_t at, void* to, size_t size) const;
  // Streams the content of any entry until the data end. It throws data::DamagedBytes.
  std::unique_ptr<data::Bytes> content(const ZipEntry& entry) const;
  // The whole content, verified by its checksum. DataError: longer than `limit`, or damaged.
  std::string text(const ZipEntry& entry, size_t limit) const;
  // "x.npz: entry 'a.npy'", for messages.
  std::string place(const ZipEntry& entry) const;

 private:
  struct Directory {
    size_t offset = 0, size = 0, entries = 0;
  };
  struct Listed {
    ZipEntry entry;
    size_t header;  // offset of the local header
  };
  [[noreturn]] void damaged(const std::string& what) const;
  Directory find_directory() const;
  bool has_directory64(size_t end) const;
  Directory directory64(size_t end) const;
  std::vector<Listed> listed(const Directory& directory) const;
  void locate(Listed& listed, size_t data_end) const;
  void check_apart(std::vector<Listed>& all) const;

  FileReader file_;
  std::vector<ZipEntry> entries_;
};

}  // namespace hexapla::convert
