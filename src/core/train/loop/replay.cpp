#include "train/loop/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "backend/on_host.h"
#include "base/error.h"
#include "base/files/file.h"
#include "base/json.h"
#include "train/plan/freeze.h"
#include "train/plan/options/removed_options.h"

namespace hexapla::data {

// Keys as in steps saved by earlier versions.
void to_json(nlohmann::json& j, const Batch& b) {
  j = {{"source", b.source},         {"source_starts", b.source_offsets}, {"target_in", b.target_in},
       {"target_out", b.target_out}, {"target_starts", b.target_offsets}, {"lines", b.lines},
       {"corpora", b.corpora},       {"link_starts", b.link_offsets},     {"linked", b.linked}};
}

void from_json(const nlohmann::json& j, Batch& b) {
  j.at("source").get_to(b.source);
  j.at("source_starts").get_to(b.source_offsets);
  j.at("target_in").get_to(b.target_in);
  j.at("target_out").get_to(b.target_out);
  j.at("target_starts").get_to(b.target_offsets);
  j.at("lines").get_to(b.lines);
  j.at("corpora").get_to(b.corpora);
  j.at("link_starts").get_to(b.link_offsets);
  j.at("linked").get_to(b.linked);
}

}  // namespace hexapla::data

namespace hexapla::train {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Guidance, layer, head, weight)

// Keys as in steps saved by earlier versions.
void to_json(nlohmann::json& j, const Step& s) {
  j = {{"update", s.update},       {"dropout_step", s.dropout_step},
       {"seed", s.seed},           {"label_smoothing", s.objective.label_smoothing},
       {"precision", s.precision}, {"reason", s.reason},
       {"batches", s.batches},     {"guidance", s.objective.guidance}};
}

void from_json(const nlohmann::json& j, Step& s) {
  j.at("update").get_to(s.update);
  j.at("dropout_step").get_to(s.dropout_step);
  j.at("seed").get_to(s.seed);
  j.at("label_smoothing").get_to(s.objective.label_smoothing);
  j.at("precision").get_to(s.precision);
  j.at("reason").get_to(s.reason);
  j.at("batches").get_to(s.batches);
  j.at("guidance").get_to(s.objective.guidance);
  if (j.contains("r_drop")) was_removed({"r_drop", {json_text(j["r_drop"])}});
}

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Line number, source and target of every pair as text; with several sets, 2:7 is line 7 of the
// second.
std::string lines_text(const Step& step, const text::Vocabulary& source, const text::Vocabulary& target) {
  std::string text;
  auto side = [](const text::Vocabulary& vocabulary, const std::vector<int32_t>& ids,
                 const std::vector<int32_t>& offsets, size_t pair) {
    text::Ids own(ids.begin() + offsets[pair], ids.begin() + offsets[pair + 1]);
    if (!own.empty() && own.back() == vocabulary.eos()) own.pop_back();
    return vocabulary.decode(own);
  };
  const bool sets = std::any_of(step.batches.begin(), step.batches.end(), [](const data::Batch& b) {
    return std::any_of(b.corpora.begin(), b.corpora.end(), [](int32_t c) { return c > 0; });
  });
  for (const data::Batch& b : step.batches)
    for (size_t i = 0; i < b.lines.size(); ++i)
      text += fmt::format("{}{}\t{}\t{}\n", sets ? cat(b.corpora[i] + 1, ":") : "", b.lines[i],
                          side(source, b.source, b.source_offsets, i), side(target, b.target_out, b.target_offsets, i));
  return text;
}

const std::string& state_value(const LoadedCheckpoint& c, const std::string& key) {
  const auto found = c.state.find(key);
  if (found == c.state.end())
    throw DataError(cat(c.path, ": there is no '", key, "' in its state; it was not written by a failed step"));
  return found->second;
}

// The run's `freeze` option.
std::string freeze_of(const LoadedCheckpoint& c) {
  const auto found = c.state.find("identity");
  const json identity = found == c.state.end() ? json() : json_or_null(found->second);
  const json freeze = identity.is_object() ? identity.value("freeze", json()) : json();
  return freeze.is_string() ? freeze.get<std::string>() : "";
}

std::string faults(const Extremes& e) {
  std::string text;
  if (e.nan) text += fmt::format("{} NaN", e.nan);
  if (e.infinite) text += fmt::format("{}{} infinite", text.empty() ? "" : " and ", e.infinite);
  return text;
}

}  // namespace

void save_step(const std::string& folder, const Step& step, const model::Config& config, CheckpointContent content,
               const text::Vocabulary& source, const text::Vocabulary& target) {
  std::error_code error;
  fs::remove_all(folder, error);
  content.state["config"] = config.to_json();
  content.state["step"] = json_text(json(step));
  save_checkpoint(folder, step.update, content);
  write_file_atomically(folder + "/lines.txt", lines_text(step, source, target));
}

SavedStep load_step(const std::string& path) {
  const std::string folder = fs::is_directory(path + "/failure") ? path + "/failure" : path;
  const auto updates = list_checkpoints(folder);
  if (updates.empty())
    throw DataError(cat(path, " holds no failed step; give the `model` folder of a run that stopped because of its ",
                        "loss, or the folder failure in it"));
  const LoadedCheckpoint saved = load_checkpoint(folder, updates.back());
  SavedStep s;
  try {
    s.step = parse_json(state_value(saved, "step"), saved.path).get<Step>();
  } catch (const json::exception& e) {
    throw DataError(cat(saved.path, ": the step cannot be read: ", e.what()));
  } catch (const UsageError& e) {
    throw DataError(cat(saved.path, ": the step cannot be computed again: ", e.what()));
  }
  s.model = std::make_unique<model::Transformer>(model::Config::from_json(state_value(saved, "config"), saved.path));
  s.parameters = std::make_unique<model::Parameters>(*s.model, DType::f32, model::Parameters::Use::training);
  saved.read("values", s.parameters->values());
  if (s.parameters->buffers()) saved.read("buffers", s.parameters->buffers());
  freeze_statistics(*s.model, frozen_parameters(*s.model, freeze_of(saved)));
  return s;
}

StepFindings check_step(Context& outer, model::Transformer& model, const model::Parameters& parameters,
                        const Step& step) {
  StepFindings f;
  model::for_each<model::Parameter>(model, [&](const std::string& name, model::Parameter& p) {
    if (const Extremes e = extremes_of(OnHost(outer.backend, p.value)); e.bad()) f.parameters.push_back({name, e});
  });
  const auto checked = make_value_checker(outer.backend, [&](const OpOutput& o) { f.outputs.push_back(o); });
  Context cx{*checked, outer.arena};
  cx.training = true;
  cx.seed = step.seed;
  cx.step = step.dropout_step;
  fill(outer, parameters.gradients(), 0);
  int64_t tokens = 0;
  for (const data::Batch& b : step.batches) tokens += b.target_tokens();
  model::Transformer::Saved saved;
  for (const data::Batch& b : step.batches) {
    const double scale = 1.0 / double(tokens);
    const model::LossSums sums = loss_and_gradient(cx, model, b, step.objective, scale, saved);
    cx.arena.clear();
    ++cx.step;
    f.loss.loss += sums.loss;
    f.loss.nll += sums.nll;
    f.loss.tokens += sums.tokens;
  }
  f.gradient_norm = std::sqrt(sum_of_squares(outer, parameters.gradients()));
  while (f.first_bad < f.outputs.size() && !f.outputs[f.first_bad].found.bad()) ++f.first_bad;
  return f;
}

std::string StepFindings::text() const {
  std::string text;
  if (bad()) {
    const OpOutput& o = outputs[first_bad];
    text = fmt::format("the first bad value is in {} of {}, in {}: {} of {} values; the op read {}values up to {:.3g}",
                       o.output, o.op, o.scope.empty() ? "the loss" : o.scope, faults(o.found), o.found.values,
                       o.inputs.bad() ? faults(o.inputs) + " and " : "", o.inputs.largest);
  } else {
    text = fmt::format(
        "all values of its {} op outputs are finite; the loss is {:.6g} per token, the gradient norm {:.6g}",
        outputs.size(), loss.loss / double(std::max<int64_t>(loss.tokens, 1)), gradient_norm);
  }
  constexpr size_t named = 3;
  for (size_t i = 0; i < std::min(named, parameters.size()); ++i)
    text += fmt::format("{} {} held {} of {} values", i ? "," : ";", parameters[i].name, faults(parameters[i].found),
                        parameters[i].found.values);
  if (parameters.size() > named)
    text += fmt::format(" and {} more parameters had bad values, too,", parameters.size() - named);
  if (!parameters.empty()) text += " before the step";
  return text;
}

namespace {
const double kLargestSquared = std::sqrt(double(std::numeric_limits<float>::max()));
}

std::string trouble(const model::LossSums& loss, double norm, double clip, double mean, double most) {
  auto became = [](const char* what, double value) {  // the sign of a NaN is meaningless
    return fmt::format("the {} became {}", what, std::isnan(value) ? std::abs(value) : value);
  };
  if (!std::isfinite(loss.loss)) return became("loss", loss.loss);
  if (!std::isfinite(norm)) return became("gradient", norm);
  // Adam's second moment would become infinite: the weight could never move again.
  if (const double applied = clip > 0 ? std::min(norm, clip) : norm; applied > kLargestSquared)
    return fmt::format("the gradient norm became {:.3g}, whose square overflows f32", applied);
  const double a_token = loss.loss / double(std::max<int64_t>(loss.tokens, 1));
  if (most <= 0 || mean <= 0 || a_token <= most * mean) return "";
  return fmt::format("the loss jumped to {:.4f} per token, {:.1f} times its running mean of {:.4f}", a_token,
                     a_token / mean, mean);
}

std::string lines_of(const Step& step) {
  constexpr size_t shown = 8;
  std::vector<int64_t> lines;
  for (const data::Batch& b : step.batches) lines.insert(lines.end(), b.lines.begin(), b.lines.end());
  const size_t more = lines.size() > shown ? lines.size() - shown : 0;
  lines.resize(lines.size() - more);
  const std::string text = fmt::format("{} {}", lines.size() == 1 ? "line" : "lines", fmt::join(lines, ", "));
  return more ? fmt::format("{} and {} more", text, more) : text;
}

}  // namespace hexapla::train
