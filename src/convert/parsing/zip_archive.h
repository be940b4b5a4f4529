#pragma once
// Zip archives (PKWARE's APPNOTE.TXT 6.3), as far as PyTorch and NumPy write them: one file, entries stored or
// deflated, zip64, no encryption. The list of entries at the end is compared with what stands before each entry's data,
// and no two entries share a byte: so an archive is never longer than what it was made of.
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/file.h"
#include "data/files/compression.h"

namespace hexapla::convert {

struct ZipEntry {
  std::string name;
  size_t size = 0, packed = 0;  // bytes of its content, and of its data in the file
  size_t offset = 0;            // of its data in the file
  uint32_t crc = 0;             // of its content; 0 where the writer left it out
  bool deflated = false;
};

class ZipArchive {
 public:
  // DataError naming the file and the entry: no zip archive, cut short, damaged, or of a kind that is not read.
  explicit ZipArchive(const std::string& path);
  // Whether the file begins as an archive does. DataError where there is none.
  static bool is_one(const std::string& path);

  const std::string& path() const { return file_.path(); }
  const std::vector<ZipEntry>& entries() const { return entries_; }  // sorted by name
  const ZipEntry* find(std::string_view name) const;                 // nullptr where there is none

  // Bytes of a stored entry's content, from byte `at` of it on. InternalError where it is deflated, or not so long.
  void read(const ZipEntry& entry, size_t at, void* to, size_t size) const;
  // The content of any entry, in order. It throws data::DamagedBytes, and ends wherever the data do.
  std::unique_ptr<data::Bytes> content(const ZipEntry& entry) const;
  // All of it, compared with its checksum. DataError: it is longer than `limit`, or damaged.
  std::string text(const ZipEntry& entry, size_t limit) const;
  // "x.npz: entry 'a.npy'", as messages have it.
  std::string place(const ZipEntry& entry) const;

 private:
  struct Directory {
    size_t offset = 0, size = 0, entries = 0;
  };
  struct Listed {
    ZipEntry entry;
    size_t header;  // where what stands before its data begins
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
