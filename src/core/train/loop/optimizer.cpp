#include "train/loop/optimizer.h"

#include <cmath>
#include <cstring>
#include <numeric>

#include "backend/on_host.h"
#include "train/plan/freeze.h"

namespace hexapla::train {
namespace {

Tensor slice_of(Tensor slab, const Part& part) { return slab.slice(part.from, part.count); }
// The part's range in a slab that holds only a slice.
Tensor held_part(Tensor slab, const Part& part) { return slab.slice(part.held, part.count); }

int64_t numbers_of(const Slice& slice) {
  return std::accumulate(slice.begin(), slice.end(), int64_t{0},
                         [](int64_t sum, const cluster::Share& share) { return sum + share.size(); });
}

// Zero pages, which take memory only when written.
Pages pages_for(const model::Parameters& parameters, const Slice& slice) {
  return parameters.allocate(static_cast<size_t>(numbers_of(slice)) * sizeof(float));
}
Tensor slab_in(const Pages& pages, const Slice& slice) {
  return Tensor::of(reinterpret_cast<float*>(pages.data()), {numbers_of(slice)});
}

size_t bytes_of(const Tensor& t) { return static_cast<size_t>(t.size()) * size_of(t.dtype); }

// Slabs lie where those of the parameters do; device: theirs, or null.
void read_slab(Backend* device, const Tensor& from, void* to) {
  device ? device->copy_to_host(from.bytes, to, bytes_of(from))
         : static_cast<void>(std::memcpy(to, from.bytes, bytes_of(from)));
}
void write_slab(Backend* device, const void* from, const Tensor& to) {
  device ? device->copy_to_device(from, to.bytes, bytes_of(to))
         : static_cast<void>(std::memcpy(to.bytes, from, bytes_of(to)));
}

// On a device by way of the host: rare, and exact.
void copy_slab(Backend* device, const Tensor& from, const Tensor& to) {
  if (!device) return write_slab(device, from.bytes, to);
  std::vector<std::byte> here(bytes_of(from));
  read_slab(device, from, here.data());
  write_slab(device, here.data(), to);
}
void swap_slabs(Backend* device, const Tensor& a, const Tensor& b) {
  if (!device) {
    std::swap_ranges(a.bytes, a.bytes + bytes_of(a), b.bytes);
    return;
  }
  std::vector<std::byte> here(bytes_of(a));
  read_slab(device, a, here.data());
  copy_slab(device, b, a);
  write_slab(device, here.data(), b);
}

Slice all_of(const model::Parameters& parameters) { return {{0, parameters.values().size()}}; }

// Linear maps are initialized uniformly within Glorot and Bengio's limits, and nothing else is.
bool is_matrix(const model::Parameter& p) { return p.init.kind == model::Init::Kind::xavier; }

}  // namespace

std::vector<Part> parts_of(model::Transformer& model, const model::Parameters& parameters,
                           const std::set<std::string>& frozen, bool with_decay) {
  std::vector<Part> parts;
  model::for_each<model::Parameter>(model, [&](const std::string& name, const model::Parameter& p) {
    const Part part{parameters.offset(p), model::Parameters::padded(p.shape.size()), !frozen.contains(name),
                    with_decay && is_matrix(p)};
    if (!parts.empty() && parts.back().trained == part.trained && parts.back().decays == part.decays)
      parts.back().count += part.count;
    else
      parts.push_back(part);
  });
  return parts;
}

std::vector<Part> parts_within(const std::vector<Part>& parts, const Slice& slice) {
  std::vector<Part> within;
  int64_t held = 0;  // total of the preceding shares
  for (const cluster::Share& share : slice) {
    for (Part part : parts) {
      const int64_t from = std::max(part.from, share.from), to = std::min(part.from + part.count, share.to);
      part.from = from, part.count = to - from, part.held = held + from - share.from;
      if (part.count > 0) within.push_back(part);
    }
    held += share.size();
  }
  return within;
}

Optimizer::Optimizer(model::Transformer& model, model::Parameters& parameters, const TrainOptions& options,
                     const std::optional<Slice>& slice)
    : parameters_(parameters),
      options_(options),
      schedule_(make_schedule(options)),
      slice_(slice.value_or(all_of(parameters))),
      parts_(parts_within(
          parts_of(model, parameters, frozen_parameters(model, options.freeze), options.weight_decay > 0), slice_)),
      first_pages_(pages_for(parameters, slice_)),
      second_pages_(pages_for(parameters, slice_)),
      first_(slab_in(first_pages_, slice_)),
      second_(slab_in(second_pages_, slice_)) {}

double Optimizer::learning_rate(int64_t step, double scale) const {
  const double rate = scale * train::learning_rate(schedule_, step);
  return step < options_.warmup ? rate : std::max(rate, options_.min_lr);
}

double Optimizer::gradient_norm(Context& cx, Communicator& communicator) {
  for (const Part& part : parts_)
    if (!part.trained) fill(cx, slice_of(parameters_.gradients(), part), 0);
  return std::sqrt(communicator.sum_of_squares(cx, parameters_.gradients()));
}

void Optimizer::update(Context& cx, int64_t step, double scale, double norm) {
  const double limit = options_.clip_norm;
  AdamStep how{.lr = learning_rate(step, scale),
               .beta1 = options_.beta1,
               .beta2 = options_.beta2,
               .eps = options_.adam_eps,
               .step = step,
               .grad_scale = limit > 0 && norm > limit ? limit / norm : 1};
  for (const Part& part : parts_) {
    if (!part.trained) continue;
    how.weight_decay = part.decays ? options_.weight_decay : 0;
    adam(cx,
         {slice_of(parameters_.values(), part), slice_of(parameters_.gradients(), part), held_part(first_, part),
          held_part(second_, part)},
         how);
  }
}

void Optimizer::forget_moments() {
  first_pages_.forget(0, first_pages_.size());
  second_pages_.forget(0, second_pages_.size());
}

MovingAverage::MovingAverage(model::Parameters& parameters, const std::vector<Part>& parts, double decay,
                             const std::optional<Slice>& slice)
    : parameters_(parameters),
      slice_(slice.value_or(all_of(parameters))),
      parts_(parts_within(parts, slice_)),
      decay_(decay) {
  if (decay <= 0) return;
  pages_ = pages_for(parameters, slice_);
  slab_ = slab_in(pages_, slice_);
  if (!parameters.buffers()) return;
  statistics_.resize(static_cast<size_t>(parameters.buffers().size()));
  buffers_ = Tensor::of(statistics_.data(), parameters.buffers().shape);
}

template <class F>
void MovingAverage::for_shares(F&& f) const {
  int64_t held = 0;
  for (const cluster::Share& share : slice_) {
    f(parameters_.values().slice(share.from, share.size()), slab_.slice(held, share.size()));
    held += share.size();
  }
}

void MovingAverage::start() {
  if (slab_)
    for_shares([&](const Tensor& values, const Tensor& average) { copy_slab(parameters_.device(), values, average); });
  start_statistics();
}

void MovingAverage::start_statistics() {
  if (buffers_) read_slab(parameters_.device(), parameters_.buffers(), statistics_.data());
}

// The two factors must add up to 1: rounded separately, 0.9999 and 0.0001 make the average smaller
// by 1 part in 6,000. Statistics are averaged in f64: they are few, and frozen ones must keep their
// bits.
void MovingAverage::update(Context& cx, int64_t step) {
  if (!slab_) return;
  const double t = static_cast<double>(step), decay = std::min(decay_, (1 + t) / (10 + t));
  const double keep = std::min(static_cast<float>(decay), std::nextafter(1.f, 0.f)), take = 1 - keep;
  for (const Part& part : parts_)
    if (part.trained) combine(cx, take, slice_of(parameters_.values(), part), keep, held_part(slab_, part));
  const OnHost buffers(cx.backend, parameters_.buffers());
  const float* now = buffers_ ? buffers->data<float>() : nullptr;
  for (float& s : statistics_) s = static_cast<float>(s + take * (double(*now++) - s));
}

void MovingAverage::swap() {
  Backend* const device = parameters_.device();
  if (slab_) for_shares([&](const Tensor& values, const Tensor& average) { swap_slabs(device, values, average); });
  if (!buffers_) return;
  const std::vector<float> averages = statistics_;
  read_slab(device, parameters_.buffers(), statistics_.data());
  write_slab(device, averages.data(), parameters_.buffers());
}

}  // namespace hexapla::train
