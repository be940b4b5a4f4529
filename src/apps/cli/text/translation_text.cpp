#include "cli/text/translation_text.h"

#include <fmt/format.h>

#include "base/json.h"

namespace hexapla::cli {

std::string TranslationFormat::text(int64_t number, const std::vector<Translation>& found) const {
  if (json) return json_line(found);
  std::string lines;
  for (const Translation& t : found) {
    const std::string aligned = alignment.empty() ? "" : " ||| " + t.alignment.text(alignment);
    if (n_best == 1)
      lines.append(t.text).append(aligned).append("\n");
    else
      lines += fmt::format("{} ||| {}{} ||| F0= {:.6f} ||| {:.6f}\n", number, t.text, aligned, t.score, t.normalized);
  }
  return lines;
}

std::string TranslationFormat::json_line(const std::vector<Translation>& found) const {
  const bool lists_words = !alignment.empty() && of_words;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Translation& t : found) {
    list.push_back({{"text", t.text},
                    {"score", t.score},
                    {"normalized", t.normalized},
                    {"ids", t.ids},
                    {"token_scores", t.token_scores}});
    if (t.coverage != 0) list.back()["coverage"] = t.coverage;
    if (!alignment.empty()) list.back()["alignment"] = t.alignment.text(alignment);
    if (lists_words) list.back()["target_words"] = t.alignment.target_words;
  }
  nlohmann::ordered_json line{{"translations", std::move(list)}};
  if (lists_words) line["source_words"] = found.front().alignment.source_words;
  return json_text(line) + "\n";
}

}  // namespace hexapla::cli
