// Packed weights give the same bits as plain weights in f32 and bf16; in int8, the sums of the
// rounded numbers.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <thread>

#include "backend/cpu/testing.h"
#include "base/compute/random.h"

namespace hexapla {
namespace {

// These structs have thirteen fields, mostly numbers, so positional initialization must not
// compile.
template <class T>
concept TakesFieldsByPlace = requires(const float* a, int64_t step) {
  T{a, step, step};
}
|| requires(const float* a, int64_t step) { T{{}, a, step, step}; };
static_assert(!TakesFieldsByPlace<cpu::Product>);

struct Shapes {
  int64_t rows, in, out;
};
const Shapes kShapes[] = {{1, 1, 1},    {1, 7, 5},     {7, 1, 3},    {5, 3, 1},      {16, 16, 16},  {7, 33, 65},
                          {70, 65, 33}, {1, 1030, 64}, {2, 5, 1003}, {300, 128, 70}, {40, 600, 130}};

class PackedNumbers {
 public:
  Tensor normal(Shape s) {
    auto& v = memory_.emplace_back(static_cast<size_t>(s.size()));
    for (float& x : v) x = static_cast<float>(random_.normal());
    return Tensor::of(v.data(), s);
  }

 private:
  Random random_{11};
  std::deque<std::vector<float>> memory_;
};

bool same_bytes(Tensor a, Tensor b) { return std::memcmp(a.bytes, b.bytes, static_cast<size_t>(a.size()) * 4) == 0; }

class CpuPacked : public testing::TestWithParam<cpu::Variant> {};

TEST_P(CpuPacked, LinearHasTheBitsOfTheWeightAsItIs) {
  const auto backend = cpu::make(GetParam());
  PackedNumbers n;
  for (const Shapes& s : kShapes)
    for (const bool transposed : {false, true}) {
      const Tensor stored = n.normal(transposed ? Shape{s.out, s.in} : Shape{s.in, s.out});
      const Tensor w = transposed ? stored.transposed() : stored, x = n.normal({s.rows, s.in}), b = n.normal({s.out});
      const Tensor plain = n.normal({s.rows, s.out}), packed = n.normal({s.rows, s.out});
      backend->linear(x, w, b, plain);
      const auto copy = backend->pack(w);
      EXPECT_EQ(copy != nullptr, GetParam().products == "own");
      backend->linear(x, {w, copy.get()}, b, packed);
      EXPECT_TRUE(same_bytes(plain, packed)) << s.rows << 'x' << s.in << 'x' << s.out << transposed;
      stored.data<float>()[0] += 1;  // the copy does not change
      const Tensor again = n.normal({s.rows, s.out});
      backend->linear(x, {w, copy.get()}, b, again);
      EXPECT_EQ(same_bytes(packed, again), copy != nullptr);
      backend->linear(x, w, b, again);
      EXPECT_FALSE(same_bytes(packed, again)) << "a copy that was not handed over";
    }
}

TEST_P(CpuPacked, ACopyOutlivesItsBackendAndIsSharedByThreads) {
  auto first = cpu::make(GetParam());
  PackedNumbers n;
  const Tensor w = n.normal({70, 90}), x = n.normal({5, 70}), b = n.normal({90}), expected = n.normal({5, 90});
  first->linear(x, w, b, expected);
  const std::unique_ptr<const PackedWeight> copy = first->pack(w);
  first.reset();
  if (copy) std::fill_n(w.data<float>(), w.size(), std::nanf(""));  // must not be read
  const auto backend = cpu::make(GetParam());
  std::vector<Tensor> results;
  for (int i = 0; i < 4; ++i) results.push_back(n.normal({5, 90}));
  {
    std::vector<std::jthread> threads;
    for (const Tensor& y : results)
      threads.emplace_back([&, y] {
        for (int round = 0; round < 20; ++round) backend->linear(x, {w, copy.get()}, b, y);
      });
  }
  for (const Tensor& y : results) EXPECT_TRUE(same_bytes(expected, y));
}

TEST_P(CpuPacked, AnotherDevicesCopyIsAnError) {
  const auto backend = cpu::make(GetParam());
  PackedNumbers n;
  const Tensor w = n.normal({3, 2}), x = n.normal({1, 3}), y = n.normal({1, 2});
  const PackedWeight foreign(w.shape);
  EXPECT_THROW(backend->linear(x, {w, &foreign}, {}, y), InternalError);
}

INSTANTIATE_TEST_SUITE_P(All, CpuPacked, testing::ValuesIn(cpu::variants_of_any_precision()), cpu::variant_name);

// A row of x as the kernel quantizes it: the row's largest number becomes 127.
std::vector<double> rounded_row(const float* x, int64_t n) {
  float most = 0;
  for (int64_t i = 0; i < n; ++i) most = std::max(most, std::fabs(x[i]));
  std::vector<double> q;
  const float inverse = most > 0 ? 127 / most : 0;
  for (int64_t i = 0; i < n; ++i) q.push_back(std::nearbyint(x[i] * inverse) * static_cast<double>(most / 127));
  return q;
}

struct Integers {
  std::vector<int8_t> values;
  std::vector<float> scales;
};
Integers integers(int64_t in, int64_t out) {
  Random random(2);
  Integers q;
  for (int64_t i = 0; i < in * out; ++i) q.values.push_back(static_cast<int8_t>(int(random.below(255)) - 127));
  for (int64_t j = 0; j < out; ++j) q.scales.push_back(0.01f + 0.001f * static_cast<float>(j % 7));
  return q;
}

// round_x: whether the reference rounds the rows of x, too.
double worst_error(Backend& backend, const Shapes& s, bool transposed, bool round_x) {
  PackedNumbers n;
  Integers q = integers(s.in, s.out);
  const Tensor stored = Tensor::of(q.values.data(), transposed ? Shape{s.out, s.in} : Shape{s.in, s.out});
  const Tensor w = transposed ? stored.transposed() : stored, x = n.normal({s.rows, s.in}), b = n.normal({s.out});
  const Tensor y = n.normal({s.rows, s.out});
  const auto copy = backend.pack_quantized(w, Tensor::of(q.scales.data(), {s.out}));
  backend.linear(x, {w, copy.get()}, b, y);
  double worst = 0, largest = 1e-30;
  for (int64_t i = 0; i < s.rows; ++i) {
    const float* row = x.data<float>() + i * s.in;
    const std::vector<double> a = round_x ? rounded_row(row, s.in) : std::vector<double>(row, row + s.in);
    for (int64_t j = 0; j < s.out; ++j) {
      double sum = b.data<float>()[j];
      for (int64_t t = 0; t < s.in; ++t)
        sum += a[t] * q.values[transposed ? j * s.in + t : t * s.out + j] * static_cast<double>(q.scales[j]);
      worst = std::max(worst, std::fabs(sum - static_cast<double>(y.data<float>()[i * s.out + j])));
      largest = std::max(largest, std::fabs(sum));
    }
  }
  return worst / largest;
}

TEST(CpuQuantized, IsTheSumOfRoundedNumbers) {
  for (const Isa isa : isas_here()) {
    const auto backend = make_cpu_backend(isa);
    for (const Shapes& s : kShapes)
      for (const bool transposed : {false, true})
        EXPECT_LE(worst_error(*backend, s, transposed, true), 1e-5)
            << name_of(isa) << s.rows << 'x' << s.in << 'x' << s.out;
    EXPECT_GT(worst_error(*backend, {7, 33, 65}, false, false), 1e-4);  // x is really rounded
  }
}

// But for the generic one, which multiplies and adds in two steps.
TEST(CpuQuantized, EveryInstructionSetGivesTheSameBits) {
  const auto best = make_cpu_backend(best_isa(), Precision::int8);
  PackedNumbers n;
  for (const Isa isa : isas_here()) {
    if (isa == Isa::generic || isa == best_isa()) continue;
    const auto other = make_cpu_backend(isa, Precision::int8);
    for (const Shapes& s : kShapes)
      for (int64_t rows = 1; rows <= 70; rows += 1 + rows / 8) {
        const Tensor w = n.normal({s.in, s.out}), x = n.normal({rows, s.in}), b = n.normal({s.out});
        const Tensor y = n.normal({rows, s.out}), z = n.normal({rows, s.out});
        const auto of_best = best->pack(w), of_other = other->pack(w);
        best->linear(x, {w, of_best.get()}, b, y);
        other->linear(x, {w, of_other.get()}, b, z);
        EXPECT_TRUE(same_bytes(y, z)) << name_of(isa) << rows << 'x' << s.in << 'x' << s.out;
      }
  }
}

// The largest integers, and the -128 of other programs' files: no sum saturates.
TEST(CpuQuantized, IsExactAtTheEdges) {
  constexpr int64_t terms = 70;
  std::vector<int8_t> most(terms * 3, -128);
  const float ones[] = {1, 1, 1};
  PackedNumbers n;
  const Tensor x = n.normal({2, terms}), y = n.normal({2, 3});
  for (int64_t t = 0; t < terms; ++t) x.data<float>()[t] = 127, x.data<float>()[terms + t] = -127;
  for (const Isa isa : isas_here()) {
    const auto backend = make_cpu_backend(isa);
    const auto packed =
        backend->pack_quantized(Tensor::of(most.data(), {terms, 3}), Tensor::of(const_cast<float*>(ones), {3}));
    backend->linear(x, {Tensor::of(most.data(), {terms, 3}), packed.get()}, {}, y);
    for (int64_t i = 0; i < 6; ++i) EXPECT_EQ(y.data<float>()[i], (i < 3 ? -128 : 128) * 127 * terms) << name_of(isa);
  }
}

TEST(CpuQuantized, AnInt8BackendRoundsWhatItPacks) {
  const auto backend = make_cpu_backend(Precision::int8), plain = make_cpu_backend();
  PackedNumbers n;
  const Tensor w = n.normal({64, 40}), x = n.normal({9, 64}), y = n.normal({9, 40}), z = n.normal({9, 40});
  backend->linear(x, w, {}, y);
  plain->linear(x, w, {}, z);
  EXPECT_TRUE(same_bytes(y, z)) << "not packed, it is f32";
  const auto copy = backend->pack(w);
  backend->linear(x, {w, copy.get()}, {}, y);
  double worst = 0;
  for (int64_t i = 0; i < y.size(); ++i)
    worst = std::max<double>(worst, std::fabs(y.data<float>()[i] - z.data<float>()[i]));
  EXPECT_GT(worst, 1e-4);
  EXPECT_LT(worst, 0.5);  // the numbers are about 8
}

}  // namespace
}  // namespace hexapla
