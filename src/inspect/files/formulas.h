#pragma once
// What each tensor of an inspection is, as a formula of the others: enough to compute every one of them again.
#include <string>
#include <string_view>
#include <vector>

#include "model/config.h"

namespace hexapla::inspect {

struct Formula {
  std::string tensor;   // a name; * stands for any text
  std::string formula;  // of this model: of two siblings the one that it has
};

// The first that fits a name describes it.
std::vector<Formula> formulas(const model::Config& config);
// Whether a name is one that the pattern stands for.
bool named_like(std::string_view name, std::string_view pattern);
// The formula of the first that fits; "" where none does.
std::string formula_of(std::string_view name, const std::vector<Formula>& all);
// {tensor: formula} in that order, as JSON.
std::string formulas_as_json(const model::Config& config);

}  // namespace hexapla::inspect
