#pragma once
#include <atomic>
#include <cstdint>

#include "decode/constraints/line_constraints.h"
#include "decode/rescoring/alignment.h"
#include "decode/search_options.h"
#include "decode/text/sources.h"

namespace hexapla::decode {

struct TranslateOptions {
  SearchOptions search;
  int64_t batch_sentences = 64;  // of one worker at a time, at most
  int64_t batch_tokens = 4096;   // of their sources, at most; a longer line stands alone
  int64_t max_length = 512;      // source tokens that are translated at a time, </s> counted
  Parting parting;               // what becomes of several sentences, and of a longer line
  LineConstraints everywhere;    // of every line
  double coverage_penalty = 0;   // beta of Wu et al. 2016, equation 14: reorders what the beam has found; 0: off
  bool copy_unknown = false;     // an unknown token is written as what it came from in the source
  AttentionHead attention;       // of the first model: what these two look at
  // Bytes of working memory of all workers together: batches and workers become fewer until it is enough, down to one
  // sentence at a time (least_memory()); no translation depends on it. 0: as much as the batches ask for.
  size_t memory = 0;
  const std::atomic<bool>* stop = nullptr;  // once it is true, the call ends with Canceled; no live request has one
};
void check(const TranslateOptions& options);  // UsageError: a number out of range

}  // namespace hexapla::decode
