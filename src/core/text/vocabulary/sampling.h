#pragma once
// Subword regularization: samples segmentations, so that a model sees more than the best one.
#include <memory>

#include "base/compute/random.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::text {

// In a unigram vocabulary, a segmentation x of the text has probability P(x)^alpha / sum of
// P(x')^alpha (Kudo 2018, "Subword Regularization", with l = infinity): sampled by forward
// filtering and backward sampling over the lattice. For BPE, alpha is the probability of dropping a
// merge in each step (Provilkov et al. 2020, "BPE-Dropout"). A segmentation depends only on the
// text and the random numbers. Copies share the tables; const functions are thread-safe.
class SubwordSampler {
 public:
  // UsageError: alpha is out of range, or the vocabulary is neither unigram nor BPE.
  SubwordSampler(const Vocabulary& vocabulary, double alpha);

  // Like Vocabulary::encode, but sampled. User-defined symbols are not split; a run of unknown
  // characters is one unknown token, or bytes if the vocabulary has them.
  Ids sample(std::string_view text, Random& random) const;

 private:
  struct Impl;
  Vocabulary vocabulary_;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace hexapla::text
