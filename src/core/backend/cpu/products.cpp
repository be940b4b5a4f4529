// Linear layers and their gradients: the kernels' products, cut into chunks for threads.
#include <chrono>
#include <limits>

#include "backend/cpu/cpu_backend.h"
#include "backend/cpu/processor.h"

namespace hexapla::cpu {
namespace {

constexpr int64_t kRowPanel = 256;     // most rows of a chunk: its part of a fits into the L2 cache
constexpr double kWorthAThread = 1e5;  // with fewer multiplications per thread, a second thread costs more than it
                                       // saves
constexpr int64_t kColumnsToPack = 256;

int64_t parts(int64_t n, int64_t size) { return (n + size - 1) / size; }
int64_t round_up(int64_t n, int64_t to) { return parts(n, to) * to; }

struct Panel {
  int64_t rows, columns;
};

// As few chunks as give every thread one without too many rows each; of the cheapest shape: rows of
// a are packed once per part of the columns, b is read once per part of the rows. The sums never
// depend on this.
Panel panel_of(const Product& p, const ProductKernel& k) {
  constexpr int64_t packing = 3;  // cost of packing relative to reading
  const double work = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  const int64_t wanted = std::min<int64_t>(threads(), static_cast<int64_t>(work / kWorthAThread));
  const int64_t tiles = parts(p.m, k.tile_rows), strips = parts(p.n, k.tile_columns);
  const int64_t fewest = parts(p.m, kRowPanel / k.tile_rows * k.tile_rows);
  int64_t best_rows = fewest, best_columns = 1, best_cost = std::numeric_limits<int64_t>::max();
  for (int64_t rows = fewest; rows <= tiles; rows *= 2) {
    const int64_t columns = std::clamp<int64_t>(parts(wanted, rows), 1, strips);
    const int64_t cost = packing * columns * p.m + rows * p.n;
    if (cost < best_cost) best_cost = cost, best_rows = rows, best_columns = columns;
  }
  return {round_up(parts(p.m, best_rows), k.tile_rows), round_up(parts(p.n, best_columns), k.tile_columns)};
}

// units: per column of Packed.
Product part_of(const Product& p, const Panel& panel, int64_t units, int64_t i, int64_t j) {
  Product part = p;
  part.m = std::min(panel.rows, p.m - i);
  part.n = std::min(panel.columns, p.n - j);
  part.a += i * p.a_row;
  part.b += j * p.b_n;
  part.c += i * p.c_stride + j;
  if (part.bias) part.bias += j;
  if (part.packed.strips) {
    part.packed.strips += j * units;
    part.packed.scales += j;
    part.packed.sums += j;
  }
  return part;
}

#if defined(HEXAPLA_X86_KERNELS)
ProductKernel bf16_kernel(Isa isa) { return isa == Isa::amx ? amxbf16::kProduct : avx512bf16::kProduct; }
ProductKernel int8_kernel(Isa isa) {
  const Processor& here = processor();
  if (isa == Isa::amx) return amxint8::kInt8Product;
  if (isa == Isa::avx512) return here.eight_bit_dot ? avx512vnni::kInt8Product : avx512::kInt8Product;
  if (isa == Isa::avx2) return here.short_dot ? avxvnni::kInt8Product : avx2::kInt8Product;
  return generic::kInt8Product;
}
#elif defined(HEXAPLA_ARM_KERNELS)
ProductKernel bf16_kernel(Isa) { return armbf16::kProduct; }
ProductKernel int8_kernel(Isa isa) {
  if (isa == Isa::i8mm) return i8mm::kInt8Product;
  if (isa == Isa::dotprod) return dotprod::kInt8Product;
  return isa == Isa::neon ? neon::kInt8Product : generic::kInt8Product;
}
#else
ProductKernel bf16_kernel(Isa) { fail("no products in bf16 were built"); }
ProductKernel int8_kernel(Isa) { return generic::kInt8Product; }
#endif

// For plain weights; int8 is for packed ones.
ProductKernel plain_kernel(Isa isa, Precision precision) {
  return precision == Precision::bf16 ? bf16_kernel(isa) : kernels_of(isa).product;
}
ProductKernel packed_kernel(Isa isa, Precision precision) {
  return precision == Precision::int8 ? int8_kernel(isa) : plain_kernel(isa, precision);
}

// Whose registers products in f32 use.
Isa of_floats(Isa isa) { return isa >= Isa::neon ? Isa::neon : std::min(isa, Isa::avx512); }

class OwnProducts final : public Products {
 public:
  OwnProducts(Isa isa, Precision precision) : isa_(isa), precision_(precision), plain_(plain_kernel(isa, precision)) {}
  std::string name() const override {
    const Isa isa = precision_ == Precision::f32 ? of_floats(isa_) : isa_;
    return cat("own kernels (", name_of(isa), ", ", name_of(precision_), ")");
  }

  void run(const Product& p) override { run(p, plain_); }
  void run(Product p, const PackedStrips& w) override {
    p.packed = w.view();
    run(p, w.kernel());
  }

  using Products::pack;
  void pack(const Product& b, std::unique_ptr<PackedStrips>& into) const override {
    if (const Shape shape{b.k, b.n}; !into || into->shape() != shape)
      into = std::make_unique<PackedStrips>(packed_kernel(isa_, precision_), shape);
    pack_strips(b, into->kernel(), into->memory());
  }

  std::unique_ptr<PackedStrips> pack(const Integers& b) const override {
    auto packed = std::make_unique<PackedStrips>(int8_kernel(isa_), Shape{b.k, b.n});
    packed->kernel().pack_integers(b, packed->memory());
    return packed;
  }

  double arithmetic_limit() const override {
    const ProductKernel kernel = packed_kernel(isa_, precision_);
    double best = 0;
    for (int i = 0; i < 20; ++i) {  // the best of several, because other programs may take the core away
      const auto start = std::chrono::steady_clock::now();
      const auto operations = static_cast<double>(kernel.limit(200'000));
      best =
          std::max(best, operations / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
  }

 private:
  void run(Product p, const ProductKernel& kernel) const {
    if (p.m == 0 || p.n == 0) return;
    const Panel panel = panel_of(p, kernel);
    const int64_t rows = parts(p.m, panel.rows), columns = parts(p.n, panel.columns), units = kernel.units(p.k);
    if (rows > 1 && !p.packed.strips) p.packed.strips = packed_once(p, kernel);
    parallel_for(rows * columns, [&](int64_t i) {
      const Product part = part_of(p, panel, units, i % rows * panel.rows, i / rows * panel.columns);
      kernel.run(part, thread_scratch(Slot::product, kernel.scratch(panel.rows, p.k)));
    });
  }
  // Packs all of b for all chunks; valid until the next product of this thread.
  static const float* packed_once(const Product& p, const ProductKernel& kernel) {
    const int64_t units = kernel.units(p.k);
    float* const strips = thread_scratch(Slot::packed, round_up(p.n, kernel.tile_columns) * units);
    pack_strips(p, kernel, {strips, nullptr, nullptr});
    return strips;
  }
  static void pack_strips(const Product& p, const ProductKernel& kernel, const PackedMemory& out) {
    in_chunks(p.n, kColumnsToPack, [&](int64_t from, int64_t n) {
      Product part = p;
      part.b += from * p.b_n;
      part.n = n;
      kernel.pack(part, {out.strips + from * kernel.units(p.k), out.scales + from, out.sums + from});
    });
  }

  Isa isa_;
  Precision precision_;
  ProductKernel plain_;
};

struct WeightMatrix {
  float* p;
  int64_t rows, columns, row_step, column_step;
};
// A weight, possibly transposed().
WeightMatrix weight(Tensor w, const char* what) {
  const auto [rows, columns] = w.dims<2>(what);
  WeightMatrix m{w.data<float>(), rows, columns, w.strides[0], w.strides[1]};
  if (columns == 1)
    m.column_step = 1;  // the stride is irrelevant
  else if (rows == 1)
    m.row_step = m.column_step == 1 ? columns : 1;
  HEXAPLA_CHECK(m.row_step == 1 || m.column_step == 1, what, " ", w.shape, " has gaps both ways");
  return m;
}

// InternalError: it was packed by another kind of device.
const PackedStrips& strips_of(const Weight& w) {
  const auto* strips = dynamic_cast<const PackedStrips*>(w.packed);
  HEXAPLA_CHECK(strips, "the weight ", w.shape(), " was packed by another device than the processor");
  return *strips;
}

// c += a^T b: the sum over the common rows of a and b.
Product sum_over_rows(const Matrix& a, const Matrix& b, float* c, int64_t c_stride) {
  return {.a = a.p,
          .a_row = 1,
          .a_k = a.stride,
          .b = b.p,
          .b_k = b.stride,
          .b_n = 1,
          .c = c,
          .c_stride = c_stride,
          .m = a.width,
          .n = b.width,
          .k = a.rows,
          .store = Store::add};
}

}  // namespace

std::unique_ptr<Products> make_own_products(Isa isa, Precision precision) {
  return std::make_unique<OwnProducts>(isa, precision);
}

PackedStrips::PackedStrips(const ProductKernel& kernel, const Shape& of) : PackedWeight(of), kernel_(kernel) {
  const int64_t columns = round_up(of[1], kernel.tile_columns), units = columns * kernel.units(of[0]);
  memory_ = Pages(static_cast<size_t>(units + 2 * columns) * 4);
  auto* const p = reinterpret_cast<float*>(memory_.data());
  parts_ = {p, p + units, reinterpret_cast<int32_t*>(p + units + columns)};
}

std::unique_ptr<PackedWeight> CpuBackend::pack(Tensor w) {
  std::unique_ptr<PackedStrips> packed;
  pack(w, packed);
  return packed;
}
void CpuBackend::pack(Tensor w, std::unique_ptr<PackedStrips>& into) const {
  const WeightMatrix m = weight(w, "w");
  products_->pack({.b = m.p, .b_k = m.row_step, .b_n = m.column_step, .n = m.columns, .k = m.rows}, into);
}
std::unique_ptr<PackedWeight> CpuBackend::pack_quantized(Tensor integers, Tensor scales) {
  const auto [rows, columns] = integers.dims<2>("integers");
  HEXAPLA_CHECK(scales.shape == (Shape{columns}), "quantized weight: integers ", integers.shape, ", scales ",
                scales.shape);
  return products_->pack(Integers{.b = integers.data<int8_t>(),
                                  .b_k = integers.strides[0],
                                  .b_n = integers.strides[1],
                                  .k = rows,
                                  .n = columns,
                                  .scales = vector_of(scales, "scales")});
}

void CpuBackend::linear(Tensor x, const Weight& w, Tensor b, Tensor y) {
  const Matrix mx = matrix(x, "x"), my = matrix(y, "y");
  Product p{.a = mx.p,
            .a_row = mx.stride,
            .a_k = 1,
            .c = my.p,
            .c_stride = my.stride,
            .bias = vector_of(b, "b"),
            .m = mx.rows,
            .n = w.shape()[1],
            .k = w.shape()[0]};
  if (w.packed) return products_->run(p, strips_of(w));
  const WeightMatrix mw = weight(w.values, "w");
  p.b = mw.p;
  p.b_k = mw.row_step;
  p.b_n = mw.column_step;
  products_->run(p);
}

void CpuBackend::linear_backward_input(Tensor dy, Tensor w, Tensor dx, Write how) {
  const Matrix d = matrix(dy, "dy"), out = matrix(dx, "dx");
  const WeightMatrix mw = weight(w, "w");
  products_->run({.a = d.p,
                  .a_row = d.stride,
                  .a_k = 1,
                  .b = mw.p,
                  .b_k = mw.column_step,
                  .b_n = mw.row_step,
                  .c = out.p,
                  .c_stride = out.stride,
                  .m = d.rows,
                  .n = mw.rows,
                  .k = mw.columns,
                  .store = how == Write::set ? Store::set : Store::add});
}

void CpuBackend::linear_backward_weight(Tensor x, Tensor dy, Tensor dw, Tensor db) {
  const Matrix mx = matrix(x, "x"), d = matrix(dy, "dy");
  if (dw) {
    const WeightMatrix out = weight(dw, "dw");
    if (out.column_step == 1)
      products_->run(sum_over_rows(mx, d, out.p, out.row_step));
    else  // dw is transposed: dw^T += dy^T x
      products_->run(sum_over_rows(d, mx, out.p, out.column_step));
  }
  if (db) add_column_sums(d, vector_of(db, "db"));
}

// Each chunk owns columns: as many as are read together, or fewer if threads would get none.
void CpuBackend::add_column_sums(const Matrix& x, float* y) {
  constexpr int64_t fewest = 32, most = 128, numbers = 65536;
  const int64_t share = std::clamp(parts(x.width, threads()), fewest, most);
  const int64_t size = std::max(share, numbers / std::max<int64_t>(1, x.rows)) / fewest * fewest;
  in_chunks(x.width, size,
            [&](int64_t from, int64_t width) { k_.add_column_sums(x.p + from, x.stride, x.rows, width, y + from); });
}

}  // namespace hexapla::cpu
