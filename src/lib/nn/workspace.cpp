#include "base/range.h"
#include "lib/nn/calls.h"

namespace hexapla::nn {
namespace {

constexpr Range<std::int64_t> kRows{1, std::int64_t{1} << 31}, kColumns{1, std::int64_t{1} << 22};

}  // namespace

Workspace::Workspace(std::size_t bytes) : state_(api::guarded([&] { return std::make_unique<api::Pass>(bytes); })) {}
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;

api::Pass& Workspace::state() const { return *state_; }

void Workspace::begin() { state().begin(false, 1, 0); }

void Workspace::begin_training(std::uint64_t seed, std::uint32_t step) { state().begin(true, seed, step); }

Tensor Workspace::zeros(std::int64_t rows, std::int64_t columns) {
  return api::in_pass(*this, [&](api::Pass& pass) {
    kRows.check("rows", rows);
    kColumns.check("columns", columns);
    Context cx = pass.context(1);
    return pass.give(api::kept_zeros(cx, {rows, columns}));
  });
}

std::size_t Workspace::bytes_in_use() const { return state().bytes_in_use(); }

Tensor add(Workspace& work, const Tensor& a, const Tensor& b) {
  return api::in_pass(work, [&](api::Pass& pass) {
    const hexapla::Tensor left = pass.take("a", a);
    Context cx = pass.context(1);
    return pass.give(hexapla::add(cx, left, pass.take("b", b, a.columns(), a.rows())));
  });
}

Tensor log_softmax(Workspace& work, const Tensor& x) {
  return api::in_pass(work, [&](api::Pass& pass) {
    Context cx = pass.context(1);
    return pass.give(hexapla::log_softmax(cx, pass.take("x", x)));
  });
}

}  // namespace hexapla::nn
