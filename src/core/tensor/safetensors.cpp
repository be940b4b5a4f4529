#include "tensor/safetensors.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "base/error.h"
#include "base/json.h"

namespace hexapla {
namespace {

struct TypeName {
  const char* name;
  DType dtype;
};
constexpr TypeName kTypeNames[] = {{"F32", DType::f32}, {"F64", DType::f64}, {"BF16", DType::bf16},
                                   {"I8", DType::i8},   {"I32", DType::i32}, {"U8", DType::u8},
                                   {"F16", DType::f16}, {"I64", DType::i64}};

const char* type_name(DType dtype) {
  return std::find_if(std::begin(kTypeNames), std::end(kTypeNames), [&](auto& t) { return t.dtype == dtype; })->name;
}

bool is_name(std::string_view name) {
  return !name.empty() && name.size() <= SafetensorsFile::kMaxName &&
         std::none_of(name.begin(), name.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

// Text of the file for a message: on one line, shortened.
std::string shown(std::string_view text) {
  std::string out = "'";
  for (const unsigned char c : text.substr(0, 60)) out += c < 0x20 || c == 0x7f ? '?' : static_cast<char>(c);
  return out + (text.size() > 60 ? "...'" : "'");
}

Shape shape_of(const std::vector<int64_t>& d) {
  switch (d.size()) {
    case 0:
      return {};
    case 1:
      return {d[0]};
    case 2:
      return {d[0], d[1]};
    case 3:
      return {d[0], d[1], d[2]};
    default:
      return {d[0], d[1], d[2], d[3]};
  }
}

// The unchecked header entry of one tensor.
struct Claim {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  std::vector<int64_t> offsets;
  std::set<std::string> fields;
};

// Reads the header while the JSON parser runs: no tree is built, so memory stays proportional to
// the header. Levels of nesting: 0 outside, 1 tensors, 2 the fields of a tensor or the metadata, 3
// a list of numbers.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderReader(const std::string& path) : path_(path) {}
  std::map<std::string, std::string> metadata;
  std::vector<Claim> claims;

  bool start_object(std::size_t) override {
    if (level_ >= 2) refuse("an object", expected());
    ++level_;
    return true;
  }
  bool end_object() override {
    if (--level_ == 1 && !in_metadata_) check_complete();
    return true;
  }
  bool start_array(std::size_t) override {
    if (level_ != 2 || in_metadata_ || (key_ != "shape" && key_ != "data_offsets")) refuse("a list", expected());
    ++level_;
    return true;
  }
  bool end_array() override {
    --level_;
    return true;
  }
  bool key(std::string& text) override {
    if (level_ == 1)
      start_entry(text);
    else if (in_metadata_)
      start_metadata(text);
    else
      start_field(text);
    return true;
  }
  bool string(std::string& text) override {
    if (level_ == 2 && in_metadata_)
      metadata[key_] = text;
    else if (level_ == 2 && key_ == "dtype")
      claims.back().dtype = text;
    else
      refuse("the text " + shown(text), expected());
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (level_ != 3) refuse(cat("the number ", value), expected());
    auto& list = key_ == "shape" ? claims.back().shape : claims.back().offsets;
    if (value > INT64_MAX) refuse(cat("the number ", value), cat("at most ", INT64_MAX));
    if (list.size() == 4) refuse("more than 4 numbers", key_ == "shape" ? "a rank of 0 to 4" : "two offsets");
    list.push_back(static_cast<int64_t>(value));
    return true;
  }
  bool number_integer(number_integer_t value) override { refuse(cat("the number ", value), expected()); }
  bool number_float(number_float_t, const std::string& text) override {
    std::string written = text;  // except for the decimal point, for which the JSON library uses the locale's
    std::replace(written.begin(), written.end(), ',', '.');
    refuse("the number " + shown(written), expected());
  }
  bool null() override { refuse("null", expected()); }
  bool boolean(bool) override { refuse("true or false", expected()); }
  bool binary(binary_t&) override { refuse("binary data", expected()); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    throw DataError(cat(path_, ": the header is not valid JSON at its byte ", position,
                        "; the file is damaged or not in safetensors format"));
  }

 private:
  void start_entry(const std::string& name) {
    if (!names_.insert(name).second) throw DataError(cat(path_, ": the name ", shown(name), " occurs twice"));
    in_metadata_ = name == "__metadata__";
    key_.clear();
    if (in_metadata_) return;
    if (!is_name(name))
      throw DataError(cat(path_, ": a tensor name of ", name.size(), " bytes, ", shown(name), "; allowed are 1 to ",
                          SafetensorsFile::kMaxName, " bytes without control characters"));
    if (claims.size() == SafetensorsFile::kMaxTensors)
      throw DataError(cat(path_, ": more than ", SafetensorsFile::kMaxTensors, " tensors"));
    claims.push_back({name, {}, {}, {}, {}});
  }
  void start_metadata(const std::string& text) {
    if (!metadata.emplace(text, "").second)
      throw DataError(cat(path_, ": the metadata key ", shown(text), " occurs twice"));
    key_ = text;
  }
  void start_field(const std::string& text) {
    if (text != "dtype" && text != "shape" && text != "data_offsets")
      refuse("the field " + shown(text), "dtype, shape and data_offsets");
    if (!claims.back().fields.insert(text).second) refuse("the field " + shown(text) + " twice", "it once");
    key_ = text;
  }
  void check_complete() {
    for (const char* field : {"dtype", "shape", "data_offsets"})
      if (claims.back().fields.count(field) == 0) refuse(cat("no field '", field, "'"), "all three fields");
    if (claims.back().offsets.size() != 2)
      refuse(cat(claims.back().offsets.size(), " data_offsets"), "two of them, beginning and end");
  }
  std::string expected() const {
    if (level_ == 0 || level_ == 1) return "an object of tensors, each an object";
    if (in_metadata_) return "text for every key of __metadata__";
    return key_ == "dtype" ? "dtype as a text" : cat(key_, " as a list of whole numbers from 0");
  }
  [[noreturn]] void refuse(const std::string& found, const std::string& allowed) const {
    const std::string where = level_ <= 1    ? "the header"
                              : in_metadata_ ? "the metadata"
                                             : "tensor " + shown(claims.back().name);
    throw DataError(cat(path_, ": ", where, " has ", found, "; allowed is ", allowed));
  }

  const std::string& path_;
  int level_ = 0;
  bool in_metadata_ = false;
  std::string key_;
  std::set<std::string> names_;
};

DType dtype_of_claim(const Claim& claim, const std::string& path) {
  for (const auto& type : kTypeNames)
    if (claim.dtype == type.name) return type.dtype;
  throw DataError(cat(path, ": tensor ", shown(claim.name), " has the type ", shown(claim.dtype),
                      "; allowed are F32, F64, BF16, I8, I32, U8, F16, I64"));
}

// The byte size of a shape. The product counts zeros as ones, so that later products cannot
// overflow in any order.
size_t checked_bytes(const Claim& claim, DType dtype, const std::string& path) {
  int64_t size = static_cast<int64_t>(size_of(dtype));
  bool empty = false;
  for (const int64_t d : claim.shape) {
    if (__builtin_mul_overflow(size, std::max<int64_t>(d, 1), &size))
      throw DataError(cat(path, ": tensor ", shown(claim.name), " has the shape ", shape_of(claim.shape),
                          ", whose size does not fit into 63 bits"));
    empty = empty || d == 0;
  }
  return empty ? 0 : static_cast<size_t>(size);
}

void check_size(const Claim& claim, DType dtype, const std::string& path, size_t data_size) {
  const auto begin = static_cast<size_t>(claim.offsets[0]), end = static_cast<size_t>(claim.offsets[1]);
  const std::string what = cat(path, ": tensor ", shown(claim.name), " has the offsets ", begin, " to ", end);
  if (begin > end) throw DataError(what + "; the end must not come before the beginning");
  if (end > data_size)
    throw DataError(cat(what, ", but there are only ", data_size, " bytes of data; the file is cut short or damaged"));
  const size_t needed = checked_bytes(claim, dtype, path);
  if (end - begin != needed)
    throw DataError(
        cat(what, ", ", end - begin, " bytes, but ", claim.dtype, " ", shape_of(claim.shape), " takes ", needed));
}

// The tensors must cover the data without gaps or overlaps.
void check_layout(std::vector<Claim>& claims, const std::string& path, size_t data_size) {
  std::sort(claims.begin(), claims.end(), [](const Claim& a, const Claim& b) { return a.offsets < b.offsets; });
  int64_t end = 0;
  for (const auto& claim : claims) {
    if (claim.offsets[0] != end)
      throw DataError(cat(path, ": tensor ", shown(claim.name), " begins at byte ", claim.offsets[0],
                          " of the data, but the tensor before it ends at ", end, "; allowed is neither ",
                          claim.offsets[0] < end ? "an overlap" : "a hole", " nor any other order"));
    end = claim.offsets[1];
  }
  if (static_cast<size_t>(end) != data_size)
    throw DataError(cat(path, ": the tensors end at byte ", end, " of the data, but there are ", data_size,
                        " bytes; nothing may follow the last tensor"));
}

// start: the first 8 bytes of the file, or all of a shorter one; size: of the file.
size_t header_length(std::string_view start, size_t size, const std::string& path) {
  if (start.size() < 8)
    throw DataError(cat(path, ": ", size,
                        " bytes are too few for a safetensors file; it is cut short or of "
                        "another format"));
  uint64_t length;
  std::memcpy(&length, start.data(), 8);
  if (length > SafetensorsFile::kMaxHeader)
    throw DataError(cat(path, ": the header claims ", length, " bytes; allowed are ", SafetensorsFile::kMaxHeader,
                        ". The file is damaged or not in safetensors format"));
  if (length > size - 8)
    throw DataError(
        cat(path, ": the header claims ", length, " bytes, but only ", size - 8, " follow; the file is cut short"));
  return length;
}

// The canonical order: wide types first, then by name.
std::vector<const TensorSource*> ordered(std::span<const TensorSource> tensors) {
  std::vector<const TensorSource*> all;
  for (const auto& t : tensors) all.push_back(&t);
  std::sort(all.begin(), all.end(), [](const TensorSource* a, const TensorSource* b) {
    const size_t wide = size_of(a->dtype), other = size_of(b->dtype);
    return wide != other ? wide > other : a->name < b->name;
  });
  return all;
}

size_t bytes_of(const TensorSource& t) { return static_cast<size_t>(t.shape.size()) * size_of(t.dtype); }

std::string header_of(const std::vector<const TensorSource*>& tensors,
                      const std::map<std::string, std::string>& metadata) {
  auto header = nlohmann::json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  size_t end = 0;
  for (const TensorSource* t : tensors) {
    HEXAPLA_CHECK(is_name(t->name) && t->name != "__metadata__" && !header.contains(t->name), "the tensor name ",
                  shown(t->name), " is taken or not allowed");
    const size_t begin = end;
    end += bytes_of(*t);
    auto shape = nlohmann::json::array();
    for (int i = 0; i < t->shape.rank(); ++i) shape.push_back(t->shape[i]);
    header[t->name] = {{"dtype", type_name(t->dtype)}, {"shape", shape}, {"data_offsets", {begin, end}}};
  }
  std::string text = json_text(header);
  text.resize((8 + text.size() + 63) / 64 * 64 - 8, ' ');
  HEXAPLA_CHECK(text.size() <= SafetensorsFile::kMaxHeader, "a header of ", text.size(), " bytes is too long");
  return text;
}

}  // namespace

SafetensorsFile SafetensorsFile::with_header(std::string_view header, size_t data_size, const std::string& path) {
  if (header.empty() || header[0] != '{')
    throw DataError(cat(path, ": the header does not begin with {; the file is not in safetensors format"));
  HeaderReader reader(path);
  walk_json(header, reader);

  SafetensorsFile file;
  file.path_ = path;
  file.metadata_ = std::move(reader.metadata);
  for (const Claim& claim : reader.claims) {
    const DType dtype = dtype_of_claim(claim, path);
    check_size(claim, dtype, path, data_size);
    file.tensors_.push_back(
        {claim.name, dtype, shape_of(claim.shape), 8 + header.size() + static_cast<size_t>(claim.offsets[0])});
  }
  check_layout(reader.claims, path, data_size);
  std::sort(file.tensors_.begin(), file.tensors_.end(), [](auto& a, auto& b) { return a.name < b.name; });
  return file;
}

SafetensorsFile SafetensorsFile::parse(std::string_view bytes, const std::string& name) {
  const size_t length = header_length(bytes.substr(0, 8), bytes.size(), name);
  SafetensorsFile file = with_header(bytes.substr(8, length), bytes.size() - 8 - length, name);
  file.bytes_ = bytes;
  return file;
}

SafetensorsFile SafetensorsFile::open(const std::string& path) {
  FileReader bytes(path);
  std::string start(std::min<size_t>(8, bytes.size()), '\0');
  bytes.read(0, start.data(), start.size());
  std::string header(header_length(start, bytes.size(), path), '\0');
  bytes.read(8, header.data(), header.size());
  SafetensorsFile file = with_header(header, bytes.size() - 8 - header.size(), path);
  file.file_ = std::move(bytes);
  return file;
}

void SafetensorsFile::read(const TensorEntry& t, void* to) const { read(t, 0, to, t.byte_count()); }

void SafetensorsFile::read(const TensorEntry& t, size_t at, void* to, size_t size) const {
  HEXAPLA_CHECK(at <= t.byte_count() && size <= t.byte_count() - at, "bytes ", at, " to ", at + size, " of ", t.name);
  if (size == 0) return;
  if (bytes_.empty())
    file_.read(t.offset + at, to, size);
  else
    std::memcpy(to, bytes_.data() + t.offset + at, size);
}

std::string SafetensorsFile::text(const TensorEntry& t) const {
  std::string bytes(t.byte_count(), '\0');
  read(t, bytes.data());
  return bytes;
}

void SafetensorsFile::copy(const TensorEntry& t, const Tensor& to) const {
  HEXAPLA_CHECK(to.contiguous(), "tensor ", to.shape, " is not contiguous");
  if (t.dtype != to.dtype || t.shape != to.shape)
    throw DataError(cat(path_, ": tensor ", shown(t.name), " is ", type_name(t.dtype), " ", t.shape, "; expected is ",
                        type_name(to.dtype), " ", to.shape));
  read(t, to.bytes);
}

const TensorEntry* SafetensorsFile::find(std::string_view name) const {
  const auto at = std::lower_bound(tensors_.begin(), tensors_.end(), name,
                                   [](const TensorEntry& entry, std::string_view n) { return entry.name < n; });
  return at != tensors_.end() && at->name == name ? &*at : nullptr;
}

const TensorEntry& SafetensorsFile::get(std::string_view name) const {
  const TensorEntry* entry = find(name);
  if (!entry) throw DataError(cat(path_, ": there is no tensor ", shown(name), " among its ", tensors_.size()));
  return *entry;
}

void write_safetensors(const std::string& path, std::span<const TensorSource> tensors,
                       const std::map<std::string, std::string>& metadata) {
  const std::vector<const TensorSource*> all = ordered(tensors);
  const std::string text = header_of(all, metadata);
  AtomicFile file(path);
  const uint64_t length = text.size();
  file.write(&length, 8);
  file.write(text);
  for (const TensorSource* t : all) t->give([&](const void* bytes) { file.write(bytes, bytes_of(*t)); });
  file.commit();
}

void write_safetensors(const std::string& path, std::span<const NamedTensor> tensors,
                       const std::map<std::string, std::string>& metadata) {
  std::vector<TensorSource> sources;
  for (const NamedTensor& t : tensors) {
    HEXAPLA_CHECK(t.tensor.contiguous(), "tensor ", shown(t.name), " ", t.tensor.shape, " is not contiguous");
    sources.push_back({t.name, t.tensor.dtype, t.tensor.shape, [&t](const auto& take) { take(t.tensor.bytes); }});
  }
  write_safetensors(path, sources, metadata);
}

}  // namespace hexapla
