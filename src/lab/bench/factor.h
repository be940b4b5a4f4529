#pragma once
// Trainings that differ in one factor.
#include <functional>
#include <string>
#include <vector>

#include "lab/bench/training.h"

namespace hexapla::lab {

struct Level {
  std::string name;                     // "0.1"
  std::function<void(Training&)> make;  // modifies a small training
};

// Trains every level with every seed on dates, and adds table, figures, findings and method to the
// report. Findings compare each level with the first. InternalError: fewer than two levels.
void compare_levels(const std::string& what, const std::vector<Level>& levels, const Settings& settings,
                    Watcher& watcher, Report& report);

}  // namespace hexapla::lab
