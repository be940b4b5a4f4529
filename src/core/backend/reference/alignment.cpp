// Guided alignment: the cross-entropy between given links and the weights of one head.
#include <algorithm>
#include <cmath>

#include "backend/reference/internal.h"

namespace hexapla::reference {
namespace {

struct LoadedAlignment {
  const AlignmentInput& in;
  Rows q, k;
  explicit LoadedAlignment(const AlignmentInput& a) : in(a), q(load(a.q)), k(load(a.k)) {}
};

// A query with links, and log A over all keys of its sequence.
struct LinkedQuery {
  int64_t row, first_key;
  std::span<const int32_t> linked;
  std::vector<double> log_weights;
};

template <class F>
void each_linked_query(const LoadedAlignment& a, F&& f) {
  const Offsets queries = a.in.queries, keys = a.in.keys, links = a.in.links;
  for (size_t b = 0; b + 1 < queries.size(); ++b)
    for (int64_t t = queries[b]; t < queries[b + 1]; ++t) {
      if (links[t] == links[t + 1]) continue;
      LinkedQuery query{t, keys[b], a.in.linked.subspan(links[t], links[t + 1] - links[t]), {}};
      std::vector<double>& s = query.log_weights;
      for (int64_t u = keys[b]; u < keys[b + 1]; ++u) s.push_back(a.in.scale * dot(a.q[t], a.k[u], a.q.width));
      const double top = *std::max_element(s.begin(), s.end());
      double sum = 0;
      for (double x : s) sum += std::exp(x - top);
      for (double& x : s) x -= top + std::log(sum);
      f(query);
    }
}

}  // namespace

void Reference::alignment_loss(const AlignmentInput& a, Tensor loss) {
  Rows sums(loss);
  each_linked_query(LoadedAlignment(a), [&](const LinkedQuery& query) {
    for (int32_t u : query.linked)
      sums[0][query.row] -= query.log_weights[u] / static_cast<double>(query.linked.size());
  });
  store(sums, loss);
}

void Reference::alignment_loss_backward(const AlignmentInput& a, double scale, Tensor dq, Tensor dk) {
  const LoadedAlignment loaded(a);
  Rows gq(dq), gk(dk);
  each_linked_query(loaded, [&](const LinkedQuery& query) {
    std::vector<double> d(query.log_weights.size());
    for (size_t u = 0; u < d.size(); ++u) d[u] = std::exp(query.log_weights[u]);
    for (int32_t u : query.linked) d[u] -= 1 / static_cast<double>(query.linked.size());
    for (size_t u = 0; u < d.size(); ++u) {
      const int64_t key = query.first_key + static_cast<int64_t>(u);
      axpy(scale * a.scale * d[u], loaded.k[key], gq[query.row], gq.width);
      axpy(scale * a.scale * d[u], loaded.q[query.row], gk[key], gk.width);
    }
  });
  add_to(gq, dq);
  add_to(gk, dk);
}

}  // namespace hexapla::reference
