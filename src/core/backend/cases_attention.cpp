// Cases of attention: self, causal, cross, masked, with dropout, and step by step as in decoding.
#include <cmath>
#include <numeric>

#include "backend/cases.h"

namespace hexapla {
namespace {

using Call = std::function<void()>;

struct AttentionSpec {
  std::string name;
  int64_t heads, d_k, d_v;
  std::vector<int64_t> queries, keys;
  bool causal = false, masked = false;
  float dropout = 0;

  double operations() const {
    double pairs = 0;
    for (size_t b = 0; b < queries.size(); ++b) pairs += static_cast<double>(queries[b] * keys[b]);
    return 2 * pairs * static_cast<double>(heads * (d_k + d_v)) / (causal ? 2 : 1);
  }
};

int64_t sum(const std::vector<int64_t>& v) { return std::accumulate(v.begin(), v.end(), int64_t{0}); }

// q, k and v are parts of one matrix if possible: their rows are strided, as after a joint
// projection.
struct Parts {
  Tensor q, k, v;
};
Parts parts(Tensor of_q, Tensor of_kv, const AttentionSpec& s) {
  const int64_t wide = s.heads * s.d_k;
  return {of_q.columns(0, wide).heads(s.heads), of_kv.columns(wide, wide).heads(s.heads),
          of_kv.columns(2 * wide, s.heads * s.d_v).heads(s.heads)};
}
int64_t width(const AttentionSpec& s) { return s.heads * (2 * s.d_k + s.d_v); }

struct AttentionInputs {
  AttentionInput in;
  Tensor out, lse;
};

AttentionInputs attention_inputs(CaseData& d, const AttentionSpec& s) {
  const int64_t nq = sum(s.queries), nk = sum(s.keys);
  const Tensor of_kv = d.normal({nk, width(s)}), of_q = d.normal({nq, width(s)});  // in one order for all compilers
  const Parts p = parts(of_q, of_kv, s);
  AttentionInput in{p.q, p.k, p.v, d.offsets(s.queries), d.offsets(s.keys), s.causal};
  in.scale = 1 / std::sqrt(static_cast<double>(s.d_k));
  if (s.masked) in.mask = d.mask({nq, *std::max_element(s.keys.begin(), s.keys.end())});
  if (s.dropout > 0) in.dropout = {99, 5, 2, s.dropout};
  return {in, d.result("out", {nq, s.heads * s.d_v}, 1), d.result("lse", {nq, s.heads}, 1)};
}

// Gradients are parts of wider matrices, too; the columns between them must not change.
struct Gradients {
  Tensor d_out;
  Parts d;
};
Gradients gradients(CaseData& d, const AttentionSpec& s) {
  const int64_t nq = sum(s.queries), nk = sum(s.keys);
  const Tensor of_q = d.changed("dq", d.constant({nq, width(s)}, 0.5), 1);
  const Tensor of_kv = d.changed("dk, dv", d.constant({nk, width(s)}, 0.5), 1);
  return {d.normal({nq, s.heads * s.d_v}), parts(of_q, of_kv, s)};
}

void add_dot_product(std::vector<OpCase>& cases, const AttentionSpec& s) {
  cases.push_back({"attention", "attention " + s.name,
                   [=](Backend& b, CaseData& d) -> Call {
                     return [&b, i = attention_inputs(d, s)] { b.attention(i.in, i.out, i.lse); };
                   },
                   s.operations()});
  cases.push_back({"attention_backward", "attention_backward " + s.name,
                   [=](Backend& b, CaseData& d) -> Call {
                     const AttentionInputs i = attention_inputs(d, s);
                     b.attention(i.in, i.out, i.lse);
                     return [&b, i, g = gradients(d, s)] {
                       b.attention_backward(i.in, i.out, i.lse, g.d_out, g.d.q, g.d.k, g.d.v);
                     };
                   },
                   2.5 * s.operations()});
}

AttentionInputs additive_inputs(CaseData& d, const AttentionSpec& s) {
  AttentionInputs i = attention_inputs(d, s);
  i.in.additive = d.normal({s.heads, s.d_k}, 1 / std::sqrt(static_cast<double>(s.d_k)));
  return i;
}

void add_additive(std::vector<OpCase>& cases, const AttentionSpec& s) {
  cases.push_back({"additive_attention", "additive_attention " + s.name, [=](Backend& b, CaseData& d) -> Call {
                     return [&b, i = additive_inputs(d, s)] { b.additive_attention(i.in, i.out, i.lse); };
                   }});
  cases.push_back(
      {"additive_attention_backward", "additive_attention_backward " + s.name, [=](Backend& b, CaseData& d) -> Call {
         const AttentionInputs i = additive_inputs(d, s);
         b.additive_attention(i.in, i.out, i.lse);
         return [&b, i, g = gradients(d, s), dw = d.changed("dw", d.normal({s.heads, s.d_k}), 1)] {
           b.additive_attention_backward(i.in, i.out, i.lse, g.d_out, g.d.q, g.d.k, g.d.v, dw);
         };
       }});
}

struct StepSpec {
  int64_t queries, heads, d_k, d_v, cache, longest;
};
struct StepInputs {
  Tensor q, k, v, w, index, lengths, out;
};
StepInputs step_inputs(CaseData& d, const StepSpec& s) {
  std::vector<int32_t> lengths;  // every length, from the longest down
  for (int64_t n = 0; n < s.queries; ++n)
    lengths.push_back(static_cast<int32_t>(s.longest - n * (s.longest - 1) / std::max<int64_t>(1, s.queries - 1)));
  return {d.strided({s.queries, s.heads * s.d_k}).heads(s.heads),
          d.normal({s.cache, s.heads, s.d_k}),
          d.normal({s.cache, s.heads, s.d_v}),
          d.normal({s.heads, s.d_k}, 0.5),
          d.ids({s.queries, s.longest}, s.cache),
          d.integers(lengths),
          d.result("out", {s.queries, s.heads * s.d_v}, 1)};
}

void add_steps(std::vector<OpCase>& cases, const StepSpec& s) {
  const std::string shape =
      cat(s.queries, " of ", s.cache, ", heads ", s.heads, "x", s.d_k, ":", s.d_v, ", up to ", s.longest);
  const double scale = 1 / std::sqrt(static_cast<double>(s.d_k));
  cases.push_back({"attention_step", "attention_step " + shape, [=](Backend& b, CaseData& d) -> Call {
                     return [=, &b, i = step_inputs(d, s)] {
                       b.attention_step(i.q, i.k, i.v, i.index, i.lengths, scale, i.out);
                     };
                   }});
  cases.push_back({"additive_attention_step", "additive_attention_step " + shape, [=](Backend& b, CaseData& d) -> Call {
                     return [&b, i = step_inputs(d, s)] {
                       b.additive_attention_step(i.q, i.k, i.v, i.w, i.index, i.lengths, i.out);
                     };
                   }});
}

// Every third query has no link, the others one to three.
AlignmentInput alignment_inputs(CaseData& d, const AttentionSpec& s) {
  const int64_t nq = sum(s.queries), nk = sum(s.keys);
  AlignmentInput in{d.strided({nq, s.d_k}), d.strided({nk, s.d_k}), d.offsets(s.queries), d.offsets(s.keys)};
  in.scale = 1 / std::sqrt(static_cast<double>(s.d_k));
  std::vector<int32_t> linked;
  std::vector<int64_t> counts;
  for (size_t b = 0; b < s.queries.size(); ++b)
    for (int64_t t = 0; t < s.queries[b]; ++t) {
      counts.push_back(std::min(t % 3 == 1 ? 0 : 1 + t % 4, s.keys[b]));
      for (int64_t i = 0; i < counts.back(); ++i) linked.push_back(static_cast<int32_t>((5 * t + i) % s.keys[b]));
    }
  in.links = d.offsets(counts);
  in.linked = d.host_integers(linked);
  return in;
}

void add_alignment(std::vector<OpCase>& cases, const AttentionSpec& s) {
  cases.push_back({"alignment_loss", "alignment_loss " + s.name, [=](Backend& b, CaseData& d) -> Call {
                     return [&b, in = alignment_inputs(d, s), loss = d.result("loss", {sum(s.queries)}, 1)] {
                       b.alignment_loss(in, loss);
                     };
                   }});
  cases.push_back(
      {"alignment_loss_backward", "alignment_loss_backward " + s.name, [=](Backend& b, CaseData& d) -> Call {
         const AlignmentInput in = alignment_inputs(d, s);
         const Tensor dq = d.changed("dq", d.normal({in.q.shape[0], s.d_k + 2}), 1);
         const Tensor dk = d.changed("dk", d.normal({in.k.shape[0], s.d_k + 2}), 1);
         return [&b, in, dq, dk, s] { b.alignment_loss_backward(in, 0.7, dq.columns(1, s.d_k), dk.columns(1, s.d_k)); };
       }});
}

std::vector<AttentionSpec> specs() {
  std::vector<int64_t> all(70);
  std::iota(all.begin(), all.end(), 1);
  const std::vector<int64_t> some{1, 5, 17, 2, 33}, few{3, 1, 40, 7}, other{1, 7, 33, 2};
  return {
      {"one by one", 1, 1, 1, {1}, {1}},
      {"self 1..70", 1, 8, 8, all, all},
      {"causal 1..70", 1, 8, 8, all, all, true},
      {"self 3 heads 17:5", 3, 17, 5, some, some},
      {"causal 2 heads 5:17", 2, 5, 17, some, some, true},
      {"self 1 head 1:70", 1, 1, 70, some, some},
      {"self 2 heads 33:65", 2, 33, 65, some, some},
      {"cross 2 heads 16:16", 2, 16, 16, few, other},
      {"cross 3 heads 7:9", 3, 7, 9, few, other},
      {"cross 70 by 1", 1, 8, 8, {70}, {1}},
      {"cross 1 by 70", 1, 8, 8, {1}, {70}},
      {"causal, fewer keys than queries", 2, 8, 8, few, other, true},
      {"a sequence without keys", 2, 8, 8, {3, 2}, {0, 4}},
      {"masked", 2, 8, 8, some, some, false, true},
      {"masked cross 3 heads 7:9", 3, 7, 9, few, other, false, true},
      {"masked causal", 2, 16, 8, some, some, true, true},
      {"dropout", 2, 8, 8, some, some, false, false, 0.1f},
      {"dropout 200 keys", 2, 8, 8, {3}, {200}, false, false, 0.5f},
      {"dropout causal masked", 3, 5, 7, some, some, true, true, 0.3f},
      {"8 heads 64:64, 4 of 40", 8, 64, 64, {40, 40, 40, 40}, {40, 40, 40, 40}},
      {"causal 8 heads 64:64, 300 rows", 8, 64, 64, {150, 100, 50}, {150, 100, 50}, true},
      {"8 heads 64:65, dropout, 1 to 33", 8, 64, 65, few, other, false, false, 0.2f},
      {"8 heads 70:64, 20 by 600 keys, masked", 8, 70, 64, {20}, {600}, false, true},
  };
}

}  // namespace

void add_attention_cases(std::vector<OpCase>& cases) {
  for (const AttentionSpec& s : specs()) {
    add_dot_product(cases, s);
    if (s.heads < 8) add_additive(cases, s);
    if (!s.causal && !s.masked && s.dropout == 0) add_alignment(cases, s);
  }
  for (const StepSpec& s : {StepSpec{1, 1, 1, 1, 1, 1}, StepSpec{5, 2, 8, 8, 40, 17}, StepSpec{33, 3, 7, 9, 300, 70},
                            StepSpec{4, 1, 17, 5, 9, 33}, StepSpec{20, 8, 64, 64, 400, 40}})
    add_steps(cases, s);
}

}  // namespace hexapla
