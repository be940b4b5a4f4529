#include "tensor/tensor.h"

#include <gmock/gmock.h>

#include <numeric>
#include <vector>

#include "tensor/test_values.h"

namespace hexapla {
namespace {
using testing::ElementsAre;
using testing::HasSubstr;

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const InternalError& e) {
    return e.what();
  }
  return "(no error)";
}

TEST(DTypes, SizesAndNames) {
  EXPECT_EQ(size_of(DType::f32), sizeof(float));
  EXPECT_EQ(size_of(DType::f64), sizeof(double));
  EXPECT_EQ(size_of(DType::bf16), sizeof(bf16));
  EXPECT_EQ(size_of(DType::i8), 1u);
  EXPECT_EQ(size_of(DType::i32), 4u);
  EXPECT_EQ(size_of(DType::u8), 1u);
  EXPECT_STREQ(name_of(dtype_of<bf16>()), "bf16");
  EXPECT_STREQ(name_of(dtype_of<int8_t>()), "i8");
  EXPECT_STREQ(name_of(dtype_of<int32_t>()), "i32");
  EXPECT_STREQ(name_of(dtype_of<uint8_t>()), "u8");
  EXPECT_STREQ(name_of(dtype_of<float>()), "f32");
  EXPECT_STREQ(name_of(dtype_of<double>()), "f64");
}

TEST(Shapes, ExtentsSizeAndRows) {
  const Shape s{32, 17, 512};
  EXPECT_EQ(s.rank(), 3);
  EXPECT_EQ(s[0], 32);
  EXPECT_EQ(s[-1], 512);
  EXPECT_EQ(s[-3], 32);
  EXPECT_EQ(s.size(), 32 * 17 * 512);
  EXPECT_EQ(s.rows(), 32 * 17);
  EXPECT_EQ(cat(s), "[32, 17, 512]");
  EXPECT_EQ(s.with_last(5), (Shape{32, 17, 5}));
  EXPECT_EQ(s.with_first(5), (Shape{5, 17, 512}));
  EXPECT_EQ(Shape{}.size(), 1);
  EXPECT_EQ(cat(Shape{}), "[]");
  EXPECT_EQ((Shape{3, 0}).rows(), 0);
  EXPECT_NE((Shape{3}), (Shape{3, 1}));
}

class TensorTest : public testing::Test {
 protected:
  TensorTest() : numbers_(24) { std::iota(numbers_.begin(), numbers_.end(), 0.f); }
  Tensor tensor(Shape s) { return Tensor::of(numbers_.data(), s); }
  static float at(const Tensor& t, int64_t i, int64_t j, int64_t k = 0) {
    return t.data<float>()[i * t.strides[0] + j * t.strides[1] + k * t.strides[2]];
  }
  std::vector<float> numbers_;
};

TEST_F(TensorTest, StridesAreThoseOfRows) {
  const Tensor t = tensor({2, 3, 4});
  EXPECT_THAT(t.strides, ElementsAre(12, 4, 1, 0));
  EXPECT_TRUE(t.contiguous());
  EXPECT_EQ(t.size(), 24);
  EXPECT_EQ(t.rows(), 6);
  EXPECT_EQ(at(t, 1, 2, 3), 23);
  EXPECT_FALSE(Tensor());
  EXPECT_TRUE(t);
}

TEST_F(TensorTest, ColumnsAreAView) {
  const Tensor t = tensor({4, 6}).columns(2, 3);
  EXPECT_EQ(t.shape, (Shape{4, 3}));
  EXPECT_FALSE(t.contiguous());
  EXPECT_EQ(at(t, 0, 0), 2);
  EXPECT_EQ(at(t, 3, 2), 22);
  t.data<float>()[0] = -1;
  EXPECT_EQ(numbers_[2], -1);
  EXPECT_TRUE(tensor({4, 6}).columns(0, 6).contiguous());
}

TEST_F(TensorTest, SliceIsAView) {
  const Tensor t = tensor({4, 6}).slice(1, 2);
  EXPECT_EQ(t.shape, (Shape{2, 6}));
  EXPECT_THAT(values_of(t), ElementsAre(6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17));
  EXPECT_EQ(at(tensor({4, 6}).columns(2, 3).slice(2, 1), 0, 1), 15);
  EXPECT_EQ(tensor({4, 6}).slice(4, 0).size(), 0);
}

TEST_F(TensorTest, HeadsAreAView) {
  const Tensor t = tensor({4, 6}).heads(2);
  EXPECT_EQ(t.shape, (Shape{4, 2, 3}));
  for (int64_t n = 0; n < 4; ++n)
    for (int64_t h = 0; h < 2; ++h)
      for (int64_t d = 0; d < 3; ++d) EXPECT_EQ(at(t, n, h, d), n * 6 + h * 3 + d);
  const Tensor part = tensor({4, 6}).columns(2, 4).heads(2);  // the row stride stays
  EXPECT_EQ(at(part, 3, 1, 1), 3 * 6 + 2 + 2 + 1);
}

TEST_F(TensorTest, TransposedIsAView) {
  const Tensor t = tensor({4, 6}).transposed();
  EXPECT_EQ(t.shape, (Shape{6, 4}));
  EXPECT_EQ(at(t, 5, 3), 23);
  EXPECT_FALSE(t.contiguous());
  EXPECT_TRUE(t.transposed().contiguous());
}

TEST_F(TensorTest, DimsAreUnpacked) {
  const auto [a, b] = tensor({4, 6}).dims<2>("x");
  EXPECT_EQ(a, 4);
  EXPECT_EQ(b, 6);
}

TEST_F(TensorTest, WrongUseIsNamed) {
  const Tensor t = tensor({4, 6});
  EXPECT_THAT(error_of([&] { t.data<double>(); }), HasSubstr("tensor [4, 6] holds f32, asked for f64"));
  EXPECT_THAT(error_of([&] { t.columns(0, 3).values<float>(); }), HasSubstr("[4, 3] is not contiguous"));
  EXPECT_THAT(error_of([&] { t.dims<3>("memory"); }), HasSubstr("memory must have rank 3, but is [4, 6]"));
  EXPECT_THAT(error_of([&] { t.columns(4, 3); }), HasSubstr("columns 4 to 7 do not lie in [4, 6]"));
  EXPECT_THAT(error_of([&] { t.columns(-1, 3); }), HasSubstr("columns -1"));
  EXPECT_THAT(error_of([&] { t.slice(3, 2); }), HasSubstr("rows 3 to 5 do not lie in [4, 6]"));
  EXPECT_THAT(error_of([&] { t.slice(0, -1); }), HasSubstr("rows 0 to -1"));
  EXPECT_THAT(error_of([&] { t.heads(4); }), HasSubstr("6 is not a multiple of the 4 heads"));
  EXPECT_THAT(error_of([&] { t.heads(0); }), HasSubstr("0 heads"));
  EXPECT_THAT(error_of([&] { tensor({2, 3, 4}).transposed(); }), HasSubstr("not [2, 3, 4]"));
}

TEST(Tensors, AreTriviallyCopyable) {
  static_assert(std::is_trivially_copyable_v<Tensor>);
  SUCCEED();
}

}  // namespace
}  // namespace hexapla
