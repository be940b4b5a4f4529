#include "hexapla/hexapla.h"

#include "backend/cpu/cpu.h"
#include "base/parallel.h"
#include "decode/model_text.h"
#include "decode/packed_weights.h"
#include "decode/text_scorer.h"
#include "decode/translator.h"
#include "model/model_file.h"

namespace hexapla {
namespace {

TranslateOptions inner(const TranslatorOptions& o) {
  TranslateOptions options;
  options.search = {o.beam_size, make_length_penalty(o.length_normalization, o.length_penalty), o.n_best,
                    o.extra_length};
  options.batch_sentences = o.batch_sentences;
  options.batch_tokens = o.batch_tokens;
  options.max_length = o.max_length;
  return options;
}

}  // namespace

std::string version() { return HEXAPLA_VERSION; }

struct Translator::Impl {
  LoadedModel model;
  ModelVocabularies text;
  std::unique_ptr<Backend> backend;
  PackedWeights packed;
  TextTranslator translator;
  TextScorer scorer;

  explicit Impl(const std::string& path)
      : model(map_model(path)),
        text(vocabularies_of(model, path)),
        backend(make_cpu_backend()),
        packed(*backend, model),
        translator(*model.net, text.source, text.target, *backend),
        scorer(*model.net, text.source, text.target, *backend) {}
};

Translator::Translator(const std::string& model_path) : impl_(std::make_unique<const Impl>(model_path)) {}
Translator::~Translator() = default;
Translator::Translator(Translator&&) noexcept = default;
Translator& Translator::operator=(Translator&&) noexcept = default;

std::vector<std::vector<ScoredTranslation>> Translator::translate_n_best(const std::vector<std::string>& lines,
                                                                         const TranslatorOptions& options) const {
  std::vector<std::vector<ScoredTranslation>> results;
  for (const auto& found : impl_->translator.translate(lines, inner(options), options.warn)) {
    results.emplace_back();
    for (const Translation& t : found) results.back().push_back({t.text, t.score, t.normalised});
  }
  return results;
}

std::vector<std::string> Translator::translate(const std::vector<std::string>& lines,
                                               const TranslatorOptions& options) const {
  TranslatorOptions one = options;
  one.n_best = 1;
  std::vector<std::string> results;
  for (auto& best : translate_n_best(lines, one)) results.push_back(std::move(best.front().text));
  return results;
}

std::string Translator::translate(const std::string& line, const TranslatorOptions& options) const {
  return translate(std::vector<std::string>{line}, options).front();
}

std::vector<double> Translator::score(const std::vector<std::string>& lines,
                                      const std::vector<std::string>& translations,
                                      const TranslatorOptions& options) const {
  std::vector<double> results;
  for (const TextScore& s : impl_->scorer.score(lines, translations, inner(options), options.warn))
    results.push_back(s.score);
  return results;
}

}  // namespace hexapla
