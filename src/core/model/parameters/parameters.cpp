#include "model/parameters/parameters.h"

namespace hexapla::model {

Parameters::Parameters(const Leaves& module, DType dtype, Use use, Backend* backend) : module_(module), dtype_(dtype) {
  int64_t n = 0, buffers = 0;
  for (const auto& [name, p] : module.parameters) n += padded(p->shape.size());
  for (const auto& [name, b] : module.buffers) buffers += padded(b->shape.size());
  values_ = slab(n);
  if (use == Use::training) gradients_ = slab(n);
  buffers_ = slab(buffers);
  for (const auto& [name, p] : module.parameters) count_ += p->shape.size();
  bind();
  if (backend) move_to(*backend);
}

void Parameters::bind() {
  int64_t at = 0;
  for (const auto& [name, p] : module_.parameters) {
    p->value = view(values_, at, p->shape);
    p->grad = gradients_ ? view(gradients_, at, p->shape) : Tensor();
    at += padded(p->shape.size());
  }
  at = 0;
  for (const auto& [name, b] : module_.buffers) {
    b->value = view(buffers_, at, b->shape);
    at += padded(b->shape.size());
  }
}

Tensor Parameters::slab(int64_t n) {
  if (n == 0) return {};
  memory_.push_back(allocate(static_cast<size_t>(n) * size_of(dtype_)));
  return Tensor(memory_.back().data(), {n}, dtype_);
}

void Parameters::move_to(Backend& backend) {
  HEXAPLA_CHECK(!device_, "the parameters are on a device already");
  if (!backend.host_memory()) move(&backend);
}

void Parameters::move(Backend* to) {
  if (to == device_) return;
  for (Tensor* slab : {&values_, &gradients_, &buffers_})
    for (Pages& pages : memory_) {
      if (!*slab || pages.data() != slab->bytes) continue;
      const size_t bytes = pages.size();
      Pages there = to ? to->allocate(bytes) : Pages(bytes);
      to ? to->copy_to_device(pages.data(), there.data(), bytes)
         : device_->copy_to_host(pages.data(), there.data(), bytes);
      pages = std::move(there);
      slab->bytes = pages.data();
      break;
    }
  device_ = to;
  bind();
}

void Parameters::forget(Tensor slab) {
  if (device_) return device_->fill(slab, 0);
  for (Pages& pages : memory_)
    if (pages.data() == slab.bytes) pages.forget(0, pages.size());
}

namespace {

void set(Tensor t, int64_t i, double v) {
  if (t.dtype == DType::f64)
    t.data<double>()[i] = v;
  else
    t.data<float>()[i] = static_cast<float>(v);
}

void initialize(Parameter& p, Random random, double gain) {
  const double limit = p.init.kind == Init::Kind::xavier ? gain * std::sqrt(6 / (p.init.a + p.init.b)) : 0;
  for (int64_t i = 0; i < p.shape.size(); ++i) {
    double v = 0;
    switch (p.init.kind) {
      case Init::Kind::zeros:
        break;
      case Init::Kind::ones:
        v = 1;
        break;
      case Init::Kind::xavier:
        v = (2 * random.uniform() - 1) * limit;
        break;
      case Init::Kind::normal:
        v = random.normal() * p.init.a;
        break;
    }
    set(p.value, i, v);
  }
}

}  // namespace

void initialize(const Leaves& module, uint64_t seed, double gain) {
  uint64_t stream = 0;
  for (const auto& [name, p] : module.parameters) initialize(*p, Random(seed, ++stream), gain);
  for (const auto& [name, b] : module.buffers)
    for (int64_t i = 0; i < b->shape.size(); ++i) set(b->value, i, b->initial);
}

}  // namespace hexapla::model
