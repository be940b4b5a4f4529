#include "lib/files/compare.h"

#include <algorithm>

#include "base/error.h"
#include "data/files/lines.h"
#include "decode/options/named/search_defaults.h"
#include "evaluate/metrics/make_metric.h"
#include "evaluate/tokenization/choose_tokenizer.h"
#include "lib/files/any_model.h"

namespace hexapla::api {
namespace {

evaluate::Sentences read_text(const std::string& path) {
  evaluate::Sentences all = data::read_lines(path);
  if (all.empty()) throw DataError(cat(path, " is empty; give one sentence per line"));
  return all;
}

// The model's own search defaults, overridden by given options.
decode::TranslateOptions search_of(const CompareOptions& asked, const decode::OpenModel& m) {
  decode::DecodingOptions options = asked.search;
  const std::vector<std::string_view>& both = CompareOptions::searched();
  decode::take_search_defaults(
      m.file.usage,
      [&](const std::string& name) {
        return std::find(both.begin(), both.end(), name) != both.end() && asked.given(name);
      },
      options);
  if (asked.beam_size > 0) options.beam_size = asked.beam_size;
  options.protect = "none";  // both models see the whole text
  return options.translate_options();
}

void add_scores(inspect::Comparison& c, const std::vector<evaluate::Sentences>& references) {
  evaluate::Sentences lines;
  for (const evaluate::Sentences& one : references) lines.insert(lines.end(), one.begin(), one.end());
  const auto bleu = evaluate::make_metric("bleu", {.tokenize = evaluate::tokenizer_for(lines).name});
  for (const evaluate::Sentences& translated : c.translated)
    c.scores.push_back(evaluate::corpus_score(*bleu, translated, references));
  c.signature = evaluate::signature(*bleu, references.size());
}

}  // namespace

const std::vector<std::string_view>& CompareOptions::searched() {
  static const std::vector<std::string_view> names{"length-penalty", "length-normalization", "stop-when"};
  return names;
}

inspect::Comparison compare(const CompareOptions& o, const inspect::ModelNote& note) {
  if (o.text.empty() && !o.references.empty())
    throw UsageError("`references` are translations of `text`; give it, too", "references", o.references.front());
  const evaluate::Sentences sources = o.text.empty() ? evaluate::Sentences{} : read_text(o.text);
  std::vector<evaluate::Sentences> all;
  for (const std::string& path : o.references) all.push_back(read_text(path));
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].size() != sources.size())
      throw DataError(cat(o.text, " has ", sources.size(), " lines, but ", o.references[i], " has ", all[i].size(),
                          "; line i of one must belong to line i of the other"));
  const decode::OpenModel first = open_any_model(o.first), second = open_any_model(o.second);
  inspect::Comparison c =
      inspect::compare({o.first, first, search_of(o, first)}, {o.second, second, search_of(o, second)},
                       o.text.empty() ? inspect::lines_of_pieces(first.source, o.lines, o.seed) : sources, note);
  if (!all.empty()) add_scores(c, all);
  return c;
}

}  // namespace hexapla::api
