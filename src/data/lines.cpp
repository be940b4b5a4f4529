#include "data/lines.h"

#include <zlib.h>
#include <zstd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "base/error.h"

namespace hexapla {
namespace {

constexpr size_t kBlock = size_t{1} << 16;
constexpr size_t kLongestLine = size_t{64} << 20;

// Bytes in order. read() fills at most `size` bytes and returns how many; 0 is the end.
class Bytes {
 public:
  virtual ~Bytes() = default;
  virtual size_t read(char* to, size_t size) = 0;
};

class FileBytes : public Bytes {
 public:
  FileBytes(const std::string& path, const std::string& name) : name_(name) {
    if (path == "-") {
      file_.reset(stdin);
      return;
    }
    if (std::filesystem::is_directory(path)) throw DataError(cat(name, " is a directory: name a text file"));
    file_.reset(std::fopen(path.c_str(), "rb"));
    if (!file_) throw DataError(cat("cannot read ", name, ": ", std::strerror(errno), "; check the path"));
  }
  size_t read(char* to, size_t size) override {
    const size_t n = std::fread(to, 1, size, file_.get());
    if (n == 0 && std::ferror(file_.get())) throw RunError(cat("cannot read ", name_, ": ", std::strerror(errno)));
    return n;
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const {
      if (file != stdin) std::fclose(file);
    }
  };
  std::string name_;
  std::unique_ptr<std::FILE, Close> file_;
};

// Gives back the first bytes that were looked at to tell the kind of file, then the rest.
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

[[noreturn]] void fail_cut_short(const std::string& name, const char* kind) {
  throw DataError(cat(name, " ends in the middle of its ", kind, " data: fetch or compress the file again"));
}
[[noreturn]] void fail_damaged(const std::string& name, const char* kind, const char* why) {
  throw DataError(
      cat(name, " holds damaged ", kind, " data (", why ? why : "no details", "): fetch or compress the file again"));
}

// One gzip member after the other, as gunzip reads them.
class GzipBytes : public Bytes {
 public:
  GzipBytes(std::unique_ptr<Bytes> from, const std::string& name) : from_(std::move(from)), name_(name), in_(kBlock) {
    HEXAPLA_CHECK(inflateInit2(&state_, 15 + 16) == Z_OK, "zlib cannot start");
  }
  ~GzipBytes() override { inflateEnd(&state_); }

  size_t read(char* to, size_t size) override {
    state_.next_out = reinterpret_cast<Bytef*>(to);
    state_.avail_out = static_cast<uInt>(size);
    while (state_.avail_out == size) {
      if (state_.avail_in == 0 && !refill()) {
        if (inside_) fail_cut_short(name_, "gzip");
        return 0;
      }
      inside_ = true;
      const int status = inflate(&state_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        inside_ = false;
        inflateReset(&state_);
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        fail_damaged(name_, "gzip", state_.msg);
      }
    }
    return size - state_.avail_out;
  }

 private:
  bool refill() {
    const size_t n = from_->read(in_.data(), in_.size());
    state_.next_in = reinterpret_cast<Bytef*>(in_.data());
    state_.avail_in = static_cast<uInt>(n);
    return n > 0;
  }
  std::unique_ptr<Bytes> from_;
  std::string name_;
  std::vector<char> in_;
  z_stream state_{};
  bool inside_ = false;  // of a member
};

class ZstdBytes : public Bytes {
 public:
  ZstdBytes(std::unique_ptr<Bytes> from, const std::string& name)
      : from_(std::move(from)), name_(name), in_(kBlock), state_(ZSTD_createDStream()) {
    HEXAPLA_CHECK(state_, "zstd cannot start");
  }

  size_t read(char* to, size_t size) override {
    ZSTD_outBuffer out{to, size, 0};
    while (out.pos == 0) {
      if (input_.pos == input_.size && !flushing_ && !refill()) {
        if (inside_) fail_cut_short(name_, "zstd");
        return 0;
      }
      const size_t left = ZSTD_decompressStream(state_.get(), &out, &input_);
      if (ZSTD_isError(left)) fail_damaged(name_, "zstd", ZSTD_getErrorName(left));
      inside_ = left != 0;
      flushing_ = inside_ && out.pos == out.size;
    }
    return out.pos;
  }

 private:
  bool refill() {
    input_ = {in_.data(), from_->read(in_.data(), in_.size()), 0};
    return input_.size > 0;
  }
  struct Free {
    void operator()(ZSTD_DStream* state) const { ZSTD_freeDStream(state); }
  };
  std::unique_ptr<Bytes> from_;
  std::string name_;
  std::vector<char> in_;
  std::unique_ptr<ZSTD_DStream, Free> state_;
  ZSTD_inBuffer input_{nullptr, 0, 0};
  bool inside_ = false;    // of a frame
  bool flushing_ = false;  // decoded bytes may still wait inside of zstd
};

// The first `size` bytes, or all if there are fewer.
std::string read_head(Bytes& from, size_t size) {
  std::string head(size, '\0');
  size_t have = 0;
  while (have < size) {
    const size_t n = from.read(head.data() + have, size - have);
    if (n == 0) break;
    have += n;
  }
  head.resize(have);
  return head;
}

std::unique_ptr<Bytes> open_bytes(const std::string& path, const std::string& name) {
  std::unique_ptr<Bytes> file = std::make_unique<FileBytes>(path, name);
  const std::string head = read_head(*file, 4);
  std::unique_ptr<Bytes> whole = std::make_unique<Rejoined>(head, std::move(file));
  if (head.starts_with("\x1F\x8B")) return std::make_unique<GzipBytes>(std::move(whole), name);
  if (head == "\x28\xB5\x2F\xFD") return std::make_unique<ZstdBytes>(std::move(whole), name);
  return whole;
}

}  // namespace

struct LineReader::Impl {
  std::string name;
  std::unique_ptr<Bytes> bytes;
  std::vector<char> block;
  std::string_view rest;  // of the block, not yet given out
  int64_t line = 0;

  bool refill() {
    rest = {block.data(), bytes->read(block.data(), block.size())};
    return !rest.empty();
  }
};

LineReader::LineReader(const std::string& path) : impl_(std::make_unique<Impl>()) {
  impl_->name = path == "-" ? "stdin" : path;
  auto bytes = open_bytes(path, impl_->name);
  std::string head = read_head(*bytes, 3);
  if (head == "\xEF\xBB\xBF") head.clear();  // the byte order mark
  impl_->bytes = std::make_unique<Rejoined>(std::move(head), std::move(bytes));
  impl_->block.resize(kBlock);
}
LineReader::~LineReader() = default;
LineReader::LineReader(LineReader&&) noexcept = default;
LineReader& LineReader::operator=(LineReader&&) noexcept = default;

int64_t LineReader::line_number() const { return impl_->line; }
const std::string& LineReader::name() const { return impl_->name; }

bool LineReader::next(std::string& line) {
  line.clear();
  if (impl_->rest.empty() && !impl_->refill()) return false;
  ++impl_->line;
  size_t end;
  while ((end = impl_->rest.find('\n')) == std::string_view::npos) {
    line += impl_->rest;
    if (line.size() > kLongestLine) {
      throw DataError(cat(impl_->name, " line ", impl_->line, " has no end within ", kLongestLine >> 20,
                          " MiB: is this a text file with one sentence a line?"));
    }
    if (!impl_->refill()) break;
  }
  if (end != std::string_view::npos) {
    line += impl_->rest.substr(0, end);
    impl_->rest.remove_prefix(end + 1);
  }
  if (line.ends_with('\r')) line.pop_back();
  return true;
}

std::vector<std::string> read_lines(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) lines.push_back(std::move(line));
  return lines;
}

}  // namespace hexapla
