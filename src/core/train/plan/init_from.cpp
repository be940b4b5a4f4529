#include "train/plan/init_from.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include "decode/lines/model_vocabularies.h"

namespace hexapla::train {
namespace {

// For each piece of `to`, its id in `from`, or -1.
using PieceMap = std::vector<int32_t>;

PieceMap map_pieces(const text::Vocabulary& from, const text::Vocabulary& to) {
  std::unordered_map<std::string, int32_t> ids;
  for (int32_t id = 0; id < from.size(); ++id) ids.emplace(from.piece(id), id);
  PieceMap map;
  for (int32_t id = 0; id < to.size(); ++id) {
    const auto found = ids.find(to.piece(id));
    map.push_back(found == ids.end() ? -1 : found->second);
  }
  return map;
}

using Settings = std::vector<std::pair<std::string, std::string>>;

// All settings except vocabularies and those that affect training only.
Settings shape_of(const model::Config& c) {
  Settings all;
  for (const OptionRow& row : rows_of(c))
    if (!model::Config::of_training_alone(row.name)) all.emplace_back(row.name, row.in_one_line());
  return all;
}

void check_same_shape(const InitialModel& initial, const model::Config& now) {
  const Settings theirs = shape_of(initial.model.config), ours = shape_of(now);
  for (size_t i = 0; i < ours.size(); ++i)
    if (theirs[i] != ours[i])
      throw UsageError(cat("`init-from` ", initial.path, ": its ", theirs[i].first, " is ", theirs[i].second,
                           ", but this run's is ", ours[i].second, "; give `", theirs[i].first, "` ", theirs[i].second,
                           ", or no dimensions, to use those of that model"));
}

void copy(Tensor from, Tensor to) { std::memcpy(to.bytes, from.bytes, to.size() * size_of(to.dtype)); }

// Rows of a table [V, d].
void carry_rows(Tensor from, Tensor to, const PieceMap& map) {
  for (size_t row = 0; row < map.size(); ++row)
    if (map[row] >= 0) copy(from.slice(map[row], 1), to.slice(static_cast<int64_t>(row), 1));
}

// Columns of a matrix [d, V], or of a vector [V].
void carry_columns(Tensor from, Tensor to, const PieceMap& map) {
  const int64_t old_width = from.shape[-1], width = to.shape[-1];
  for (int64_t row = 0; row < to.rows(); ++row)
    for (size_t column = 0; column < map.size(); ++column)
      if (map[column] >= 0)
        to.data<float>()[row * width + static_cast<int64_t>(column)] =
            from.data<float>()[row * old_width + map[column]];
}

std::string report(const std::string& path, const PieceMap& map, const char* side) {
  const auto kept = std::count_if(map.begin(), map.end(), [](int32_t id) { return id >= 0; });
  return fmt::format("started from {}: {} of {} pieces{} keep their embeddings", path, kept, map.size(), side);
}

}  // namespace

std::string InitialModel::checksum() const {
  const auto found = model.metadata.find("checksum");
  return found == model.metadata.end() ? path : found->second;
}

model::Config config_of_model(const std::string& path) { return model::load_to_translate(path).config; }
model::Usage usage_of_model(const std::string& path) { return model::load_to_translate(path).usage; }

text::VocabularyPair vocabularies_of_model(const std::string& path) {
  text::VocabularyPair pair = decode::vocabularies_of(model::load_to_translate(path), path);
  if (!text::same_pieces(pair.source, pair.target))
    throw UsageError(cat("`init-from` ", path, " has a vocabulary for each language; give one for both with `vocab`"));
  return pair;
}

std::string start_from(const InitialModel& initial, model::Transformer& net, const text::Vocabulary& source,
                       const text::Vocabulary& target) {
  check_same_shape(initial, net.config);
  const model::LoadedModel& m = initial.model;
  const text::VocabularyPair text = decode::vocabularies_of(m, initial.path);
  const PieceMap of_source = map_pieces(text.source, source), of_target = map_pieces(text.target, target);
  std::map<std::string, Tensor> values;
  model::for_each<model::Parameter>(
      *m.net, [&](const std::string& name, const model::Parameter& p) { values[name] = p.value; });
  model::for_each<model::Buffer>(*m.net,
                                 [&](const std::string& name, const model::Buffer& b) { values[name] = b.value; });
  model::for_each<model::Parameter>(net, [&](const std::string& name, model::Parameter& p) {
    const Tensor from = values.at(name);
    if (name == "embeddings.0.table")
      carry_rows(from, p.value, of_source);
    else if (name == "embeddings.1.table")
      carry_rows(from, p.value, of_target);
    else if (name.starts_with("generator."))
      carry_columns(from, p.value, of_target);
    else
      copy(from, p.value);
  });
  model::for_each<model::Buffer>(net,
                                 [&](const std::string& name, model::Buffer& b) { copy(values.at(name), b.value); });
  if (net.config.tied == "all") return report(initial.path, of_source, "");
  return report(initial.path, of_source, " of the source") + "; " + report(initial.path, of_target, " of the target");
}

}  // namespace hexapla::train
