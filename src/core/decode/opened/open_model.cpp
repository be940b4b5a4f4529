#include "decode/opened/open_model.h"

#include <algorithm>

#include "backend/device/device.h"
#include "base/error.h"
#include "decode/lines/model_vocabularies.h"
#include "model/weights/packed_weights.h"
#include "model/weights/quantize.h"
#include "model/weights/stored_model.h"
#include "text/vocabulary/languages.h"

namespace hexapla::decode {

int64_t numbers_stored(const model::LoadedModel& m, DType type) {
  int64_t n = 0;
  model::for_each<model::Parameter>(*m.net, [&](const std::string& name, const model::Parameter& p) {
    n += m.stored.at(name) == type ? p.shape.size() : 0;
  });
  return n;
}

int64_t integers_in(const std::string& file) { return numbers_stored(model::StoredModel(file).model(), DType::i8); }

namespace {

OpenModel with_vocabularies(model::LoadedModel loaded, const std::string& file, std::unique_ptr<Backend> backend) {
  text::VocabularyPair text = decode::vocabularies_of(loaded, file);
  return {std::move(loaded), std::move(text.source), std::move(text.target), std::move(backend)};
}

// Whether the model has weights of products that are not stored as integers.
bool has_other_weights(const model::LoadedModel& m) {
  bool found = false;
  model::for_each<model::Parameter>(*m.net, [&](const std::string& name, const model::Parameter& p) {
    const bool generates = !m.net->generator.weight && &p == &m.net->embeddings.back().table;
    const bool multiplies = generates || model::quantizable(name, p) == model::ScaleOf::columns;
    found |= multiplies && m.stored.at(name) != DType::i8;
  });
  return found;
}

void refuse_idle(std::optional<Precision> asked, const std::vector<OpenModel>& members, const std::string& path) {
  if (!asked || *asked == Precision::int8 || !members[0].backend->host_memory()) return;
  if (std::any_of(members.begin(), members.end(), [](const OpenModel& m) { return has_other_weights(m.file); })) return;
  throw UsageError(cat("`precision` ", name_of(*asked), " does nothing to ", path,
                       ", which is quantized: it is computed from its 8-bit integers; leave `precision` out, or give ",
                       "the model that it was made from"),
                   "precision", name_of(*asked));
}

}  // namespace

std::string checked_file(const std::string& path) {
  if (path.empty()) throw UsageError("no model given; give `model`, a model.safetensors or the folder of a training");
  return model::model_file(path);
}

Precision parse_decoding_precision(const std::string& name, const std::string& device) {
  const Precision p = name == "int8" ? Precision::int8 : name == "bf16" ? Precision::bf16 : Precision::f32;
  if (device == "cpu" && !supported(p))
    throw UsageError(cat("this processor has no instructions for `precision` ", name, "; give f32"), "precision", name);
  return p;
}

std::optional<Precision> asked_precision(bool given, const std::string& name, const std::string& device) {
  return given ? std::optional(parse_decoding_precision(name, device)) : std::nullopt;
}

model::LoadedModel load_packed(const std::string& file, Backend& backend) {
  if (!backend.host_memory()) {
    model::LoadedModel m = model::load_model(file);
    m.parameters->move_to(backend);
    return m;
  }
  model::LoadedModel m = model::load_to_translate(file);
  model::pack_weights(backend, m);
  return m;
}

OpenModel open_model(const std::string& path, const std::string& device) {
  const std::string file = checked_file(path);
  OpenModel m = with_vocabularies(model::load_model(file), file, make_backend(Precision::f32, device));
  m.file.parameters->move_to(*m.backend);
  return m;
}

OpenModel open_translator(const std::string& path, std::optional<Precision> precision, const std::string& device) {
  return std::move(open_ensemble({path}, precision, device).members.front());
}

void choose_languages(OpenModel& model, const std::string& source, const std::string& target) {
  const bool before_source =
      model.target.opening() < 0 && !model.source.languages().empty() && text::usual_language(model.source).empty();
  if (!source.empty()) model.source = model.source.opening_with(source, "source-language");
  if (target.empty()) return;
  if (before_source)
    model.source = text::beginning_with(model.source, target, "target-language");
  else
    model.target = model.target.opening_with(target, "target-language");
}

decode::Ensemble OpenEnsemble::ensemble(const decode::Mixture& mixture, const std::vector<double>& weights) const {
  decode::Ensemble e{.models = {}, .mixture = mixture, .weights = weights};
  for (const OpenModel& m : members) e.models.push_back(m.file.net.get());
  return e;
}

decode::TextTranslator OpenEnsemble::translator(const decode::Mixture& mixture,
                                                const std::vector<double>& weights) const {
  const OpenModel& first = members.front();
  return decode::TextTranslator(ensemble(mixture, weights), first.source, first.target, *first.backend);
}

OpenEnsemble open_ensemble(const std::vector<std::string>& paths, std::optional<Precision> precision,
                           const std::string& device) {
  OpenEnsemble e;
  e.members.reserve(paths.size());  // keeps `first` valid
  const std::string first_file = checked_file(paths.empty() ? "" : paths[0]);
  auto backend = make_backend(precision.value_or(Precision::f32), device);
  model::LoadedModel loaded = load_packed(first_file, *backend);
  e.members.push_back(with_vocabularies(std::move(loaded), first_file, std::move(backend)));
  const OpenModel& first = e.members[0];
  for (size_t i = 1; i < paths.size(); ++i) {
    const std::string file = checked_file(paths[i]);
    OpenModel m = with_vocabularies(load_packed(file, *first.backend), file, nullptr);
    if (m.source.bytes() != first.source.bytes() || m.target.bytes() != first.target.bytes())
      throw UsageError(cat(paths[0], " and ", paths[i],
                           " have different vocabularies and cannot form an ensemble; train the second with ",
                           "the vocabulary of the first"));
    e.members.push_back(std::move(m));
  }
  refuse_idle(precision, e.members, paths[0]);
  return e;
}

}  // namespace hexapla::decode
