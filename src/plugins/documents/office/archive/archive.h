#pragma once
// ZIP archives in memory, such as office documents and e-books (libzip reads and writes them). They
// are untrusted, so the unpacked size is limited to that of plausible documents.
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
  std::uint64_t member_bytes = std::uint64_t{64} << 20;  // of each member that is read, unpacked
  std::uint64_t read_bytes = std::uint64_t{128} << 20;   // of all members that are read, unpacked
  std::uint64_t ratio = 200;                             // unpacked to packed, for members over 1 MiB that are read
};

class Archive {
 public:
  // Borrows the content. DataError: it is not an archive, is damaged, exceeds the limits on the
  // number or size of members, or has a duplicate name or one that points outside the archive.
  explicit Archive(std::string_view content, const ArchiveLimits& limits = {});
  ~Archive();
  Archive(Archive&&) noexcept;

  const std::vector<std::string>& names() const;
  bool has(const std::string& name) const;
  // DataError: there is no such member, it is damaged or encrypted, or it exceeds the limits, alone
  // or together with those read before.
  std::string read(const std::string& name) const;

 private:
  struct Zip;
  std::unique_ptr<Zip> zip_;
};

// Replaces the content of some members (by name); the others keep their packed bytes, and all keep
// their order and dates. Throws DataError like Archive.
std::string with_members(std::string_view archive, const std::map<std::string, std::string>& changed);

}  // namespace hexapla::text::document
