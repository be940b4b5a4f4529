#pragma once
// What an experiment leaves behind: a page of text, pictures, and the figures for programs.
#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "report/chart.h"

namespace hexapla::lab {

struct Table {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // as many cells as columns
};

struct Report {
  std::vector<std::string> findings;  // sentences that the figures allow, and no more
  std::vector<std::string> method;    // paragraphs: what was measured, and how
  std::vector<Table> tables;
  std::vector<report::Chart> charts;
  nlohmann::ordered_json figures;  // every number of it, for each seed
};

// What a report says about its making.
struct Making {
  std::string name, question, sources;  // of the experiment
  std::string command;                  // that makes it again
  int64_t seeds = 0;
  double seconds = 0;
};

// Writes FOLDER/NAME.md, NAME-1.svg .. and NAME.json, with this machine's name, and returns their paths, the page
// first. RunError where one cannot be written.
std::vector<std::string> write_report(const std::string& folder, const Making& making, const Report& report);
// The page alone.
std::string as_markdown(const Making& making, const Report& report);

}  // namespace hexapla::lab
