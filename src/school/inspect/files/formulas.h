#pragma once
// A formula for each tensor of an inspection in terms of the others, enough to recompute them all.
#include <string>
#include <string_view>
#include <vector>

#include "model/config.h"

namespace hexapla::inspect {

struct Formula {
  std::string tensor;   // a name; * matches any text
  std::string formula;  // for this model's variants
};

// The first one whose pattern matches a name describes it.
std::vector<Formula> formulas(const model::Config& config);
bool named_like(std::string_view name, std::string_view pattern);
// The first matching formula; "": none.
std::string formula_of(std::string_view name, const std::vector<Formula>& all);
// {tensor: formula} in that order, as JSON.
std::string formulas_as_json(const model::Config& config);

}  // namespace hexapla::inspect
