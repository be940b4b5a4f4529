#include "lab/report.h"

#include <fmt/format.h>

#include "base/compute/parallel.h"
#include "base/error.h"
#include "base/files/file.h"
#include "base/system/machine.h"
#include "lab/spread.h"
#include "text/quantities.h"

namespace hexapla::lab {
namespace {

std::string row(const std::vector<std::string>& cells) { return fmt::format("| {} |\n", fmt::join(cells, " | ")); }

std::string as_markdown(const Table& t) {
  std::string text = "**" + t.title + "**\n\n" + row(t.columns);
  for (size_t i = 0; i < t.columns.size(); ++i) text += i ? "-:|" : "|:-|";
  text += "\n";
  for (const auto& cells : t.rows) {
    HEXAPLA_CHECK(cells.size() == t.columns.size(), "a row of ", cells.size(), " cells in a table of ",
                  t.columns.size(), " columns: ", t.title);
    text += row(cells);
  }
  return text + "\n";
}

std::string picture_name(const Making& m, size_t i) { return fmt::format("{}-{}.svg", m.name, i + 1); }

std::string machine() { return fmt::format("{}, {}", processor_name(), text::counted(threads(), "thread")); }

std::string made_by() {
  const Build& b = build();
  return fmt::format("hexapla {}{}", b.version, b.commit.empty() ? "" : " (" + b.commit + ")");
}

nlohmann::ordered_json as_json(const Making& m, const Report& r) {
  return {{"name", m.name},       {"question", m.question}, {"command", m.command},
          {"seeds", m.seeds},     {"seconds", m.seconds},   {"machine", machine()},
          {"program", made_by()}, {"findings", r.findings}, {"figures", r.figures}};
}

}  // namespace

std::string as_markdown(const Making& m, const Report& r) {
  std::string text = fmt::format("# {}: {}\n\n", m.name, m.question);
  if (!m.sources.empty()) text += m.sources + "\n\n";
  text += "## Findings\n\n";
  for (const std::string& finding : r.findings) text += "- " + finding + "\n";
  text += "\n## Figures\n\n";
  for (size_t i = 0; i < r.charts.size(); ++i)
    text += fmt::format("![{}]({})\n\n", r.charts[i].title, picture_name(m, i));
  for (const Table& t : r.tables) text += as_markdown(t);
  text += "## Method\n\n";
  for (const std::string& paragraph : r.method) text += paragraph + "\n\n";
  return text + fmt::format(
                    "{} Where there are several seeds, a cell is their mean, with the lowest and the highest in "
                    "parentheses; bars in pictures reach from the one to the other.\n\n"
                    "Made by `{}` in {}: {}, {}, {}.\n",
                    rule_of_comparison(m.seeds), m.command, text::duration(m.seconds), machine(),
                    text::counted(m.seeds, "seed"), made_by());
}

std::vector<std::string> write_report(const std::string& folder, const Making& m, const Report& r) {
  std::vector<std::string> written;
  const auto write = [&](const std::string& name, const std::string& text) {
    written.push_back(folder + "/" + name);
    write_file_atomically(written.back(), text);
  };
  write(m.name + ".md", as_markdown(m, r));
  for (size_t i = 0; i < r.charts.size(); ++i) write(picture_name(m, i), inspect::draw_chart_document(r.charts[i]));
  write(m.name + ".json", json_text(as_json(m, r), 1) + "\n");
  return written;
}

}  // namespace hexapla::lab
