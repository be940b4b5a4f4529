// Linear layers and their gradients; the products of the kernels, cut into pieces for threads.
#include <chrono>
#include <limits>

#include "backend/cpu/cpu_backend.h"

namespace hexapla::cpu {
namespace {

constexpr int64_t row_panel = 256;      // most rows of a piece: their share of a stays in the second cache
constexpr double worth_a_thread = 1e5;  // multiplications below which a second thread costs more than it saves
constexpr int64_t columns_to_pack = 256;

int64_t parts(int64_t n, int64_t size) { return (n + size - 1) / size; }
int64_t round_up(int64_t n, int64_t to) { return parts(n, to) * to; }

struct Panel {
  int64_t rows, columns;
};

// As few pieces as give every thread one, and have not too many rows; of the form that costs least: rows of a are
// packed once for every part of the columns, b is read once for every part of the rows. The sums of an element never
// depend on this.
Panel panel_of(const Product& p, const ProductKernel& k) {
  constexpr int64_t packing = 3;  // costs so many times what reading costs
  const double work = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  const int64_t wanted = std::min<int64_t>(threads(), static_cast<int64_t>(work / worth_a_thread));
  const int64_t tiles = parts(p.m, k.tile_rows), strips = parts(p.n, k.tile_columns);
  const int64_t fewest = parts(p.m, row_panel / k.tile_rows * k.tile_rows);
  int64_t best_rows = fewest, best_columns = 1, best_cost = std::numeric_limits<int64_t>::max();
  for (int64_t rows = fewest; rows <= tiles; rows *= 2) {
    const int64_t columns = std::clamp<int64_t>(parts(wanted, rows), 1, strips);
    const int64_t cost = packing * columns * p.m + rows * p.n;
    if (cost < best_cost) best_cost = cost, best_rows = rows, best_columns = columns;
  }
  return {round_up(parts(p.m, best_rows), k.tile_rows), round_up(parts(p.n, best_columns), k.tile_columns)};
}

// units: of Packed, in a column
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

// Of weights as they are: int8 is for packed ones.
ProductKernel plain_kernel(Isa isa, Precision precision) {
#ifdef HEXAPLA_X86_KERNELS
  if (precision == Precision::bf16) return isa == Isa::amx ? amxbf16::product : avx512bf16::product;
#endif
  HEXAPLA_CHECK(precision != Precision::bf16, "no products in bf16 were built");
  return kernels_of(isa).product;
}
ProductKernel packed_kernel(Isa isa, Precision precision) {
#ifdef HEXAPLA_X86_KERNELS
  if (precision == Precision::int8) return isa == Isa::amx ? amxint8::product : avx512vnni::product;
#endif
  return plain_kernel(isa, precision);
}

class OwnProducts final : public Products {
 public:
  OwnProducts(Isa isa, Precision precision) : isa_(isa), precision_(precision), plain_(plain_kernel(isa, precision)) {}
  std::string name() const override {
    const Isa isa = precision_ == Precision::f32 ? std::min(isa_, Isa::avx512) : isa_;  // no tiles for f32
    return cat("own kernels (", name_of(isa), ", ", name_of(precision_), ")");
  }

  void run(const Product& p) override { run(p, plain_); }
  void run(Product p, const PackedWeight& w) override {
    p.packed = w.view();
    run(p, w.kernel());
  }

  using Products::pack;
  void pack(const Product& b, std::unique_ptr<PackedWeight>& into) const override {
    make_room(b.k, b.n, packed_kernel(isa_, precision_), into);
    pack_strips(b, into->kernel(), into->memory());
  }

  std::unique_ptr<PackedWeight> pack(const Integers& b) const override {
#ifdef HEXAPLA_X86_KERNELS
    if (has(isa_, Precision::int8)) {
      std::unique_ptr<PackedWeight> packed;
      make_room(b.k, b.n, packed_kernel(isa_, Precision::int8), packed);
      avx512vnni::pack_integers(b, packed->memory());
      return packed;
    }
#endif
    std::vector<float> values(static_cast<size_t>(b.k * b.n));  // no such instructions: what they stand for
    for (int64_t t = 0; t < b.k; ++t)
      for (int64_t j = 0; j < b.n; ++j)
        values[static_cast<size_t>(t * b.n + j)] = static_cast<float>(b.b[t * b.b_k + j * b.b_n]) * b.scales[j];
    return pack({nullptr, 0, 0, values.data(), b.n, 1, nullptr, 0, nullptr, 0, b.n, b.k, Store::set});
  }

  double arithmetic_limit() const override {
    const ProductKernel kernel = packed_kernel(isa_, precision_);
    double best = 0;
    for (int i = 0; i < 20; ++i) {  // a neighbor may take the core away now and then
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
  // All of b, for all the pieces; until the next product of this thread.
  static const float* packed_once(const Product& p, const ProductKernel& kernel) {
    const int64_t units = kernel.units(p.k);
    float* const strips = thread_scratch(Slot::packed, round_up(p.n, kernel.tile_columns) * units);
    pack_strips(p, kernel, {strips, nullptr, nullptr});
    return strips;
  }
  static void pack_strips(const Product& p, const ProductKernel& kernel, const PackedMemory& out) {
    in_pieces(p.n, columns_to_pack, [&](int64_t from, int64_t n) {
      Product part = p;
      part.b += from * p.b_n;
      part.n = n;
      kernel.pack(part, {out.strips + from * kernel.units(p.k), out.scales + from, out.sums + from});
    });
  }
  static void make_room(int64_t k, int64_t n, const ProductKernel& kernel, std::unique_ptr<PackedWeight>& packed) {
    const int64_t columns = round_up(n, kernel.tile_columns), units = columns * kernel.units(k);
    if (!packed || !packed->fits(units, columns)) packed = std::make_unique<PackedWeight>(kernel, units, columns);
  }

  Isa isa_;
  Precision precision_;
  ProductKernel plain_;
};

struct Weight {
  float* p;
  int64_t rows, columns, row_step, column_step;
};
// A weight, perhaps transposed().
Weight weight(Tensor w, const char* what) {
  const auto [rows, columns] = w.dims<2>(what);
  Weight m{w.data<float>(), rows, columns, w.strides[0], w.strides[1]};
  if (columns == 1)
    m.column_step = 1;  // a stride over nothing
  else if (rows == 1)
    m.row_step = m.column_step == 1 ? columns : 1;
  HEXAPLA_CHECK(m.row_step == 1 || m.column_step == 1, what, " ", w.shape, " has gaps both ways");
  return m;
}

}  // namespace

std::unique_ptr<Products> make_own_products(Isa isa, Precision precision) {
  return std::make_unique<OwnProducts>(isa, precision);
}

PackedWeight::PackedWeight(const ProductKernel& kernel, int64_t units, int64_t columns)
    : kernel_(kernel), units_(units), columns_(columns), memory_(static_cast<size_t>(units + 2 * columns) * 4) {
  auto* const p = reinterpret_cast<float*>(memory_.data());
  parts_ = {p, p + units, reinterpret_cast<int32_t*>(p + units + columns)};
}

bool CpuBackend::pack(Tensor w) {
  std::unique_ptr<PackedWeight>& copy = packed_[place_of(w)];
  pack(w, copy);
  return copy != nullptr;
}
void CpuBackend::pack(Tensor w, std::unique_ptr<PackedWeight>& into) const {
  const Weight m = weight(w, "w");
  products_->pack(
      Product{nullptr, 0, 0, m.p, m.row_step, m.column_step, nullptr, 0, nullptr, 0, m.columns, m.rows, Store::set},
      into);
}
void CpuBackend::pack_quantised(Tensor w, Tensor integers, Tensor scales) {
  const auto [rows, columns] = integers.dims<2>("integers");
  HEXAPLA_CHECK(w.shape == integers.shape && scales.shape == (Shape{columns}), "quantized weight ", w.shape,
                ": integers ", integers.shape, ", scales ", scales.shape);
  packed_[place_of(w)] = products_->pack(Integers{integers.data<int8_t>(), integers.strides[0], integers.strides[1],
                                                  rows, columns, vector_of(scales, "scales")});
}
void CpuBackend::unpack(Tensor w) { packed_.erase(place_of(w)); }

void CpuBackend::linear(Tensor x, Tensor w, Tensor b, Tensor y) {
  const auto packed = packed_.find(place_of(w));
  linear(x, w, packed == packed_.end() ? nullptr : packed->second.get(), b, y);
}
void CpuBackend::linear(Tensor x, Tensor w, const PackedWeight* packed, Tensor b, Tensor y) {
  const Matrix mx = matrix(x, "x"), my = matrix(y, "y");
  Product p{mx.p,      mx.stride,         1,       nullptr,    0,          0,         my.p,
            my.stride, vector_of(b, "b"), mx.rows, w.shape[1], w.shape[0], Store::set};
  if (packed) return products_->run(p, *packed);
  const Weight mw = weight(w, "w");
  p.b = mw.p;
  p.b_k = mw.row_step;
  p.b_n = mw.column_step;
  products_->run(p);
}

void CpuBackend::linear_backward_input(Tensor dy, Tensor w, Tensor dx, Write how) {
  const Matrix d = matrix(dy, "dy"), out = matrix(dx, "dx");
  const Weight mw = weight(w, "w");
  products_->run({d.p, d.stride, 1, mw.p, mw.column_step, mw.row_step, out.p, out.stride, nullptr, d.rows, mw.rows,
                  mw.columns, how == Write::set ? Store::set : Store::add});
}

void CpuBackend::linear_backward_weight(Tensor x, Tensor dy, Tensor dw, Tensor db) {
  const Matrix mx = matrix(x, "x"), d = matrix(dy, "dy");
  if (dw) {
    const Weight out = weight(dw, "dw");
    if (out.column_step == 1)
      products_->run(
          {mx.p, 1, mx.stride, d.p, d.stride, 1, out.p, out.row_step, nullptr, mx.width, d.width, mx.rows, Store::add});
    else  // dw is on its side: dw^T += dy^T x
      products_->run({d.p, 1, d.stride, mx.p, mx.stride, 1, out.p, out.column_step, nullptr, d.width, mx.width, mx.rows,
                      Store::add});
  }
  if (db) add_column_sums(d, vector_of(db, "db"));
}

// A piece has columns of its own: as many neighbors as are read together, or fewer where threads would get none.
void CpuBackend::add_column_sums(const Matrix& x, float* y) {
  constexpr int64_t fewest = 32, most = 128, numbers = 65536;
  const int64_t share = std::clamp(parts(x.width, threads()), fewest, most);
  const int64_t size = std::max(share, numbers / std::max<int64_t>(1, x.rows)) / fewest * fewest;
  in_pieces(x.width, size,
            [&](int64_t from, int64_t width) { k_.add_column_sums(x.p + from, x.stride, x.rows, width, y + from); });
}

}  // namespace hexapla::cpu
