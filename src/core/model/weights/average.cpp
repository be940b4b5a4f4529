#include "model/weights/average.h"

#include "base/error.h"
#include "base/json.h"
#include "base/options/option_json.h"

namespace hexapla::model {
namespace {

// All fields, including those that a file omits.
nlohmann::json config_json(const Config& c) {
  auto j = parse_json(c.to_json(), "a configuration");
  for (const OptionRow& row : rows_of(c)) j[row.name] = json_of(row);
  return j;
}

void check_same_kind(const LoadedModel& first, const std::string& first_path, const LoadedModel& m,
                     const std::string& path) {
  const auto ours = config_json(m.config), theirs = config_json(first.config);
  for (const auto& [key, value] : ours.items()) {
    if (value == theirs.at(key) || Config::of_training_alone(key)) continue;
    throw DataError(cat(path, ": its ", key, " is ", json_text(value), ", but that of ", first_path, " is ",
                        json_text(theirs.at(key)), "; only models of one configuration can be averaged"));
  }
  if (m.source_vocabulary != first.source_vocabulary || m.target_vocabulary != first.target_vocabulary)
    throw DataError(
        cat(path, ": its vocabulary is not that of ", first_path, "; the same row would stand for different words"));
}

void keep_common(std::map<std::string, std::string>& history, const std::map<std::string, std::string>& other) {
  std::erase_if(history, [&](const auto& entry) {
    const auto found = other.find(entry.first);
    return found == other.end() || found->second != entry.second;
  });
}

}  // namespace

void TensorMean::add(Tensor t) {
  const auto values = t.values<float>();
  if (count_++ == 0) sum_.resize(values.size());
  HEXAPLA_CHECK(values.size() == sum_.size(), "mean of tensors of ", sum_.size(), " and ", values.size(), " numbers");
  for (size_t i = 0; i < sum_.size(); ++i) sum_[i] += static_cast<double>(values[i]);
}

void TensorMean::write(Tensor mean) const {
  float* values = mean.data<float>();
  for (size_t i = 0; i < sum_.size(); ++i) values[i] = static_cast<float>(sum_[i] / static_cast<double>(count_));
}

LoadedModel average_models(const std::vector<std::string>& paths,
                           const std::function<LoadedModel(const std::string&)>& load) {
  HEXAPLA_CHECK(!paths.empty(), "the mean of no models");
  LoadedModel first = load(paths[0]);
  TensorMean values, buffers;
  const auto add = [&](const LoadedModel& m) {
    values.add(m.parameters->values());
    if (m.parameters->buffers()) buffers.add(m.parameters->buffers());
  };
  add(first);
  for (size_t i = 1; i < paths.size(); ++i) {
    const LoadedModel m = load(paths[i]);
    check_same_kind(first, paths[0], m, paths[i]);
    add(m);
    keep_common(first.history, m.history);
    first.usage = common(first.usage, m.usage);
  }
  values.write(first.parameters->values());
  if (first.parameters->buffers()) buffers.write(first.parameters->buffers());
  std::string all;
  for (const std::string& p : paths) all += (all.empty() ? "" : " ") + p;
  first.history["average_of"] = all;
  return first;
}

}  // namespace hexapla::model
