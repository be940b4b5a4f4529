#include "train/plan/freeze.h"

#include <fmt/format.h>

#include <sstream>

#include "base/classic.h"
#include "base/error.h"

namespace hexapla::train {
namespace {

using Steps = std::vector<std::string>;

Steps split(const std::string& text, char separator) {
  Steps steps;
  Classic<std::istringstream> in(text);
  for (std::string step; std::getline(in, step, separator);) steps.push_back(step);
  return steps;
}

// Number of leading steps of the part that match the name.
size_t agreement(const Steps& part, const Steps& name) {
  size_t n = 0;
  while (n < part.size() && n < name.size() && (part[n] == "*" || part[n] == name[n])) ++n;
  return n;
}

[[noreturn]] void fail_unknown(const std::string& text, const Steps& part, const std::vector<Steps>& names) {
  size_t known = 0;
  for (const Steps& name : names) known = std::max(known, agreement(part, name));
  std::set<std::string> choices;
  for (const Steps& name : names)
    if (agreement(part, name) == known && known < name.size())
      choices.insert(fmt::format("{}", fmt::join(name.begin(), name.begin() + known + 1, ".")));
  throw UsageError(
      fmt::format("`freeze` names '{}', but the model has no such part{}", text,
                  choices.empty() ? fmt::format("; {} has no parts", fmt::join(part.begin(), part.begin() + known, "."))
                                  : fmt::format("; there are: {}", fmt::join(choices, ", "))));
}

std::string owner_of(const std::string& name) { return name.substr(0, name.rfind('.')); }

}  // namespace

std::set<std::string> frozen_parameters(model::Transformer& model, const std::string& parts) {
  std::vector<Steps> names;
  model::for_each<model::Parameter>(
      model, [&](const std::string& name, model::Parameter&) { names.push_back(split(name, '.')); });
  std::set<std::string> frozen;
  for (const std::string& text : split(parts, ',')) {
    const Steps part = split(text, '.');
    bool found = false;
    for (const Steps& name : names) {
      if (part.empty() || agreement(part, name) < part.size()) continue;
      frozen.insert(fmt::format("{}", fmt::join(name, ".")));
      found = true;
    }
    if (!found) fail_unknown(text, part, names);
  }
  if (frozen.size() == names.size())
    throw UsageError(cat("`freeze` ", parts, " is the whole model: nothing is left to train"));
  return frozen;
}

void freeze_statistics(model::Transformer& model, const std::set<std::string>& frozen) {
  std::set<std::string> trained;
  model::for_each<model::Parameter>(model, [&](const std::string& name, const model::Parameter&) {
    if (!frozen.contains(name)) trained.insert(owner_of(name));
  });
  model::for_each<model::Buffer>(
      model, [&](const std::string& name, model::Buffer& b) { b.frozen = !trained.contains(owner_of(name)); });
}

}  // namespace hexapla::train
