// The only file that uses oneDNN (2.x and 3.x). Every primitive runs on one thread; threads share
// panels of rows and columns that do not depend on the number of threads.
#include "backend/cpu/cpu_backend.h"

#ifndef HEXAPLA_HAVE_ONEDNN

std::unique_ptr<hexapla::cpu::Products> hexapla::cpu::make_onednn_products(Isa) { return nullptr; }

#else

#include <array>
#include <map>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

namespace hexapla::cpu {
namespace {

using dnnl::memory;

constexpr int64_t kOneDnnRows = 256, kOneDnnColumns = 512;
constexpr size_t kMostKept = 2048;  // primitives per thread; a limit, because batch lengths vary

// oneDNN asks OpenMP for the number of threads, both when it plans and when it runs.
class OneThread {
 public:
  OneThread() : before_(threads()) { use_threads(1); }
  ~OneThread() { use_threads(before_); }
  OneThread(const OneThread&) = delete;

 private:
  int before_;
};

dnnl::engine& engine() {
  static dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

// Everything that a primitive depends on.
using Key = std::array<int64_t, 10>;
Key key_of(const Product& p) {
  return {p.m, p.n, p.k, p.a_row, p.a_k, p.b_k, p.b_n, p.c_stride, p.bias != nullptr, p.store == Store::add};
}

memory::desc matrix_of(int64_t rows, int64_t columns, int64_t row_step, int64_t column_step) {
  return {memory::dims{rows, columns}, memory::data_type::f32, memory::dims{row_step, column_step}};
}

dnnl::matmul::primitive_desc plan(const Product& p) {
  const memory::desc a = matrix_of(p.m, p.k, p.a_row, p.a_k), b = matrix_of(p.k, p.n, p.b_k, p.b_n),
                     c = matrix_of(p.m, p.n, p.c_stride, 1), bias = p.bias ? matrix_of(1, p.n, p.n, 1) : memory::desc();
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (p.store == Store::add) {
    dnnl::post_ops sum;
    sum.append_sum(1);
    attributes.set_post_ops(sum);
  }
#if DNNL_VERSION_MAJOR >= 3
  return {engine(), a, b, bias, c, attributes};
#else
  return {{a, b, bias, c}, attributes, engine()};
#endif
}

// Implementations that, as measured (2.6.3), give a row the same bits for any number of rows; 3.x
// calls them brg_matmul. The tests measure it wherever they run.
bool is_brgemm_for_avx512(const std::string& name) {
  return name.rfind("brg", 0) == 0 && name.find(":avx512_core") != std::string::npos;
}

// False for layouts that oneDNN refuses: it considers the rows of some matrices with one row or
// column to overlap.
bool keeps_rows_apart(const Product& p) try {
  return is_brgemm_for_avx512(plan(p).impl_info_str());
} catch (const dnnl::error&) {
  return false;
}

// A primitive with its memory objects, whose addresses are set for each run.
class Primitive {
 public:
  explicit Primitive(const Product& p) : plan_(plan(p)), run_(plan_), stream_(engine()) {
    arguments_ = {{DNNL_ARG_SRC, view(plan_.src_desc())},
                  {DNNL_ARG_WEIGHTS, view(plan_.weights_desc())},
                  {DNNL_ARG_DST, view(plan_.dst_desc())},
                  {DNNL_ARG_SCRATCHPAD, view(plan_.scratchpad_desc())}};
    if (p.bias) arguments_.emplace(DNNL_ARG_BIAS, view(plan_.bias_desc()));
  }

  void operator()(const Product& p) {
    set(DNNL_ARG_SRC, p.a);
    set(DNNL_ARG_WEIGHTS, p.b);
    set(DNNL_ARG_DST, p.c);
    const auto bytes = static_cast<int64_t>(plan_.scratchpad_desc().get_size());
    set(DNNL_ARG_SCRATCHPAD, thread_scratch(Slot::product, bytes / 4 + 1));
    if (p.bias) set(DNNL_ARG_BIAS, p.bias);
    run_.execute(stream_, arguments_);
  }

 private:
  static memory view(const memory::desc& d) { return {d, engine(), nullptr}; }
  void set(int argument, const float* p) { arguments_.at(argument).set_data_handle(const_cast<float*>(p)); }

  dnnl::matmul::primitive_desc plan_;
  dnnl::matmul run_;
  dnnl::stream stream_;
  std::unordered_map<int, memory> arguments_;
};

class OnednnProducts final : public Products {
 public:
  explicit OnednnProducts(Isa isa) : own_(make_own_products(isa, Precision::f32)) {}

  std::string name() const override {
    const dnnl_version_t* v = dnnl_version();
    return cat("oneDNN ", v->major, '.', v->minor, '.', v->patch, " (", implementation(), ")");
  }

  double arithmetic_limit() const override { return own_->arithmetic_limit(); }
  using Products::pack;
  void pack(const Product&, std::unique_ptr<PackedStrips>& into) const override { into = nullptr; }
  std::unique_ptr<PackedStrips> pack(const Integers& b) const override { return own_->pack(b); }
  void run(Product p, const PackedStrips& w) override { own_->run(p, w); }
  void run(const Product& p) override {
    if (p.m == 0 || p.n == 0) return;
    if (p.k == 0 || !usable(p)) return own_->run(p);
    const int64_t rows = (p.m + kOneDnnRows - 1) / kOneDnnRows, columns = (p.n + kOneDnnColumns - 1) / kOneDnnColumns;
    parallel_for(rows * columns,
                 [&](int64_t i) { run_panel(panel_of(p, i % rows * kOneDnnRows, i / rows * kOneDnnColumns)); });
  }

  // For a plain square product; for users to read, and to check whether oneDNN is of any use here.
  static std::string implementation() {
    constexpr int64_t n = 128;
    const Product p{.a_row = n, .a_k = 1, .b_k = n, .b_n = 1, .c_stride = n, .m = n, .n = n, .k = n};
    return plan(p).impl_info_str();
  }

 private:
  static Product panel_of(const Product& p, int64_t i, int64_t j) {
    Product panel = p;
    panel.m = std::min(kOneDnnRows, p.m - i);
    panel.n = std::min(kOneDnnColumns, p.n - j);
    panel.a += i * p.a_row;
    panel.b += j * p.b_n;
    panel.c += i * p.c_stride + j;
    if (panel.bias) panel.bias += j;
    return panel;
  }

  // Decided for few and many rows together, so that all batches with this weight get the same
  // answer.
  static bool usable(Product p) {
    thread_local std::map<Key, bool> known;
    p.m = 1;
    const Key key = key_of(p);
    if (const auto found = known.find(key); found != known.end()) return found->second;
    if (known.size() > kMostKept) known.clear();
    const OneThread only;
    bool good = true;
    for (const int64_t columns : {std::min(p.n, kOneDnnColumns), (p.n - 1) % kOneDnnColumns + 1})
      for (const int64_t rows : {int64_t{1}, int64_t{2}, int64_t{17}, kOneDnnRows}) {
        Product panel = p;
        panel.m = rows;
        panel.n = columns;
        good = good && keeps_rows_apart(panel);
      }
    return known[key] = good;
  }

  static void run_panel(const Product& p) {
    thread_local std::map<Key, Primitive> kept;
    const OneThread only;
    const Key key = key_of(p);
    auto found = kept.find(key);
    if (found == kept.end()) {
      if (kept.size() > kMostKept) kept.clear();
      found = kept.try_emplace(key, p).first;
    }
    found->second(p);
  }

  std::unique_ptr<Products> own_;
};

}  // namespace

std::unique_ptr<Products> make_onednn_products(Isa isa) {
  if (isa < Isa::avx512 || isa > Isa::amx || !is_brgemm_for_avx512(OnednnProducts::implementation())) return nullptr;
  return std::make_unique<OnednnProducts>(isa);
}

}  // namespace hexapla::cpu

#endif
