#include "lib/corpus/data.h"

#include "base/error.h"
#include "base/files/shell_word.h"
#include "inspect/report/data_report.h"

namespace hexapla::api {
namespace {

// One file is a TSV, two are source and target.
data::ParallelSource named(const std::vector<std::string>& files) {
  data::ParallelSource from;
  (files.size() == 1 ? from.tsv : from.source) = files.at(0);
  if (files.size() > 1) from.target = files[1];
  return from;
}

data::ExamineOptions resolved(const DataOptions& o) {
  if (o.files.size() == 1)
    throw UsageError(
        cat("one file alone: give SOURCE and TARGET, or `tsv` ", shell_word(o.files[0]), " if it has both"));
  data::ExamineOptions how = o.how;
  if (!o.files.empty()) how.text = named(o.files);
  how.text.tsv = o.tsv;
  if (!o.tests.empty()) how.tests = named(o.tests);
  for (const std::string& id : o.keep) how.keep.push_back(data::fault_named(id, "`keep`"));
  for (const std::string& id : o.drop) how.drop.push_back(data::fault_named(id, "`drop`"));
  return how;
}

}  // namespace

std::string ExaminedData::text(int columns) const { return inspect::data_report(found, how, columns); }
std::string ExaminedData::json() const { return inspect::data_json(found, how); }

ExaminedData examine_data(const DataOptions& options, const data::Watch& watch) {
  const data::ExamineOptions how = resolved(options);
  return {data::examine(how, watch), how};
}

}  // namespace hexapla::api
