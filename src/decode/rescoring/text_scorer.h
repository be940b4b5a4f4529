#pragma once
// Forced decoding, text in: how probable given translations are, and which words of the source they came from.
#include <span>
#include <string>
#include <vector>

#include "decode/rescoring/alignment.h"
#include "decode/rescoring/score.h"
#include "decode/text/translator.h"

namespace hexapla::decode {

struct TextScore : PairScore {
  double normalized = 0;      // score / divisor(length penalty, tokens), as in Hypothesis
  std::vector<double> words;  // log-probability of each word of the translation, and of </s>: score is their sum
  int64_t words_read = 0;     // so many of them, </s> counted: less than all where the translation was cut
  text::Ids target;           // the tokens, without </s>
  bool operator==(const TextScore&) const = default;
};

// Words are those of text/words.h; blanks: what stands between white space whatever the script.
enum class AlignmentUnit { words, pieces, blanks };
// UsageError naming the option: another word.
AlignmentUnit parse_alignment_unit(const std::string& word, const char* option = "alignment-units");
// The words that an alignment numbers in a line; none where it numbers pieces.
std::vector<std::string> words_in(const std::string& line, AlignmentUnit unit);

struct AlignmentOptions {
  AttentionHead attention;
  AlignmentUnit unit = AlignmentUnit::words;
};

// Borrows everything: model, vocabularies and backend must outlive it. InternalError: a vocabulary that does not have
// the size the model was made for.
class TextScorer {
 public:
  TextScorer(const model::Transformer& model, const text::Vocabulary& source, const text::Vocabulary& target,
             Backend& backend);

  // How probable targets[i] is as the translation of sources[i], whatever the other pairs are; both may be blank. Of
  // the options only batches, max_length, length_penalty, long_input and protection count. A pair is never split: of a
  // long line, or a long translation, only the beginning is scored, with a warning, or it is refused. What is protected
  // in a line and all stands in its translation is scored on neither side: no model saw it. UsageError: not as many
  // targets as sources, or an option out of range. LineError, before anything is scored: a long line where they are
  // refused.
  std::vector<TextScore> score(std::span<const std::string> sources, std::span<const std::string> targets,
                               const TranslateOptions& options, const LineWarning& warn = {}) const;

  // Which words, or pieces, of sources[i] those of targets[i] came from, whatever the other pairs are. Of the options
  // only batches, max_length, long_input and protection count; of a line that was cut the words that were not read have
  // no attention. Words of what is protected have that of their own in the line, with other units than pieces. Errors
  // as in score(), and UsageError where the model has no such layer or head.
  std::vector<SoftAlignment> align(std::span<const std::string> sources, std::span<const std::string> targets,
                                   const TranslateOptions& options, const AlignmentOptions& how,
                                   const LineWarning& warn = {}) const;
  // The same for what a translator found for these sources with these options: its tokens are taken as they are. A line
  // in parts was translated part by part, and each part of the translation looks at its own part of the line; the row
  // of </s> is the mean over the parts.
  std::vector<SoftAlignment> align(std::span<const std::string> sources, std::span<const Translation> targets,
                                   const TranslateOptions& options, const AlignmentOptions& how) const;

  // The units that such an alignment numbers in a line, without </s>: its words, or the pieces that were read. parts:
  // those that it was translated in.
  std::vector<std::string> units_of_source(const std::string& line, const TranslateOptions& options, AlignmentUnit unit,
                                           size_t parts = 1) const;
  std::vector<std::string> units_of_target(const std::string& line, const TranslateOptions& options,
                                           AlignmentUnit unit) const;

 private:
  using Lines = std::vector<LineEncoder::Line>;
  using KeptSpans = std::vector<std::pair<text::TokenSpan, text::TokenSpan>>;  // in the line and in its translation
  struct Sides {
    Lines from, to;               // the sources end with </s>
    std::vector<KeptSpans> kept;  // of each pair that is given
    std::vector<bool> all_kept;   // whether there is nothing else in it: it is certain, as it was not translated
  };
  // Lines that belong to each other as they are given.
  Sides read(std::span<const std::string> sources, std::span<const std::string> targets,
             const TranslateOptions& options, const LineWarning& warn, text::WordEnds ends) const;
  SourceReader source_reader(const TranslateOptions& options, const LineWarning& warn) const {
    return {source_, model_.config, options.max_length, warn};
  }
  SourceReader target_reader(const TranslateOptions& options, const LineWarning& warn) const {
    return {target_, model_.config, options.max_length, warn, LineSide::translation};
  }
  // Both sides of a line in words, and how many tokens of the source each of its parts has.
  struct AlignedLine {
    std::vector<text::WordSpan> source, target;
    int64_t source_words, target_words;
    std::vector<size_t> parts;
    std::vector<std::pair<text::WordSpan, text::WordSpan>> kept = {};  // words of what the model did not see
  };
  static void add_kept(AlignedLine& line, const std::string& source, const std::string& target, const KeptSpans& spans,
                       text::WordEnds ends);
  KeptSpans kept_in(const LineEncoder& source, const std::string& line, const std::string& translation,
                    const TranslateOptions& options) const;
  AlignedLine add_parts(Sides& pairs, const std::string& source, const Translation& target,
                        const TranslateOptions& options, text::WordEnds ends) const;
  std::vector<SoftAlignment> align(Sides pairs, std::span<const AlignedLine> lines, const TranslateOptions& options,
                                   const AlignmentOptions& how) const;

  const model::Transformer& model_;
  const text::Vocabulary& source_;
  const text::Vocabulary& target_;
  Backend& backend_;
};

}  // namespace hexapla::decode
