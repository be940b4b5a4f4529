#include "lib/program/lab.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "base/compute/timing.h"
#include "base/error.h"
#include "base/files/disk.h"
#include "base/files/shell_word.h"

namespace hexapla::api {
namespace {

using Clock = std::chrono::steady_clock;

std::string make_folder(const LabOptions& o, const lab::Experiment& e) {
  const std::string runs = cat(o.output, "/runs/", e.name);
  std::error_code error;
  std::filesystem::create_directories(runs, error);
  if (error)
    throw RunError(cat("cannot create the folder ", runs, " (`output`): ", system_text(error.value()),
                       "; choose a folder that you may write to"));
  return runs;
}

lab::Settings settings(const LabOptions& o, const std::string& runs) {
  return {.folder = runs,
          .seeds = o.seeds,
          .updates = o.updates,
          .train_sets = o.train_sets,
          .valid_sets = o.valid_sets,
          .preset = o.preset,
          .minutes = o.minutes};
}

// The command that reproduces the report, without its output folder.
std::string command(const LabOptions& o) {
  std::string text = "hexapla lab " + o.name;
  if (o.seeds > 0) text += fmt::format(" --seeds {}", o.seeds);
  if (o.updates > 0) text += fmt::format(" --updates {}", o.updates);
  if (o.minutes > 0) text += fmt::format(" --minutes {}", o.minutes);
  if (o.train_sets.empty()) return text;
  text += " --preset " + o.preset;
  for (const auto& [option, files] : {std::pair{" --train-sets", &o.train_sets}, {" --valid-sets", &o.valid_sets}}) {
    text += option;
    for (const std::string& file : *files) text += cat(" ", shell_word(file));
  }
  return text;
}

}  // namespace

LabResult run_lab(const LabOptions& o, lab::Watcher& watcher) {
  const lab::Experiment& e = lab::experiment(o.name);
  const std::string runs = make_folder(o, e);
  const auto began = Clock::now();
  const lab::Report report = lab::run(e, settings(o, runs), watcher);
  const double seconds = seconds_since(began);
  const lab::Making making{e.name, e.question, e.sources, command(o), lab::seeds_of(e, settings(o, "")), seconds};
  return {report.findings, lab::write_report(o.output, making, report).front()};
}

std::string list_experiments() {
  std::string text;
  for (const lab::Experiment& e : lab::experiments())
    text += fmt::format("{:<10} {} ({})\n", e.name, e.question,
                        *e.minutes ? cat("about ", e.minutes, " min") : "not timed");
  return text;
}

}  // namespace hexapla::api
