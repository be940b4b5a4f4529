#include "lib/tune/record.h"

#include <filesystem>
#include <numeric>

#include "base/error.h"
#include "base/files/file.h"

namespace hexapla::train::tune {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Measurement& m) {
  Json j{{"bits_per_character", m.bits}, {"seconds", m.seconds}, {"updates", m.updates}, {"target_tokens", m.tokens}};
  if (m.quality) j["quality"] = *m.quality;
  return j;
}

Json to_json(const Trial& t) {
  Json changes = Json::object(), rungs = Json::array();
  for (const GivenOption& c : t.candidate.changes) changes[c.name] = c.values.front();
  for (const Measurement& m : t.rungs) rungs.push_back(to_json(m));
  return {
      {"name", t.candidate.name}, {"changes", changes}, {"parameters", t.parameters}, {"out", t.out}, {"rungs", rungs}};
}

Measurement measurement_from(const Json& j) {
  Measurement m{j.at("bits_per_character"), j.at("seconds"), j.at("updates"), j.at("target_tokens"), {}};
  if (j.contains("quality")) m.quality = j.at("quality").get<double>();
  return m;
}

Trial trial_from(const Json& j) {
  Trial t;
  t.candidate.name = j.at("name");
  for (const auto& change : j.at("changes").items())
    t.candidate.changes.push_back({change.key(), {change.value().get<std::string>()}});
  t.parameters = j.at("parameters");
  t.out = j.at("out");
  for (const Json& m : j.at("rungs")) t.rungs.push_back(measurement_from(m));
  return t;
}

}  // namespace

int64_t Record::measured() const {
  return std::accumulate(trials.begin(), trials.end(), int64_t{0},
                         [](int64_t n, const Trial& t) { return n + std::ssize(t.rungs); });
}

std::optional<Record> read_record(const std::string& path) {
  if (!std::filesystem::exists(path)) return {};
  try {
    const Json j =
        parse_json<Json>(read_file(path), cat(path, ": it cannot be read: it"), "delete its folder to begin anew");
    Record r;
    r.settings = j.at("settings");
    r.metric = j.at("metric");
    r.spent = j.at("seconds_spent");
    r.overhead = j.at("seconds_beside_training");
    r.seconds = j.at("seconds_of_rungs").get<std::vector<double>>();
    for (const Json& t : j.at("trials")) r.trials.push_back(trial_from(t));
    return r;
  } catch (const Json::exception& e) {
    throw DataError(cat(path, ": it cannot be read: ", e.what(), "; delete its folder to begin anew"));
  }
}

void write_record(const std::string& path, const Record& r) {
  Json trials = Json::array();
  for (const Trial& t : r.trials) trials.push_back(to_json(t));
  const Json j{{"settings", r.settings},        {"metric", r.metric},
               {"seconds_spent", r.spent},      {"seconds_beside_training", r.overhead},
               {"seconds_of_rungs", r.seconds}, {"trials", trials}};
  write_file_atomically(path, json_text(j, 1) + "\n");
}

}  // namespace hexapla::train::tune
