#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/options/option_row.h"

namespace hexapla::train {

// How a run turns text into batches: sets, vocabularies, subwords, shuffling.
struct TextOptions {
  std::vector<double> train_weights;  // one per training set; empty: 1
  bool tsv = false;
  Word<"unigram", "bpe"> vocab_type = "unigram";
  std::vector<std::string> vocabs;  // existing models of source and target
  bool separate_vocabs = false;
  double character_coverage = 1;
  bool byte_fallback = false;
  std::vector<std::string> user_symbols;
  std::string source_normalization = "nmt_nfkc";  // for a trained vocabulary (text/vocabulary/normalization.h)
  std::string target_normalization = "keep";
  int64_t vocab_lines = 1'000'000;  // total of both sides
  double subword_alpha = 0;
  double join_sentences = 0;
  int64_t shuffle_memory = 1024;  // MiB. Not a share of the machine's memory: the order of the pairs depends on it
  std::string temp_dir;           // empty: the run folder

  // A part of TrainOptions::rows(). trained: the condition of options for a trained vocabulary.
  OptionRows rows(const When& trained);

  bool separate() const { return separate_vocabs || !vocabs.empty(); }  // a vocabulary for each side
  void check(size_t sets) const;                                        // sets: of training; throws UsageError
};

}  // namespace hexapla::train
