#include "base/files/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <clocale>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <regex>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files/disk.h"
#include "hexapla/file_error.h"

namespace hexapla {
namespace {

const char* remedy_of(std::string_view doing, int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return "; free some space there, or choose a folder on another disk";
    case EFBIG:
      return "; raise the limit of file sizes (ulimit -f), or choose another disk";
    case EACCES:
    case EPERM:
      return "; check its owner and permissions, or choose another place";
    case EROFS:
      return "; the disk is mounted read-only, choose another one";
    case ENOENT:
      return doing == "read" ? "; check the spelling" : "; check the spelling, or create the folder first";
    case ENOTDIR:
      return "; a part of this path is a file, not a folder";
    case EISDIR:
      return "; this is a folder, name a file";
    case EEXIST:
    case ENOTEMPTY:
      return "; choose another name, or remove it";
    case EMFILE:
    case ENFILE:
      return "; raise the limit of open files (ulimit -n)";
    case ENAMETOOLONG:
      return "; give a shorter name";
    case EIO:
      return "; the disk reports an error; check it before you continue";
    default:
      return "";
  }
}

std::string message_of(std::string_view doing, const std::string& path, int error_number) {
  return cat("cannot ", doing, " ", path, ": ", system_text(error_number), remedy_of(doing, error_number));
}

bool no_such_file(int error_number) {
  return error_number == ENOENT || error_number == ENOTDIR || error_number == EISDIR || error_number == ENAMETOOLONG;
}

[[noreturn]] void fail_read(const std::string& path, int error_number) {
  if (error_number == ENOENT) throw MissingFile(message_of("read", path, error_number));
  if (no_such_file(error_number)) throw DataError(message_of("read", path, error_number));
  fail_file("read", path, error_number);
}

// Closes the file on every path. For reading only: a writer has to check the result of close().
struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
};

template <class Call>
auto again_when_interrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

int open_to_read(const std::string& path, int flags) {
  const int fd = again_when_interrupted([&] { return open(path.c_str(), O_RDONLY | O_CLOEXEC | flags); });
  if (fd < 0) fail_read(path, errno);
  return fd;
}

// The real path to rename to, so that symbolic links stay links. Devices are refused.
std::string target_of(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return path;
  if (S_ISDIR(status.st_mode)) fail_file("write", path, EISDIR);
  if (!S_ISREG(status.st_mode))
    throw RunError(cat("cannot write ", path, ": this is a device or a pipe, which cannot be replaced; name a file"));
  std::error_code error;
  const auto real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

// A name beside the file; a name without room for the ending is cut.
std::string temporary_of(const std::string& path, int attempt) {
  const std::string ending = cat(".tmp-", getpid(), "-", attempt);
  const size_t name = path.rfind('/') + 1, size = path.size() - name;
  const bool cut = size <= NAME_MAX && size + ending.size() > NAME_MAX;
  return path.substr(0, cut ? name + NAME_MAX - ending.size() : path.size()) + ending;
}

const std::regex& temporary_name() {
  static const std::regex name(".*\\.tmp-([0-9]{1,9})-[0-9]+");
  return name;
}

}  // namespace

std::string system_text(int error_number) {
  static const locale_t english = newlocale(LC_ALL_MASK, "C", nullptr);
  return strerror_l(error_number, english);
}

void fail_file(std::string_view doing, const std::string& path, int error_number) {
  if (error_number == ENOSPC || error_number == EDQUOT) throw NoSpaceError(message_of(doing, path, error_number));
  throw RunError(message_of(doing, path, error_number));
}

std::string directory_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

bool same_file(const std::string& a, const std::string& b) {
  const auto look = [](const std::string& path, struct stat& status) {
    return (path == "-" ? fstat(STDIN_FILENO, &status) : stat(path.c_str(), &status)) == 0;
  };
  struct stat x, y;
  const bool exists = look(a, x);
  if (exists != look(b, y)) return false;
  if (exists) return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
  const auto name = [](const std::string& path) { return std::filesystem::path(path).filename(); };
  return name(a) == name(b) && look(directory_of(a), x) && look(directory_of(b), y) && x.st_dev == y.st_dev &&
         x.st_ino == y.st_ino;
}

std::string read_file(const std::string& path) {
  const Descriptor file{open_to_read(path, 0)};
  struct stat status;
  if (fstat(file.fd, &status) != 0) fail_read(path, errno);
  if (S_ISDIR(status.st_mode)) fail_read(path, EISDIR);
  // One byte more than the size, so that the end of an unchanged file is found without growing the
  // buffer.
  std::string content(static_cast<size_t>(std::max<int64_t>(status.st_size, 4095)) + 1, '\0');
  size_t filled = 0;
  for (;;) {
    if (filled == content.size()) content.resize(2 * content.size());
    const auto n =
        again_when_interrupted([&] { return read(file.fd, content.data() + filled, content.size() - filled); });
    if (n < 0) fail_read(path, errno);
    if (n == 0) break;
    filled += static_cast<size_t>(n);
  }
  content.resize(filled);
  return content;
}

void write_file_atomically(const std::string& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

void sync_directory(const std::string& path) {
  const Descriptor folder{open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (folder.fd < 0) fail_file("open", path, errno);
  // Some file systems cannot flush a folder and return EINVAL.
  if (fsync(folder.fd) != 0 && errno != EINVAL) fail_file("flush", path, errno);
}

AtomicFile::AtomicFile(const std::string& path) : path_(target_of(path)) {
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    temporary_ = temporary_of(path_, attempt);
    descriptor_ = open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST && errno != EINTR) fail_file("create", path_, errno);
  }
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::write(const void* bytes, size_t size) {
  const auto* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const auto n = again_when_interrupted([&] { return ::write(descriptor_, from, size); });
    if (n < 0) fail_file("write", path_, errno);
    from += n;
    size -= static_cast<size_t>(n);
  }
}

void AtomicFile::flush() {
  if (descriptor_ < 0) return;
  if (fsync(descriptor_) != 0) fail_file("write", path_, errno);
  if (close(std::exchange(descriptor_, -1)) != 0) fail_file("write", path_, errno);
}

void AtomicFile::commit() {
  flush();
  if (rename(temporary_.c_str(), path_.c_str()) != 0) fail_file("write", path_, errno);
  temporary_.clear();
  sync_directory(directory_of(path_));
}

void fail_path(const std::filesystem::filesystem_error& error) {
  const int number = error.code().value();
  const std::string message = message_of("use", error.path1().string(), number);
  if (no_such_file(number)) throw DataError(message);
  throw RunError(message);
}

bool has_temporary_name(const std::string& path) {
  return std::regex_match(std::filesystem::path(path).filename().string(), temporary_name());
}

void remove_abandoned_files(const std::string& folder) {
  std::error_code none;
  std::vector<std::filesystem::path> abandoned;
  for (const auto& file : std::filesystem::directory_iterator(folder, none)) {
    std::smatch process;
    const std::string name = file.path().filename().string();
    if (!file.is_regular_file(none) || !std::regex_match(name, process, temporary_name())) continue;
    const pid_t id = std::stoi(process[1]);
    if (id == getpid() || (kill(id, 0) != 0 && errno == ESRCH)) abandoned.push_back(file.path());
  }
  for (const auto& file : abandoned) std::filesystem::remove(file, none);
}

void make_folder(const std::string& path) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) return;
  const std::string above = directory_of(path);
  if (above != path) make_folder(above);
  const int error = mkdir(path.c_str(), 0777) == 0 ? 0 : errno;
  if (error != 0 && !std::filesystem::is_directory(path, none)) fail_file("create the folder", path, error);
  sync_directory(above);
}

void link_file(const std::string& from, const std::string& to) {
  const std::string temporary = cat(to, ".tmp-", getpid(), "-0");
  unlink(temporary.c_str());
  if (link(from.c_str(), temporary.c_str()) != 0) fail_file("link " + from + " to", to, errno);
  if (rename(temporary.c_str(), to.c_str()) == 0) return;
  const int error = errno;
  unlink(temporary.c_str());
  fail_file("write", to, error);
}

FileReader::FileReader(const std::string& path) : path_(path) {
  Descriptor file{open_to_read(path, O_NONBLOCK)};  // O_NONBLOCK: do not wait for the other end of a pipe
  struct stat status;
  if (fstat(file.fd, &status) != 0) fail_read(path, errno);
  if (S_ISDIR(status.st_mode)) fail_read(path, EISDIR);
  if (!S_ISREG(status.st_mode)) throw DataError(cat("cannot read ", path, ": it is not a regular file; name a file"));
  size_ = static_cast<size_t>(status.st_size);
  descriptor_ = std::exchange(file.fd, -1);
}

FileReader::~FileReader() {
  if (descriptor_ >= 0) close(descriptor_);
}

void FileReader::read(size_t at, void* to, size_t size) const {
  auto* next = static_cast<char*>(to);
  while (size > 0) {
    const auto n = again_when_interrupted([&] { return pread(descriptor_, next, size, static_cast<off_t>(at)); });
    if (n < 0) fail_read(path_, errno);
    if (n == 0)
      throw DataError(cat(path_, ": it ends at byte ", at, ", but had ", size_, " bytes when it was opened; somebody ",
                          "writes to it: wait until it is whole"));
    at += static_cast<size_t>(n);
    next += n;
    size -= static_cast<size_t>(n);
  }
}

FileReader::FileReader(FileReader&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(std::exchange(other.size_, 0)) {}

FileReader& FileReader::operator=(FileReader&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  return *this;
}

}  // namespace hexapla
