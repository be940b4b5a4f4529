#pragma once
// The output of an experiment: a page of text, pictures, and figures for programs.
#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "inspect/drawing/chart.h"

namespace hexapla::lab {

struct Table {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // as many cells as columns
};

struct Report {
  std::vector<std::string> findings;  // sentences supported by the figures
  std::vector<std::string> method;    // paragraphs: what was measured, and how
  std::vector<Table> tables;
  std::vector<inspect::Chart> charts;
  nlohmann::ordered_json figures;  // all numbers, per seed
};

// How a report was made.
struct Making {
  std::string name, question, sources;  // of the experiment
  std::string command;                  // reproduces the report
  int64_t seeds = 0;
  double seconds = 0;
};

// Writes FOLDER/NAME.md, NAME-1.svg, ... and NAME.json, including the machine's name. -> their
// paths, the page first. RunError: cannot be written.
std::vector<std::string> write_report(const std::string& folder, const Making& making, const Report& report);
// Only the page.
std::string as_markdown(const Making& making, const Report& report);

}  // namespace hexapla::lab
