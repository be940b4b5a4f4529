#include "inspect/text_pair.h"

#include <limits>
#include <map>

#include "base/error.h"
#include "decode/lines/opened_line.h"
#include "decode/search/search.h"
#include "text/utf8.h"

namespace hexapla::inspect {

void check_length(const text::Ids& ids, const char* side, size_t longest) {
  if (ids.size() > longest)
    throw UsageError(cat("the ", side, " has ", ids.size(), " tokens; give at most ", longest,
                         ", since every weight of every head is kept"));
}

namespace {

// Rejects a long line; never truncates.
text::Ids read(const text::Vocabulary& vocabulary, const std::string& line, const decode::LineWarning& warn,
               decode::LineSide side) {
  constexpr int64_t any = std::numeric_limits<int64_t>::max();
  return decode::LineEncoder(vocabulary, any, any, warn, side).encode(line, 0);
}

}  // namespace

text::Ids read_source(const ModelText& m, const std::string& source, const decode::LineWarning& warn, size_t longest,
                      const char* name) {
  const std::string line = source.substr(decode::opened_line(m.source, m.target, source, 0, warn).bytes);
  text::Ids ids = read(m.source, line, warn, decode::LineSide::source);
  if (ids.empty()) throw UsageError(cat(name, " is empty; give a sentence"), "source", source);
  m.source.end_source(ids);
  check_length(ids, "source", longest);
  return ids;
}

text::Ids read_target(const ModelText& m, const std::string& target, std::optional<int32_t> opening,
                      const decode::LineWarning& warn, size_t longest) {
  text::Ids ids = read(m.target, target, warn, decode::LineSide::translation);
  if (opening && ids.empty()) ids.push_back(*opening);
  if (opening) ids.front() = *opening;
  check_length(ids, "target", longest);
  return ids;
}

text::Ids read_tokens(const text::Vocabulary& v, const std::vector<std::string>& tokens, size_t longest,
                      const char* side) {
  std::map<std::string, int32_t> ids;
  for (int32_t id = v.size() - 1; id >= 0; --id) ids[v.piece(id)] = id;
  text::Ids read;
  for (const std::string& token : tokens) {
    const auto found = ids.find(token);
    if (found == ids.end())
      throw UsageError(cat("the ", side, " vocabulary has no token \"", text::printable(token), "\"; give tokens as ",
                           side == std::string_view("source") ? "an inspection" : "a translation", " has them"),
                       "tokens", token);
    read.push_back(found->second);
  }
  check_length(read, side, longest);
  return read;
}

decode::Hypothesis best_hypothesis(const ModelText& m, const text::Ids& source, std::optional<int32_t> opening,
                                   const decode::SearchOptions& how) {
  const std::vector<text::Ids> sources{source};
  const std::vector<size_t> order{0};
  const decode::SentenceConstraints request{.opening = opening};
  const decode::PieceTexts pieces(m.target);
  decode::Queue queue{.sources = sources,
                      .order = order,
                      .sentences = 1,
                      .tokens = std::ssize(source),
                      .requests = {&request, 1},
                      .pieces = &pieces};
  const DType dtype = m.model.target_embedding().table.value.dtype;
  Arena arena = make_arena(m.backend, decode::search_memory(m.model, queue, how, dtype));
  Context cx{m.backend, arena, dtype};
  decode::Hypothesis best;
  decode::search(cx, m.model, queue, how, decode::special_ids(m.target),
                 [&](size_t, const std::vector<decode::Hypothesis>& found) {
                   if (!found.empty()) best = found.front();
                 });
  return best;
}

text::Ids best_translation(const ModelText& m, const text::Ids& source, std::optional<int32_t> opening,
                           const decode::SearchOptions& how) {
  return best_hypothesis(m, source, opening, how).ids;
}

Pair read_pair(const ModelText& m, const std::string& source, const std::optional<std::string>& target,
               const decode::SearchOptions& how, const decode::LineWarning& warn, size_t longest) {
  Pair pair{read_source(m, source, warn, longest), {}};
  const std::optional<int32_t> opening = decode::opened_line(m.target, source).opening;
  pair.target =
      target ? read_target(m, *target, opening, warn, longest) : best_translation(m, pair.source, opening, how);
  check_length(pair.target, "target", longest);
  return pair;
}

std::vector<std::string> pieces(const text::Vocabulary& v, const text::Ids& ids) {
  std::vector<std::string> all;
  for (const int32_t id : ids) all.push_back(v.piece(id));
  return all;
}

}  // namespace hexapla::inspect
