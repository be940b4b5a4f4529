#pragma once
#include <atomic>
#include <cstdint>
#include <optional>

#include "decode/options/attention_head.h"
#include "decode/options/line_constraints.h"
#include "decode/options/parting.h"
#include "decode/options/search_options.h"

namespace hexapla::decode {

// The measure by which minimum Bayes risk compares translations (decode/rescoring/consensus.h).
enum class Likeness { chrf, bleu };

struct TranslateOptions {
  SearchOptions search;
  int64_t batch_sentences = 64;  // most sentences per worker at a time
  int64_t batch_tokens = 4096;   // most source tokens of these; a longer line is a batch of its own
  int64_t max_length = 512;      // source tokens translated at a time, including </s>
  Parting parting;               // how to handle several sentences, and longer lines
  LineConstraints everywhere;    // for all lines
  double coverage_penalty = 0;   // beta of Wu et al. 2016, equation 14: reorders the beam's results; 0: off
  bool distinct = false;         // translations of equal text are one, with the sum of their probabilities
  std::optional<Likeness> mbr;   // order the beam's results, or `candidates` samples, by minimum Bayes risk
  int candidates = 32;
  bool copy_unknown = false;  // replace an unknown token by its source text
  AttentionHead attention;    // of the first model; used by these two
  // Bytes of working memory for all workers together: batches and workers are reduced to fit, down
  // to one sentence at a time (least_memory()); translations do not depend on it. 0: no limit.
  size_t memory = 0;
  const std::atomic<bool>* stop = nullptr;  // set to true to end the call, or the request, with Canceled
};
void check(const TranslateOptions& options);  // UsageError: a number out of range

}  // namespace hexapla::decode
