#include "convert/containers/ctranslate2_file.h"

#include <algorithm>

namespace hexapla::convert {
namespace {

constexpr uint32_t kOldest = 1, kNewest = 6;
// The versions that added a specification name, aliases, and element types.
constexpr uint32_t kNamed = 2, kAliased = 3, kTyped = 4;
constexpr std::string_view kScale = "_scale";
constexpr float kScaleOf16Bits = 1000;  // of 16-bit weights in files without scales

bool is_integer(ElementType type) { return type == ElementType::i8 || type == ElementType::i16; }

// Translates a variable's name in the first revision (CTranslate2's src/models/transformer.cc) to
// the current one.
std::string name_of_first_revision(std::string name) {
  const auto replace = [&](std::string_view from, std::string_view to) {
    if (const size_t at = name.find(from); at != name.npos) name.replace(at, from.size(), to);
  };
  replace("transformer/", "");
  replace(":0", "");
  replace("w_embs", "embeddings/weight");
  replace("kernel", "weight");
  replace("LayerNorm", "layer_norm");
  replace("dense", "projection");
  replace("conv1d_", "linear_");
  replace("conv1d", "linear_0");
  if (name.find("encoder") != name.npos) {
    replace("multi_head", "self_attention");
  } else {
    replace("masked_multi_head", "self_attention");
    replace("multi_head", "attention");
  }
  return name;
}

}  // namespace

// Reads the file sequentially, number by number: a variable's header precedes its bytes.
class CTranslate2File::Head {
 public:
  explicit Head(const FileReader& file) : file_(file) {}

  size_t at() const { return at_; }
  size_t left() const { return file_.size() - at_; }
  template <class Number>
  Number number(const char* what) {
    Number value;
    need(sizeof value, what);
    file_.read(at_, &value, sizeof value);
    at_ += sizeof value;
    return value;
  }
  // A 2-byte length, which includes the final zero, and the bytes.
  std::string text(const char* what) {
    const size_t length = number<uint16_t>(what);
    need(length, what);
    std::string bytes(length, '\0');
    file_.read(at_, bytes.data(), length);
    at_ += length;
    if (bytes.empty() || bytes.back() != '\0' || bytes.find('\0') != length - 1)
      refuse(cat(what, " is a text that does not end with a zero"));
    bytes.pop_back();
    return bytes;
  }
  void skip(size_t size, const std::string& what) {
    need(size, what);
    at_ += size;
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw DataError(cat(file_.path(), ": at byte ", at_, ", ", what, "; the file is damaged, or not CTranslate2's"));
  }

 private:
  void need(size_t size, const std::string& what) const {
    if (size > left()) refuse(cat(what, " should have ", size, " bytes, but only ", left(), " follow"));
  }

  const FileReader& file_;
  size_t at_ = 0;
};

CTranslate2File::CTranslate2File(const std::string& path) : file_(path) {
  Head head(file_);
  version_ = head.number<uint32_t>("the version");
  if (version_ < kOldest || version_ > kNewest)
    throw DataError(cat(path, ": it begins with version ", version_, " of CTranslate2's format; read are ", kOldest,
                        " to ", kNewest,
                        ". Convert the model again with another version, or it is not a file of CTranslate2"));
  if (version_ >= kNamed) specification_ = head.text("the specification");
  revision_ = version_ >= kNamed ? head.number<uint32_t>("the revision") : 1;
  read_variables(head);
  if (version_ >= kAliased) read_aliases(head);
  if (head.left() != 0) head.refuse(cat(head.left(), " bytes follow the last variable"));
  for (auto& [name, variable] : variables_) {
    find_scales(name, variable.first, variable.second);
    const std::string of = name.ends_with(kScale) ? name.substr(0, name.size() - kScale.size()) : "";
    const auto weight = variables_.find(of);
    if (weight == variables_.end() || !is_integer(weight->second.first.type))
      catalog_.add(path, variable.first, variable.second);
  }
  catalog_.sort(path);
}

void CTranslate2File::read_variables(Head& head) {
  constexpr ElementType types[] = {ElementType::f32, ElementType::i8,  ElementType::i16,
                                   ElementType::i32, ElementType::f16, ElementType::bf16};
  const auto count = head.number<uint32_t>("the number of variables");
  for (uint32_t i = 0; i < count; ++i) {
    ForeignTensor tensor{head.text("a variable's name"), {}, ElementType::f32};
    check_name(path(), tensor.name);
    if (revision_ == 1) tensor.name = name_of_first_revision(std::move(tensor.name));
    const std::string what = "variable " + shown(tensor.name);
    const auto rank = head.number<uint8_t>("a rank");
    if (rank > limits::kRank) head.refuse(cat(what, " has the rank ", int(rank)));
    for (uint8_t d = 0; d < rank; ++d) tensor.shape.push_back(head.number<uint32_t>("an extent"));
    const auto type = head.number<uint8_t>("a type");
    size_t bytes = head.number<uint32_t>("a size");
    if (version_ >= kTyped) {
      if (type >= std::size(types)) head.refuse(cat(what, " has the type ", int(type), "; known are 0 to 5"));
      tensor.type = types[type];
    } else {  // instead, bytes per element and the number of elements
      if (type != 1 && type != 2 && type != 4) head.refuse(cat(what, " has elements of ", int(type), " bytes"));
      tensor.type = type == 1 ? ElementType::i8 : type == 2 ? ElementType::i16 : ElementType::f32;
      bytes *= type;
    }
    if (const size_t needed = checked_bytes(cat(path(), ": ", what), tensor.shape, tensor.type); needed != bytes)
      head.refuse(cat(what, " has ", bytes, " bytes, but ", tensor.text(), " takes ", needed));
    const Variable variable{head.at(), ""};
    head.skip(bytes, what);
    if (variables_.size() == limits::kTensors) head.refuse(cat("there are more than ", limits::kTensors, " variables"));
    const std::string name = tensor.name;
    if (!variables_.emplace(name, std::pair{std::move(tensor), variable}).second) head.refuse(what + " is there twice");
  }
}

void CTranslate2File::read_aliases(Head& head) {
  const auto count = head.number<uint32_t>("the number of aliases");
  for (uint32_t i = 0; i < count; ++i) {
    const std::string alias = head.text("an alias"), name = head.text("what an alias stands for");
    check_name(path(), alias);
    const auto found = variables_.find(name);
    if (found == variables_.end())
      head.refuse(cat("alias ", shown(alias), " stands for ", shown(name), ", which is not there"));
    for (const std::string_view part : {std::string_view(), kScale}) {
      const auto from = variables_.find(name + std::string(part));
      if (from == variables_.end()) continue;
      if (variables_.size() == limits::kTensors)
        head.refuse(cat("there are more than ", limits::kTensors, " variables"));
      auto variable = from->second;
      variable.first.name = alias + std::string(part);
      if (!variables_.emplace(variable.first.name, variable).second && part.empty())
        head.refuse(cat("alias ", shown(alias), " is the name of a variable, too"));
    }
  }
}

// Integer weights of rank 2 or more have a scale per row, or one scale. 16-bit ones may have none.
void CTranslate2File::find_scales(const std::string& name, const ForeignTensor& tensor, Variable& variable) const {
  if (!is_integer(tensor.type) || tensor.shape.size() < 2) return;
  const auto scale = variables_.find(name + std::string(kScale));
  const ForeignTensor* s = scale == variables_.end() ? nullptr : &scale->second.first;
  if (!s && tensor.type == ElementType::i16) {
    variable.constant_scale = kScaleOf16Bits;
    return;
  }
  if (!s || (s->count() != 1 && s->count() != tensor.shape[0]) || is_integer(s->type))
    throw DataError(cat(path(), ": the variable ", tensor.text(), " is of integers and needs a variable ",
                        shown(name + std::string(kScale)), " of 1 or ", tensor.shape[0],
                        " scales; the file is damaged"));
  variable.scale = scale->first;
}

std::vector<float> CTranslate2File::plain(const ForeignTensor& tensor, size_t offset) const {
  return floats_in_blocks(tensor.type, tensor.count(),
                          [&](size_t at, char* to, size_t size) { file_.read(offset + at, to, size); });
}

// A quantized weight is round(w * scale).
std::vector<float> CTranslate2File::read(const ForeignTensor& tensor) const {
  return read_part(tensor, 0, tensor.count());
}

std::vector<float> CTranslate2File::read_part(const ForeignTensor& tensor, size_t first, size_t count) const {
  const Variable& variable = catalog_.place_of(tensor);
  std::vector<float> numbers = floats_in_blocks(
      tensor.type, first, count, [&](size_t at, char* to, size_t size) { file_.read(variable.offset + at, to, size); });
  if (variable.constant_scale > 0)
    for (float& number : numbers) number /= variable.constant_scale;
  if (variable.scale.empty() || numbers.empty()) return numbers;
  const auto& [scale, where] = variables_.at(variable.scale);
  const std::vector<float> scales = plain(scale, where.offset);
  for (const float s : scales)
    if (!(s > 0))
      throw DataError(cat(path(), ": ", shown(scale.name), " has the scale ", s, "; allowed are those above 0"));
  const size_t row = tensor.count() / scales.size();
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] /= scales[(first + i) / row];
  return numbers;
}

std::optional<float> CTranslate2File::number(std::string_view name) const {
  const ForeignTensor* found = find(name);
  if (!found || found->count() != 1) return std::nullopt;
  return plain(*found, catalog_.place_of(*found).offset)[0];
}

std::optional<std::string> CTranslate2File::text(std::string_view name) const {
  const ForeignTensor* found = find(name);
  if (!found || found->type != ElementType::i8 || found->count() > limits::kName) return std::nullopt;
  std::string bytes(found->count(), '\0');
  file_.read(catalog_.place_of(*found).offset, bytes.data(), bytes.size());
  return bytes;
}

}  // namespace hexapla::convert
