#pragma once
// Forced decoding of text: scores given translations and aligns their words with the source.
#include <span>
#include <string>
#include <vector>

#include "decode/lines/sources.h"
#include "decode/rescoring/alignment.h"
#include "decode/rescoring/score.h"
#include "decode/text/translator.h"

namespace hexapla::decode {

struct TextScore : PairScore {
  double normalized = 0;      // with the penalties of a search with these options, as in Hypothesis
  std::vector<double> words;  // log-probability of each word of the translation, and of </s>: score is their sum
  int64_t words_read = 0;     // number of words scored, with </s>: fewer if the translation was truncated
  text::Ids target;           // the tokens, without </s>
  bool operator==(const TextScore&) const = default;
};

// words: as in text/words.h; blanks: text between white space in any script.
enum class AlignmentUnit { words, pieces, blanks };
// UsageError naming the option: unknown word.
AlignmentUnit parse_alignment_unit(const std::string& word, const char* option = "alignment-units");
// The words of a line that an alignment numbers; empty if it numbers pieces.
std::vector<std::string> words_in(const std::string& line, AlignmentUnit unit);

struct AlignmentOptions {
  AttentionHead attention;
  AlignmentUnit unit = AlignmentUnit::words;
};

// Borrows everything: models, vocabularies and backend must outlive it. InternalError: a vocabulary
// size differs from the model's.
class TextScorer {
 public:
  TextScorer(const model::Transformer& model, const text::Vocabulary& source, const text::Vocabulary& target,
             Backend& backend);
  // Scores are those of all models together; coverage and alignments are from the first. UsageError: check(ensemble).
  TextScorer(const Ensemble& ensemble, const text::Vocabulary& source, const text::Vocabulary& target,
             Backend& backend);

  // The log-probability of targets[i] as the translation of sources[i], independent of the other
  // pairs; both may be blank. Uses only the options batches, max_length, beam_size, penalties,
  // attention, long_input and protection. A pair is never split: a long side is truncated with a warning, or refused.
  // Protected text of a line that also appears, all of it, in the translation is scored on neither
  // side: no model saw it. UsageError: different numbers of sources and targets, or an option out
  // of range. LineError, before anything is scored: a long line if long lines are refused.
  std::vector<TextScore> score(std::span<const std::string> sources, std::span<const std::string> targets,
                               const TranslateOptions& options, const LineWarning& warn = {}) const;

  // The source words, or pieces, that each of targets[i] came from, independent of the other pairs.
  // Uses only the options batches, max_length, long_input and protection. Words cut off by
  // truncation have no attention. Words of protected text align with their own occurrence in the
  // line, unless units are pieces. Errors as in score(), and UsageError if the model has no such
  // layer or head.
  std::vector<SoftAlignment> align(std::span<const std::string> sources, std::span<const std::string> targets,
                                   const TranslateOptions& options, const AlignmentOptions& how,
                                   const LineWarning& warn = {}) const;
  // The same for a translator's output for these sources with these options: uses its tokens as
  // they are. In a line in parts, each part of the translation attends to its own part of the line;
  // the row of </s> is the mean over the parts.
  std::vector<SoftAlignment> align(std::span<const std::string> sources, std::span<const Translation> targets,
                                   const TranslateOptions& options, const AlignmentOptions& how) const;

  // The units of a line that an alignment numbers, without </s>: its words, or the pieces that were
  // read. parts: the number of parts that the line was translated in.
  std::vector<std::string> units_of_source(const std::string& line, const TranslateOptions& options, AlignmentUnit unit,
                                           size_t parts = 1) const;
  std::vector<std::string> units_of_target(const std::string& line, const TranslateOptions& options,
                                           AlignmentUnit unit) const;

 private:
  using Lines = std::vector<LineEncoder::Line>;
  using KeptSpans = std::vector<std::pair<text::TokenSpan, text::TokenSpan>>;  // in the line, in its translation
  struct Sides {
    Lines from, to;               // the sources end with </s>
    std::vector<KeptSpans> kept;  // of each pair
    std::vector<bool> all_kept;   // whether a pair has nothing else: its score is 0
  };
  // Encodes given pairs.
  Sides read(std::span<const std::string> sources, std::span<const std::string> targets,
             const TranslateOptions& options, const LineWarning& warn, text::WordEnds ends) const;
  SourceReader source_reader(const TranslateOptions& options, const LineWarning& warn) const {
    return {source_, positions(ensemble_), options.max_length, warn};
  }
  SourceReader target_reader(const TranslateOptions& options, const LineWarning& warn) const {
    return {target_, positions(ensemble_), options.max_length, warn, LineSide::translation};
  }
  // Both sides of a line in words, and the number of source tokens in each of its parts.
  struct AlignedLine {
    std::vector<text::WordSpan> source, target;
    int64_t source_words, target_words;
    std::vector<size_t> parts;
    std::vector<std::pair<text::WordSpan, text::WordSpan>> kept = {};  // words of protected text
  };
  static void add_kept(AlignedLine& line, const std::string& source, const std::string& target, const KeptSpans& spans,
                       text::WordEnds ends);
  KeptSpans kept_in(const LineEncoder& source, const std::string& line, const std::string& translation,
                    const TranslateOptions& options) const;
  AlignedLine add_parts(Sides& pairs, const std::string& source, const Translation& target,
                        const TranslateOptions& options, text::WordEnds ends) const;
  std::vector<SoftAlignment> align(Sides pairs, std::span<const AlignedLine> lines, const TranslateOptions& options,
                                   const AlignmentOptions& how) const;

  const model::Transformer& first() const { return *ensemble_.models.front(); }

  const Ensemble ensemble_;
  const text::Vocabulary& source_;
  const text::Vocabulary& target_;
  Backend& backend_;
};

}  // namespace hexapla::decode
