#include "opencl/arguments.h"

#include "backend/row_stride.h"

namespace hexapla::opencl {

Matrix matrix(Tensor t, const char* what) {
  if (!t) return {};
  return {t, t.rows(), t.shape[-1], row_stride(t, what)};
}

void Arguments::set(size_t size, const void* bytes) {
  check(clSetKernelArg(kernel_, next_++, size, bytes), "pass arguments to a kernel");
}

void Arguments::place(cl_mem buffer, size_t first) {
  set(sizeof(cl_mem), buffer == nullptr ? nullptr : static_cast<const void*>(&buffer));
  value(cl_ulong{first});
}

void Arguments::add(const Tensor& t) {
  if (!t) return place(nullptr, 0);
  const Place at = memory_.find(t.bytes);
  place(at.buffer, at.offset / size_of(t.dtype));
}

void Arguments::add(const Matrix& m) {
  add(m.values);
  add(m.stride);
}

void Arguments::add(const Heads& h) {
  HEXAPLA_CHECK(!h.values || h.values.strides[2] == 1, "heads ", h.values.shape, " have gaps within");
  add(h.values);
  add(h.values ? h.values.strides[0] : int64_t{0});
  add(h.values ? h.values.strides[1] : int64_t{0});
}

void Arguments::add(const Uploaded& u) { place(u.buffer, u.first); }

void Arguments::add(const Scratch& s) {
  place(s.buffer, s.first);
  if (s.stride >= 0) add(s.stride);
}

void Arguments::add(const Local& l) { set(static_cast<size_t>(l.numbers) * size_of(type_), nullptr); }

void Arguments::add(const DropoutMask& mask) {
  value(static_cast<cl_uint>(mask.seed));
  value(static_cast<cl_uint>(mask.seed >> 32));
  value(cl_uint{mask.tensor});
  value(cl_uint{mask.step});
  value(mask ? static_cast<cl_uint>(std::ceil(mask.p * 65536.0)) : cl_uint{0});
  add(1 / (1 - static_cast<double>(mask.p)));
}

void Arguments::add(double x) {
  if (type_ == DType::f64)
    value(cl_double{x});
  else
    value(static_cast<cl_float>(x));
}

}  // namespace hexapla::opencl
