#include "backend/guarded/guarded.h"

#include "backend/guarded/ranges.h"

namespace hexapla {
namespace {

class Guarded final : public Backend {
 public:
  explicit Guarded(std::unique_ptr<Backend> inner) : inner_(std::move(inner)) {}
  std::string name() const override { return inner_->name() + ", guarded"; }
  bool supports(DType t) const override { return inner_->supports(t); }

  bool host_memory() const override { return false; }
  Pages allocate(size_t bytes) override { return ranges_->reserve(bytes); }
  void copy_to_device(const void* host, void* device, size_t bytes) override {
    std::memcpy(memory(device), host, bytes);
  }
  void copy_to_host(const void* device, void* host, size_t bytes) override { std::memcpy(host, memory(device), bytes); }

  std::unique_ptr<PackedWeight> pack(Tensor w) override { return inner_->pack(w); }
  std::unique_ptr<PackedWeight> pack_quantized(Tensor integers, Tensor scales) override {
    return inner_->pack_quantized(integers, scales);
  }
  void fill(Tensor x, double value) override { inner_->fill(at(x), value); }
  void add(Tensor a, Tensor b, Tensor y) override { inner_->add(at(a), at(b), at(y)); }
  void combine(double a, Tensor x, double b, Tensor y) override { inner_->combine(a, at(x), b, at(y)); }
  void multiply(Tensor a, Tensor b, Tensor y) override { inner_->multiply(at(a), at(b), at(y)); }
  void activate(Activation f, Tensor x, Tensor y) override { inner_->activate(f, at(x), at(y)); }
  void activate_backward(Activation f, Tensor x, Tensor dy, Tensor dx) override {
    inner_->activate_backward(f, at(x), at(dy), at(dx));
  }
  void dropout(Tensor x, DropoutMask mask, Tensor y) override { inner_->dropout(at(x), mask, at(y)); }
  void activate_dropped(Activation f, Tensor x, DropoutMask mask, Tensor y) override {
    inner_->activate_dropped(f, at(x), mask, at(y));
  }
  void activate_dropped_backward(Activation f, Tensor x, Tensor dy, DropoutMask mask, Tensor dx) override {
    inner_->activate_dropped_backward(f, at(x), at(dy), mask, at(dx));
  }
  void linear(Tensor x, const Weight& w, Tensor b, Tensor y) override { inner_->linear(at(x), at(w), at(b), at(y)); }
  void linear_selected(Tensor x, const OutputTable& table, const ColumnLists& lists, Tensor y) override {
    inner_->linear_selected(at(x), at(table), lists, at(y));
  }
  void linear_backward_input(Tensor dy, Tensor w, Tensor dx, Write how) override {
    inner_->linear_backward_input(at(dy), at(w), at(dx), how);
  }
  void linear_backward_weight(Tensor x, Tensor dy, Tensor dw, Tensor db) override {
    inner_->linear_backward_weight(at(x), at(dy), at(dw), at(db));
  }
  void add_norm(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor y, Tensor normed,
                Tensor rstd) override {
    inner_->add_norm(at(x), at(r), at(gain), at(bias), eps, at(y), at(normed), at(rstd));
  }
  void add_norm_backward(Tensor normed, Tensor rstd, Tensor gain, Tensor d, Tensor dgain, Tensor dbias) override {
    inner_->add_norm_backward(at(normed), at(rstd), at(gain), at(d), at(dgain), at(dbias));
  }
  void add_norm_dropped(Tensor x, Tensor r, DropoutMask mask, Tensor gain, Tensor bias, double eps, Tensor y,
                        Tensor normed, Tensor rstd) override {
    inner_->add_norm_dropped(at(x), at(r), mask, at(gain), at(bias), eps, at(y), at(normed), at(rstd));
  }
  void add_norm_dropped_backward(Tensor normed, Tensor rstd, Tensor gain, DropoutMask mask, Tensor d, Tensor dr,
                                 Tensor dgain, Tensor dbias) override {
    inner_->add_norm_dropped_backward(at(normed), at(rstd), at(gain), mask, at(d), at(dr), at(dgain), at(dbias));
  }
  void batch_norm(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor y, Tensor normed, Tensor rstd,
                  Tensor mean, Tensor variance) override {
    inner_->batch_norm(at(x), at(r), at(gain), at(bias), eps, at(y), at(normed), at(rstd), at(mean), at(variance));
  }
  void batch_norm_backward(Tensor normed, Tensor rstd, Tensor gain, Tensor d, Tensor dgain, Tensor dbias) override {
    inner_->batch_norm_backward(at(normed), at(rstd), at(gain), at(d), at(dgain), at(dbias));
  }
  void batch_norm_inference(Tensor x, Tensor r, Tensor gain, Tensor bias, double eps, Tensor mean, Tensor variance,
                            Tensor y) override {
    inner_->batch_norm_inference(at(x), at(r), at(gain), at(bias), eps, at(mean), at(variance), at(y));
  }
  void embed(Tensor table, Tensor ids, double scale, Write how, Tensor y) override {
    inner_->embed(at(table), at(ids), scale, how, at(y));
  }
  void embed_backward(Tensor dy, Tensor ids, double scale, Tensor dtable) override {
    inner_->embed_backward(at(dy), at(ids), scale, at(dtable));
  }
  void put_rows(Tensor x, Tensor ids, Tensor y) override { inner_->put_rows(at(x), at(ids), at(y)); }
  void sinusoids(Sinusoids kind, Tensor table) override { inner_->sinusoids(kind, at(table)); }
  void attention(const AttentionInput& a, Tensor out, Tensor lse) override {
    inner_->attention(at(a), at(out), at(lse));
  }
  void attention_backward(const AttentionInput& a, Tensor out, Tensor lse, Tensor d_out, Tensor dq, Tensor dk,
                          Tensor dv) override {
    inner_->attention_backward(at(a), at(out), at(lse), at(d_out), at(dq), at(dk), at(dv));
  }
  void additive_attention(const AttentionInput& a, Tensor out, Tensor lse) override {
    inner_->additive_attention(at(a), at(out), at(lse));
  }
  void additive_attention_backward(const AttentionInput& a, Tensor out, Tensor lse, Tensor d_out, Tensor dq, Tensor dk,
                                   Tensor dv, Tensor dw) override {
    inner_->additive_attention_backward(at(a), at(out), at(lse), at(d_out), at(dq), at(dk), at(dv), at(dw));
  }
  void attention_step(Tensor q, Tensor k, Tensor v, Tensor index, Tensor lengths, double scale, Tensor out) override {
    inner_->attention_step(at(q), at(k), at(v), at(index), at(lengths), scale, at(out));
  }
  void additive_attention_step(Tensor q, Tensor k, Tensor v, Tensor w, Tensor index, Tensor lengths,
                               Tensor out) override {
    inner_->additive_attention_step(at(q), at(k), at(v), at(w), at(index), at(lengths), at(out));
  }
  void alignment_loss(const AlignmentInput& a, Tensor loss) override { inner_->alignment_loss(at(a), at(loss)); }
  void alignment_loss_backward(const AlignmentInput& a, double scale, Tensor dq, Tensor dk) override {
    inner_->alignment_loss_backward(at(a), scale, at(dq), at(dk));
  }
  void cross_entropy(const LossInput& in, Tensor tile, Tensor loss, Tensor nll) override {
    inner_->cross_entropy(at(in), at(tile), at(loss), at(nll));
  }
  void cross_entropy_with_gradient(const LossInput& in, Tensor tile, Tensor loss, Tensor nll, Tensor dx, Tensor dw,
                                   Tensor db) override {
    inner_->cross_entropy_with_gradient(at(in), at(tile), at(loss), at(nll), at(dx), at(dw), at(db));
  }
  void log_softmax(Tensor x, Tensor y) override { inner_->log_softmax(at(x), at(y)); }
  void log_softmax_top(Tensor x, int64_t k, Tensor scores, Tensor ids) override {
    inner_->log_softmax_top(at(x), k, at(scores), at(ids));
  }
  void adam(Tensor p, Tensor g, Tensor m, Tensor v, const AdamStep& step) override {
    inner_->adam(at(p), at(g), at(m), at(v), step);
  }
  double sum_of_squares(Tensor x) override { return inner_->sum_of_squares(at(x)); }

 private:
  std::byte* memory(const void* address) const {
    std::byte* found = ranges_->find(address);
    HEXAPLA_CHECK(found, "a tensor does not lie in memory of the device");
    return found;
  }
  // The same tensor at the addresses that the inner backend reads and writes.
  Tensor at(Tensor t) const {
    if (t) t.bytes = memory(t.bytes);
    return t;
  }
  Weight at(const Weight& w) const { return w.packed ? w : Weight(at(w.values)); }
  OutputTable at(OutputTable t) const {
    if (!t.integers) t.w = at(t.w);
    t.integers = at(t.integers), t.scales = at(t.scales), t.bias = at(t.bias);
    return t;
  }
  AttentionInput at(AttentionInput a) const {
    a.q = at(a.q), a.k = at(a.k), a.v = at(a.v), a.mask = at(a.mask), a.additive = at(a.additive);
    return a;
  }
  AlignmentInput at(AlignmentInput a) const {
    a.q = at(a.q), a.k = at(a.k);
    return a;
  }
  LossInput at(LossInput in) const {
    in.x = at(in.x), in.w = at(in.w), in.b = at(in.b), in.labels = at(in.labels);
    return in;
  }

  std::unique_ptr<Backend> inner_;
  std::shared_ptr<guarded::Ranges> ranges_ = std::make_shared<guarded::Ranges>();
};

}  // namespace

std::unique_ptr<Backend> make_guarded_backend(std::unique_ptr<Backend> inner) {
  HEXAPLA_CHECK(inner->host_memory(), inner->name(), " does not work in the memory of the host");
  return std::make_unique<Guarded>(std::move(inner));
}

}  // namespace hexapla
