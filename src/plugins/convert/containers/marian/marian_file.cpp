#include "convert/containers/marian/marian_file.h"

#include <algorithm>
#include <optional>

namespace hexapla::convert {
namespace {

constexpr uint64_t kMarianVersion = 1;
constexpr uint64_t kIntgemm8 = 0x4101, kIntgemm16 = 0x4102;  // values in Marian's src/common/types.h

bool is_intgemm(uint64_t type) { return type == kIntgemm8 || type == kIntgemm16; }

std::optional<ElementType> element_of(uint64_t type) {
  constexpr std::pair<uint64_t, ElementType> known[] = {
      {0x101, ElementType::i8},     {0x102, ElementType::i16},     {0x104, ElementType::i32}, {0x108, ElementType::i64},
      {0x201, ElementType::u8},     {0x402, ElementType::f16},     {0x404, ElementType::f32}, {0x408, ElementType::f64},
      {kIntgemm8, ElementType::i8}, {kIntgemm16, ElementType::i16}};
  for (const auto& [number, element] : known)
    if (number == type) return element;
  return std::nullopt;
}

// Reads the front of the file sequentially.
class MarianFront {
 public:
  explicit MarianFront(const FileReader& file) : file_(file) {}
  size_t at() const { return at_; }
  [[noreturn]] void refuse(const std::string& what) const {
    throw DataError(cat(file_.path(), ": at byte ", at_, ", ", what, "; the file is damaged, or not Marian's"));
  }
  void skip(uint64_t size, const std::string& what) {
    if (size > file_.size() - at_)
      refuse(cat(what, " should have ", size, " bytes, but only ", file_.size() - at_, " follow"));
    at_ += size;
  }
  template <class Number>
  Number number(const char* what) {
    Number value;
    skip(sizeof value, what);
    file_.read(at_ - sizeof value, &value, sizeof value);
    return value;
  }
  // The size includes a final zero.
  std::string text(uint64_t size, const char* what) {
    if (size > limits::kName + 1) refuse(cat(what, " has ", size, " bytes, allowed are ", limits::kName + 1));
    skip(size, what);
    std::string bytes(size, '\0');
    file_.read(at_ - size, bytes.data(), size);
    return bytes.substr(0, bytes.find('\0'));
  }

 private:
  const FileReader& file_;
  size_t at_ = 0;
};

}  // namespace

struct MarianFile::Head {
  uint64_t name_bytes = 0, type = 0, rank = 0, bytes = 0;
  std::string name = {};
  std::vector<size_t> shape = {};
};

MarianFile::MarianFile(const std::string& path) : file_(path) {
  MarianFront front(file_);
  if (const auto version = front.number<uint64_t>("the version"); version != kMarianVersion)
    front.refuse(cat("it begins with version ", version, " of Marian's format; read is ", kMarianVersion));
  const auto count = front.number<uint64_t>("the number of items");
  if (count > limits::kTensors) front.refuse(cat("there should be ", count, " items; no model has so many"));
  std::vector<Head> all;
  for (uint64_t i = 0; i < count; ++i) {
    Head& h = all.emplace_back();
    for (uint64_t* n : {&h.name_bytes, &h.type, &h.rank, &h.bytes}) *n = front.number<uint64_t>("the head of an item");
    if (h.rank > limits::kRank) front.refuse(cat("item ", i, " has the rank ", h.rank));
  }
  for (Head& h : all) h.name = front.text(h.name_bytes, "an item's name");
  for (Head& h : all)
    for (uint64_t i = 0; i < h.rank; ++i) {
      const auto extent = front.number<int32_t>("an extent");
      if (extent < 0) front.refuse(cat("item ", shown(h.name), " has the extent ", extent));
      h.shape.push_back(static_cast<size_t>(extent));
    }
  front.skip(front.number<uint64_t>("the size of a gap"), "a gap");
  for (const Head& h : all) {
    const size_t offset = front.at();
    front.skip(h.bytes, "item " + shown(h.name));
    add(h, offset);
  }
  if (front.at() != file_.size()) front.refuse(cat(file_.size() - front.at(), " bytes follow the last item"));
  catalog_.sort(path);
}

void MarianFile::add(const Head& h, size_t offset) {
  if (h.name.ends_with("_QuantMultA")) return;
  const std::string place = cat(path(), ": item ", shown(h.name));
  const std::optional<ElementType> type = element_of(h.type);
  if (!type)
    throw DataError(cat(place, " has the type ", h.type,
                        ", which is of one kind of processor, or unknown; convert the ",
                        "model to float32 or intgemm8 with marian-conv"));
  const bool scaled = is_intgemm(h.type);
  const size_t needed = checked_bytes(place, h.shape, *type) + (scaled ? sizeof(float) : 0);
  if (h.bytes < needed)
    throw DataError(cat(place, " has ", h.bytes, " bytes, but its shape takes ", needed, "; the file is damaged"));
  const bool turned = scaled && !h.name.ends_with("Wemb");
  if (turned && h.shape.size() != 2)
    throw DataError(cat(place, " is a matrix of intgemm with ", h.shape.size(), " extents; the file is damaged"));
  catalog_.add(path(), {h.name, h.shape, *type}, {offset, scaled, turned});
}

std::vector<float> MarianFile::read(const ForeignTensor& tensor) const {
  const Item item = catalog_.place_of(tensor);
  const auto at = [&](size_t from, char* to, size_t size) { file_.read(item.offset + from, to, size); };
  std::vector<float> numbers = floats_in_blocks(tensor.type, tensor.count(), at);
  if (!item.scaled) return numbers;
  float factor = 0;
  at(numbers.size() * size_of(tensor.type), reinterpret_cast<char*>(&factor), sizeof factor);
  if (!(factor > 0))
    throw DataError(
        cat(path(), ": the item ", tensor.text(), " has the scale ", factor, "; allowed are those above 0"));
  for (float& x : numbers) x /= factor;
  return item.turned && !numbers.empty() ? gathered(numbers, tensor.shape, column_strides(tensor.shape)) : numbers;
}

std::vector<float> MarianFile::read_part(const ForeignTensor& tensor, size_t first, size_t count) const {
  const Item item = catalog_.place_of(tensor);
  if (item.scaled) return ForeignTensors::read_part(tensor, first, count);
  return floats_in_blocks(tensor.type, first, count,
                          [&](size_t from, char* to, size_t size) { file_.read(item.offset + from, to, size); });
}

std::string MarianFile::bytes(const ForeignTensor& tensor) const {
  std::string all(tensor.count() * size_of(tensor.type), '\0');
  file_.read(catalog_.place_of(tensor).offset, all.data(), all.size());
  return all;
}

bool is_marian_file(const std::string& path) {
  const FileReader file(path);
  uint64_t version = 0;
  if (file.size() < sizeof version) return false;
  file.read(0, &version, sizeof version);
  return version == kMarianVersion;
}

}  // namespace hexapla::convert
