#include "train/plan/options/text_options.h"

#include "base/error.h"
#include "text/vocabulary/normalization.h"

namespace hexapla::train {
namespace {

void check_weights(const std::vector<double>& weights, size_t sets) {
  if (weights.empty()) return;
  if (weights.size() != sets)
    throw UsageError(cat("`train-weights` has ", weights.size(), " numbers, but `train-sets` has ", sets,
                         sets == 1 ? " set" : " sets", ": give one weight per set"));
}

}  // namespace

OptionRows TextOptions::rows(const When& trained) {
  OptionTable rows;
  rows.add({"train-weights", train_weights,
            "how often each pair of each training set occurs per epoch, on average: 1 2.5",
            Range<double>{.least = 0, .most = 1000, .open_least = true}, Effect::content});
  rows.add(
      {"tsv", tsv, "every set is one file of SOURCE<TAB>TARGET lines, whatever its name", AnyValue{}, Effect::content});
  rows.add({"vocab-type", vocab_type, "type of the vocabulary that is trained if none is given: unigram or bpe",
            Effect::vocabulary, trained});
  rows.add({"vocabs", vocabs, "SentencePiece models of source and target, instead of training them", AnyValue{},
            Effect::vocabulary});
  rows.add({"separate-vocabs", separate_vocabs, "train one vocabulary per side; the source embedding is then separate",
            AnyValue{}, Effect::vocabulary});
  rows.add({"character-coverage", character_coverage, "share of the text's characters that get a piece",
            Range<double>{0.98, 1}, Effect::vocabulary, trained});
  rows.add({"byte-fallback", byte_fallback, "encode characters without a piece as bytes instead of as unknown",
            AnyValue{}, Effect::vocabulary, trained});
  rows.add(
      {"user-symbols", user_symbols, "strings that are always one piece", AnyValue{}, Effect::vocabulary, trained});
  rows.add(
      {"source-normalization", source_normalization,
       "nmt_nfkc: full-width and plain characters, no-break and plain spaces read alike; nmt_nfkc_cf: upper and lower "
       "case, too; keep, nfkc, nfkc_cf, identity",
       AnyValue{}, Effect::vocabulary, trained});
  rows.add({"target-normalization", target_normalization,
            "keep: translations can have every character of the text except control characters and repeated spaces; "
            "nmt_nfkc: one spelling of each character is enough; nfkc, nmt_nfkc_cf, nfkc_cf, identity",
            AnyValue{}, Effect::vocabulary, trained});
  rows.add({"vocab-lines", vocab_lines, "train the vocabulary on at most this many lines, sampled from both sides",
            Range<int64_t>{2, int64_t{1} << 40}, Effect::vocabulary, trained});
  rows.add(
      {"subword-alpha", subword_alpha,
       "sample a new segmentation of every sentence in each epoch: exponent of the probabilities for unigram (0.5; 0.2 "
       "for long runs), share of merges dropped for BPE (0.1); 0: always the best segmentation",
       Range<double>{0, 1000}, Effect::content});
  rows.add(
      {"join-sentences", join_sentences,
       "probability that a pair is joined to the one before it in the text, so that the model learns lines of several "
       "sentences: 0.3",
       Range<double>{.least = 0, .most = 1, .open_most = true}, Effect::content});
  rows.add({"shuffle-memory", shuffle_memory,
            "MiB of memory for training pairs; more pairs than that are shuffled on disk", Range<int64_t>{1, 1 << 24},
            Effect::content});
  rows.add(
      {"temp-dir", temp_dir, "folder for shuffling on disk; default: the folder of the run", AnyValue{}, Effect::none});
  return rows;
}

void TextOptions::check(size_t sets) const {
  check_weights(train_weights, sets);
  if (!vocabs.empty() && vocabs.size() != 2)
    throw UsageError(cat("`vocabs` takes two SentencePiece models, of source and target, but got ", vocabs.size()));
  for (const auto& [option, name] : {std::pair{"source", source_normalization}, {"target", target_normalization}})
    if (!text::is_normalization(name))
      throw UsageError(cat("`", option, "-normalization` is '", name, "', but must be ", text::normalization_names()));
}

}  // namespace hexapla::train
