#include <charconv>
#include <cmath>

#include "base/error.h"
#include "serve/look/changes.h"
#include "serve/look/look.h"
#include "serve/look/request.h"

namespace hexapla::serve {
namespace {

constexpr std::size_t kMostNames = 100;

// The double with the f32's shortest digits: 0.1, not 0.10000000149011612.
double short_number(double value) {
  if (!std::isfinite(value)) return value;  // becomes null in JSON
  char text[32];
  const auto written = std::to_chars(text, text + sizeof text, static_cast<float>(value));
  double result = value;
  std::from_chars(text, written.ptr, result);
  return result;
}

Answer numbers(const std::vector<double>& values) {
  Answer list = Answer::array();
  auto& all = list.get_ref<Answer::array_t&>();
  all.reserve(values.size());
  for (const double v : values) all.emplace_back(short_number(v));
  return list;
}

Answer names_of(const Inspector& inspector, const Inspection& seen) {
  Answer names = Answer::array();
  for (const auto& [name, array] : seen.tensors)
    names.push_back({{"name", name}, {"shape", array.shape}, {"formula", inspector.formula(name)}});
  return names;
}

Answer tensors_of(const Inspection& seen) {
  Answer tensors = Answer::object();
  for (const auto& [name, array] : seen.tensors)
    if (!array.values.empty()) tensors[name] = {{"shape", array.shape}, {"values", numbers(array.values)}};
  return tensors;
}

Answer top_of(const Inspection& seen) {
  Answer top = Answer::array();
  for (const auto& position : seen.top) {
    Answer& tokens = top.emplace_back(Answer::array());
    for (const auto& [id, token, logit, log_probability] : position)
      tokens.push_back({{"id", id},
                        {"token", token},
                        {"logit", short_number(logit)},
                        {"log_probability", short_number(log_probability)}});
  }
  return top;
}

Answer distributions_of(const Inspection& seen) {
  Answer all = Answer::array();
  for (const auto& [size, shares] : seen.sampled) {
    Answer tokens = Answer::array();
    for (const auto& [id, token, probability] : shares)
      tokens.push_back({{"id", id}, {"token", token}, {"probability", short_number(probability)}});
    all.push_back({{"size", size}, {"tokens", std::move(tokens)}});
  }
  return all;
}

// {"temperature": 0.7, "top_p": 0.9}.
std::optional<SamplingShape> sampling_member(const nlohmann::json& request) {
  const auto found = request.find("distribution");
  if (found == request.end() || found->is_null()) return {};
  if (!found->is_object())
    throw UsageError("\"distribution\" must be an object, {\"temperature\": 0.7, \"top_p\": 0.9}", "distribution", "");
  SamplingShape shape;
  for (const auto& [name, value] : found->items()) {
    if (name != "temperature" && name != "top_p")
      throw UsageError(cat("\"distribution\" cannot have \"", name, "\"; it may have temperature and top_p"), name, "");
    if (!value.is_number()) throw UsageError(cat("\"", name, "\" must be a number, not ", json_text(value)), name, "");
    (name == "top_p" ? shape.top_p : shape.temperature) = value.get<double>();
  }
  return shape;
}

Answer shown_translation(const Translation& t) {
  return {{"text", t.text},
          {"tokens", t.tokens},
          {"log_probabilities", numbers({t.token_scores.begin(), t.token_scores.end()})},
          {"score", t.score}};
}

InspectionOptions inspection_options(const nlohmann::json& request) {
  InspectionOptions options;
  options.longest = kLongestSide;
  options.most_values = kMostNumbers;
  options.tensors = list_member(request, "tensors", kMostNames);
  options.top_tokens = static_cast<int>(count_member(request, "top", kMostTop));
  options.sampling = sampling_member(request);
  if (const auto given = request.find("tokens"); given != request.end() && !given->is_null())
    options.target_tokens = list_member(request, "tokens", kLongestSide);
  return options;
}

}  // namespace

namespace {

Answer inspected(const Inspector& inspector, const std::string& source, const std::string& target,
                 const InspectionOptions& options) {
  const Inspection seen = inspector.inspect(source, target, options);
  Answer tensors = tensors_of(seen);
  if (tensors.empty() && !options.tensors.empty())
    throw UsageError("\"tensors\" names no tensor of this model; \"names\" of an answer lists them", "tensors",
                     options.tensors.front());
  Answer answer{{"source_tokens", seen.source_tokens},
                {"target_tokens", seen.target_tokens},
                {"predicted", seen.predicted},
                {"log_probabilities", numbers(seen.log_probabilities)},
                {"score", seen.score},
                {"names", names_of(inspector, seen)}};
  answer["tensors"] = std::move(tensors);
  if (options.top_tokens > 0) answer["top"] = top_of(seen);
  if (options.sampling) answer["distribution"] = distributions_of(seen);
  if (!seen.warnings.empty()) answer["warnings"] = seen.warnings;
  return answer;
}

}  // namespace

Answer inspect(const Inspector& inspector, const nlohmann::json& request) {
  const std::string source = text_member(request, "q"), target = optional_text(request, "t").value_or("");
  InspectionOptions options = inspection_options(request);
  const std::optional<RequestedChanges> changes = changes_member(request);
  if (!changes) return inspected(inspector, source, target, options);
  const Translation unchanged = inspector.translation(source, options);
  options.source_tokens = changes->source_tokens;
  const Inspector changed = inspector.changed(changes->model);
  Answer answer = inspected(changed, source, target, options);
  answer["translation"] = shown_translation(changed.translation(source, options));
  answer["unchanged"] = shown_translation(unchanged);
  return answer;
}

}  // namespace hexapla::serve
