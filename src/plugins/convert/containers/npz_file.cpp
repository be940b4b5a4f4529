#include "convert/containers/npz_file.h"

#include <algorithm>
#include <charconv>
#include <memory>

#include "convert/parsing/cursor.h"

namespace hexapla::convert {
namespace {

// A header's Python literal: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class Literal {
 public:
  Literal(std::string_view text, const std::string& place) : text_(text), place_(place) {}

  NpyHead head() {
    NpyHead h;
    bool type = false, order = false, shape = false;
    expect('{');
    while (!next_is('}')) {
      const std::string_view key = quoted();
      expect(':');
      if (key == "descr" && !type)
        type = true, h.type = type_of(quoted());
      else if (key == "fortran_order" && !order)
        order = true, h.fortran = truth();
      else if (key == "shape" && !shape)
        shape = true, h.shape = numbers();
      else
        refuse(cat("has the field ", shown(key), ", or has it twice; fields are descr, fortran_order and shape"));
      if (!next_is(',')) expect('}', false);
    }
    if (!type || !order || !shape) refuse("lacks a field; fields are descr, fortran_order and shape");
    return h;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw DataError(cat(place_, ": the array's head ", what)); }
  void skip_blanks() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
  }
  bool next_is(char c) {
    skip_blanks();
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c, bool taken = true) {
    skip_blanks();
    if (text_.empty() || text_[0] != c) refuse(cat("should have '", c, "' before ", shown(text_), "; it is damaged"));
    if (taken) text_.remove_prefix(1);
  }
  std::string_view quoted() {
    skip_blanks();
    const size_t end = text_.empty() || (text_[0] != '\'' && text_[0] != '"') ? text_.npos : text_.find(text_[0], 1);
    if (end == text_.npos) refuse(cat("should have a text at ", shown(text_), "; arrays of records are not read"));
    const std::string_view inside = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return inside;
  }
  bool truth() {
    skip_blanks();
    const bool yes = text_.starts_with("True");
    if (!yes && !text_.starts_with("False")) refuse(cat("should have True or False at ", shown(text_)));
    text_.remove_prefix(yes ? 4 : 5);
    return yes;
  }
  std::vector<size_t> numbers() {
    std::vector<size_t> all;
    expect('(');
    while (!next_is(')')) {
      skip_blanks();
      size_t value = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
      if (error != std::errc() || all.size() == limits::kRank)
        refuse(cat("has a shape that is not ", limits::kRank, " whole numbers from 0, or fewer, at ", shown(text_)));
      text_.remove_prefix(static_cast<size_t>(end - text_.data()));
      all.push_back(value);
      if (!next_is(',')) expect(')', false);
    }
    return all;
  }
  ElementType type_of(std::string_view name) const {
    constexpr std::pair<std::string_view, ElementType> types[] =
        {
            {"<f8", ElementType::f64}, {"<f4", ElementType::f32}, {"<f2", ElementType::f16},
            {"<i8", ElementType::i64}, {"<i4", ElementType::i32}, {"<i2", ElementType::i16},
            {"|i1", ElementType::i8},  {"|u1", ElementType::u8},  {"|b1", ElementType::boolean},
            {"<i1", ElementType::i8},  {"<u1", ElementType::u8}};  // one byte has no order, but Marian writes one
    for (const auto& [known, type] : types)
      if (name == known) return type;
    if (name.starts_with('>'))
      refuse(cat("has the type ", shown(name), ", big-endian; save it with the other byte order"));
    refuse(cat("has the type ", shown(name), "; read are <f8 <f4 <f2 <i8 <i4 <i2 |i1 |u1 |b1"));
  }

  std::string_view text_;
  const std::string& place_;
};

}  // namespace

NpyHead npy_head(std::string_view start, const std::string& place) {
  Cursor bytes(start, place);
  if (bytes.left() < 8 || bytes.take(6) != "\x93NUMPY")
    throw DataError(cat(place, " is no array of NumPy: it does not begin as one"));
  const auto major = bytes.number<uint8_t>();
  bytes.number<uint8_t>();
  if (major < 1 || major > 3) throw DataError(cat(place, " is an array of version ", int(major), "; read are 1 to 3"));
  const size_t length = major == 1 ? bytes.number<uint16_t>() : bytes.number<uint32_t>();
  NpyHead head = Literal(bytes.take(length), place).head();
  head.bytes = bytes.at();
  return head;
}

NpzFile::NpzFile(const std::string& path) : archive_(path) {
  for (const ZipEntry& e : archive_.entries()) {
    const std::string place = archive_.place(e);
    if (!e.name.ends_with(".npy")) throw DataError(cat(place, " is no .npy; the archive is not NumPy's"));
    NpyHead head = npy_head(start_of(e), place);
    const size_t size = checked_bytes(place, head.shape, head.type);
    if (e.size < head.bytes || e.size - head.bytes != size)
      throw DataError(cat(place, " has ", e.size, " bytes, but a head of ", head.bytes, " and an array of ", size,
                          "; the file is damaged"));
    if (e.deflated && size > limits::kAlwaysInflated && e.size / limits::kInflation > e.packed)
      throw DataError(cat(place, " should become ", e.size, " bytes, more than ", limits::kInflation, " times the ",
                          e.packed, " that it has in the file"));
    const Array array{&e, head.bytes, head.fortran};
    catalog_.add(path, {e.name.substr(0, e.name.size() - 4), std::move(head.shape), head.type}, array);
  }
  catalog_.sort(path);
}

// The beginning of an array, long enough for its header.
std::string NpzFile::start_of(const ZipEntry& e) const {
  std::string start(std::min(e.size, kMaxHead), '\0');
  size_t filled = 0;
  try {
    const auto from = archive_.content(e);
    while (const size_t now = filled < start.size() ? from->read(start.data() + filled, start.size() - filled) : 0)
      filled += now;
  } catch (const data::DamagedBytes& damage) {
    throw DataError(cat(archive_.place(e), " is damaged: ", damage.what));
  }
  start.resize(filled);
  return start;
}

// Reads an array's numbers: directly from the file, or in order as they are inflated.
ReadBytes NpzFile::reader(const ForeignTensor& tensor, const Array& array) const {
  const ZipEntry& e = *array.entry;
  if (!e.deflated)
    return [this, &e, array](size_t at, char* to, size_t size) { archive_.read(e, array.head + at, to, size); };
  auto all = std::make_shared<std::string>(
      archive_.text(e, array.head + checked_bytes(tensor.name, tensor.shape, tensor.type)));
  return [all, array](size_t at, char* to, size_t size) { std::copy_n(all->data() + array.head + at, size, to); };
}

std::vector<float> NpzFile::read(const ForeignTensor& tensor) const {
  const Array& array = catalog_.place_of(tensor);
  std::vector<float> numbers = floats_in_blocks(tensor.type, tensor.count(), reader(tensor, array));
  if (!array.fortran || tensor.shape.size() < 2 || numbers.empty()) return numbers;
  return gathered(numbers, tensor.shape, column_strides(tensor.shape));
}

std::vector<float> NpzFile::read_part(const ForeignTensor& tensor, size_t first, size_t count) const {
  const Array& array = catalog_.place_of(tensor);
  if (array.fortran || array.entry->deflated) return ForeignTensors::read_part(tensor, first, count);
  return floats_in_blocks(tensor.type, first, count, reader(tensor, array));
}

std::string NpzFile::bytes(const ForeignTensor& tensor) const {
  std::string all(tensor.count() * size_of(tensor.type), '\0');
  reader(tensor, catalog_.place_of(tensor))(0, all.data(), all.size());
  return all;
}

}  // namespace hexapla::convert
