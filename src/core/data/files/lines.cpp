#include "data/files/lines.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/files/disk.h"
#include "base/files/file.h"
#include "base/system/cancellation.h"
#include "data/packed/compression.h"
#include "hexapla/file_error.h"

namespace hexapla::data {
namespace {

constexpr size_t kReadBlock = size_t{1} << 16;
constexpr size_t kLongestLine = size_t{64} << 20;
constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

// Unbuffered: read() returns available bytes and never waits for more than the next line needs.
class FileBytes : public Bytes {
 public:
  FileBytes(const std::string& path, const std::string& name, BeforeWaiting before_waiting)
      : name_(name), before_waiting_(std::move(before_waiting)) {
    if (path == "-") return;
    std::error_code unknown;
    if (std::filesystem::is_directory(path, unknown)) throw DataError(cat(name, " is a directory: name a text file"));
    do {  // does not wait for a named pipe's writer; read() does
      descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    } while (descriptor_ < 0 && errno == EINTR);
    if (descriptor_ < 0) fail(errno);
    if (std::filesystem::is_regular_file(path, unknown)) size_ = std::filesystem::file_size(path, unknown);
  }
  [[noreturn]] void fail(int error) const {
    const std::string why = cat("cannot read ", name_, ": ", system_text(error), "; check the path");
    if (error == ENOENT) throw MissingFile(why);
    throw DataError(why);
  }
  ~FileBytes() override {
    if (descriptor_ != STDIN_FILENO) close(descriptor_);
  }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  size_t read(char* to, size_t size) override {
    if (ended_) return 0;
    if (before_waiting_ && !ready(0)) before_waiting_();
    ssize_t n;
    do {
      do check_canceled();
      while (!ready(wait_between_looks()));
      n = ::read(descriptor_, to, size);
      if (n < 0 && errno != EINTR && errno != EAGAIN)
        throw RunError(cat("cannot read ", name_, ": ", system_text(errno)));
    } while (n < 0);
    ended_ = n == 0;  // a terminal might continue
    given_ += static_cast<size_t>(n);
    return static_cast<size_t>(n);
  }
  void skip_to(uint64_t byte) {
    if (lseek(descriptor_, static_cast<off_t>(byte), SEEK_SET) < 0)
      throw RunError(cat("cannot read ", name_, ": ", system_text(errno)));
    given_ = byte;
  }
  double share_given() const {
    return size_ > 0 ? std::min(1.0, static_cast<double>(given_) / static_cast<double>(size_)) : 0;
  }

 private:
  // Whether there are bytes, or the end, or an error. timeout in milliseconds; -1: waits for them.
  bool ready(int timeout) const {
    pollfd bytes{descriptor_, POLLIN, 0};
    return poll(&bytes, 1, timeout) > 0;
  }

  std::string name_;
  BeforeWaiting before_waiting_;
  int descriptor_ = STDIN_FILENO;
  bool ended_ = false;
  uintmax_t size_ = 0, given_ = 0;
};

// Returns the leading bytes that identified the file's kind, then the rest.
class Rejoined : public Bytes {
 public:
  Rejoined(std::string head, std::unique_ptr<Bytes> rest) : head_(std::move(head)), rest_(std::move(rest)) {}
  size_t read(char* to, size_t size) override {
    if (at_ == head_.size()) return rest_->read(to, size);
    const size_t n = head_.copy(to, size, at_);
    at_ += n;
    return n;
  }

 private:
  std::string head_;
  size_t at_ = 0;
  std::unique_ptr<Bytes> rest_;
};

// The first `size` bytes, or fewer at the end of the input or if a line ends among them: the writer
// of that line may wait for an answer before it sends another.
std::string read_head(Bytes& from, size_t size) {
  std::string head(size, '\0');
  size_t have = 0;
  while (have < size && head.find('\n') >= have) {
    const size_t n = from.read(head.data() + have, size - have);
    if (n == 0) break;
    have += n;
  }
  head.resize(have);
  return head;
}

// Adds file and line to errors about damaged data.
template <class Read>
auto naming_location(const std::string& name, int64_t line, Read read) {
  try {
    return read();
  } catch (const DamagedBytes& damage) {
    throw DataError(cat(name, " line ", line, ": ", damage.what, "; ", damage.remedy));
  }
}

}  // namespace

void refuse_carriage_returns(const std::string& name, const std::string& only_line) {
  if (std::count(only_line.begin(), only_line.end(), '\r') < 2) return;
  throw DataError(cat(name,
                      " ends its lines with carriage returns alone, as Mac OS did until 2001, so all of it is one "
                      "line: convert it with tr '\\r' '\\n' < FILE"));
}

struct LineReader::Impl {
  std::string name;
  FileBytes* file = nullptr;  // somewhere inside bytes
  std::unique_ptr<Bytes> bytes;
  std::vector<char> block;
  std::string_view rest;  // of the block, not yet returned
  int64_t line = 0;
  std::optional<std::string> begun;  // of the line in which before_waiting threw
  bool byte_order_mark = false, carriage_return = false;

  std::unique_ptr<Bytes> open_bytes(const std::string& path, BeforeWaiting before_waiting) {
    auto raw = std::make_unique<FileBytes>(path, name, std::move(before_waiting));
    file = raw.get();
    const std::string head = read_head(*raw, kCompressionHead);
    if (const std::string kind = unreadable_kind(head); !kind.empty()) throw DataError(cat(name, " is ", kind));
    return decompressed(compression_of(head), std::make_unique<Rejoined>(head, std::move(raw)));
  }
  void open_at(const std::string& path, const LinePlace& from) {
    auto raw = std::make_unique<FileBytes>(path, name, BeforeWaiting());
    file = raw.get();
    raw->skip_to(from.byte);
    bytes = std::move(raw);
    line = from.line;
  }
  void open(const std::string& path, BeforeWaiting before_waiting) {
    bytes = open_bytes(path, std::move(before_waiting));
    std::string head = read_head(*bytes, kUtf8Mark.size());
    byte_order_mark = head == kUtf8Mark;
    if (byte_order_mark) head.clear();
    bytes = std::make_unique<Rejoined>(std::move(head), std::move(bytes));
  }
  bool refill(int64_t for_line) {
    rest = {block.data(), naming_location(name, for_line, [&] { return bytes->read(block.data(), block.size()); })};
    return !rest.empty();
  }
};

LineReader::LineReader(const std::string& path, BeforeWaiting before_waiting, const LinePlace& from)
    : impl_(std::make_unique<Impl>()) {
  impl_->name = path == "-" ? "stdin" : path;
  if (from.byte > 0)
    impl_->open_at(path, from);
  else
    naming_location(impl_->name, 1, [&] { impl_->open(path, std::move(before_waiting)); });
  impl_->block.resize(kReadBlock);
}
LineReader::~LineReader() = default;
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;

int64_t LineReader::line_number() const { return impl_->line; }
const std::string& LineReader::name() const { return impl_->name; }
double LineReader::share_read() const { return impl_->file->share_given(); }
bool LineReader::had_carriage_return() const { return impl_->carriage_return; }
bool LineReader::had_byte_order_mark() const { return impl_->byte_order_mark; }

bool LineReader::next(std::string& line) {
  line.clear();
  if (impl_->begun) {
    line = *std::exchange(impl_->begun, std::nullopt);
  } else {
    if (impl_->rest.empty() && !impl_->refill(impl_->line + 1)) return false;
    ++impl_->line;
  }
  size_t end;
  while ((end = impl_->rest.find('\n')) == std::string_view::npos) {
    line += std::exchange(impl_->rest, {});
    if (line.size() > kLongestLine) {
      throw DataError(cat(impl_->name, " line ", impl_->line, " has no end within ", kLongestLine >> 20,
                          " MiB: is this a text file with one sentence per line?"));
    }
    try {
      if (!impl_->refill(impl_->line)) break;
    } catch (...) {
      impl_->begun = std::move(line);
      throw;
    }
  }
  if (end != std::string_view::npos) {
    line += impl_->rest.substr(0, end);
    impl_->rest.remove_prefix(end + 1);
  }
  if (end == std::string_view::npos && impl_->line == 1) refuse_carriage_returns(impl_->name, line);
  impl_->carriage_return = line.ends_with('\r');
  if (impl_->carriage_return) line.pop_back();
  return true;
}

int64_t count_to_end(LineReader& reader) {
  for (std::string line; reader.next(line);) {
  }
  return reader.line_number();
}

struct LineWriter::Impl {
  AtomicFile file;
  std::unique_ptr<Compressor> to;
  std::string block;
  bool finished = false;

  explicit Impl(const std::string& path)
      : file(path), to(compressor(compression_by_name(path), [this](std::string_view bytes) { file.write(bytes); })) {}
  void flush() {
    to->write(block);
    block.clear();
  }
};

LineWriter::LineWriter(const std::string& path) : impl_(std::make_unique<Impl>(path)) {}
LineWriter::~LineWriter() = default;
LineWriter::LineWriter(LineWriter&&) noexcept = default;

void LineWriter::write(std::string_view line) {
  impl_->block += line;
  impl_->block += '\n';
  if (impl_->block.size() >= kReadBlock) impl_->flush();
}

void LineWriter::finish() {
  if (std::exchange(impl_->finished, true)) return;
  impl_->flush();
  impl_->to->finish();
  impl_->file.flush();
}

void LineWriter::commit() {
  finish();
  impl_->file.commit();
}

std::vector<std::string> read_lines(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(std::move(line));
  return lines;
}

}  // namespace hexapla::data
