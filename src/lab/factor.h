#pragma once
// Trainings that differ in one thing.
#include <functional>
#include <string>
#include <vector>

#include "lab/bench/training.h"

namespace hexapla::lab {

struct Level {
  std::string name;                     // "0.1"
  std::function<void(Training&)> make;  // of a small training
};

// Trains every level with every seed on dates, and puts table, figures, findings and method into the report. Findings
// compare each level with the first one. InternalError: fewer than two levels.
void compare_levels(const std::string& what, const std::vector<Level>& levels, const Settings& settings,
                    Watcher& watcher, Report& report);

}  // namespace hexapla::lab
