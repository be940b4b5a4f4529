#include <charconv>

#include "base/error.h"
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

InspectionOptions options_of(const nlohmann::json& request) {
  InspectionOptions options;
  options.longest = kLongestSide;
  options.most_values = kMostNumbers;
  options.tensors = list_member(request, "tensors", kMostNames);
  options.top_tokens = static_cast<int>(count_member(request, "top", kMostTop));
  if (const auto given = request.find("tokens"); given != request.end() && !given->is_null())
    options.target_tokens = list_member(request, "tokens", kLongestSide);
  return options;
}

}  // namespace

Answer inspect(const Inspector& inspector, const nlohmann::json& request) {
  const std::string source = text_member(request, "q"), target = optional_text(request, "t").value_or("");
  const InspectionOptions options = options_of(request);
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
  if (!seen.warnings.empty()) answer["warnings"] = seen.warnings;
  return answer;
}

}  // namespace hexapla::serve
