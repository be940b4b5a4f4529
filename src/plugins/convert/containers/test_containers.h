#pragma once
// For tests: our own writers of the containers, which can also write invalid files.
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "convert/foreign/foreign_tensors.h"
#include "convert/parsing/zip_archive.h"
#include "data/files/test_compress.h"
#include "data/packed/compression.h"

namespace hexapla::convert {

template <class Number>
std::string le(Number value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}
inline std::string floats(const std::vector<float>& values) {
  return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

// A zip archive entry. Members override what its records would otherwise say.
struct TestEntry {
  std::string name, content;
  bool deflate = false;
  uint16_t flags = 0, method = 99;  // 99: the actual one
  int64_t claimed = -1;             // size; -1: the actual one
  bool zip64 = false;
  uint32_t crc = 1;  // 1: the actual one
  std::string local_name = {};

  std::string packed() const {
    if (!deflate) return content;
    const std::string gzip = data::gzip(content);
    return gzip.substr(10, gzip.size() - 18);
  }
  uint16_t packing() const { return method != 99 ? method : deflate ? 8 : 0; }
  uint32_t checksum() const { return crc != 1 ? crc : data::crc32_of(content); }
  uint64_t size() const { return claimed < 0 ? content.size() : static_cast<uint64_t>(claimed); }
};

inline std::string zip(const std::vector<TestEntry>& entries, bool zip64_end = false) {
  std::string file, list;
  for (const TestEntry& e : entries) {
    const size_t header = file.size();
    const std::string packed = e.packed();
    const uint64_t packed_size = e.packing() == 8 || e.claimed < 0 ? packed.size() : e.size();
    const std::string common = le<uint16_t>(20) + le(e.flags) + le(e.packing()) + le<uint32_t>(0) + le(e.checksum());
    const std::string extra =
        e.zip64 ? le<uint16_t>(1) + le<uint16_t>(24) + le(e.size()) + le(packed_size) + le(header) : "";
    const auto small = [&](uint64_t value) { return le(e.zip64 ? UINT32_MAX : static_cast<uint32_t>(value)); };
    const std::string& local = e.local_name.empty() ? e.name : e.local_name;
    file += "PK\3\4" + common + le<uint32_t>(0) + le<uint32_t>(0) + le(static_cast<uint16_t>(local.size())) +
            le<uint16_t>(0) + local + packed;
    list += "PK\1\2" + le<uint16_t>(20) + common + small(packed_size) + small(e.size()) +
            le(static_cast<uint16_t>(e.name.size())) + le(static_cast<uint16_t>(extra.size())) + le<uint16_t>(0) +
            le<uint64_t>(0) + small(header) + e.name + extra;
  }
  const uint64_t offset = file.size(), size = list.size(), count = entries.size();
  file += list;
  if (zip64_end) {
    const uint64_t record = file.size();
    file += "PK\6\6" + le<uint64_t>(44) + le<uint32_t>(45) + le<uint64_t>(0) + le(count) + le(count) + le(size) +
            le(offset);
    file += "PK\6\7" + le<uint32_t>(0) + le(record) + le<uint32_t>(1);
  }
  const auto count16 = le<uint16_t>(zip64_end ? UINT16_MAX : static_cast<uint16_t>(count));
  const auto small = [&](uint64_t value) { return le(zip64_end ? UINT32_MAX : static_cast<uint32_t>(value)); };
  return file + "PK\5\6" + le<uint32_t>(0) + count16 + count16 + small(size) + small(offset) + le<uint16_t>(0);
}

// Parts of a protocol 2 pickle, as torch.save() writes them.
namespace pickled {
inline std::string integer(int64_t value) {
  if (value >= 0 && value < 256) return "K" + le(static_cast<uint8_t>(value));
  return std::string("\x8a\x08", 2) + le(value);
}
inline std::string text(std::string_view t) { return "X" + le(static_cast<uint32_t>(t.size())) + std::string(t); }
inline std::string global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}
inline std::string tuple(const std::vector<std::string>& items) {
  std::string all = "(";
  for (const std::string& item : items) all += item;
  return all + "t";
}
inline std::string integers(const std::vector<int64_t>& values) {
  std::vector<std::string> items;
  for (const int64_t value : values) items.push_back(integer(value));
  return tuple(items);
}
inline std::string dictionary(const std::vector<std::pair<std::string, std::string>>& items) {
  std::string all = "}(";
  for (const auto& [key, value] : items) all += text(key) + value;
  return all + "u";
}
inline std::string storage(const std::string& kind, const std::string& key, int64_t count) {
  return tuple({text("storage"), global("torch", kind), text(key), text("cpu"), integer(count)}) + "Q";
}
inline std::string tensor(const std::string& from, int64_t offset, const std::vector<int64_t>& shape,
                          const std::vector<int64_t>& strides) {
  return global("torch._utils", "_rebuild_tensor_v2") +
         tuple({from, integer(offset), integers(shape), integers(strides), "\x89",
                global("collections", "OrderedDict") + ")R"}) +
         "R";
}
inline std::string whole(const std::string& value) { return "\x80\x02" + value + "."; }
}  // namespace pickled

inline std::string torch_archive(const std::string& value, const std::vector<std::string>& storages) {
  std::vector<TestEntry> entries{{"m/data.pkl", pickled::whole(value)}, {"m/byteorder", "little"}};
  for (size_t i = 0; i < storages.size(); ++i) entries.push_back({cat("m/data/", i), storages[i]});
  entries.push_back({"m/version", "3\n"});
  return zip(entries);
}
// A linear layer, saved as a state dict, with training options.
inline std::string small_checkpoint() {
  using namespace pickled;
  const std::string options = global("argparse", "Namespace") + ")\x81" + dictionary({{"heads", integer(2)}}) + "b";
  const std::string weights = dictionary({{"weight", tensor(storage("FloatStorage", "0", 6), 0, {2, 3}, {3, 1})},
                                          {"column", tensor(storage("FloatStorage", "0", 6), 1, {2}, {3})},
                                          {"half", tensor(storage("HalfStorage", "1", 2), 0, {2}, {1})}});
  return torch_archive(dictionary({{"model", weights}, {"opt", options}, {"epoch", integer(7)}}),
                       {floats({1, 2, 3, 4, 5, 6}), le<uint16_t>(0x3C00) + le<uint16_t>(0xC000)});
}

inline std::string npy(const std::string& head, const std::string& numbers) {
  std::string text = head;
  text.resize((10 + text.size() + 64) / 64 * 64 - 11, ' ');
  text += '\n';
  return std::string("\x93NUMPY\1\0", 8) + le(static_cast<uint16_t>(text.size())) + text + numbers;
}
inline std::string npy_of(const std::string& type, bool fortran, const std::string& shape, const std::string& numbers) {
  return npy(cat("{'descr': '", type, "', 'fortran_order': ", fortran ? "True" : "False", ", 'shape': ", shape, ", }"),
             numbers);
}
inline std::string small_npz() {
  return zip({{"a.npy", npy_of("<f4", false, "(2, 3)", floats({1, 2, 3, 4, 5, 6}))},
              {"f.npy", npy_of("<f4", true, "(2, 3)", floats({1, 4, 2, 5, 3, 6})), true},
              {"h.npy", npy_of("<f2", false, "(2,)", le<uint16_t>(0x3C00) + le<uint16_t>(0xC000))},
              {"special:model.yml.npy", npy_of("|i1", false, "(4,)", std::string("a: 1", 4)), false, 0, 99, -1, true}});
}

// CTranslate2's model.bin.
struct TestVariable {
  std::string name;
  std::vector<uint32_t> shape;
  uint8_t type;  // the number in the file
  std::string bytes;
};
inline std::string ct2_text(const std::string& t) { return le(static_cast<uint16_t>(t.size() + 1)) + t + '\0'; }
inline std::string ct2(const std::vector<TestVariable>& variables, uint32_t version = 6,
                       const std::vector<std::pair<std::string, std::string>>& aliases = {}) {
  constexpr size_t widths[] = {4, 1, 2, 4, 2, 2};
  std::string file =
      le(version) + ct2_text("TransformerSpec") + le<uint32_t>(7) + le(static_cast<uint32_t>(variables.size()));
  for (const TestVariable& v : variables) {
    file += ct2_text(v.name) + le(static_cast<uint8_t>(v.shape.size()));
    for (const uint32_t extent : v.shape) file += le(extent);
    const size_t width = widths[v.type % 6];
    if (version >= 4)
      file += le(v.type) + le(static_cast<uint32_t>(v.bytes.size()));
    else
      file += le(static_cast<uint8_t>(width)) + le(static_cast<uint32_t>(v.bytes.size() / width));
    file += v.bytes;
  }
  if (version >= 3) file += le(static_cast<uint32_t>(aliases.size()));
  for (const auto& [alias, name] : version >= 3 ? aliases : decltype(aliases){})
    file += ct2_text(alias) + ct2_text(name);
  return file;
}
inline std::string small_ct2(uint32_t version = 6) {
  return ct2({{"decoder/num_heads", {}, 2, le<int16_t>(2)},
              {"encoder/weight", {2, 3}, 1, std::string("\x7f\x01\xff\x02\x00\x81", 6)},
              {"encoder/weight_scale", {2}, 0, floats({127, 2})},
              {"encoder/bias", {2}, 0, floats({0.5, -0.5})}},
             version, {{"decoder/weight", "encoder/weight"}});
}

// Copies the archive at `path`, applying `change` to the content of entries whose names have this
// ending, with correct checksums.
template <class F>
std::string rezipped(const std::string& path, std::string_view ending, F&& change) {
  const ZipArchive archive(path);
  std::vector<TestEntry> entries;
  for (const ZipEntry& e : archive.entries()) {
    std::string content = archive.text(e, size_t{1} << 30);
    entries.push_back({e.name, e.name.ends_with(ending) ? change(std::move(content)) : std::move(content)});
  }
  return zip(entries);
}

}  // namespace hexapla::convert
