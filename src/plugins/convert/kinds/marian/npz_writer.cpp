#include "convert/kinds/marian/npz_writer.h"

#include <array>
#include <limits>

#include "base/error.h"

namespace hexapla::convert {
namespace {

constexpr uint32_t kLocalEntry = 0x04034b50, kDirectoryEntry = 0x02014b50, kDirectoryEnd = 0x06054b50;
constexpr uint16_t kZipVersion = 20, kFirstOfJanuary1980 = 0x21;
constexpr size_t kNpyAlignment = 64;

template <class... Numbers>
std::string little_endian(Numbers... numbers) {
  std::string bytes;
  const auto add = [&](auto number) {
    for (size_t i = 0; i < sizeof number; ++i)
      bytes += static_cast<char>(static_cast<uint64_t>(number) >> (8 * i) & 255U);
  };
  (add(numbers), ...);
  return bytes;
}

// The CRC of zip archives: polynomial 0xedb88320, lowest bit first.
uint32_t crc32_of(std::string_view bytes, uint32_t before = 0) {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> all{};
    for (uint32_t i = 0; i < all.size(); ++i) {
      all[i] = i;
      for (int bit = 0; bit < 8; ++bit) all[i] = all[i] >> 1U ^ (all[i] & 1U ? 0xedb88320U : 0U);
    }
    return all;
  }();
  uint32_t sum = ~before;
  for (const char c : bytes) sum = table[(sum ^ static_cast<uint8_t>(c)) & 255U] ^ sum >> 8U;
  return ~sum;
}

std::string npy_front(const std::string& type, const std::vector<size_t>& shape) {
  std::string extents;
  for (const size_t n : shape) extents += cat(extents.empty() ? "" : ", ", n);
  if (shape.size() == 1) extents += ",";  // Marian treats an array whose last extent has a comma as a vector
  std::string literal = cat("{'descr': '", type, "', 'fortran_order': False, 'shape': (", extents, "), }");
  constexpr size_t front = 10;  // magic, version, length
  literal.resize((front + literal.size() + kNpyAlignment) / kNpyAlignment * kNpyAlignment - front - 1, ' ');
  literal += '\n';
  return "\x93NUMPY" + little_endian(uint8_t{1}, uint8_t{0}, static_cast<uint16_t>(literal.size())) + literal;
}

}  // namespace

void NpzWriter::add_array(const std::string& name, const std::string& type, const std::vector<size_t>& shape,
                          std::string_view bytes) {
  const std::string front = npy_front(type, shape), file = name + ".npy";
  const uint64_t size = front.size() + bytes.size();
  if (at_ + size + 256 > std::numeric_limits<uint32_t>::max())
    throw DataError("the model is larger than 4 GiB, which Marian's .npz cannot be; export a smaller one");
  const Entry e{file, crc32_of(bytes, crc32_of(front)), static_cast<uint32_t>(size), static_cast<uint32_t>(at_)};
  const std::string head =
      little_endian(kLocalEntry, kZipVersion, uint16_t{0}, uint16_t{0}, uint16_t{0}, kFirstOfJanuary1980, e.checksum,
                    e.size, e.size, static_cast<uint16_t>(file.size()), uint16_t{0}) +
      file;
  file_.write(head + front);
  file_.write(bytes);
  at_ += head.size() + size;
  entries_.push_back(e);
}

void NpzWriter::add(const std::string& name, const std::vector<size_t>& shape, const std::vector<float>& numbers) {
  add_array(name, "<f4", shape,
            {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float)});  // little-endian, as here
}

void NpzWriter::add_text(const std::string& name, const std::string& bytes) {
  add_array(name, "|i1", {bytes.size()}, bytes);
}

void NpzWriter::commit() {
  std::string directory;
  for (const Entry& e : entries_)
    directory += little_endian(kDirectoryEntry, kZipVersion, kZipVersion, uint16_t{0}, uint16_t{0}, uint16_t{0},
                               kFirstOfJanuary1980, e.checksum, e.size, e.size, static_cast<uint16_t>(e.name.size()),
                               uint16_t{0}, uint16_t{0}, uint16_t{0}, uint16_t{0}, uint32_t{0}, e.offset) +
                 e.name;
  const auto count = static_cast<uint16_t>(entries_.size());
  file_.write(directory + little_endian(kDirectoryEnd, uint16_t{0}, uint16_t{0}, count, count,
                                        static_cast<uint32_t>(directory.size()), static_cast<uint32_t>(at_),
                                        uint16_t{0}));
  file_.commit();
}

}  // namespace hexapla::convert
