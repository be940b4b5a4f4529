#pragma once
// Subword regularization: other segmentations of a text than the best one, so that a model sees more of them.
#include <memory>

#include "base/compute/random.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::text {

// Of a unigram vocabulary every segmentation x of the text has the chance P(x)^alpha / sum of P(x')^alpha (Kudo 2018,
// "Subword Regularization", with l = infinity): drawn by filtering forward and sampling backward over the lattice. Of
// BPE alpha is the share of merges that are dropped at each step (Provilkov et al. 2020, "BPE-Dropout").
// A segmentation depends on the text and the random numbers alone. Copies share the tables; const functions may be
// called from several threads at once.
class SubwordSampler {
 public:
  // UsageError: alpha is no such number, or the vocabulary is neither unigram nor BPE.
  SubwordSampler(const Vocabulary& vocabulary, double alpha);

  // As Vocabulary::encode, but drawn. User-defined symbols stay whole; a run of unknown characters is one unknown
  // token, or bytes where the vocabulary has them.
  Ids sample(std::string_view text, Random& random) const;

 private:
  struct Impl;
  Vocabulary vocabulary_;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace hexapla::text
