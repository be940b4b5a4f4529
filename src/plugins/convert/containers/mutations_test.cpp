// Tampered files: each is read, or rejected with one message that names it; none crashes the
// process, loops forever, or takes more memory than the file's size plus a few million bytes.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <functional>

#include "base/compute/random.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/options/environment.h"
#include "convert/containers/ctranslate2_file.h"
#include "convert/containers/npz_file.h"
#include "convert/containers/safetensors_model.h"
#include "convert/containers/test_containers.h"
#include "convert/containers/test_peak_memory.h"
#include "convert/containers/torch_file.h"
#include "convert/parsing/json_texts.h"

namespace hexapla::convert {
namespace {

constexpr size_t kAFewMillion = 8 << 20;

size_t any(Random& r, size_t below) { return below == 0 ? 0 : r.below(static_cast<uint32_t>(below)); }

std::string some_of(Random& r, const std::string& bytes) {
  const size_t from = any(r, bytes.size());
  return bytes.substr(from, 1 + any(r, std::min<size_t>(64, bytes.size() - from)));
}

// Implausible sizes, offsets and counts.
uint64_t hostile_number(Random& r, size_t size) {
  const uint64_t numbers[] = {0,
                              1,
                              size,
                              size - 1,
                              size + 1,
                              0x7F,
                              0xFF,
                              0x7FFF,
                              0xFFFF,
                              INT32_MAX,
                              uint64_t{1} << 31,
                              UINT32_MAX,
                              INT64_MAX,
                              uint64_t{1} << 63,
                              UINT64_MAX,
                              uint64_t{r.next()} << 32 | r.next()};
  return numbers[any(r, std::size(numbers))];
}

std::string with_changed_bits(Random& r, std::string bytes) {
  for (size_t n = 1 + any(r, 8); n-- > 0 && !bytes.empty();)
    bytes[any(r, bytes.size())] ^= static_cast<char>(1 << any(r, 8));
  return bytes;
}

std::string with_hostile_numbers(Random& r, std::string bytes) {
  for (size_t n = 1 + any(r, 3); n-- > 0;) {
    const size_t width = size_t{1} << any(r, 4);
    if (bytes.size() < width) continue;
    bytes.replace(any(r, bytes.size() - width + 1), width, le(hostile_number(r, bytes.size())).substr(0, width));
  }
  return bytes;
}

std::string with_other_pieces(Random& r, std::string bytes) {
  const size_t at = any(r, bytes.size());
  switch (any(r, 5)) {
    case 0:
      return bytes.substr(0, at);
    case 1:
      return bytes.erase(at, 1 + any(r, 64));
    case 2:
      return bytes.insert(at, some_of(r, bytes));
    case 3:
      return bytes.replace(at, 1 + any(r, 64), some_of(r, bytes));
    default:
      return bytes.insert(at, 1 + any(r, 8), static_cast<char>(any(r, 256)));
  }
}

std::string mutated(Random& r, const std::string& bytes) {
  switch (any(r, 3)) {
    case 0:
      return with_changed_bits(r, bytes);
    case 1:
      return with_hostile_numbers(r, bytes);
    default:
      return with_other_pieces(r, bytes);
  }
}

// Overwrites bytes by opcodes, or inserts snippets of pickle code, at random places.
std::string mutated_pickle(Random& r, std::string bytes) {
  const std::string words =
      std::string("().0123NJKMGUTX]}tebusacRQqrhjldgpoiFILSV\x80\x81\x82\x85\x86\x87\x88\x89\x8a\x8b\x8c") +
      "\x8d\x8e\x8f\x90\x91\x92\x93\x94\x95\x96\x97\x98";
  const std::string phrases[] = {"cos\nsystem\n",
                                 "c__builtin__\neval\n",
                                 "\x8c\x02os\x8c\x06system\x93",
                                 "(K\x01K\x02t",
                                 "]q\x01h\x01"
                                 "a",
                                 "}q\x02h\x02h\x02s",
                                 "j\xff\xff\xff\x7f",
                                 "r\xff\xff\xff\xff",
                                 "R",
                                 "b",
                                 "\x81",
                                 "ctorch._utils\n_rebuild_parameter\n",
                                 "ccollections\nOrderedDict\n)R",
                                 "X\xff\xff\xff\xff",
                                 "\x8a\xff",
                                 "\x8b\xff\xff\xff\xff",
                                 "\x8e\xff\xff\xff\xff\xff\xff\xff\x7f"};
  for (size_t n = 1 + any(r, 3); n-- > 0;) {
    const size_t at = any(r, bytes.size());
    if (any(r, 2) == 0)
      bytes[at] = words[any(r, words.size())];
    else
      bytes.insert(at, phrases[any(r, std::size(phrases))]);
  }
  return bytes;
}

// A kind of file: how to tamper with it, and the code that reads it.
struct Tampering {
  const char* name;
  std::function<std::string(Random&)> file;
  std::function<void(const std::string& path)> use;
};
std::ostream& operator<<(std::ostream& out, const Tampering& t) { return out << t.name; }

void read_all(const ForeignTensors& file) {
  for (const ForeignTensor& t : file.list()) ASSERT_EQ(file.read(t).size(), t.count()) << t.text();
}
template <class File>
void open_and_read(const std::string& path) {
  read_all(File(path));
}

std::string head_of(const std::string& bytes, const std::string& entry) {
  const size_t at = bytes.find(entry) + entry.size();
  return bytes.substr(at, bytes.find("PK", at) - at);
}

// Valid archives with one entry tampered with.
std::string torch_with_mutated_pickle(Random& r) {
  const std::string honest = small_checkpoint(), pickle = head_of(honest, "m/data.pkl");
  return zip({{"m/data.pkl", any(r, 3) == 0 ? mutated(r, pickle) : mutated_pickle(r, pickle)},
              {"m/data/0", floats({1, 2, 3, 4, 5, 6})},
              {"m/data/1", "\0\1\2\3"}});
}
std::string npz_with_mutated_arrays(Random& r) {
  const std::string honest = npy_of("<f4", any(r, 2) == 0, "(2, 3)", floats({1, 2, 3, 4, 5, 6}));
  TestEntry entry{"a.npy", mutated(r, honest)};
  entry.deflate = any(r, 2) == 0;
  return zip({entry});
}
std::string npz_with_damaged_deflate(Random& r) {
  const std::string array = npy_of("<f4", false, "(500,)", floats(std::vector<float>(500, 1.5f)));
  TestEntry entry{"a.npy", array};
  entry.deflate = true;
  TestEntry damaged{"a.npy", mutated(r, entry.packed())};  // stored, but called deflated
  damaged.method = 8;
  damaged.claimed = std::ssize(array);
  damaged.crc = entry.checksum();
  return zip({damaged});
}
std::string legacy(const std::string& pickle) {
  std::string file("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", 15);
  file += "\x80\x02M\xe9\x03.";
  file += pickled::whole(pickled::dictionary({{"little_endian", "\x88"}}));
  return file + pickle + pickled::whole("](" + pickled::text("0") + "e") + le<uint64_t>(6) + floats({1, 2, 3, 4, 5, 6});
}
std::string small_legacy() {
  return legacy(pickled::whole(pickled::dictionary(
      {{"weight", pickled::tensor(pickled::tuple({pickled::text("storage"), pickled::global("torch", "FloatStorage"),
                                                  pickled::text("0"), pickled::text("cpu"), pickled::integer(6), "N"}) +
                                      "Q",
                                  0, {2, 3}, {3, 1})}})));
}
std::string index_of(const std::string& file) {
  return cat(R"({"metadata": {"total_size": 16}, "weight_map": {"a": ")", file, R"(", "b": "two.safetensors"}})");
}

const std::vector<Tampering> kTamperings{
    {"TorchZip", [](Random& r) { return mutated(r, small_checkpoint()); }, open_and_read<TorchFile>},
    {"TorchPickle", torch_with_mutated_pickle, open_and_read<TorchFile>},
    {"TorchLegacy",
     [](Random& r) { return any(r, 2) == 0 ? mutated(r, small_legacy()) : mutated_pickle(r, small_legacy()); },
     open_and_read<TorchFile>},
    {"NpzZip", [](Random& r) { return mutated(r, small_npz()); }, open_and_read<NpzFile>},
    {"NpzArrays", npz_with_mutated_arrays, open_and_read<NpzFile>},
    {"NpzDeflate", npz_with_damaged_deflate, open_and_read<NpzFile>},
    {"CTranslate2", [](Random& r) { return mutated(r, small_ct2(2 + static_cast<uint32_t>(any(r, 5)))); },
     open_and_read<CTranslate2File>},
    {"ShardIndex", [](Random& r) { return mutated(r, index_of("one.safetensors")); }, open_and_read<SafetensorsModel>},
    {"TextList", [](Random& r) { return mutated(r, R"(["<unk>", "<s>", "\u2581the", "\ud83d\ude00"])"); },
     [](const std::string& path) { read_text_list(path); }},
};

class Mutations : public TestFolder, public testing::WithParamInterface<Tampering> {
 protected:
  void write(const std::string& name, const std::string& bytes) const { std::ofstream(at(name)) << bytes; }
  // Whether it was rejected, with one message that names the file.
  bool refused(const std::string& path) const {
    try {
      GetParam().use(path);
    } catch (const DataError& e) {
      const std::string what = e.what();
      EXPECT_NE(what.find(folder()), std::string::npos) << what;
      EXPECT_EQ(what.find('\n'), std::string::npos) << what;
      EXPECT_LT(what.size(), 1000u) << what;
      return true;
    }
    return false;
  }
};
INSTANTIATE_TEST_SUITE_P(OfEveryKind, Mutations, testing::ValuesIn(kTamperings),
                         [](const auto& kind) { return kind.param.name; });

TEST_P(Mutations, AreReadOrRefused) {
  const uint64_t count = environment("HEXAPLA_LONG_TESTS") ? 20'000 : 500;
  float numbers[2] = {1, -2};
  for (const auto& [file, name] : {std::pair{"one.safetensors", "a"}, {"two.safetensors", "b"}})
    write_safetensors(at(file), std::vector<NamedTensor>{{name, Tensor::of(numbers, {2})}}, {});
  const std::string path = at("x.json");
  uint64_t refusals = 0;
  for (uint64_t i = 0; i < count; ++i) {
    Random r(19, i);
    const std::string bytes = GetParam().file(r);
    write("x.json", bytes);
#ifdef HEXAPLA_SEES_PEAKS
    const PeakMemory peak;
#endif
    ASSERT_NO_THROW(refusals += refused(path)) << "mutation " << i;
#ifdef HEXAPLA_SEES_PEAKS
    ASSERT_LT(peak.bytes(), bytes.size() + kAFewMillion) << "mutation " << i;
#endif
  }
  RecordProperty("refused", static_cast<int>(refusals));
  EXPECT_GT(refusals, count / 4);
  EXPECT_LT(refusals, count) << "what is refused at once tests nothing else";
}

TEST(Mutations, BeginWithHonestFiles) {
  const std::string folder = testing::TempDir(), path = folder + "/hexapla_honest";
  const auto write = [&](const std::string& bytes) { write_file_atomically(path, bytes); };
  write(small_legacy());
  const TorchFile legacy_file(path);
  EXPECT_EQ(legacy_file.read(legacy_file.get("weight")), (std::vector<float>{1, 2, 3, 4, 5, 6}));
  write(small_checkpoint());
  EXPECT_EQ(TorchFile(path).list().size(), 3u);
  std::remove(path.c_str());
}

}  // namespace
}  // namespace hexapla::convert
