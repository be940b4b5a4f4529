#pragma once
// What each tensor of an inspection is, as a formula of the others: enough to compute every one of them again.
#include <string>
#include <vector>

#include "model/config.h"

namespace hexapla::inspect {

struct Formula {
  std::string tensor;   // a name; * stands for any text
  std::string formula;  // of this model: of two siblings the one that it has
};

// The first that fits a name describes it.
std::vector<Formula> formulas(const model::Config& config);
// {tensor: formula} in that order, as JSON.
std::string formulas_as_json(const model::Config& config);

}  // namespace hexapla::inspect
