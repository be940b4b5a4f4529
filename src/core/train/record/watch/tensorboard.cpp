#include "train/record/watch/tensorboard.h"

#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>

#include "base/error.h"
#include "base/files/file.h"

namespace hexapla::train {
namespace {

constexpr std::array<uint32_t, 256> kCrcTable = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t c = byte;
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ (c & 1 ? 0x82F63B78u : 0u);
    table[byte] = c;
  }
  return table;
}();

uint32_t masked_crc(std::string_view bytes) { return std::rotr(crc32c(bytes), 15) + 0xA282EAD8u; }

template <class T>
std::string little_endian(T value) {
  std::string bytes;
  for (size_t i = 0; i < sizeof(T); ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

// A Protocol Buffers message: numbered fields in sequence.
class Message {
 public:
  Message& number(int field, uint64_t value) {
    key(field, 0);
    varint(value);
    return *this;
  }
  Message& real64(int field, double value) {
    key(field, 1);
    bytes_ += little_endian(std::bit_cast<uint64_t>(value));
    return *this;
  }
  Message& text(int field, std::string_view value) {
    key(field, 2);
    varint(value.size());
    bytes_ += value;
    return *this;
  }
  Message& real32(int field, float value) {
    key(field, 5);
    bytes_ += little_endian(std::bit_cast<uint32_t>(value));
    return *this;
  }
  Message& message(int field, const Message& value) { return text(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void key(int field, int type) { varint(static_cast<uint64_t>(field << 3 | type)); }
  void varint(uint64_t value) {
    for (; value >= 128; value >>= 7) bytes_ += static_cast<char>((value & 127) | 128);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

Message scalar_value(const EventScalar& s) {
  return Message().text(1, s.tag).real32(2, static_cast<float>(s.value));  // Summary.Value: tag, simple_value
}

Message text_value(const EventText& t) {
  constexpr uint64_t dt_string = 7;
  const Message shape = Message().message(2, Message().number(1, 1));                       // one dimension of size 1
  const Message tensor = Message().number(1, dt_string).message(2, shape).text(8, t.text);  // TensorProto
  const Message metadata = Message().message(1, Message().text(1, "text"));                 // for the text plugin
  return Message().text(1, t.tag).message(8, tensor).message(9, metadata);
}

Message encode(const Event& e) {
  Message event;
  event.real64(1, e.wall_time);
  if (e.step != 0) event.number(2, static_cast<uint64_t>(e.step));
  if (!e.file_version.empty()) event.text(3, e.file_version);
  Message summary;
  for (const EventScalar& s : e.scalars) summary.message(1, scalar_value(s));
  for (const EventText& t : e.texts) summary.message(1, text_value(t));
  if (!summary.bytes().empty()) event.message(5, summary);
  constexpr uint64_t start = 1;
  if (e.session_start) event.message(7, Message().number(1, start));
  return event;
}

double now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

std::string host_name() {
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) != 0 || name[0] == 0) return "host";
  return name;
}

}  // namespace

uint32_t crc32c(std::string_view bytes) {
  uint32_t c = ~0u;
  for (const char b : bytes) c = kCrcTable[(c ^ static_cast<unsigned char>(b)) & 0xFF] ^ (c >> 8);
  return ~c;
}

std::string event_record(const Event& event) {
  const std::string data = encode(event).bytes(), length = little_endian(static_cast<uint64_t>(data.size()));
  return length + little_endian(masked_crc(length)) + data + little_endian(masked_crc(data));
}

EventFile::EventFile(std::string folder, int64_t resumed_at) : folder_(std::move(folder)), resumed_at_(resumed_at) {}

void EventFile::add(Event event) {
  event.wall_time = now();
  std::string bytes;
  if (path_.empty()) {
    const auto seconds = static_cast<long long>(event.wall_time);
    path_ = cat(folder_, "/events.out.tfevents.", seconds, ".", host_name(), ".", getpid());
    bytes += event_record({.wall_time = event.wall_time, .file_version = "brain.Event:2"});
    if (resumed_at_ > 0)
      bytes += event_record({.wall_time = event.wall_time, .step = resumed_at_ + 1, .session_start = true});
  }
  append(bytes + event_record(event));
}

void EventFile::append(const std::string& bytes) const {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path_.c_str(), "ab"), std::fclose);
  if (!file || std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size() || std::fflush(file.get()) != 0)
    fail_file("write", path_, errno);
}

std::string markdown_code(std::string_view text) {
  std::string code = "    ";
  for (const char c : text) code += c == '\n' ? std::string("\n    ") : std::string(1, c);
  return code;
}

}  // namespace hexapla::train
