#include "serve/languages/served_models.h"

#include <algorithm>
#include <atomic>
#include <set>

#include "base/error.h"
#include "base/files/shell_word.h"
#include "base/json.h"
#include "serve/languages/languages.h"
#include "text/vocabulary/languages.h"

namespace hexapla::serve {
namespace {

using nlohmann::json;

// "train.de.gz" -> "de"; "" if the name does not end in a known language.
std::string language_of_file(std::string name) {
  for (const char* packed : {".gz", ".zst", ".xz"})
    if (name.ends_with(packed)) name.resize(name.size() - std::string(packed).size());
  const size_t dot = name.rfind('.');
  const std::string code = dot == std::string::npos ? "" : language_code(name.substr(dot + 1));
  return known_language(code) ? code : "";
}

// A model's languages from the names of its first two training files; undetermined if they do not
// tell.
std::pair<std::string, std::string> languages_recorded_in(const Model& model) {
  const auto history = model.history();
  const auto options = history.find("options");
  if (options != history.end()) {
    const json recorded = json_or_null(options->second);
    const auto sets = recorded.is_object() ? recorded.find("train-sets") : recorded.end();
    if (recorded.is_object() && sets != recorded.end() && sets->is_array() && sets->size() >= 2 &&
        sets->at(0).is_string() && sets->at(1).is_string()) {
      const std::string source = language_of_file(sets->at(0)), target = language_of_file(sets->at(1));
      if (!source.empty() && !target.empty() && source != target) return {source, target};
    }
  }
  return {kUndetermined, kUndetermined};
}

void add_once(std::vector<std::string>& codes, const std::string& code) {
  if (std::find(codes.begin(), codes.end(), code) == codes.end()) codes.push_back(code);
}

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

// The model's name for the language of a code; "" if it has no such language.
std::string language_of_model(const text::Vocabulary& vocabulary, const std::string& code) {
  std::vector<std::string> codes;
  const std::vector<std::string> all = vocabulary.languages();
  for (const std::string& language : all) codes.push_back(language_code(language));
  const std::string meant = language_among(codes, code);
  const auto found = std::find(codes.begin(), codes.end(), meant);
  return meant.empty() || found == codes.end() ? "" : all[found - codes.begin()];
}

}  // namespace

ModelPlace ModelPlace::parse(const std::string& word) {
  const size_t equals = word.find('=');
  const std::string pair = word.substr(0, equals);
  if (equals == std::string::npos || pair.find('/') != std::string::npos) return {word, "", ""};
  const size_t between = pair.find(':') != std::string::npos ? pair.find(':') : pair.find('-');
  const std::string source = language_code(pair.substr(0, between));
  const std::string target = between == std::string::npos ? "" : language_code(pair.substr(between + 1));
  if (source.empty() || target.empty())
    throw UsageError(cat("`model` ", word,
                         ": give two languages before the equals sign, as in en-de=MODEL or "
                         "zh-Hans:en=MODEL"));
  return {word.substr(equals + 1), source, target};
}

// Languages come from the place, or from a multilingual model's import, or from training file
// names.
void ServedModel::choose_languages(const Model& model, ModelOptions& options) {
  const auto read = [&](const std::string& bytes) { return text::Vocabulary::parse(bytes, path); };
  const text::Vocabulary from = read(model.source_vocabulary()), to = read(model.target_vocabulary());
  const std::string read_language = text::usual_language(from), written = text::usual_language(to);
  if (source.empty() && !read_language.empty() && !written.empty())
    source = language_code(read_language), target = language_code(written);
  if (source.empty()) std::tie(source, target) = languages_recorded_in(model);
  if (source == kUndetermined) return;
  if (!read_language.empty()) options.source_language = language_of_model(from, source);
  if (!written.empty() || read_language.empty())
    options.target_language = language_of_model(written.empty() ? from : to, target);
}

ServedModel::ServedModel(const ModelPlace& place, const ModelOptions& options)
    : source(place.source),
      target(place.target),
      path(place.path),
      precision(options.precision.value_or("f32")),
      device(options.device),
      number(next_number()),
      translator(joined_paths(path, "model"), described(joined_paths(path, "model"), options)) {
  name = source + "-" + target;
}

ModelOptions ServedModel::described(const std::vector<std::string>& paths, ModelOptions options) {
  const Model model = Model::load(paths.front());
  choose_languages(model, options);
  const json config = parse_json(model.configuration(), paths.front());
  parameters = model.parameter_count();
  for (size_t i = 1; i < paths.size(); ++i) parameters += Model::load(paths[i]).parameter_count();
  encoder_layers = config.value("enc-layers", std::int64_t{0});
  decoder_layers = config.value("dec-layers", std::int64_t{0});
  heads = config.value("heads", std::int64_t{0});
  d_model = config.value("dim-model", std::int64_t{0});
  return options;
}

const Inspector& ServedModel::inspector() const {
  std::call_once(inspected_, [this] { inspector_ = std::make_unique<Inspector>(joined_paths(path, "model").front()); });
  return *inspector_;
}

std::vector<std::string> ModelSet::sources() const {
  std::vector<std::string> codes;
  for (const auto& model : models_) add_once(codes, model->source);
  return codes;
}

std::vector<std::string> ModelSet::targets() const {
  std::vector<std::string> codes;
  for (const auto& model : models_) add_once(codes, model->target);
  return codes;
}

std::vector<std::string> ModelSet::targets_of(const std::string& source) const {
  std::vector<std::string> codes;
  for (const std::string& target : targets())
    if (target != source && !find(source, target).empty()) codes.push_back(target);
  if (source == kUndetermined) add_once(codes, kUndetermined);
  return codes;
}

std::vector<std::string> ModelSet::sources_of(const std::string& target) const {
  std::vector<std::string> codes;
  for (const std::string& source : sources())
    if ((source != target || source == kUndetermined) && !find(source, target).empty()) codes.push_back(source);
  return codes;
}

Hops ModelSet::find(const std::string& source, const std::string& target) const {
  for (const auto& model : models_)
    if (model->source == source && model->target == target) return {model};
  for (const auto& model : models_)
    if (model->source == kUndetermined) return {model};
  for (const auto& first : models_)
    for (const auto& second : models_)
      if (first->source == source && second->target == target && first->target == second->source)
        return {first, second};
  return {};
}

std::shared_ptr<const ServedModel> ModelSet::named(const std::string& name) const {
  const auto found =
      std::find_if(models_.begin(), models_.end(), [&](const auto& model) { return model->name == name; });
  return found == models_.end() ? nullptr : *found;
}

ServedModels::ServedModels(std::vector<ModelPlace> places, ModelOptions options)
    : places_(std::move(places)), options_(std::move(options)) {
  if (places_.empty()) throw UsageError("a server needs a model; give `model`");
  now_ = load();
}

std::shared_ptr<const ModelSet> ServedModels::load() const {
  Hops all;
  std::set<std::string> names;
  for (const ModelPlace& place : places_) {
    // The last owner may be a callback on the translator's own thread, which cannot join itself.
    const auto free = [this](ServedModel* gone) { graves_.post([gone] { delete gone; }); };
    std::shared_ptr<ServedModel> model(new ServedModel(place, options_), free);
    const std::string languages = model->name;
    for (int n = 2; !names.insert(model->name).second; ++n) model->name = cat(languages, "-", n);
    all.push_back(std::move(model));
  }
  return std::make_shared<const ModelSet>(std::move(all));
}

std::shared_ptr<const ModelSet> ServedModels::now() const {
  const std::lock_guard lock(mutex_);
  return now_;
}

void ServedModels::reload() {
  std::shared_ptr<const ModelSet> next = load();
  const std::lock_guard lock(mutex_);
  now_.swap(next);
}

}  // namespace hexapla::serve
