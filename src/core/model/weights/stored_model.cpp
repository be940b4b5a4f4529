#include "model/weights/stored_model.h"

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/files/hash.h"
#include "base/range.h"
#include "model/weights/other/other_files.h"
#include "model/weights/quantize.h"
#include "tensor/half.h"

namespace hexapla::model {
namespace {

constexpr size_t kBlock = size_t{1} << 20;  // numbers that are checked at a time
constexpr std::string_view kReserved[] = {"format", "format_version", "producer", "config", "checksum", "usage"};

void check_format(const SafetensorsFile& file) {
  if (required(file, "format") != "hexapla")
    throw DataError(cat(file.path(), ": this is not a hexapla model, its format is '", required(file, "format"),
                        "'; if it is another system's, import it`{: hexapla import makes one of it}`"));
  const std::string& text = required(file, "format_version");
  int version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size() || version < 1)
    throw DataError(cat(file.path(), ": the format version is '", text, "', not a number; the file is damaged"));
  if (version > kFormatVersionWithHalves)
    throw DataError(cat(file.path(), ": the model has format version ", version, ", but this program reads up to ",
                        kFormatVersionWithHalves, "; install a newer hexapla"));
}

Config read_config(const SafetensorsFile& file) {
  const std::string& text = required(file, "config");
  if (text.size() > 65536)
    throw DataError(cat(file.path(), ": the configuration has ", text.size(), " bytes; allowed are 65536"));
  return Config::from_json(text, file.path());
}

enum class Halves { allowed, refused };

void check_entry(const SafetensorsFile& file, const std::string& name, const Shape& shape, Halves halves) {
  const TensorEntry& entry = file.get(name);
  const bool suits = entry.dtype == DType::f32 || (halves == Halves::allowed && is_half(entry.dtype));
  if (!suits || entry.shape != shape)
    throw DataError(cat(file.path(), ": the tensor ", name, " is ", name_of(entry.dtype), " ", entry.shape,
                        ", but the configuration asks for f32 ", shape));
}

// Checks, before allocating memory for them, that exactly the tensors required by the config are
// present.
void check_tensors(const SafetensorsFile& file, Transformer& net) {
  std::set<std::string> expected;
  const auto check = [&](const std::string& name, const Shape& shape, Halves halves = Halves::refused) {
    check_entry(file, name, shape, halves);
    expected.insert(name);
  };
  for_each<Parameter>(net, [&](const std::string& name, Parameter& p) {
    const TensorEntry* scales = scales_of(file, name, p);
    if (!scales) return check(name, p.shape, Halves::allowed);
    check(scales->name, {p.shape[*quantizable(name, p) == ScaleOf::columns ? 1 : 0]});
    if (file.get(name).shape != p.shape)
      throw DataError(cat(file.path(), ": the tensor ", name, " is i8 ", file.get(name).shape,
                          ", but the configuration asks for ", p.shape));
    expected.insert(name);
  });
  for_each<Buffer>(net, [&](const std::string& name, Buffer& b) { check(name, b.shape); });
  const bool shared = file.find(kSharedText) != nullptr;
  for (const char* name : {shared ? kSharedText : kSourceText, shared ? kSharedText : kTargetText})
    expected.insert(file.get(name).name);
  for (const auto& entry : file.tensors())
    if (expected.count(entry.name) == 0)
      throw DataError(cat(file.path(), ": the tensor ", entry.name,
                          " is not part of the model's configuration; the file is damaged or was "
                          "assembled from several"));
}

// Files of version 0.1 store the search options under a key of their own, and the guided head with
// the training options.
Usage usage_in_history(std::map<std::string, std::string>& history, const std::string& file) {
  Usage usage;
  const auto taken = [&](const char* key) {
    const auto found = history.find(key);
    return found == history.end() ? std::nullopt : std::optional(found->second);
  };
  const auto number = [&](const char* key) -> std::optional<int64_t> {
    const auto text = taken(key);
    if (!text) return {};
    if (const auto value = parse_number<int64_t>(*text)) return value;
    throw DataError(cat(file, ": '", key, "' of its record is no number: ", *text));
  };
  if (const auto search = taken("search")) usage = Usage::from_json(cat(R"({"search":)", *search, "}"), file);
  usage.alignment_layer = number("guided_alignment_layer");
  usage.alignment_head = number("guided_alignment_head");
  history.erase("search");
  return usage;
}

Usage usage_of(LoadedModel& model, const std::string& file) {
  const auto own = model.metadata.find("usage");
  Usage usage =
      own == model.metadata.end() ? usage_in_history(model.history, file) : Usage::from_json(own->second, file);
  check(usage, model.config, file);
  return usage;
}

LoadedModel read_header(const SafetensorsFile& file) {
  check_format(file);
  LoadedModel model;
  model.config = read_config(file);
  model.net = std::make_unique<Transformer>(model.config);
  check_tensors(file, *model.net);
  for_each<Parameter>(*model.net,
                      [&](const std::string& name, Parameter&) { model.stored[name] = file.get(name).dtype; });
  model.metadata = file.metadata();
  for (const auto& [key, value] : model.metadata)
    if (!is_reserved(key)) model.history[key] = value;
  model.usage = usage_of(model, file.path());
  return model;
}

std::string text_in(const SafetensorsFile& file, const char* name) {
  const TensorEntry& entry = file.get(name);
  if (entry.dtype != DType::u8 || entry.shape.rank() != 1)
    throw DataError(cat(file.path(), ": the tensor ", name, " is ", name_of(entry.dtype), " ", entry.shape,
                        "; expected are u8 bytes in one dimension"));
  return file.text(entry);
}

const std::string& checked(const std::string& path) {
  refuse_other_files(path);
  return path;
}

}  // namespace

bool is_reserved(std::string_view key) {
  return std::find(std::begin(kReserved), std::end(kReserved), key) != std::end(kReserved);
}

Checksum::Checksum(const std::string& config) : lines_{cat("config ", hash_hex(config), "\n")} {}

void Checksum::add(const std::string& name, DType dtype, const Shape& shape, const std::string& hash) {
  lines_.insert(cat(name, " ", name_of(dtype), " ", shape, " ", hash, "\n"));
}

std::string Checksum::hex() const {
  std::string all;
  for (const auto& line : lines_) all += line;
  return hash_hex(all);
}

const std::string& required(const SafetensorsFile& file, const char* key) {
  const auto found = file.metadata().find(key);
  if (found == file.metadata().end())
    throw DataError(cat(file.path(), ": this is not a hexapla model, its metadata has no '", key,
                        "'; if it is another system's, import it`{: hexapla import makes one of it}`"));
  return found->second;
}

std::string fault_of(const NamedTensor& t, const Shape& shape, size_t begin) {
  constexpr float most = 1e9F;
  const float least = t.name.ends_with(".scales") || t.name.ends_with(".running_variance") ? 0 : -most;
  const auto n = static_cast<size_t>(t.tensor.size());
  const auto first_beyond = [&](const auto& number) {
    for (size_t i = 0; i < n; ++i)
      if (const float value = number(i); !(value >= least && value <= most))
        return cat("the tensor ", t.name, " ", shape, " holds ", value, " as its number ", begin + i, ", allowed are ",
                   least, " to ", most);
    return std::string();
  };
  const auto* halves = reinterpret_cast<const uint16_t*>(t.tensor.bytes);
  if (t.tensor.dtype == DType::f16) return first_beyond([&](size_t i) { return float_of_f16(halves[i]); });
  if (t.tensor.dtype == DType::bf16) return first_beyond([&](size_t i) { return float_of_bf16(halves[i]); });
  if (t.tensor.dtype == DType::f32) return first_beyond([&](size_t i) { return t.tensor.data<float>()[i]; });
  return "";
}

const TensorEntry* scales_of(const SafetensorsFile& file, const std::string& name, const Parameter& p) {
  if (file.get(name).dtype != DType::i8 || !quantizable(name, p)) return nullptr;
  return &file.get(name + ".scales");
}

void check_sum(const SafetensorsFile& file, const Checksum& sum) {
  const std::string &expected = required(file, "checksum"), found = sum.hex();
  if (found != expected)
    throw DataError(cat(file.path(), ": its content has the checksum ", found, ", but was written with ", expected,
                        "; the file is damaged, copy it again"));
}

void refuse_fault(const SafetensorsFile& file, const std::string& fault) {
  if (!fault.empty()) throw DataError(cat(file.path(), ": ", fault, "; the training diverged or the file is damaged"));
}

StoredModel::StoredModel(const std::string& path)
    : file_(SafetensorsFile::open(checked(path))), model_(read_header(file_)) {
  const bool shared = file_.find(kSharedText) != nullptr;
  model_.source_vocabulary = text_in(file_, shared ? kSharedText : kSourceText);
  model_.target_vocabulary = shared ? model_.source_vocabulary : text_in(file_, kTargetText);
}

void StoredModel::check() const {
  Checksum sum(required(file_, "config"));
  std::string fault;
  for (const TensorEntry& entry : file_.tensors()) {
    const size_t size = size_of(entry.dtype), all = entry.byte_count();
    std::string block(std::min(kBlock * size, all), '\0');
    Hash hash;
    for (size_t at = 0; at < all; at += block.size()) {
      block.resize(std::min(block.size(), all - at));
      file_.read(entry, at, block.data(), block.size());
      hash.add(block);
      const Tensor numbers(block.data(), {static_cast<int64_t>(block.size() / size)}, entry.dtype);
      if (fault.empty()) fault = fault_of({entry.name, numbers}, entry.shape, at / size);
    }
    sum.add(entry.name, entry.dtype, entry.shape, hash.hex());
  }
  check_sum(file_, sum);
  refuse_fault(file_, fault);
}

void StoredModel::read(const std::string& name, const Tensor& to, int64_t first_row) const {
  const TensorEntry& entry = file_.get(name);
  const size_t row = entry.byte_count() / std::max<size_t>(1, static_cast<size_t>(entry.shape[0]));
  const auto at = static_cast<size_t>(first_row) * row, n = static_cast<size_t>(to.size());
  if (entry.dtype == DType::f32) return file_.read(entry, at, to.bytes, n * sizeof(float));
  std::vector<uint16_t> halves(std::min(kBlock, n));
  for (size_t done = 0; done < n; done += halves.size()) {
    halves.resize(std::min(halves.size(), n - done));
    file_.read(entry, at + done * sizeof(uint16_t), halves.data(), halves.size() * sizeof(uint16_t));
    const Shape shape{std::ssize(halves)};
    widen(Tensor(halves.data(), shape, entry.dtype), Tensor(to.data<float>() + done, shape, DType::f32));
  }
}

}  // namespace hexapla::model
