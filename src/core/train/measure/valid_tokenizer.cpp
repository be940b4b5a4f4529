#include "train/measure/valid_tokenizer.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/files/file.h"
#include "evaluate/tokenization/choose_tokenizer.h"

namespace hexapla::train {
namespace {

constexpr double kInformative = 0.5;  // below this, BLEU is uninformative
constexpr double kClimb = 5;          // in points of chrF
constexpr int kValidations = 3;
constexpr double kLongWords = 8;  // characters; 4 to 7 in languages with blanks, counting marks as words

}  // namespace

TrainOptions with_valid_tokenizer(const TrainOptions& options, const std::optional<EarlierRun>& run,
                                  const TrainingData& data, TrainWatcher& watcher) {
  TrainOptions o = options;
  if (data.valid.empty()) return o;
  const std::optional<std::string> earlier = run ? run->tokenizer() : std::nullopt;
  if (o.valid_tokenize != "auto") {
    if (earlier && *earlier != o.valid_tokenize && (o.best_by == "bleu" || o.best_by == "auto"))
      throw UsageError(cat("`valid-tokenize` is ", o.valid_tokenize, ", but ", o.model, " holds a run that was ",
                           "validated with ", *earlier,
                           ", and BLEU selects its best model: these scores are not comparable; ",
                           "leave the option out, or give another `model` folder"));
    return o;
  }
  const evaluate::TokenizerChoice choice = evaluate::tokenizer_for(data.valid_reference);
  o.valid_tokenize = earlier.value_or(choice.name);
  if (!earlier || *earlier == choice.name) {
    if (const std::string what = evaluate::text_of(choice); !what.empty()) watcher.note(what);
  } else if (*earlier == "13a") {
    watcher.note(
        cat("the validation BLEU keeps the tokenizer 13a, with which this run started, although the references are ",
            choice.language, "; `best-by` chrf in another `model` folder, or `valid-tokenize` ", choice.name,
            " there, is more informative"));
  }
  o.check();  // the run's tokenizer may not be installed here
  return o;
}

std::string SilentBleu::seen(double bleu, double chrf, double characters_a_word, const std::string& tokenizer) {
  if (bleu >= kInformative || characters_a_word < kLongWords) {
    zeros_ = 0;
    return "";
  }
  if (zeros_++ == 0) first_chrf_ = chrf;
  if (said_ || zeros_ < kValidations || chrf < first_chrf_ + kClimb) return "";
  said_ = true;
  return fmt::format(
      "BLEU has stayed below {} for {} validations, while chrF rose from {:.1f} to {:.1f}: does the tokenizer {} fit "
      "the text? Its words have {:.0f} characters on average, as if lines were words. Start over in another `model` "
      "folder "
      "with `valid-tokenize` "
      "char "
      "(zh, ja-mecab), or with `best-by` chrf",
      kInformative, zeros_, first_chrf_, chrf, tokenizer, characters_a_word);
}

}  // namespace hexapla::train
