#include "convert/containers/torch_file.h"

#include <algorithm>
#include <map>

#include "base/error.h"

namespace hexapla::convert {
namespace {

using PickleKind = PickleValue::Kind;
using Use = KnownName::Use;

// Everything that a pickle of weights may refer to; argparse.Namespace holds the options in
// checkpoints of fairseq, OpenNMT and others.
constexpr KnownName kKnownNames[] = {
    {"collections.OrderedDict", Use::dictionary},
    {"argparse.Namespace", Use::object},
    {"builtins.set", Use::list},
    {"lightning.fabric.utilities.data.AttributeDict", Use::dictionary},  // hyperparameters of Lightning
    {"lightning_fabric.utilities.data.AttributeDict", Use::dictionary},
    {"pytorch_lightning.utilities.parsing.AttributeDict", Use::dictionary},
    {"fairseq.meters.AverageMeter", Use::object},  // fairseq's training statistics
    {"fairseq.meters.StopwatchMeter", Use::object},
    {"fairseq.meters.TimeMeter", Use::object},
    {"fairseq.logging.meters.AverageMeter", Use::object},
    {"fairseq.logging.meters.StopwatchMeter", Use::object},
    {"fairseq.logging.meters.TimeMeter", Use::object},
    // Vocabularies of OpenNMT-py 2, which are torchtext objects.
    {"onmt.inputters.text_dataset.TextMultiField", Use::object},
    {"onmt.inputters.text_dataset._feature_tokenize", Use::name},
    {"torchtext.data.field.Field", Use::object},
    {"torchtext.data.field.RawField", Use::object},
    {"torchtext.data.utils._split_tokenizer", Use::name},
    {"torchtext.vocab.Vocab", Use::object},
    {"collections.Counter", Use::call},
    {"functools.partial", Use::call},
    {"_codecs.encode", Use::call},  // bytes in protocol 2
    {"numpy.dtype", Use::call},     // NumPy scalars
    {"numpy.core.multiarray.scalar", Use::call},
    {"numpy._core.multiarray.scalar", Use::call},
    {"torch.Size", Use::list},
    {"torch.device", Use::call},
    {"torch._utils._rebuild_tensor", Use::call},
    {"torch._utils._rebuild_tensor_v2", Use::call},
    {"torch._utils._rebuild_parameter", Use::call},
    {"torch.DoubleStorage", Use::name},
    {"torch.FloatStorage", Use::name},
    {"torch.HalfStorage", Use::name},
    {"torch.BFloat16Storage", Use::name},
    {"torch.LongStorage", Use::name},
    {"torch.IntStorage", Use::name},
    {"torch.ShortStorage", Use::name},
    {"torch.CharStorage", Use::name},
    {"torch.ByteStorage", Use::name},
    {"torch.BoolStorage", Use::name},
    {"torch.float64", Use::name},
    {"torch.float32", Use::name},
    {"torch.float16", Use::name},
    {"torch.bfloat16", Use::name},
    {"torch.int64", Use::name},
    {"torch.int32", Use::name},
    {"torch.int16", Use::name},
    {"torch.int8", Use::name},
    {"torch.uint8", Use::name},
    {"torch.bool", Use::name},
};

ElementType type_of_storage(std::string_view name, const std::string& path) {
  constexpr std::pair<std::string_view, ElementType> types[] = {
      {"torch.DoubleStorage", ElementType::f64}, {"torch.FloatStorage", ElementType::f32},
      {"torch.HalfStorage", ElementType::f16},   {"torch.BFloat16Storage", ElementType::bf16},
      {"torch.LongStorage", ElementType::i64},   {"torch.IntStorage", ElementType::i32},
      {"torch.ShortStorage", ElementType::i16},  {"torch.CharStorage", ElementType::i8},
      {"torch.ByteStorage", ElementType::u8},    {"torch.BoolStorage", ElementType::boolean}};
  for (const auto& [known, type] : types)
    if (name == known) return type;
  throw DataError(cat(path, ": a storage is of the kind ", shown(name), "; read are torch.FloatStorage and its like"));
}

// A legacy file begins with two pickled numbers: the magic number and the protocol.
constexpr std::string_view kMagic("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10);
constexpr std::string_view kMagicPickle("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
constexpr int64_t kProtocol = 1001;

}  // namespace

// State of the walk through the dictionaries. Lists may contain themselves: exceeding the depth
// means a cycle, and more visits than values mean repeated contents.
struct TorchFile::Walk {
  size_t depth = 0, visits = 0;
};

bool TorchFile::is_one(const std::string& path) {
  if (ZipArchive::is_one(path)) {
    const ZipArchive archive(path);
    const std::vector<ZipEntry>& entries = archive.entries();
    return std::any_of(entries.begin(), entries.end(), [](const ZipEntry& e) { return e.name.ends_with("/data.pkl"); });
  }
  const FileReader file(path);
  std::string start(std::min(file.size(), kMagicPickle.size()), '\0');
  file.read(0, start.data(), start.size());
  return start == kMagicPickle;
}

TorchFile::TorchFile(const std::string& path) : path_(path) {
  if (ZipArchive::is_one(path))
    open_archive();
  else
    open_legacy();
  Walk walk;
  find_tensors(walk, values_.root(), "");
  catalog_.sort(path_);
}

void TorchFile::damaged(const std::string& what) const {
  throw DataError(cat(path_, ": ", what, "; the file is damaged"));
}

// archive/data.pkl and archive/data/0, archive/data/1, ...; old archives have no archive/byteorder.
void TorchFile::open_archive() {
  archive_ = std::make_unique<ZipArchive>(path_);
  const ZipEntry* pickle = nullptr;
  for (const ZipEntry& e : archive_->entries()) {
    if (!e.name.ends_with("data.pkl")) continue;
    const std::string prefix = e.name.substr(0, e.name.size() - 8);
    if (std::count(prefix.begin(), prefix.end(), '/') != 1 || prefix.back() != '/') continue;
    if (pickle) damaged(cat("both ", shown(pickle->name), " and ", shown(e.name), " are in the archive"));
    pickle = &e;
    prefix_ = prefix;
  }
  if (!pickle)
    throw DataError(cat(path_, ": there is no data.pkl in this zip archive, so torch.save() has not written it; for ",
                        "NumPy's archives the name ends with .npz"));
  if (archive_->find(prefix_ + "constants.pkl"))
    throw DataError(cat(path_, ": this is a TorchScript program, not a state dict; load it in Python and save its ",
                        "weights: torch.save(model.state_dict(), ...)"));
  if (const ZipEntry* order = archive_->find(prefix_ + "byteorder"); order && archive_->text(*order, 64) != "little")
    throw DataError(cat(path_, ": its numbers are big-endian; load and save it on a little-endian machine"));
  pickled_ = std::make_unique<std::string>(archive_->text(*pickle, limits::kPickle));
  Cursor bytes(*pickled_, archive_->place(*pickle));
  values_ = Pickle::read(bytes, kKnownNames);
}

// Pickles: magic number, protocol, the system's sizes, the object, the storages' keys. Then for
// each key the number of elements in 8 bytes, and the elements.
void TorchFile::open_legacy() {
  file_ = FileReader(path_);
  pickled_ = std::make_unique<std::string>(std::min(file_.size(), limits::kPickle), '\0');
  file_.read(0, pickled_->data(), pickled_->size());
  if (!pickled_->starts_with(kMagicPickle))
    throw DataError(cat(path_, ": it begins neither as a zip archive nor as PyTorch's older format; it is of another ",
                        "format, or damaged"));
  Cursor bytes(*pickled_, path_);
  check_legacy_head(bytes);
  values_ = Pickle::read(bytes, kKnownNames);
  place_storages(bytes);
}

void TorchFile::check_legacy_head(Cursor& bytes) const {
  const Pickle magic = Pickle::read(bytes, {}), protocol = Pickle::read(bytes, {}), system = Pickle::read(bytes, {});
  if (magic[magic.root()].text != kMagic || protocol[protocol.root()].integer != kProtocol)
    damaged("its magic number or protocol is another one");
  const PickleValue* little = system.find(system[system.root()], "little_endian");
  if (!little || little->integer != 1)
    throw DataError(cat(path_, ": its numbers are not little-endian; load and save it on a little-endian machine"));
}

void TorchFile::place_storages(Cursor& bytes) {
  const Pickle keys = Pickle::read(bytes, {});
  std::map<std::string, Storage> wanted;
  for (const PickleValue& value : values_.values())
    if (value.kind == PickleKind::reference) {
      const Storage s = storage_of(value);
      wanted.emplace(s.key, s);
    }
  size_t at = bytes.at();
  for (const PickleId id : keys[keys.root()].items) {
    const auto found = wanted.find(std::string(keys[id].text));
    if (found == wanted.end() || found->second.offset != 0)
      damaged(cat("nothing uses its storage ", shown(keys[id].text)));
    Storage& s = found->second;
    uint64_t count = 0;
    const size_t size = s.count * size_of(s.type);
    if (file_.size() - at < sizeof count || file_.size() - at - sizeof count < size)
      damaged(cat("the ", size, " bytes of storage ", shown(s.key), " should follow byte ", at, " of ", file_.size()));
    file_.read(at, &count, sizeof count);
    if (count != s.count)
      damaged(cat("storage ", shown(s.key), " has ", count, " elements in one place, ", s.count, " in another"));
    s.offset = at + sizeof count;
    at = s.offset + size;
  }
  if (at != file_.size()) damaged(cat(file_.size() - at, " bytes follow its last storage"));
  for (auto& [key, storage] : wanted) legacy_.push_back(std::move(storage));
}

// Parses ('storage', torch.FloatStorage, key, 'cpu', number of elements); the legacy format has one
// more field.
TorchFile::Storage TorchFile::storage_of(const PickleValue& reference) const {
  const std::vector<PickleId>& fields = values_[reference.items.at(0)].items;
  const auto field = [&](size_t i, PickleKind kind) -> const PickleValue& {
    if (i >= fields.size() || values_[fields[i]].kind != kind) damaged(cat("field ", i, " of a storage is missing"));
    return values_[fields[i]];
  };
  if (field(0, PickleKind::text).text != "storage")
    damaged(cat("what it refers to is no storage but ", shown(field(0, PickleKind::text).text)));
  Storage s;
  s.type = type_of_storage(field(1, PickleKind::name).text, path_);
  s.key = field(2, PickleKind::text).text;
  const int64_t count = field(4, PickleKind::integer).integer;
  if (count < 0 || static_cast<uint64_t>(count) > SIZE_MAX / 16)
    damaged(cat("storage ", shown(s.key), " has ", count, " elements"));
  s.count = static_cast<size_t>(count);
  if (!archive_) {
    if (fields.size() > 5 && values_[fields[5]].kind != PickleKind::none)
      throw DataError(cat(path_, ": storage ", shown(s.key),
                          " is a part of another one, as PyTorch 0.3 wrote it; load ",
                          "and save the file with a later version"));
    return s;
  }
  s.entry = archive_->find(cat(prefix_, "data/", s.key));
  if (!s.entry) damaged(cat("there is no entry ", shown(cat(prefix_, "data/", s.key)), " for a storage of it"));
  if (s.entry->deflated)
    throw DataError(cat(archive_->place(*s.entry), " is compressed, which torch.save() never does; unpack the archive ",
                        "and pack it without compression (zip -0)"));
  if (s.entry->size != s.count * size_of(s.type))
    damaged(cat("entry ", shown(s.entry->name), " has ", s.entry->size, " bytes, but ", s.count, " elements of ",
                name_of(s.type), " take ", s.count * size_of(s.type)));
  return s;
}

void TorchFile::find_tensors(Walk& walk, PickleId at, const std::string& name) {
  const PickleValue& value = values_[at];
  if (++walk.visits > limits::kValues || walk.depth > limits::kDepth)
    damaged(cat("its values lead in a circle, or deeper than ", limits::kDepth, " levels"));
  if (value.kind == PickleKind::call && value.text.starts_with("torch._utils.")) return add_tensor(name, value);
  if (value.kind != PickleKind::dictionary && value.kind != PickleKind::list) return;
  ++walk.depth;
  const std::string before = name.empty() ? "" : name + ".";
  const size_t step = value.kind == PickleKind::dictionary ? 2 : 1;
  for (size_t i = 0; i + step <= value.items.size(); i += step) {
    const PickleId item = value.items[i + step - 1];
    const PickleKind kind = values_[item].kind;
    if (kind != PickleKind::dictionary && kind != PickleKind::list && kind != PickleKind::call) continue;
    const PickleValue& key = values_[value.items[i]];
    const std::string own = step == 1                         ? cat(i)
                            : key.kind == PickleKind::integer ? cat(key.integer)
                            : key.kind == PickleKind::text    ? std::string(key.text.substr(0, limits::kName + 1))
                                                              : "?";
    find_tensors(walk, item, before + own);
  }
  --walk.depth;
}

// Parses _rebuild_tensor_v2(storage, offset, sizes, strides, ...) or _rebuild_parameter(tensor,
// ...).
void TorchFile::add_tensor(const std::string& name, const PickleValue& rebuilt) {
  const std::string place = cat(path_, ": tensor ", shown(name));
  const PickleValue* call = &rebuilt;
  if (call->text == "torch._utils._rebuild_parameter" && !call->items.empty()) call = &values_[call->items[0]];
  const auto argument = [&](size_t i, PickleKind kind) -> const PickleValue& {
    if (i >= call->items.size() || values_[call->items[i]].kind != kind)
      damaged(cat("tensor ", shown(name), ", argument ", i, " is missing"));
    return values_[call->items[i]];
  };
  if (call->kind != PickleKind::call || !call->text.starts_with("torch._utils._rebuild_tensor"))
    damaged(shown(name) + " is no tensor");
  View view{storage_of(argument(0, PickleKind::reference)), 0, sizes_of(name, argument(3, PickleKind::list))};
  ForeignTensor tensor{name, sizes_of(name, argument(2, PickleKind::list)), view.storage.type};
  const int64_t offset = argument(1, PickleKind::integer).integer;
  if (offset < 0) damaged(cat("tensor ", shown(name), " has the offset ", offset));
  view.offset = static_cast<size_t>(offset);
  if (!archive_) {
    const auto at = std::lower_bound(legacy_.begin(), legacy_.end(), view.storage.key,
                                     [](const Storage& s, const std::string& key) { return s.key < key; });
    if (at == legacy_.end() || at->key != view.storage.key || at->offset == 0 || at->count != view.storage.count ||
        at->type != view.storage.type)
      damaged(cat("storage ", shown(view.storage.key), " is missing"));
    view.storage = *at;
  }
  check_view(place, tensor, view);
  catalog_.add(path_, std::move(tensor), std::move(view));
}

std::vector<size_t> TorchFile::sizes_of(const std::string& name, const PickleValue& list) const {
  std::vector<size_t> all;
  for (const PickleId id : list.items) {
    const PickleValue& value = values_[id];
    if (all.size() == limits::kRank || value.kind != PickleKind::integer || value.integer < 0)
      damaged(cat("tensor ", shown(name), " has sizes that are no ", limits::kRank, " whole numbers from 0, or fewer"));
    all.push_back(static_cast<size_t>(value.integer));
  }
  return all;
}

// The last element must lie in the storage, and there may be no more elements than the storage has:
// repeating one number must not fill the memory.
void TorchFile::check_view(const std::string& place, const ForeignTensor& tensor, const View& view) const {
  if (tensor.shape.size() != view.strides.size())
    throw DataError(
        cat(place, " has ", tensor.shape.size(), " sizes and ", view.strides.size(), " strides; the file is damaged"));
  if (checked_bytes(place, tensor.shape, tensor.type) == 0) return;
  size_t last = view.offset;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    size_t extent;
    if (__builtin_mul_overflow(tensor.shape[i] - 1, view.strides[i], &extent) ||
        __builtin_add_overflow(last, extent, &last))
      last = SIZE_MAX;
    if (last >= view.storage.count) break;
  }
  if (last >= view.storage.count)
    throw DataError(cat(place, " reaches beyond the ", view.storage.count, " elements of its storage ",
                        shown(view.storage.key), "; the file is damaged"));
  if (tensor.count() > view.storage.count)
    throw DataError(cat(place, " repeats the ", view.storage.count, " elements of its storage ",
                        shown(view.storage.key), "; save it as tensor.contiguous()"));
}

ReadBytes TorchFile::reader(const View& view, ElementType type) const {
  return [this, &view, first = view.offset * size_of(type)](size_t at, char* to, size_t size) {
    if (view.storage.entry)
      archive_->read(*view.storage.entry, first + at, to, size);
    else
      file_.read(view.storage.offset + first + at, to, size);
  };
}

std::vector<float> TorchFile::read(const ForeignTensor& tensor) const {
  const View& view = catalog_.place_of(tensor);
  if (tensor.count() == 0) return {};
  size_t last = 0;
  for (size_t i = 0; i < tensor.shape.size(); ++i) last += (tensor.shape[i] - 1) * view.strides[i];
  std::vector<float> numbers = floats_in_blocks(tensor.type, last + 1, reader(view, tensor.type));
  if (numbers.size() == tensor.count() && view.strides == row_strides(tensor.shape)) return numbers;
  return gathered(numbers, tensor.shape, view.strides);
}

std::vector<float> TorchFile::read_part(const ForeignTensor& tensor, size_t first, size_t count) const {
  const View& view = catalog_.place_of(tensor);
  if (view.strides != row_strides(tensor.shape)) return ForeignTensors::read_part(tensor, first, count);
  return floats_in_blocks(tensor.type, first, count, reader(view, tensor.type));
}

}  // namespace hexapla::convert
