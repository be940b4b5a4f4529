#include "model/weights/model_file.h"

#include <sys/stat.h>

#include <list>
#include <map>

#include "base/error.h"
#include "base/files/hash.h"
#include "model/weights/other/other_files.h"
#include "model/weights/quantize.h"
#include "model/weights/stored_model.h"
#include "tensor/half.h"
#include "tensor/safetensors.h"

namespace hexapla::model {
namespace {

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

std::string checksum_of(const std::string& config, const std::vector<NamedTensor>& tensors) {
  Checksum sum(config);
  for (const auto& [name, t] : tensors) sum.add(name, t.dtype, t.shape, hash_hex(bytes_of(t)));
  return sum.hex();
}

// Copies tensors out of a model file and computes the checksum of the copies, so that concurrent
// changes to the file are detected, too.
class TensorReader {
 public:
  explicit TensorReader(const SafetensorsFile& file) : file_(file), sum_(required(file, "config")) {}

  const SafetensorsFile& file() const { return file_; }
  void read(const std::string& name, const Tensor& to) {
    file_.copy(file_.get(name), to);
    sum_.add(name, to.dtype, to.shape, hash_hex(bytes_of(to)));
    if (to.dtype == DType::f32 || is_half(to.dtype)) numbers_.push_back({name, to});
  }
  // Converts to f32 whatever type the file has.
  void read_widened(const std::string& name, const Tensor& to) {
    const DType type = file_.get(name).dtype;
    if (!is_half(type)) return read(name, to);
    const Pages memory(static_cast<size_t>(to.size()) * size_of(type));
    const Tensor halves(memory.data(), to.shape, type);
    file_.copy(file_.get(name), halves);
    sum_.add(name, type, to.shape, hash_hex(bytes_of(halves)));
    widen(halves, to);
    numbers_.push_back({name, to});
  }
  // Bytes that are in memory already.
  void add(const char* name, const std::string& bytes) {
    sum_.add(name, DType::u8, {std::ssize(bytes)}, hash_hex(bytes));
  }

  // Call after the last tensor; all tensors read must still be in memory.
  void check() const {
    check_sum(file_, sum_);
    for (const NamedTensor& t : numbers_) refuse_fault(file_, fault_of(t, t.tensor.shape));
  }

 private:
  const SafetensorsFile& file_;
  Checksum sum_;
  std::vector<NamedTensor> numbers_;
};

void add_vocabularies(const LoadedModel& model, TensorReader& to) {
  if (to.file().find(kSharedText)) return to.add(kSharedText, model.source_vocabulary);
  to.add(kSourceText, model.source_vocabulary);
  to.add(kTargetText, model.target_vocabulary);
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

void check_same(const std::string& before, const std::string& now, const std::string& name, const std::string& path) {
  if (before != now)
    throw RunError(cat(path, " is not written: the numbers of ", name,
                       " changed while they were read; run it again when nothing writes to the model"));
}

// std::filesystem ends the program if it cannot allocate memory for a path.
bool exists(const std::string& path, mode_t kind) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 && (status.st_mode & S_IFMT) == kind;
}

}  // namespace

void check_numbers(const std::string& path, const NamedTensor& t) {
  if (const std::string fault = fault_of(t, t.tensor.shape); !fault.empty())
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
    std::string hash;
    with_numbers(name, shape, type, numbers, [&](const Tensor& t) {
      check_numbers(path, {name, t});
      hash = hash_hex(bytes_of(t));
    });
    sum.add(name, type, shape, hash);
    sources.push_back({name, type, shape, [&path, &numbers, name, shape, type, hash](const auto& give) {
                         with_numbers(name, shape, type, numbers, [&](const Tensor& t) {
                           check_same(hash, hash_hex(bytes_of(t)), name, path);
                           give(t.bytes);
                         });
                       }});
  };
  Transformer net(config);
  for_each<Parameter>(net, [&](const std::string& name, Parameter& p) {
    const DType type = numbers.type ? numbers.type(name) : DType::f32;
    add(name, p.shape, type);
    if (type == DType::i8) add(name + ".scales", scales_shape(name, p), DType::f32);
  });
  for_each<Buffer>(net, [&](const std::string& name, Buffer& b) { add(name, b.shape, DType::f32); });
  const std::vector<NamedTensor> texts = tensors_of(text);
  for (const NamedTensor& t : texts) {
    sum.add(t.name, t.tensor.dtype, t.tensor.shape, hash_hex(bytes_of(t.tensor)));
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
  StoredModel stored(path);
  const SafetensorsFile& file = stored.file();
  LoadedModel model = std::move(stored.model());
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
  add_vocabularies(model, from);
  from.check();
  for (QuantizedTensor& q : quantized) q.dequantize();
  return model;
}

LoadedModel load_to_translate(const std::string& path) {
  StoredModel stored(path);
  const SafetensorsFile& file = stored.file();
  LoadedModel model = std::move(stored.model());
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
  add_vocabularies(model, from);
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
