#include "inspect/drawing/page.h"

#include <fmt/format.h>

#include "base/error.h"
#include "inspect/drawing/chart.h"
#include "inspect/drawing/svg.h"

namespace hexapla::inspect {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --ground: #ffffff; --card: #f6f8fa; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171b; --card: #1c2127; } }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2rem 0 .6rem; }
.lead { color: var(--faint); margin: .2rem 0 0; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 1rem; }
.charts svg, .card { background: var(--card); border-radius: 8px; width: 100%; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .25rem .8rem .25rem 0;
  vertical-align: top; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { font-weight: 600; white-space: nowrap; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
.best td { font-weight: 600; } .sample { margin: 0 0 .8rem; } .sample th { width: 7rem; color: var(--faint); }
.scroll { overflow-x: auto; } .scroll svg { max-width: 100%; height: auto; } summary { cursor: pointer; color: var(--faint); }
)";

}  // namespace

std::string html_page(const std::string& title, const std::string& heading, const std::string& lead,
                      const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{}</title>\n"
      "<style>{}</style>\n</head>\n<body>\n<h1>{}</h1>\n<p class=\"lead\">{}</p>\n{}</body>\n</html>\n",
      xml_escaped(title), cat(kStyle, kChartStyle), xml_escaped(heading), xml_escaped(lead), body);
}

}  // namespace hexapla::inspect
