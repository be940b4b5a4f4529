#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/options/when.h"
#include "base/options/word.h"
#include "base/range.h"
#include "train/plan/options/effect.h"

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

  // Calls f(name, field, help, allowed, effect, when) like TrainOptions::visit, which calls this.
  // trained: the condition of options for a trained vocabulary.
  template <class Self, class F>
  static void visit(Self& o, F&& f, const When& trained) {
    f("train-weights", o.train_weights, "how often each pair of each training set occurs per epoch, on average: 1 2.5",
      Range<double>{.least = 0, .most = 1000, .open_least = true}, Effect::content, kAlways);
    f("tsv", o.tsv, "every set is one file of SOURCE<TAB>TARGET lines, whatever its name", AnyValue{}, Effect::content,
      kAlways);
    f("vocab-type", o.vocab_type, "type of the vocabulary that is trained if none is given: unigram or bpe",
      o.vocab_type.choices(), Effect::vocabulary, trained);
    f("vocabs", o.vocabs, "SentencePiece models of source and target, instead of training them", AnyValue{},
      Effect::vocabulary, kAlways);
    f("separate-vocabs", o.separate_vocabs, "train one vocabulary per side; the source embedding is then separate",
      AnyValue{}, Effect::vocabulary, kAlways);
    f("character-coverage", o.character_coverage, "share of the text's characters that get a piece",
      Range<double>{0.98, 1}, Effect::vocabulary, trained);
    f("byte-fallback", o.byte_fallback, "encode characters without a piece as bytes instead of as unknown", AnyValue{},
      Effect::vocabulary, trained);
    f("user-symbols", o.user_symbols, "strings that are always one piece", AnyValue{}, Effect::vocabulary, trained);
    f("source-normalization", o.source_normalization,
      "nmt_nfkc: full-width and plain characters, no-break and plain spaces read alike; nmt_nfkc_cf: upper and lower "
      "case, too; keep, nfkc, nfkc_cf, identity",
      AnyValue{}, Effect::vocabulary, trained);
    f("target-normalization", o.target_normalization,
      "keep: translations can have every character of the text except control characters and repeated spaces; "
      "nmt_nfkc: one spelling of each character is enough; nfkc, nmt_nfkc_cf, nfkc_cf, "
      "identity",
      AnyValue{}, Effect::vocabulary, trained);
    f("vocab-lines", o.vocab_lines, "train the vocabulary on at most this many lines, sampled from both sides",
      Range<int64_t>{2, int64_t{1} << 40}, Effect::vocabulary, trained);
    f("subword-alpha", o.subword_alpha,
      "sample a new segmentation of every sentence in each epoch: exponent of the probabilities for unigram (0.5; 0.2 "
      "for long runs), share of merges dropped for BPE (0.1); 0: always the best segmentation",
      Range<double>{0, 1000}, Effect::content, kAlways);
    f("join-sentences", o.join_sentences,
      "probability that a pair is joined to the one before it in the text, so that the model learns lines of several "
      "sentences: 0.3",
      Range<double>{.least = 0, .most = 1, .open_most = true}, Effect::content, kAlways);
    f("shuffle-memory", o.shuffle_memory, "MiB of memory for training pairs; more pairs than that are shuffled on disk",
      Range<int64_t>{1, 1 << 24}, Effect::content, kAlways);
    f("temp-dir", o.temp_dir, "folder for shuffling on disk; default: the folder of the run", AnyValue{}, Effect::none,
      kAlways);
  }

  bool separate() const { return separate_vocabs || !vocabs.empty(); }  // a vocabulary for each side
  void check(size_t sets) const;                                        // sets: of training; throws UsageError
};

}  // namespace hexapla::train
