#include "base/files/temporary_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/files/disk.h"

namespace hexapla {
namespace {

[[noreturn]] void fail_there(const char* doing, const std::string& folder, int error_number) {
  throw RunError(cat("cannot ", doing, " a temporary file in ", folder, ": ", system_text(error_number),
                     "; free some space there, or name a folder on another disk with `temp-dir`"));
}

// If the file system has no nameless files, creates a named one and unlinks it at once.
int open_nameless(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT && errno != EINVAL))
    return descriptor;
  std::string name = folder + "/hexapla.XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

TemporaryFile::TemporaryFile(const std::string& folder) : folder_(folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) fail_there("create", folder, error.value());
  descriptor_ = open_nameless(folder);
  if (descriptor_ < 0) fail_there("create", folder, errno);
}

TemporaryFile::~TemporaryFile() { ::close(descriptor_); }

uint64_t TemporaryFile::append(std::string_view bytes) {
  const uint64_t begin = size_;
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail_there("write", folder_, n < 0 ? errno : ENOSPC);
    bytes.remove_prefix(static_cast<size_t>(n));
    size_ += static_cast<uint64_t>(n);
  }
  return begin;
}

void TemporaryFile::read(uint64_t offset, size_t size, std::string& to) const {
  HEXAPLA_CHECK(offset + size <= size_, "bytes ", offset, " to ", offset + size, " of a file of ", size_);
  to.resize(size);
  for (size_t have = 0; have < size;) {
    const ssize_t n = ::pread(descriptor_, to.data() + have, size - have, static_cast<off_t>(offset + have));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) fail_there("read", folder_, n < 0 ? errno : EIO);
    have += static_cast<size_t>(n);
  }
}

}  // namespace hexapla
