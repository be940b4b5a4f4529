#pragma once
// Splits a trained model's feed-forward networks into experts (Zhang et al. 2022, "MoEfication"):
// similar hidden units form an expert, and routers fitted afterwards choose the experts for each
// token.
#include "decode/opened/open_model.h"
#include "model/layers/feed_forward.h"

namespace hexapla::lab {

// A matrix of `width` columns, stored by row.
struct Rows {
  int64_t width;
  std::vector<double> numbers;
  int64_t count() const { return std::ssize(numbers) / width; }
  const double* row(int64_t i) const { return numbers.data() + i * width; }
};

// Groups similar rows into groups of equal size: k-means with limited group sizes. -> the rows of
// group 0, then of group 1, ... InternalError: the rows cannot be divided equally.
std::vector<int64_t> alike(const Rows& rows, int64_t groups);

// The w that minimizes |y - [x 1] w|^2: x.width + 1 rows, y.width columns. A tiny ridge term makes
// the solution unique.
Rows least_squares(const Rows& x, const Rows& y);

enum class Grouping { alike, as_they_stand };

// A post-norm model whose networks can be split repeatedly.
class SplitModel {
 public:
  // Reorders hidden units, which does not change the output, and fits routers to the activations on
  // these pairs. InternalError: a pre-norm model, or d_ff is not a multiple of `experts`.
  SplitModel(decode::OpenModel model, int64_t experts, Grouping grouping, const data::Corpus& pairs);

  // The model with `active` experts per network and token: those with the largest activations, or
  // those that the routers choose.
  const decode::OpenModel& by_activation(int64_t active);
  const decode::OpenModel& by_routers(int64_t active);

 private:
  void fit(const data::Corpus& pairs);
  model::ByRouter router(size_t network) const;

  decode::OpenModel model_;
  int64_t experts_;
  std::vector<model::FeedForward> networks_;  // unsplit networks: encoder, then decoder
  std::vector<std::vector<float>> weights_, biases_;
};

}  // namespace hexapla::lab
