#include "lib/files/quantize.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/error.h"
#include "data/files/corpus.h"
#include "decode/opened/open_model.h"
#include "decode/options/named/search_defaults.h"
#include "evaluate/metrics/bleu.h"
#include "evaluate/tokenization/choose_tokenizer.h"
#include "model/weights/mixed_precision.h"
#include "model/weights/quantize.h"
#include "model/weights/save_quantized.h"

namespace hexapla::api {
namespace {

class Quantizing {
 public:
  Quantizing(const QuantizeOptions& options, const QuantizeWatch& watch, model::StoredModel& from)
      : o_(options), watch_(watch), from_(from) {}

  void save(const std::vector<std::string>& kept) const { model::save_quantized(o_.output, from_, kept); }

  // -> the parts in f32
  std::vector<std::string> within_limit() const {
    const data::Corpus valid = data::read_parallel(o_.valid_sets[0], o_.valid_sets[1]);
    const evaluate::TokenizerChoice choice =
        o_.tokenize == "auto" ? evaluate::tokenizer_for(valid.target) : evaluate::TokenizerChoice{o_.tokenize, "", ""};
    if (const std::string what = evaluate::text_of(choice); !what.empty()) watch_.say(what);
    const evaluate::BleuOptions by{.tokenize = choice.name};
    const evaluate::BleuScore before =
        bleu(model::model_file(o_.model), valid, by,
             [&](size_t line, const std::string& what) { watch_.warn(valid.lines[line] - 1, what); });
    const double whole = before.score;
    watch_.say(fmt::format("{}\nf32: BLEU {:.2f}", before.signature, whole));
    const auto measure = [&](const std::vector<std::string>& parts) {
      save(parts);
      return bleu(o_.output, valid, by).score;
    };
    const double now = measure(o_.keep);
    watch_.say(fmt::format("int8: BLEU {:.2f}, a change of {:+.2f}", now, now - whole));
    const auto tried = [&](const std::string& part, double score, bool stays) {
      watch_.say(stays ? fmt::format("keeping {} in f32: BLEU {:.2f}, a change of {:+.2f}", part, score, score - whole)
                       : fmt::format("  {} in f32: BLEU {:.2f}", part, score));
    };
    const auto kept = model::parts_to_keep({whole, o_.max_drop, measure, tried},
                                           model::quantizable_parts(*from_.model().net), o_.keep, now);
    measure(kept);
    return kept;
  }

 private:
  evaluate::BleuScore bleu(const std::string& path, const data::Corpus& valid, const evaluate::BleuOptions& by,
                           const decode::LineWarning& warn = {}) const {
    const decode::OpenModel m = decode::open_translator(path, {});
    decode::DecodingOptions of_model = o_.search;
    decode::take_search_defaults(m.file.usage, o_.given, of_model);
    const decode::TranslateOptions how = of_model.translate_options();
    std::vector<std::string> best;
    for (const auto& found : m.translator().translate(valid.source, how, warn)) best.push_back(found.front().text);
    return evaluate::corpus_bleu(best, valid.target, by);
  }

  const QuantizeOptions& o_;
  const QuantizeWatch& watch_;
  model::StoredModel& from_;
};

double megabytes(const std::string& path) { return static_cast<double>(std::filesystem::file_size(path)) / 1e6; }

}  // namespace

Quantized quantize(const QuantizeOptions& o, const QuantizeWatch& watch) {
  if (!o.valid_sets.empty() && o.valid_sets.size() != 2)
    throw UsageError("`valid-sets` takes two files, the source and the target text");
  if (o.tokenize != "auto") evaluate::bleu_tokenizer(o.tokenize);
  const std::string file = model::model_file(o.model);
  model::StoredModel from(file);
  if (decode::numbers_stored(from.model(), DType::i8) > 0)
    throw DataError(cat(file, " is already quantized; give the model that it was made from"));
  model::check_kept(*from.model().net, o.keep);
  from.check();
  const Quantizing quantizing(o, watch, from);
  std::vector<std::string> kept = o.keep;
  if (o.valid_sets.empty())
    quantizing.save(kept);
  else
    kept = quantizing.within_limit();
  return {megabytes(o.output), megabytes(file), kept};
}

}  // namespace hexapla::api
