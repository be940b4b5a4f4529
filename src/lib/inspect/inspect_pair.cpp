#include "lib/inspect/inspect_pair.h"

#include <algorithm>
#include <filesystem>
#include <ostream>
#include <sstream>

#include "base/classic.h"
#include "base/error.h"
#include "base/files/file.h"
#include "decode/lines/opened_line.h"
#include "decode/opened/open_model.h"
#include "decode/options/named/search_defaults.h"
#include "inspect/gradients.h"
#include "inspect/padded.h"
#include "inspect/parameters_apart.h"
#include "inspect/text_pair.h"
#include "lib/inspect/inspection_text.h"

namespace hexapla::api {
namespace {

using Say = std::function<void(const std::string& note)>;

enum class Output { none, safetensors, json, svg };

Output find_output(const std::string& path) {
  if (path.empty()) return Output::none;
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".safetensors") return Output::safetensors;
  if (extension == ".json") return Output::json;
  if (extension == ".svg") return Output::svg;
  throw UsageError(cat("`out` ", path, ": the name must end in .safetensors, .json or .svg"));
}

// The kind of output. UsageError: contradictory or missing options.
Output checked_output(const InspectJob& job) {
  if (job.source_text && job.source_ids) throw UsageError("`src` and `src-ids` are two sources; give one of them");
  if (job.target_text && job.target_ids) throw UsageError("`tgt` and `tgt-ids` are two targets; give one of them");
  if (!job.source_text && !job.source_ids) throw UsageError("no source given; give `src` TEXT or `src-ids` IDS");
  const Output output = find_output(job.out);
  if ((job.with_weights || job.with_gradients) && output != Output::safetensors && output != Output::json)
    throw UsageError(cat(job.with_weights ? "`weights`" : "`gradients`",
                         " has nowhere to go; give a file that holds numbers: `out` FILE.safetensors or FILE.json"));
  return output;
}

text::Ids parse_ids(const std::string& text, const text::Vocabulary& v, const char* option) {
  text::Ids ids;
  std::string list = text;
  std::replace(list.begin(), list.end(), ',', ' ');
  Classic<std::istringstream> words(list);
  for (std::string word; words >> word;) {
    const auto id = parse_number<int64_t>(word);
    if (!id || *id < 0 || *id >= v.size())
      throw UsageError(
          cat(option, ": '", word, "' is not an id of the vocabulary; give numbers from 0 to ", v.size() - 1));
    ids.push_back(static_cast<int32_t>(*id));
  }
  return ids;
}

decode::LineWarning say_of(const char* option, const Say& say) {
  return [option, &say](size_t, const std::string& what) { say(cat(option, ": ", what)); };
}

inspect::Pair read_pair(const InspectJob& job, const decode::OpenModel& m, const Say& say) {
  const inspect::ModelText text{*m.backend, *m.file.net, m.source, m.target};
  inspect::Pair pair;
  const std::optional<int32_t> opening = decode::opened_line(m.target, job.source_text.value_or("")).opening;
  if (job.source_text) {
    pair.source = inspect::read_source(text, *job.source_text, say_of("`src`", say), inspect::kLongest, "`src`");
  } else {
    pair.source = parse_ids(*job.source_ids, m.source, "`src-ids`");
    if (pair.source.empty())
      throw UsageError("`src-ids` is empty; give ids, including </s> if the model should see it");
  }
  inspect::check_length(pair.source, "source");
  if (job.target_text)
    pair.target = inspect::read_target(text, *job.target_text, opening, say_of("`tgt`", say));
  else if (job.target_ids)
    pair.target = parse_ids(*job.target_ids, m.target, "`tgt-ids`");
  else
    pair.target = inspect::best_translation(text, pair.source, opening,
                                            decode::recorded_search(m.file.usage).translate_options().search);
  inspect::check_length(pair.target, "target");
  return pair;
}

std::vector<std::string> whole(const text::Vocabulary& v) {
  std::vector<std::string> all;
  for (int32_t id = 0; id < v.size(); ++id) all.push_back(v.piece(id));
  return all;
}

void write_numbers(const InspectJob& job, Output output, const InspectedPair& shown, inspect::Inspection& seen) {
  const decode::OpenModel& m = shown.model;
  if (job.with_weights) inspect::add_parameters(seen.seen, *m.file.net);
  if (job.with_gradients) inspect::add_gradients(seen, *m.backend, *m.file.net, shown.pair);
  const inspect::Side labels{seen.target_out, inspect::pieces(m.target, seen.target_out)};
  const inspect::Legend legend{m.file.config, shown.source, shown.target, labels, whole(m.source), whole(m.target)};
  if (output == Output::safetensors)
    inspect::write_tensors(job.out, seen.seen, legend);
  else
    write_file_atomically(job.out, inspect::tensors_as_json(seen.seen, legend));
}

std::string listed_vocabulary(const InspectJob& job) {
  if (*job.vocabulary != "source" && *job.vocabulary != "target")
    throw UsageError(cat("`vocabulary` ", *job.vocabulary, " is none of source, target"));
  const decode::OpenModel m = decode::open_model(job.model);
  return vocabulary_text(*job.vocabulary == "source" ? m.source : m.target);
}

}  // namespace

void inspect_pair_of_text(const InspectJob& job, std::ostream& out, const Say& say) {
  if (job.vocabulary) {
    out << listed_vocabulary(job) << std::flush;
    return;
  }
  const Output output = checked_output(job);
  decode::OpenModel m = decode::open_model(job.model);
  decode::choose_languages(m, job.source_language, job.target_language);
  const AttentionPlace place = find_attention(job.attention, job.layer, m.file.config);
  check_head(job.head, m.file.config.heads);
  const Drawing drawing{job.head, job.width, job.color};

  const inspect::Pair pair = read_pair(job, m, say);
  text::Ids second;
  if (job.beside)
    second = inspect::read_source({*m.backend, *m.file.net, m.source, m.target}, *job.beside, say_of("`beside`", say),
                                  inspect::kLongest, "`beside`");
  inspect::Inspection seen = inspect::inspect_pair(*m.backend, *m.file.net, pair, m.target.bos(), m.target.eos());
  if (job.beside) inspect::add_padded(seen, *m.backend, *m.file.net, pair.source, second, m.source.pad());
  const InspectedPair shown{m,
                            pair,
                            seen,
                            {pair.source, inspect::pieces(m.source, pair.source)},
                            {seen.target_in, inspect::pieces(m.target, seen.target_in)}};
  out << tokens_text(shown, job.width) << attention_text(shown, place, drawing);
  if (job.beside) out << padded_text(shown, second, job.attention == "encoder" ? job.layer : "last", drawing);
  out << std::flush;
  if (output == Output::svg) write_file_atomically(job.out, attention_svg(shown, place, job.head));
  if (output == Output::safetensors || output == Output::json) write_numbers(job, output, shown, seen);
}

}  // namespace hexapla::api
