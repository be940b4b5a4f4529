#pragma once
// A trained model's feed-forward networks split into experts (Zhang et al. 2022, "MoEfication"): hidden units that are
// alike form an expert, and routers that are fitted afterwards say which experts a token uses.
#include "model/feed_forward.h"
#include "models/open_model.h"

namespace hexapla::lab {

// Row after row of `width` numbers.
struct Rows {
  int64_t width;
  std::vector<double> numbers;
  int64_t count() const { return static_cast<int64_t>(numbers.size()) / width; }
  const double* row(int64_t i) const { return numbers.data() + i * width; }
};

// The rows in groups of equal size of those that are alike: k-means in which a group takes no more than its share.
// -> the rows of group 0, of group 1 .. InternalError: they cannot be divided equally.
std::vector<int64_t> alike(const Rows& rows, int64_t groups);

// w of the y that is nearest to [x 1] w, by squares: y.width columns, x.width + 1 rows. With a very little of ridge
// regression, so that there is always one.
Rows least_squares(const Rows& x, const Rows& y);

enum class Grouping { alike, as_they_stand };

// A post-norm model whose networks are split, again and again.
class SplitModel {
 public:
  // Its hidden units are put into another order, which changes nothing that it computes; routers are fitted to what it
  // does with these pairs. InternalError: it is pre-norm, or d_ff is no multiple of `experts`.
  SplitModel(models::OpenModel model, int64_t experts, Grouping grouping, const data::Corpus& pairs);

  // The model of which a token uses so many experts of each network: those that come to most, or those that the routers
  // name.
  const models::OpenModel& by_activation(int64_t active);
  const models::OpenModel& by_routers(int64_t active);

 private:
  void fit(const data::Corpus& pairs);
  model::ByRouter router(size_t network) const;

  models::OpenModel model_;
  int64_t experts_;
  std::vector<model::FeedForward> networks_;  // as they were: of the encoder, then of the decoder
  std::vector<std::vector<float>> weights_, biases_;
};

}  // namespace hexapla::lab
