#pragma once
// ZIP archives in memory, as office documents and books are. (libzip reads and writes them.) A stranger may have made
// them, so nothing is unpacked that is larger than documents are.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::text::document {

struct ArchiveLimits {
  std::size_t members = 20'000;
  std::uint64_t bytes = std::uint64_t{1} << 30;          // of all members, unpacked
  std::uint64_t member_bytes = std::uint64_t{64} << 20;  // of one that is read, unpacked
  std::uint64_t read_bytes = std::uint64_t{128} << 20;   // of all that are read
  std::uint64_t ratio = 200;                             // unpacked to packed, of one of more than 1 MiB that is read
};

class Archive {
 public:
  // Borrows the content. DataError: it is no archive, or damaged; it has more or larger members than the limits allow,
  // two of one name, or one whose name leads out of it.
  explicit Archive(std::string_view content, const ArchiveLimits& limits = {});
  ~Archive();
  Archive(Archive&&) noexcept;

  const std::vector<std::string>& names() const;
  bool has(const std::string& name) const;
  // DataError: there is none of this name, it is damaged, encrypted, or larger than the limits allow, alone or with
  // those that were read before.
  std::string read(const std::string& name) const;

 private:
  struct Zip;
  std::unique_ptr<Zip> zip_;
};

// The archive with other content of some members (by their names); the others keep their packed bytes, and all their
// order and dates. DataError as Archive.
std::string with_members(std::string_view archive, const std::map<std::string, std::string>& changed);

}  // namespace hexapla::text::document
