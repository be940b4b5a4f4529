#include "tensor/safetensors.h"

#include <gmock/gmock.h>

#include <cstring>
#include <tuple>

#include "base/compute/random.h"
#include "base/files/test_folder.h"
#include "base/options/environment.h"
#include "base/test_paths.h"

namespace hexapla {
namespace {
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::string file_of(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + data;
}
std::string refusal_of_file(const std::string& bytes) {
  return what_of<DataError>([&] { SafetensorsFile::parse(bytes, "x.safetensors"); });
}
std::string refusal_of_file(const std::string& header, size_t data_size) {
  return refusal_of_file(file_of(header, std::string(data_size, '\1')));
}
std::string f32_header(const std::string& shape, const std::string& offsets) {
  return R"({"a":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
}

template <class T>
std::vector<T> values_of(const SafetensorsFile& file, const std::string& name) {
  const TensorEntry& entry = file.get(name);
  std::vector<T> v(static_cast<size_t>(entry.shape.size()));
  file.copy(entry, Tensor(v.data(), entry.shape, dtype_of<T>()));
  return v;
}

// In scripts/fixtures/make_safetensors_fixture.py.
TEST(SafetensorsReader, ReadsWhatThePythonPackageWrote) {
  const auto file = SafetensorsFile::open(source_path("tests/fixtures/peer.safetensors"));
  EXPECT_EQ(file.metadata(),
            (std::map<std::string, std::string>{{"title", "sechs Fassungen \u00fcber\neinander"}, {"empty", ""}}));
  EXPECT_EQ(file.tensors().size(), 8u);
  EXPECT_EQ(file.get("encoder.layers.0.weight").shape, (Shape{2, 3}));
  EXPECT_THAT(values_of<float>(file, "encoder.layers.0.weight"), ElementsAre(0.5, -1.25, 2, 3.5, -4, 1e-30f));
  EXPECT_THAT(values_of<double>(file, "f64"), ElementsAre(0.1, -1e300));
  EXPECT_EQ(file.get("bf16").dtype, DType::bf16);
  EXPECT_EQ(file.text(file.get("bf16")), std::string("\x80\x3f\x00\xc0\x80\x7f", 6));
  EXPECT_THAT(values_of<int8_t>(file, "i8"), ElementsAre(-128, -1, 0, 1, 127));
  EXPECT_EQ(file.get("i32").shape, (Shape{1, 2}));
  EXPECT_THAT(values_of<int32_t>(file, "i32"), ElementsAre(INT32_MIN, INT32_MAX));
  EXPECT_EQ(file.text(file.get("u8")), "Hexapla");
  EXPECT_EQ(file.get("scalar").shape, Shape{});
  EXPECT_THAT(values_of<float>(file, "scalar"), ElementsAre(42));
  EXPECT_EQ(file.get("empty").byte_count(), 0u);
}

TEST(SafetensorsReader, FindAndGet) {
  const auto file = SafetensorsFile::open(source_path("tests/fixtures/peer.safetensors"));
  EXPECT_EQ(file.find("u8"), &file.get("u8"));
  EXPECT_EQ(file.find("u"), nullptr);
  EXPECT_EQ(file.find("zzz"), nullptr);
  EXPECT_THAT(what_of<DataError>([&] { file.get("encoder.weight"); }),
              AllOf(HasSubstr("peer.safetensors"), HasSubstr("'encoder.weight'"), HasSubstr("among its 8")));
  EXPECT_THAT(what_of<DataError>([] { SafetensorsFile::open("/no/such/file"); }), HasSubstr("/no/such/file"));
}

TEST(SafetensorsReader, CopyNamesWhatDiffers) {
  const auto file = SafetensorsFile::open(source_path("tests/fixtures/peer.safetensors"));
  float room[6];
  EXPECT_THAT(what_of<DataError>([&] {
                file.copy(file.get("encoder.layers.0.weight"), Tensor::of(room, {3, 2}));
              }),
              HasSubstr("peer.safetensors: tensor 'encoder.layers.0.weight' is F32 [2, 3]; expected is F32 [3, 2]"));
  EXPECT_THAT(what_of<DataError>([&] { file.copy(file.get("f64"), Tensor::of(room, {2})); }),
              HasSubstr("is F64 [2]; expected is F32 [2]"));
}

TEST(SafetensorsReader, RefusesATruncatedFileWhereverItIsCut) {
  const std::string whole = read_file(source_path("tests/fixtures/peer.safetensors"));
  EXPECT_EQ(SafetensorsFile::parse(whole, "whole").tensors().size(), 8u);
  for (size_t n = 0; n < whole.size(); ++n)
    EXPECT_THAT(refusal_of_file(whole.substr(0, n)), HasSubstr("cut short")) << "cut after " << n << " bytes";
  EXPECT_THAT(refusal_of_file(whole + "x"), HasSubstr("nothing may follow"));
}

// Damage to any single byte gives a DataError or a file within its bounds.
TEST(SafetensorsReader, SurvivesDamageOfEveryByte) {
  const std::string whole = read_file(source_path("tests/fixtures/peer.safetensors"));
  Random random(7);
  int refused = 0;
  for (size_t n = 0; n < whole.size(); ++n) {
    for (int round = 0; round < 8; ++round) {
      std::string bytes = whole;
      bytes[n] = static_cast<char>(random.next());
      try {
        size_t total = 0;
        const auto file = SafetensorsFile::parse(bytes, "damaged");
        for (const auto& t : file.tensors())
          for (const char c : file.text(t)) total += static_cast<unsigned char>(c);
        EXPECT_GT(total, 0u);
      } catch (const DataError&) {
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 1000);  // most of the header is structure
}

TEST(SafetensorsReader, RefusesBadHeaders) {
  const std::string huge("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10);
  EXPECT_THAT(refusal_of_file(huge), AllOf(HasSubstr("claims 18446744073709551615 bytes"), HasSubstr("16777216")));
  std::string above = file_of(std::string(SafetensorsFile::kMaxHeader + 1, ' '), "");
  above[8] = '{', above.back() = '}';
  EXPECT_THAT(refusal_of_file(above), HasSubstr("claims 16777217 bytes"));
  EXPECT_THAT(refusal_of_file("", 0), HasSubstr("does not begin with {"));
  EXPECT_THAT(refusal_of_file(" {}", 0), HasSubstr("does not begin with {"));
  EXPECT_THAT(refusal_of_file("[]", 0), HasSubstr("does not begin with {"));
  EXPECT_THAT(refusal_of_file("{", 0), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal_of_file("{}x", 0), HasSubstr("not valid JSON"));
  EXPECT_THAT(refusal_of_file("{\"\xff\":1}", 0), HasSubstr("not valid JSON"));
  EXPECT_EQ(SafetensorsFile::parse(file_of("{}   ", ""), "x").tensors().size(), 0u);
}

TEST(SafetensorsReader, RefusesDuplicates) {
  const std::string a = R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]})";
  const std::string escaped = R"("\u0061":{"dtype":"U8","shape":[1],"data_offsets":[1,2]})";
  EXPECT_THAT(refusal_of_file("{" + a + "," + a + "}", 1), HasSubstr("the name 'a' occurs twice"));
  EXPECT_THAT(refusal_of_file("{" + a + "," + escaped + "}", 2), HasSubstr("the name 'a' occurs twice"));
  EXPECT_THAT(refusal_of_file(R"({"__metadata__":{},"__metadata__":{}})", 0), HasSubstr("twice"));
  EXPECT_THAT(refusal_of_file(R"({"__metadata__":{"k":"1","k":"2"}})", 0), HasSubstr("metadata key 'k' occurs twice"));
  EXPECT_THAT(refusal_of_file(R"({"a":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1),
              AllOf(HasSubstr("'a'"), HasSubstr("'dtype' twice")));
}

TEST(SafetensorsReader, RefusesBadFields) {
  const auto refusal_of = [](const std::string& fields) { return refusal_of_file(R"({"a":{)" + fields + "}}", 4); };
  const std::string shape = R"(,"shape":[1],"data_offsets":[0,4])";
  EXPECT_THAT(refusal_of(R"("dtype":"F8_E4M3")" + shape),
              AllOf(HasSubstr("'a'"), HasSubstr("'F8_E4M3'"), HasSubstr("BF16")));
  EXPECT_THAT(refusal_of(R"("dtype":3)" + shape), AllOf(HasSubstr("the number 3"), HasSubstr("dtype as a text")));
  EXPECT_THAT(refusal_of(R"("dtype":["F32"])" + shape), AllOf(HasSubstr("a list"), HasSubstr("dtype as a text")));
  EXPECT_THAT(refusal_of(R"("dtype":{})" + shape), HasSubstr("an object"));
  EXPECT_THAT(refusal_of(R"("dtype":null)" + shape), HasSubstr("null"));
  EXPECT_THAT(refusal_of(R"("dtype":true)" + shape), HasSubstr("true or false"));
  EXPECT_THAT(refusal_of(R"("dtype":"F32","strides":[1])" + shape), HasSubstr("the field 'strides'"));
  EXPECT_THAT(refusal_of(R"("dtype":"F32","data_offsets":[0,4])"), HasSubstr("no field 'shape'"));
  EXPECT_THAT(refusal_of(R"("shape":[1],"data_offsets":[0,4])"), HasSubstr("no field 'dtype'"));
  EXPECT_THAT(refusal_of(R"("dtype":"F32","shape":[1])"), HasSubstr("no field 'data_offsets'"));
  EXPECT_THAT(refusal_of(R"("dtype":"F32","shape":"1","data_offsets":[0,4])"), HasSubstr("the text '1'"));
  EXPECT_THAT(refusal_of_file(R"({"a":1})", 0), HasSubstr("the number 1"));
  EXPECT_THAT(refusal_of_file(R"({"a":[]})", 0), HasSubstr("a list"));
  EXPECT_THAT(refusal_of_file(R"({"__metadata__":"text"})", 0), HasSubstr("the text"));
  EXPECT_THAT(refusal_of_file(R"({"__metadata__":{"k":1}})", 0),
              AllOf(HasSubstr("the number 1"), HasSubstr("metadata")));
  EXPECT_THAT(refusal_of_file(R"({"__metadata__":{"k":{}}})", 0), HasSubstr("an object"));
}

TEST(SafetensorsReader, RefusesBadNames) {
  const auto refusal_of = [](const std::string& name) {
    return refusal_of_file("{\"" + name + R"(":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1);
  };
  EXPECT_THAT(refusal_of(""), HasSubstr("a tensor name of 0 bytes"));
  EXPECT_THAT(refusal_of(std::string(256, 'n')), HasSubstr("a tensor name of 256 bytes"));
  EXPECT_THAT(refusal_of("a\\u0000b"), HasSubstr("without control characters"));
  EXPECT_THAT(refusal_of("a\\nb"), AllOf(HasSubstr("'a?b'"), Not(HasSubstr("\n"))));
  EXPECT_THAT(refusal_of(std::string(255, 'n')), HasSubstr("no such error"));
}

TEST(SafetensorsReader, RefusesTooManyTensors) {
  std::string header = "{";
  for (size_t i = 0; i <= SafetensorsFile::kMaxTensors; ++i)
    header += cat(i ? "," : "", "\"", i, "\":{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}");
  EXPECT_THAT(refusal_of_file(header + "}", 0), HasSubstr("more than 65536 tensors"));
}

TEST(SafetensorsReader, RefusesBadShapes) {
  EXPECT_THAT(refusal_of_file(f32_header("[2,3]", "[0,20]"), 20), HasSubstr("20 bytes, but F32 [2, 3] takes 24"));
  EXPECT_THAT(refusal_of_file(f32_header("[2,3]", "[0,28]"), 28), HasSubstr("28 bytes, but F32 [2, 3] takes 24"));
  EXPECT_THAT(refusal_of_file(f32_header("[-1]", "[0,4]"), 4), HasSubstr("the number -1"));
  EXPECT_THAT(refusal_of_file(f32_header("[1.0]", "[0,4]"), 4), HasSubstr("the number '1.0'"));
  EXPECT_THAT(refusal_of_file(f32_header("[1e0]", "[0,4]"), 4), HasSubstr("the number '1e0'"));
  EXPECT_THAT(refusal_of_file(f32_header("[1,1,1,1,1]", "[0,4]"), 4), HasSubstr("a rank of 0 to 4"));
  EXPECT_THAT(refusal_of_file(f32_header("[[1]]", "[0,4]"), 4), HasSubstr("a list"));
  EXPECT_THAT(refusal_of_file(f32_header("[9223372036854775808]", "[0,4]"), 4),
              HasSubstr("at most 9223372036854775807"));
  EXPECT_THAT(refusal_of_file(f32_header("[18446744073709551616]", "[0,4]"), 4), HasSubstr("18446744073709551616"));
}

TEST(SafetensorsReader, RefusesProductsThatOverflow) {
  // The first wraps to 4 elements in 64 bits (a published attack on a reader that multiplied
  // without checking).
  EXPECT_THAT(refusal_of_file(f32_header("[4194305,4194305,211106198978564]", "[0,16]"), 16), HasSubstr("63 bits"));
  EXPECT_THAT(refusal_of_file(f32_header("[4611686018427387905]", "[0,4]"), 4), HasSubstr("63 bits"));
  EXPECT_THAT(refusal_of_file(f32_header("[0,9223372036854775807,4]", "[0,0]"), 0), HasSubstr("63 bits"));
}

TEST(SafetensorsReader, RefusesBadOffsets) {
  EXPECT_THAT(refusal_of_file(f32_header("[1]", "[0,4]"), 3), HasSubstr("there are only 3 bytes of data"));
  EXPECT_THAT(refusal_of_file(f32_header("[1]", "[4,0]"), 4), HasSubstr("must not come before"));
  EXPECT_THAT(refusal_of_file(f32_header("[1]", "[-4,0]"), 4), HasSubstr("the number -4"));
  EXPECT_THAT(refusal_of_file(f32_header("[1]", "[0]"), 4), HasSubstr("1 data_offsets"));
  EXPECT_THAT(refusal_of_file(f32_header("[1]", "[0,2,4]"), 4), HasSubstr("3 data_offsets"));
  EXPECT_THAT(refusal_of_file(f32_header("[1]", "[9223372036854775804,9223372036854775807]"), 4),
              HasSubstr("cut short"));
  EXPECT_THAT(refusal_of_file(f32_header("[1]", "[0,18446744073709551615]"), 4), HasSubstr("at most"));
  EXPECT_THAT(refusal_of_file(f32_header("[1]", "[4,8]"), 8), HasSubstr("a hole"));
  EXPECT_THAT(refusal_of_file(f32_header("[1]", "[0,4]"), 5), HasSubstr("nothing may follow"));
}

TEST(SafetensorsReader, RefusesOverlapsAndHoles) {
  const auto two = [](const char* a, const char* b) {
    return cat(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)", a, R"(},"b":{"dtype":"U8","shape":[4],)",
               R"("data_offsets":)", b, "}}");
  };
  EXPECT_THAT(refusal_of_file(two("[0,4]", "[4,8]"), 8), HasSubstr("no such error"));
  EXPECT_THAT(refusal_of_file(two("[4,8]", "[0,4]"), 8), HasSubstr("no such error"));
  EXPECT_THAT(refusal_of_file(two("[0,4]", "[2,6]"), 6),
              AllOf(HasSubstr("'b' begins at byte 2"), HasSubstr("an overlap")));
  EXPECT_THAT(refusal_of_file(two("[0,4]", "[0,4]"), 4), HasSubstr("an overlap"));
  EXPECT_THAT(refusal_of_file(two("[0,4]", "[5,9]"), 9), AllOf(HasSubstr("'b' begins at byte 5"), HasSubstr("a hole")));
}

class SafetensorsWriter : public TestFolder {
 protected:
  std::vector<float> f_ = {1, -2.5, 3e-39f, 4, 5, 6};
  std::vector<double> d_ = {0.1, 1e-310};
  std::vector<uint8_t> u_ = {'a', 0, 255};
  std::vector<NamedTensor> tensors_ = {
      {"w.weight", Tensor::of(f_.data(), {2, 3})},    {"tokenizer", Tensor::of(u_.data(), {3})},
      {"exact", Tensor::of(d_.data(), {2})},          {"bias", Tensor::of(f_.data(), {6})},
      {"none", Tensor(nullptr, {0, 5}, DType::bf16)}, {"one", Tensor::of(d_.data(), {})}};
  std::map<std::string, std::string> metadata_ = {{"format", "test"}, {"quote", "\"\\\n\u00e9"}};
};

TEST_F(SafetensorsWriter, ReaderGivesBackTheSameBits) {
  write_safetensors(at("f"), tensors_, metadata_);
  const auto file = SafetensorsFile::open(at("f"));
  EXPECT_EQ(file.metadata(), metadata_);
  ASSERT_EQ(file.tensors().size(), tensors_.size());
  for (const auto& [name, t] : tensors_) {
    const auto& entry = file.get(name);
    EXPECT_EQ(std::make_tuple(entry.dtype, entry.shape), std::make_tuple(t.dtype, t.shape)) << name;
    EXPECT_EQ(file.text(entry), std::string_view(reinterpret_cast<const char*>(t.bytes), entry.byte_count())) << name;
    EXPECT_EQ(entry.offset % size_of(entry.dtype), 0u) << name;
  }
}

TEST_F(SafetensorsWriter, DataBeginsAtAMultipleOf64) {
  for (int i = 0; i < 70; ++i) {
    metadata_["padding"] += 'x';
    write_safetensors(at("f"), tensors_, metadata_);
    const std::string bytes = read_file(at("f"));
    uint64_t length;
    std::memcpy(&length, bytes.data(), 8);
    EXPECT_EQ((8 + length) % 64, 0u);
    EXPECT_EQ(SafetensorsFile::open(at("f")).metadata(), metadata_);
  }
}

TEST_F(SafetensorsWriter, TheSameContentInAnyOrderGivesTheSameBytes) {
  write_safetensors(at("f"), tensors_, metadata_);
  Random random(3);
  for (int i = 0; i < 10; ++i) {
    random.shuffle(tensors_);
    write_safetensors(at("g"), tensors_, metadata_);
    EXPECT_EQ(read_file(at("f")), read_file(at("g")));
  }
}

TEST_F(SafetensorsWriter, RefusesWhatTheReaderWould) {
  const auto refusal_of = [&](const std::string& name, Tensor t) {
    auto more = tensors_;
    more.push_back({name, t});
    return what_of<InternalError>([&] { write_safetensors(at("f"), more, metadata_); });
  };
  const Tensor one = Tensor::of(f_.data(), {1});
  EXPECT_THAT(refusal_of("bias", one), HasSubstr("'bias' is taken"));
  EXPECT_THAT(refusal_of("__metadata__", one), HasSubstr("taken or not allowed"));
  EXPECT_THAT(refusal_of("", one), HasSubstr("not allowed"));
  EXPECT_THAT(refusal_of(std::string(256, 'x'), one), HasSubstr("not allowed"));
  EXPECT_THAT(refusal_of("t", Tensor::of(f_.data(), {2, 3}).transposed()), HasSubstr("not contiguous"));
  EXPECT_EQ(entries(), 0u);
}

TEST_F(SafetensorsWriter, AFullDiskLeavesTheOldFile) {
  write_safetensors(at("f"), tensors_, metadata_);
  const std::string old = read_file(at("f"));
  {
    const FileSizeLimit limit(600);
    metadata_["more"] = std::string(1000, 'm');
    EXPECT_THAT(what_of<RunError>([&] { write_safetensors(at("f"), tensors_, metadata_); }), HasSubstr(at("f")));
  }
  EXPECT_EQ(read_file(at("f")), old);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(SafetensorsWriter, ThePythonPackageReadsIt) {
  write_safetensors(at("f"), tensors_, metadata_);
  const char* python = environment("HEXAPLA_PYTHON");
  FILE* pipe = popen(cat("'", python ? python : "python3", "' '", source_path("scripts/fixtures/read_safetensors.py"),
                         "' '", at("f"), "' 2>&1")
                         .c_str(),
                     "r");
  ASSERT_NE(pipe, nullptr);
  std::string output;
  for (int c = fgetc(pipe); c != EOF; c = fgetc(pipe)) output += static_cast<char>(c);
  const int status = WEXITSTATUS(pclose(pipe));
  if (status == 77 || status == 127) GTEST_SKIP() << "no Python with the package safetensors (HEXAPLA_PYTHON)";
  EXPECT_EQ(output,
            "bias F32 [6] 0000803f000020c0c8aa200000008040"
            "0000a0400000c040\n"
            "exact F64 [2] 9a9999999999b93f2be6708b68120000\n"
            "none BF16 [0, 5] \n"
            "one F64 [] 9a9999999999b93f\n"
            "tokenizer U8 [3] 6100ff\n"
            "w.weight F32 [2, 3] 0000803f000020c0c8aa2000000080400000a0400000c040\n");
}

}  // namespace
}  // namespace hexapla
