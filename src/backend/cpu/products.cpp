// Linear layers and their gradients; the products of the kernels, cut into pieces for threads.
#include "backend/cpu/cpu_backend.h"

namespace hexapla::cpu {
namespace {

constexpr int64_t row_panel = 252;      // rows of a piece: their share of a stays in the second cache
constexpr double worth_a_thread = 1e5;  // multiplications below which a second thread costs more than it saves

int64_t parts(int64_t n, int64_t size) { return (n + size - 1) / size; }
int64_t round_up(int64_t n, int64_t to) { return parts(n, to) * to; }

struct Panel {
  int64_t rows, columns;
};

// Pieces as large as still gives every thread about four. The sums of an element never depend on this.
Panel panel_of(const Product& p, const Kernels& k) {
  const double work = static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
  const int64_t wanted =
      std::min<int64_t>(threads() == 1 ? 1 : 4 * threads(), static_cast<int64_t>(work / worth_a_thread));
  const int64_t row_parts = parts(p.m, row_panel);
  const int64_t column_parts = std::clamp<int64_t>(parts(wanted, row_parts), 1, parts(p.n, k.tile_columns));
  const int64_t more_rows =
      std::clamp<int64_t>(parts(wanted, row_parts * column_parts), 1, parts(row_panel, k.tile_rows));
  return {round_up(parts(p.m, row_parts * more_rows), k.tile_rows), round_up(parts(p.n, column_parts), k.tile_columns)};
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

// The kernels for weights as they are, and for packed ones.
struct Choice {
  ProductKernel plain, packed;
};
Choice choice_of(Isa isa, Precision precision) {
  const ProductKernel f32 = kernels_of(isa).product;
#ifdef HEXAPLA_X86_KERNELS
  if (precision == Precision::bf16) return {avx512bf16::product, avx512bf16::product};
  if (precision == Precision::int8) return {f32, avx512vnni::product};
#endif
  HEXAPLA_CHECK(precision == Precision::f32, "no products in ", name_of(precision), " were built");
  return {f32, f32};
}

class OwnProducts final : public Products {
 public:
  OwnProducts(Isa isa, Precision precision)
      : isa_(isa), precision_(precision), k_(kernels_of(isa)), kernels_(choice_of(isa, precision)) {}
  std::string name() const override { return cat("own kernels (", name_of(isa_), ", ", name_of(precision_), ")"); }

  void run(const Product& p) override {
    if (p.m == 0 || p.n == 0) return;
    const ProductKernel& kernel = p.packed.strips ? kernels_.packed : kernels_.plain;
    const Panel panel = panel_of(p, k_);
    const int64_t rows = parts(p.m, panel.rows), columns = parts(p.n, panel.columns);
    parallel_for(rows * columns, [&](int64_t i) {
      const Product part = part_of(p, panel, parts(p.k, kernel.terms), i % rows * panel.rows, i / rows * panel.columns);
      kernel.run(part, thread_scratch(Slot::product, kernel.scratch(panel.rows, p.k)));
    });
  }

  std::unique_ptr<PackedWeight> pack(const Product& b_alone) const override {
    const int64_t columns = round_up(b_alone.n, k_.tile_columns);
    auto packed = std::make_unique<PackedWeight>(columns * parts(b_alone.k, kernels_.packed.terms), columns);
    kernels_.packed.pack(b_alone, packed->memory());
    return packed;
  }

 private:
  Isa isa_;
  Precision precision_;
  const Kernels& k_;
  Choice kernels_;
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

PackedWeight::PackedWeight(int64_t units, int64_t columns)
    : memory_(static_cast<float*>(::operator new (static_cast<size_t>(units + 2 * columns) * 4, std::align_val_t{64}))),
      parts_{memory_.get(), memory_.get() + units, reinterpret_cast<int32_t*>(memory_.get() + units + columns)} {}

void CpuBackend::pack(Tensor w) {
  const Weight m = weight(w, "w");
  packed_[w.bytes] = products_->pack(
      {nullptr, 0, 0, m.p, m.row_step, m.column_step, nullptr, 0, nullptr, 0, m.columns, m.rows, Store::set});
}
void CpuBackend::unpack(Tensor w) { packed_.erase(w.bytes); }

Packed CpuBackend::packed(Tensor w) const {
  if (packed_.empty()) return {};
  const auto found = packed_.find(w.bytes);
  return found == packed_.end() || !found->second ? Packed{} : found->second->view();
}

void CpuBackend::linear(Tensor x, Tensor w, Tensor b, Tensor y) {
  const Matrix mx = matrix(x, "x"), my = matrix(y, "y");
  const Weight mw = weight(w, "w");
  products_->run({mx.p, mx.stride, 1, mw.p, mw.row_step, mw.column_step, my.p, my.stride, vector_of(b, "b"), mx.rows,
                  mw.columns, mw.rows, Store::set, packed(w)});
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

// Every thread owns columns.
void CpuBackend::add_column_sums(const Matrix& x, float* y) {
  in_pieces(x.width, std::max<int64_t>(32, 65536 / std::max<int64_t>(1, x.rows) / 32 * 32),
            [&](int64_t from, int64_t width) { k_.add_column_sums(x.p + from, x.stride, x.rows, width, y + from); });
}

}  // namespace hexapla::cpu
