#include "model/weights/model_file.h"

#include <sys/stat.h>

#include <array>
#include <charconv>
#include <cmath>
#include <list>
#include <set>

#include "base/error.h"
#include "base/files/hash.h"
#include "base/range.h"
#include "model/weights/other_files.h"
#include "model/weights/quantize.h"
#include "tensor/half.h"
#include "tensor/safetensors.h"

namespace hexapla::model {
namespace {

constexpr int kFormatVersion = 1, kFormatVersionWithHalves = 2;
constexpr std::string_view kReserved[] = {"format", "format_version", "producer", "config", "checksum", "usage"};
constexpr const char *kSharedText = "tokenizer.shared", *kSourceText = "tokenizer.source",
                     *kTargetText = "tokenizer.target";

bool is_reserved(std::string_view key) {
  return std::find(std::begin(kReserved), std::end(kReserved), key) != std::end(kReserved);
}

// All tensors of the net, with their names in the file.
std::vector<NamedTensor> tensors_of(Transformer& net) {
  std::vector<NamedTensor> all;
  for_each<Parameter>(net, [&](const std::string& name, Parameter& p) {
    all.push_back({name, p.integers ? p.integers : p.value});
    if (p.integers) all.push_back({name + ".scales", p.scales});
  });
  for_each<Buffer>(net, [&](const std::string& name, Buffer& b) { all.push_back({name, b.value}); });
  return all;
}

std::string_view bytes_of(const Tensor& t) {
  return {reinterpret_cast<const char*>(t.bytes), static_cast<size_t>(t.size()) * size_of(t.dtype)};
}

// Covers the config and the tensors' names, types, shapes and numbers, so that accidental changes
// are detected.
class Checksum {
 public:
  explicit Checksum(const std::string& config) : lines_{cat("config ", hash_hex(config), "\n")} {}
  void add(const std::string& name, DType dtype, const Shape& shape, std::string_view bytes) {
    lines_.insert(cat(name, " ", name_of(dtype), " ", shape, " ", hash_hex(bytes), "\n"));
  }
  std::string hex() const {
    std::string all;
    for (const auto& line : lines_) all += line;
    return hash_hex(all);
  }

 private:
  std::set<std::string> lines_;  // sorted, so that the order of the tensors does not matter
};

std::string checksum_of(const std::string& config, const std::vector<NamedTensor>& tensors) {
  Checksum sum(config);
  for (const auto& [name, t] : tensors) sum.add(name, t.dtype, t.shape, bytes_of(t));
  return sum.hex();
}

const std::string& required(const SafetensorsFile& file, const char* key) {
  const auto found = file.metadata().find(key);
  if (found == file.metadata().end())
    throw DataError(cat(file.path(), ": this is not a hexapla model, its metadata has no '", key,
                        "'; if it is another system's, import it`{: hexapla import makes one of it}`"));
  return found->second;
}

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

// Describes a number that no model file may contain, "the tensor encoder.x holds inf as its number
// 3, ..."; "": none. No working training comes near the largest allowed value; scales and variances
// must not be negative.
std::string fault_of(const NamedTensor& t) {
  constexpr float most = 1e9F;
  const float least = t.name.ends_with(".scales") || t.name.ends_with(".running_variance") ? 0 : -most;
  const auto n = static_cast<size_t>(t.tensor.size());
  const auto first_beyond = [&](const auto& number) {
    for (size_t i = 0; i < n; ++i)
      if (const float value = number(i); !(value >= least && value <= most))
        return cat("the tensor ", t.name, " ", t.tensor.shape, " holds ", value, " as its number ", i, ", allowed are ",
                   least, " to ", most);
    return std::string();
  };
  const auto* halves = reinterpret_cast<const uint16_t*>(t.tensor.bytes);
  if (t.tensor.dtype == DType::f16) return first_beyond([&](size_t i) { return float_of_f16(halves[i]); });
  if (t.tensor.dtype == DType::bf16) return first_beyond([&](size_t i) { return float_of_bf16(halves[i]); });
  if (t.tensor.dtype == DType::f32) return first_beyond([&](size_t i) { return t.tensor.data<float>()[i]; });
  return "";
}

// Copies tensors out of a model file and computes the checksum of the copies, so that concurrent
// changes to the file are detected, too.
class TensorReader {
 public:
  explicit TensorReader(const SafetensorsFile& file) : file_(file), sum_(required(file, "config")) {}

  const SafetensorsFile& file() const { return file_; }
  void read(const std::string& name, const Tensor& to) {
    file_.copy(file_.get(name), to);
    sum_.add(name, to.dtype, to.shape, bytes_of(to));
    if (to.dtype == DType::f32 || is_half(to.dtype)) numbers_.push_back({name, to});
  }
  // Converts to f32 whatever type the file has.
  void read_widened(const std::string& name, const Tensor& to) {
    const DType type = file_.get(name).dtype;
    if (!is_half(type)) return read(name, to);
    const Pages memory(static_cast<size_t>(to.size()) * size_of(type));
    const Tensor halves(memory.data(), to.shape, type);
    file_.copy(file_.get(name), halves);
    sum_.add(name, type, to.shape, bytes_of(halves));
    widen(halves, to);
    numbers_.push_back({name, to});
  }
  std::string text(const char* name) {
    const TensorEntry& entry = file_.get(name);
    if (entry.dtype != DType::u8 || entry.shape.rank() != 1)
      throw DataError(cat(file_.path(), ": the tensor ", name, " is ", name_of(entry.dtype), " ", entry.shape,
                          "; expected are u8 bytes in one dimension"));
    std::string bytes = file_.text(entry);
    sum_.add(name, entry.dtype, entry.shape, bytes);
    return bytes;
  }

  // Call after the last tensor; all tensors read must still be in memory.
  void check() const {
    const std::string &expected = required(file_, "checksum"), found = sum_.hex();
    if (found != expected)
      throw DataError(cat(file_.path(), ": its content has the checksum ", found, ", but was written with ", expected,
                          "; the file is damaged, copy it again"));
    for (const NamedTensor& t : numbers_)
      if (const std::string fault = fault_of(t); !fault.empty())
        throw DataError(cat(file_.path(), ": ", fault, "; the training diverged or the file is damaged"));
  }

 private:
  const SafetensorsFile& file_;
  Checksum sum_;
  std::vector<NamedTensor> numbers_;
};

Config read_config(const SafetensorsFile& file) {
  const std::string& text = required(file, "config");
  if (text.size() > 65536)
    throw DataError(cat(file.path(), ": the configuration has ", text.size(), " bytes; allowed are 65536"));
  return Config::from_json(text, file.path());
}

// The scales of a quantized parameter; null if it is not quantized.
const TensorEntry* scales_of(const SafetensorsFile& file, const std::string& name, const Parameter& p) {
  if (file.get(name).dtype != DType::i8 || !quantizable(name, p)) return nullptr;
  return &file.get(name + ".scales");
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

// Loads all but the numbers.
LoadedModel open_model(const SafetensorsFile& file) {
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

void read_vocabularies(TensorReader& from, LoadedModel& model) {
  const bool shared = from.file().find(kSharedText) != nullptr;
  model.source_vocabulary = from.text(shared ? kSharedText : kSourceText);
  model.target_vocabulary = shared ? model.source_vocabulary : from.text(kTargetText);
}

// A parameter as stored in the file; its value is integers * scales.
struct QuantizedTensor {
  std::vector<int8_t> integers;
  std::vector<float> scales;
  ScaleOf how;
  Tensor value;

  QuantizedTensor(TensorReader& from, const std::string& name, const TensorEntry& factors, ScaleOf scale_of, Tensor to)
      : integers(static_cast<size_t>(to.size())),
        scales(static_cast<size_t>(factors.shape[0])),
        how(scale_of),
        value(to) {
    from.read(name, Tensor::of(integers.data(), to.shape));
    from.read(factors.name, Tensor::of(scales.data(), factors.shape));
  }
  void dequantize() {
    model::dequantize(Tensor::of(integers.data(), value.shape), Tensor::of(scales.data(), {std::ssize(scales)}), how,
                      value);
  }
};

std::vector<NamedTensor> tensors_of(const ModelText& text) {
  const auto tensor = [](const char* name, const std::string& bytes) {
    return NamedTensor{name, Tensor(const_cast<char*>(bytes.data()), {std::ssize(bytes)}, DType::u8)};
  };
  if (text.source_vocabulary == text.target_vocabulary) return {tensor(kSharedText, text.source_vocabulary)};
  return {tensor(kSourceText, text.source_vocabulary), tensor(kTargetText, text.target_vocabulary)};
}

std::map<std::string, std::string> metadata_of(const std::string& config, const std::string& checksum,
                                               const Usage& usage, const std::map<std::string, std::string>& history,
                                               int version = kFormatVersion) {
  std::map<std::string, std::string> metadata = {{"format", "hexapla"},
                                                 {"format_version", cat(version)},
                                                 {"producer", "hexapla " HEXAPLA_VERSION},
                                                 {"config", config},
                                                 {"checksum", checksum}};
  if (!usage.empty()) metadata["usage"] = usage.to_json();
  for (const auto& [key, value] : history) {
    HEXAPLA_CHECK(!is_reserved(key), "the history of a model has the key '", key, "', which the format has for itself");
    metadata[key] = value;
  }
  return metadata;
}

// Calls take(numbers) with the numbers of a tensor in temporary memory.
template <class Take>
void with_numbers(const std::string& name, const Shape& shape, DType type, const MadeNumbers& made, Take&& take) {
  const Pages memory(static_cast<size_t>(shape.size()) * size_of(type));
  const Tensor numbers(memory.data(), shape, type);
  made.fill(name, numbers);
  take(numbers);
}

// std::filesystem ends the program if it cannot allocate memory for a path.
bool exists(const std::string& path, mode_t kind) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && (status.st_mode & S_IFMT) == kind;
}

}  // namespace

void check_numbers(const std::string& path, const NamedTensor& t) {
  if (const std::string fault = fault_of(t); !fault.empty())
    throw RunError(cat(path, " is not written, for it could not be read again: ", fault));
}

void save_model(const std::string& path, Transformer& net, const ModelText& text,
                const std::map<std::string, std::string>& history) {
  std::vector<NamedTensor> tensors = tensors_of(net);
  for (const NamedTensor& t : tensors) check_numbers(path, t);
  for (NamedTensor& t : tensors_of(text)) tensors.push_back(std::move(t));
  const std::string config = net.config.to_json();
  write_safetensors(path, tensors, metadata_of(config, checksum_of(config, tensors), text.usage, history));
}

void save_model(const std::string& path, const Config& config, const ModelText& text,
                const std::map<std::string, std::string>& history, const MadeNumbers& numbers) {
  const std::string json = config.to_json();
  Checksum sum(json);
  int version = kFormatVersion;
  std::vector<TensorSource> sources;
  const auto add = [&](const std::string& name, const Shape& shape, DType type) {
    if (is_half(type)) version = kFormatVersionWithHalves;
    with_numbers(name, shape, type, numbers, [&](const Tensor& t) {
      check_numbers(path, {name, t});
      sum.add(name, type, shape, bytes_of(t));
    });
    sources.push_back({name, type, shape, [&numbers, name, shape, type](const auto& give) {
                         with_numbers(name, shape, type, numbers, [&](const Tensor& t) { give(t.bytes); });
                       }});
  };
  Transformer net(config);
  for_each<Parameter>(net, [&](const std::string& name, Parameter& p) {
    add(name, p.shape, numbers.type ? numbers.type(name) : DType::f32);
  });
  for_each<Buffer>(net, [&](const std::string& name, Buffer& b) { add(name, b.shape, DType::f32); });
  const std::vector<NamedTensor> texts = tensors_of(text);
  for (const NamedTensor& t : texts) {
    sum.add(t.name, t.tensor.dtype, t.tensor.shape, bytes_of(t.tensor));
    sources.push_back({t.name, t.tensor.dtype, t.tensor.shape, [&t](const auto& give) { give(t.tensor.bytes); }});
  }
  write_safetensors(path, sources, metadata_of(json, sum.hex(), text.usage, history, version));
}

void copy_with_usage(const std::string& from, const Usage& usage, const std::string& to) {
  const SafetensorsFile file = SafetensorsFile::open(from);
  std::map<std::string, std::string> metadata = file.metadata();
  for (const char* old : {"search", "guided_alignment_layer", "guided_alignment_head", "usage"}) metadata.erase(old);
  if (!usage.empty()) metadata["usage"] = usage.to_json();
  std::vector<TensorSource> tensors;
  for (const TensorEntry& entry : file.tensors())
    tensors.push_back({entry.name, entry.dtype, entry.shape, [&](const auto& take) {
                         const Pages memory(entry.byte_count());
                         file.read(entry, memory.data());
                         take(memory.data());
                       }});
  write_safetensors(to, tensors, metadata);
}

std::string model_file(const std::string& path) {
  if (!exists(path, S_IFDIR)) return path;
  for (const char* name : {"/model.safetensors", "/best.safetensors"})
    if (exists(path + name, S_IFREG)) return path + name;
  refuse_folder(path);
}

LoadedModel load_model(const std::string& path) {
  refuse_other_files(path);
  const SafetensorsFile file = SafetensorsFile::open(path);
  LoadedModel model = open_model(file);
  model.parameters = std::make_unique<Parameters>(*model.net, DType::f32, Parameters::Use::inference);
  TensorReader from(file);
  std::list<QuantizedTensor> quantized;
  for_each<Parameter>(*model.net, [&](const std::string& name, Parameter& p) {
    if (const TensorEntry* scales = scales_of(file, name, p))
      quantized.emplace_back(from, name, *scales, *quantizable(name, p), p.value);
    else
      from.read_widened(name, p.value);
  });
  for_each<Buffer>(*model.net, [&](const std::string& name, Buffer& b) { from.read(name, b.value); });
  read_vocabularies(from, model);
  from.check();
  for (QuantizedTensor& q : quantized) q.dequantize();
  return model;
}

LoadedModel load_to_translate(const std::string& path) {
  refuse_other_files(path);
  const SafetensorsFile file = SafetensorsFile::open(path);
  LoadedModel model = open_model(file);
  TensorReader from(file);
  const auto copied = [&](const std::string& name) {
    const TensorEntry& entry = file.get(name);
    const Tensor t = model.room(entry.shape, entry.dtype);
    from.read(name, t);
    return t;
  };
  for_each<Parameter>(*model.net, [&](const std::string& name, Parameter& p) {
    if (is_half(file.get(name).dtype) && quantizable(name, p) != ScaleOf::columns) {
      p.value = model.room(p.shape, DType::f32);
      return from.read_widened(name, p.value);
    }
    p.value = copied(name);
    const TensorEntry* scales = scales_of(file, name, p);
    if (!scales) return;
    p.integers = p.value;
    p.scales = copied(scales->name);
    // Rows are looked up as integers; the f32 tensor only reserves addresses.
    if (*quantizable(name, p) == ScaleOf::rows) p.value = model.room(p.shape, DType::f32);
  });
  for_each<Buffer>(*model.net, [&](const std::string& name, Buffer& b) { b.value = copied(name); });
  read_vocabularies(from, model);
  from.check();
  return model;
}

Tensor LoadedModel::room(const Shape& shape, DType dtype) {
  memory.emplace_back(static_cast<size_t>(shape.size()) * size_of(dtype));
  return Tensor(memory.back().data(), shape, dtype);
}

void LoadedModel::give_back(const Tensor& t) {
  for (Pages& pages : memory)
    if (pages.data() == t.bytes) pages.give_back();
}

}  // namespace hexapla::model
