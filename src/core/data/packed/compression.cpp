#include "data/packed/compression.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <new>
#include <vector>

#include "base/error.h"

namespace hexapla::data {
namespace {

constexpr size_t kPackedBlock = size_t{1} << 16;

// Shared by the decoders: the input's block, the end, and an error reported after the valid bytes.
class Decoder : public Bytes {
 public:
  size_t read(char* to, size_t size) final {
    size_t made = 0;
    while (made == 0 && !ended_ && fault_.what.empty()) made = step(to, size);
    if (made == 0 && !fault_.what.empty()) throw fault_;
    return made;
  }

 protected:
  Decoder(std::unique_ptr<Bytes> from, const char* kind) : from_(std::move(from)), kind_(kind), block_(kPackedBlock) {}

  // Decodes once into at most `size` bytes and returns the number.
  virtual size_t step(char* to, size_t size) = 0;

  // Whether there is undecoded input, reading more if necessary.
  bool have_input() {
    if (rest_.empty()) rest_ = {block_.data(), from_->read(block_.data(), block_.size())};
    return !rest_.empty();
  }
  std::string_view input() const { return rest_; }
  void used(size_t bytes) { rest_.remove_prefix(bytes); }
  void end() { ended_ = true; }
  void cut_short() { fault_.what = cat("the ", kind_, " data stops in the middle"); }
  void fault(const DamagedBytes& fault) { fault_ = fault; }
  void damaged(const char* why) { fault_.what = cat("damaged ", kind_, " data (", why ? why : "no details", ")"); }

 private:
  std::unique_ptr<Bytes> from_;
  const char* kind_;
  std::vector<char> block_;
  std::string_view rest_;  // of the block, not yet decoded
  DamagedBytes fault_{.what = ""};
  bool ended_ = false;
};

// Reads consecutive gzip members like gunzip: skips zeros between and after them, which tapes and
// fixed-size blocks leave.
class GzipBytes : public Decoder {
 public:
  explicit GzipBytes(std::unique_ptr<Bytes> from) : Decoder(std::move(from), "gzip") {
    HEXAPLA_CHECK(inflateInit2(&state_, 15 + 16) == Z_OK, "zlib cannot start");
  }
  ~GzipBytes() override { inflateEnd(&state_); }

 protected:
  size_t step(char* to, size_t size) override {
    if (!have_input()) {
      inside_ ? cut_short() : end();
      return 0;
    }
    if (after_member_ && !inside_) used(std::min(input().find_first_not_of('\0'), input().size()));
    if (input().empty()) return 0;
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input().data()));
    state_.avail_in = static_cast<uInt>(input().size());
    state_.next_out = reinterpret_cast<Bytef*>(to);
    state_.avail_out = static_cast<uInt>(size);
    const int status = inflate(&state_, Z_NO_FLUSH);
    used(input().size() - state_.avail_in);
    const size_t made = size - state_.avail_out;
    inside_ = status != Z_STREAM_END;
    after_member_ |= !inside_;
    if (!inside_)
      inflateReset(&state_);
    else if (status != Z_OK && status != Z_BUF_ERROR)
      damaged(state_.msg);
    return made;
  }

 private:
  z_stream state_{};
  bool inside_ = false, after_member_ = false;
};

class DeflateBytes : public Decoder {
 public:
  explicit DeflateBytes(std::unique_ptr<Bytes> from) : Decoder(std::move(from), "deflate") {
    HEXAPLA_CHECK(inflateInit2(&state_, -15) == Z_OK, "zlib cannot start");
  }
  ~DeflateBytes() override { inflateEnd(&state_); }

 protected:
  size_t step(char* to, size_t size) override {
    have_input();  // even without any, the last bytes may still come out
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input().data()));
    state_.avail_in = static_cast<uInt>(input().size());
    state_.next_out = reinterpret_cast<Bytef*>(to);
    state_.avail_out = static_cast<uInt>(std::min<size_t>(size, kPackedBlock));
    const uInt room = state_.avail_out;
    const int status = inflate(&state_, Z_NO_FLUSH);
    used(input().size() - state_.avail_in);
    const size_t made = room - state_.avail_out;
    if (status == Z_STREAM_END)
      end();
    else if (status == Z_BUF_ERROR && made == 0 && !have_input())
      cut_short();
    else if (status != Z_OK && status != Z_BUF_ERROR)
      damaged(state_.msg);
    return made;
  }

 private:
  z_stream state_{};
};

class ZstdBytes : public Decoder {
 public:
  explicit ZstdBytes(std::unique_ptr<Bytes> from) : Decoder(std::move(from), "zstd"), state_(ZSTD_createDStream()) {
    HEXAPLA_CHECK(state_, "zstd cannot start");
    ZSTD_DCtx_setParameter(state_.get(), ZSTD_d_windowLogMax, ZSTD_dParam_getBounds(ZSTD_d_windowLogMax).upperBound);
  }

 protected:
  size_t step(char* to, size_t size) override {
    if (!flushing_ && !have_input()) {
      inside_ ? cut_short() : end();
      return 0;
    }
    ZSTD_inBuffer in{input().data(), input().size(), 0};
    ZSTD_outBuffer out{to, size, 0};
    const size_t left = ZSTD_decompressStream(state_.get(), &out, &in);
    used(in.pos);
    if (ZSTD_getErrorCode(left) == ZSTD_error_dictionary_wrong)
      fault({"the zstd data was compressed with a dictionary", "unpack it with zstd -d -D DICTIONARY"});
    else if (ZSTD_isError(left))
      damaged(ZSTD_getErrorName(left));
    inside_ = left != 0;
    flushing_ = inside_ && out.pos == out.size;
    return out.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* state) const { ZSTD_freeDStream(state); }
  };
  std::unique_ptr<ZSTD_DStream, Free> state_;
  bool inside_ = false;    // a frame
  bool flushing_ = false;  // zstd may hold decoded bytes
};

const char* xz_fault(lzma_ret status) {
  if (status == LZMA_DATA_ERROR) return "a check fails";
  return status == LZMA_OPTIONS_ERROR ? "options that liblzma does not know" : "liblzma gives up";
}

class XzBytes : public Decoder {
 public:
  explicit XzBytes(std::unique_ptr<Bytes> from) : Decoder(std::move(from), "xz") {
    const lzma_ret status = lzma_stream_decoder(&state_, UINT64_MAX, LZMA_CONCATENATED);
    if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
    HEXAPLA_CHECK(status == LZMA_OK, "liblzma cannot start");
  }
  ~XzBytes() override { lzma_end(&state_); }

 protected:
  size_t step(char* to, size_t size) override {
    const lzma_action action = have_input() ? LZMA_RUN : LZMA_FINISH;
    state_.next_in = reinterpret_cast<const uint8_t*>(input().data());
    state_.avail_in = input().size();
    state_.next_out = reinterpret_cast<uint8_t*>(to);
    state_.avail_out = size;
    const lzma_ret status = lzma_code(&state_, action);
    used(input().size() - state_.avail_in);
    if (status == LZMA_STREAM_END)
      end();
    else if (status == LZMA_BUF_ERROR)
      cut_short();
    else if (status == LZMA_MEM_ERROR)
      throw std::bad_alloc();
    else if (status != LZMA_OK)
      damaged(xz_fault(status));
    return size - state_.avail_out;
  }

 private:
  lzma_stream state_ = LZMA_STREAM_INIT;
};

using Sink = std::function<void(std::string_view)>;

class PlainWriter : public Compressor {
 public:
  explicit PlainWriter(Sink to) : to_(std::move(to)) {}
  void write(std::string_view bytes) override { to_(bytes); }
  void finish() override {}

 private:
  Sink to_;
};

class GzipWriter : public Compressor {
 public:
  explicit GzipWriter(Sink to) : to_(std::move(to)), block_(kPackedBlock) {
    HEXAPLA_CHECK(deflateInit2(&state_, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK, "zlib cannot start");
  }
  ~GzipWriter() override { deflateEnd(&state_); }
  void write(std::string_view bytes) override { run(bytes, Z_NO_FLUSH); }
  void finish() override { run({}, Z_FINISH); }

 private:
  void run(std::string_view bytes, int flush) {
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    state_.avail_in = static_cast<uInt>(bytes.size());
    do {
      state_.next_out = reinterpret_cast<Bytef*>(block_.data());
      state_.avail_out = static_cast<uInt>(block_.size());
      deflate(&state_, flush);
      to_({block_.data(), block_.size() - state_.avail_out});
    } while (state_.avail_out == 0);
  }
  Sink to_;
  std::vector<char> block_;
  z_stream state_{};
};

class ZstdWriter : public Compressor {
 public:
  explicit ZstdWriter(Sink to) : to_(std::move(to)), block_(kPackedBlock), state_(ZSTD_createCStream()) {
    HEXAPLA_CHECK(state_, "zstd cannot start");
    ZSTD_CCtx_setParameter(state_.get(), ZSTD_c_checksumFlag, 1);
  }
  void write(std::string_view bytes) override { run(bytes, ZSTD_e_continue); }
  void finish() override { run({}, ZSTD_e_end); }

 private:
  void run(std::string_view bytes, ZSTD_EndDirective how) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    size_t left;
    do {
      ZSTD_outBuffer out{block_.data(), block_.size(), 0};
      left = ZSTD_compressStream2(state_.get(), &out, &in, how);
      HEXAPLA_CHECK(!ZSTD_isError(left), "zstd: ", ZSTD_getErrorName(left));
      to_({block_.data(), out.pos});
    } while (in.pos < in.size || (how == ZSTD_e_end && left > 0));
  }
  struct Free {
    void operator()(ZSTD_CStream* state) const { ZSTD_freeCStream(state); }
  };
  Sink to_;
  std::vector<char> block_;
  std::unique_ptr<ZSTD_CStream, Free> state_;
};

class XzWriter : public Compressor {
 public:
  explicit XzWriter(Sink to) : to_(std::move(to)), block_(kPackedBlock) {
    if (lzma_easy_encoder(&state_, 6, LZMA_CHECK_CRC64) != LZMA_OK) throw std::bad_alloc();
  }
  ~XzWriter() override { lzma_end(&state_); }
  void write(std::string_view bytes) override {
    if (!bytes.empty()) run(bytes, LZMA_RUN);  // for liblzma, two such calls are an error
  }
  void finish() override { run({}, LZMA_FINISH); }

 private:
  void run(std::string_view bytes, lzma_action action) {
    state_.next_in = reinterpret_cast<const uint8_t*>(bytes.data());
    state_.avail_in = bytes.size();
    do {
      state_.next_out = reinterpret_cast<uint8_t*>(block_.data());
      state_.avail_out = block_.size();
      const lzma_ret status = lzma_code(&state_, action);
      if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
      HEXAPLA_CHECK(status == LZMA_OK || status == LZMA_STREAM_END, "liblzma: error ", static_cast<int>(status));
      to_({block_.data(), block_.size() - state_.avail_out});
    } while (state_.avail_out == 0 || state_.avail_in > 0);
  }
  Sink to_;
  std::vector<char> block_;
  lzma_stream state_ = LZMA_STREAM_INIT;
};

// pzstd and others begin with a skippable frame: 0x184D2A50 to 0x184D2A5F.
bool zstd_head(std::string_view head) {
  if (head.starts_with("\x28\xB5\x2F\xFD")) return true;
  return head.size() >= 4 && (head[0] & 0xF0) == 0x50 && head.substr(1, 3) == "\x2A\x4D\x18";
}

}  // namespace

Compression compression_of(std::string_view head) {
  using namespace std::string_view_literals;
  if (head.starts_with("\x1F\x8B"sv)) return Compression::gzip;
  if (head.starts_with("\xFD\x37\x7A\x58\x5A\x00"sv)) return Compression::xz;
  return zstd_head(head) ? Compression::zstd : Compression::none;
}

std::string unreadable_kind(std::string_view head) {
  using namespace std::string_view_literals;
  if (head.starts_with("PK\x03\x04"sv)) return "a zip archive: unpack it with unzip";
  if (head.starts_with("BZh"sv) && head.size() >= 6 && head.substr(4, 2) == "1A"sv)
    return "bzip2 data: unpack it with bunzip2";
  if (head.starts_with("7z\xBC\xAF\x27\x1C"sv)) return "a 7-Zip archive: unpack it with 7z x";
  if (head.starts_with("\x04\x22\x4D\x18"sv)) return "lz4 data: unpack it with unlz4";
  return "";
}

std::unique_ptr<Bytes> decompressed(Compression kind, std::unique_ptr<Bytes> from) {
  switch (kind) {
    case Compression::gzip:
      return std::make_unique<GzipBytes>(std::move(from));
    case Compression::zstd:
      return std::make_unique<ZstdBytes>(std::move(from));
    case Compression::xz:
      return std::make_unique<XzBytes>(std::move(from));
    case Compression::none:
      break;
  }
  return from;
}

std::unique_ptr<Bytes> inflated(std::unique_ptr<Bytes> from) { return std::make_unique<DeflateBytes>(std::move(from)); }

uint32_t crc32_of(std::string_view bytes, uint32_t before) {
  uLong crc = before;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kPackedBlock)))
    crc = crc32(crc, reinterpret_cast<const Bytef*>(bytes.data()),
                static_cast<uInt>(std::min(bytes.size(), kPackedBlock)));
  return static_cast<uint32_t>(crc);
}

Compression compression_by_name(std::string_view path) {
  if (path.ends_with(".gz")) return Compression::gzip;
  if (path.ends_with(".zst")) return Compression::zstd;
  return path.ends_with(".xz") ? Compression::xz : Compression::none;
}

std::unique_ptr<Compressor> compressor(Compression kind, std::function<void(std::string_view)> to) {
  switch (kind) {
    case Compression::gzip:
      return std::make_unique<GzipWriter>(std::move(to));
    case Compression::zstd:
      return std::make_unique<ZstdWriter>(std::move(to));
    case Compression::xz:
      return std::make_unique<XzWriter>(std::move(to));
    case Compression::none:
      break;
  }
  return std::make_unique<PlainWriter>(std::move(to));
}

}  // namespace hexapla::data
