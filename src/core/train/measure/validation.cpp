#include "train/measure/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "base/error.h"
#include "base/files/disk.h"
#include "base/files/file.h"
#include "base/range.h"
#include "base/system/cancellation.h"
#include "base/system/subprocess.h"
#include "evaluate/metrics/bleu.h"
#include "evaluate/metrics/bootstrap.h"
#include "evaluate/metrics/chrf.h"
#include "text/utf8.h"
#include "text/words.h"
#include "train/measure/deciding.h"
#include "train/shards/communicator.h"

namespace hexapla::train {
namespace {

namespace fs = std::filesystem;

// The loss sums of each batch.
std::vector<model::LossSums> validation_losses(Context& cx, const model::Transformer& model, const TrainingData& data,
                                               const TrainOptions& options,
                                               std::span<const std::vector<int32_t>> batches) {
  std::vector<model::LossSums> all;
  model::Transformer::Saved saved;
  const auto mark = cx.arena.mark();
  for (const auto& indices : batches) {
    check_canceled();
    const data::Batch b = data::make_batch(data.pairs.target, data.valid, indices);
    all.push_back(model.loss(cx, {b.source, b.target_in, b.target_out, b.source_offsets, b.target_offsets},
                             options.label_smoothing, saved));
    cx.arena.rewind(mark);
  }
  return all;
}

std::vector<model::LossSums> gather_losses(cluster::Processes& among, const std::vector<model::LossSums>& own) {
  std::vector<model::LossSums> all;
  for (const std::string& bytes :
       cluster::gather(among, {reinterpret_cast<const char*>(own.data()), own.size() * sizeof(model::LossSums)})) {
    const size_t before = all.size();
    all.resize(before + bytes.size() / sizeof(model::LossSums));
    if (!bytes.empty()) std::memcpy(&all[before], bytes.data(), bytes.size());
  }
  return all;
}

// Sums in batch order, so the bits are always the same.
model::LossSums validation_loss(Context& cx, const model::Transformer& model, const TrainingData& data,
                                const TrainOptions& options, const data::Plan& batches, cluster::Processes& among) {
  const cluster::Share share = cluster::own_share(among, std::ssize(batches));
  const auto own = std::span(batches).subspan(static_cast<size_t>(share.from), static_cast<size_t>(share.size()));
  model::LossSums total;
  for (const model::LossSums& sums : gather_losses(among, validation_losses(cx, model, data, options, own)))
    add_to(total, sums);
  return total;
}

void set_loss(ValidScores& scores, const model::LossSums& sums) {
  scores.loss = sums.loss / double(sums.tokens);
  scores.perplexity = std::exp(sums.nll / double(sums.tokens));
}

std::vector<std::string> translations(const model::Transformer& model, const TrainingData& data,
                                      const decode::TranslateOptions& how, Backend& backend,
                                      cluster::Processes& among) {
  const decode::TextTranslator translator(model, data.pairs.source, data.pairs.target, backend);
  constexpr size_t portion = 2000;  // lines; limits the ids, scores and hypotheses in memory
  const std::span<const std::string> lines(data.valid_source);
  const cluster::Share share = cluster::own_share(among, std::ssize(lines));
  const auto end = static_cast<size_t>(share.to);
  std::vector<std::string> best;
  for (size_t from = static_cast<size_t>(share.from); from < end; from += portion) {
    const auto some = lines.subspan(from, std::min(portion, end - from));
    for (auto& found : translator.translate(decode::Lines{.text = some, .first = from}, how))
      best.push_back(std::move(found.front().text));
  }
  if (!among.several()) return best;
  std::vector<std::string> all;
  for (const std::string& texts : cluster::gather(among, cluster::pack(best)))
    for (std::string& text : cluster::unpack(texts)) all.push_back(std::move(text));
  return all;
}

struct ScriptScore {
  std::optional<double> score;
  std::string problem;  // why there is no score
};

std::string write_lines(const std::string& path, std::span<const std::string> lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  write_file_atomically(path, text);
  return path;
}

bool blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The last line, trimmed; the text may end with blank lines.
std::string last_line(std::string text) {
  while (!text.empty() && blank(text.back())) text.pop_back();
  text.erase(0, text.rfind('\n') + 1);
  size_t begin = 0;
  while (begin < text.size() && blank(text[begin])) ++begin;
  return text.substr(begin);
}

std::optional<double> finite_number(const std::string& text) {
  double value = 0;
  const char *begin = text.data() + text.starts_with('+'), *end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || rest != end || !std::isfinite(value)) return {};
  return value;
}

// Shortened, with control characters replaced for the terminal.
std::string shown_text(const std::string& text) {
  std::string out;
  for (const char c : text::clean_utf8(text.substr(0, 200)))
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  return out;
}

ScriptScore run_script(const TrainOptions& options, const std::string& folder, const std::vector<std::string>& files) {
  const std::string errors = folder + "/errors.txt";
  std::vector<std::string> words{options.valid_script};
  words.insert(words.end(), files.begin(), files.end());
  const SubprocessResult r = run_to_end({std::move(words), errors, options.valid_script_minutes * 60});
  if (!r.problem.empty()) {
    const std::string said = fs::exists(errors) ? shown_text(last_line(read_file(errors))) : "";
    return {{}, said.empty() ? r.problem : cat(r.problem, ": ", said, " (all of it is in ", errors, ")")};
  }
  const std::string last = last_line(r.out);
  const std::optional<double> score = finite_number(last);
  if (score) return {score, ""};
  if (last.empty()) return {{}, "printed nothing; the last line of its stdout must be a number"};
  return {{}, cat("printed '", shown_text(last), "', but the last line of its stdout must be a finite number")};
}

// Implements `valid-script`. Writes DIR/validation/translations.txt, references.txt and
// sources.txt, one sentence per line, and calls the program with these three paths. The last line
// of its stdout is the score; its stderr is kept in DIR/validation/errors.txt.
ScriptScore measure_by_script(const TrainOptions& options, std::span<const std::string> translations,
                              std::span<const std::string> references, std::span<const std::string> sources) {
  const std::string folder = fs::absolute(options.model).string() + "/validation";
  try {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw RunError(cat("cannot create the folder ", folder, ": ", system_text(error.value())));
    return run_script(
        options, folder,
        {write_lines(folder + "/translations.txt", translations), write_lines(folder + "/references.txt", references),
         write_lines(folder + "/sources.txt", sources)});
  } catch (const UserError& e) {  // a full disk, for example, costs the score, not the run
    return {{}, cat("was not run: ", e.what())};
  }
}

// Only the first process runs the program; all get its score.
ScriptScore score_of_script(const TrainOptions& options, const std::vector<std::string>& hypotheses,
                            const TrainingData& data, cluster::Processes& among) {
  ScriptScore score;
  if (among.first()) score = measure_by_script(options, hypotheses, data.valid_reference, data.valid_source);
  if (!among.several()) return score;
  const std::string own = cluster::pack({score.score ? fmt::format("{}", *score.score) : "", score.problem});
  const std::vector<std::string> firsts = cluster::unpack(cluster::of_first(among, own));
  score.score.reset();
  if (!firsts[0].empty()) score.score = parse_number<double>(firsts[0]).value();
  score.problem = firsts[1];
  return score;
}

// Without blanks.
double characters(std::span<const std::string> lines) {
  int64_t n = 0;
  for (const std::string& line : lines)
    n += std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xC0) != 0x80 && c != ' '; });
  return double(n);
}

// Work in target tokens of training, measured (docs/adr/0103): computing the loss of a token; translating one, with
// metrics; writing the model.
constexpr double kCostOfLoss = 0.3, kCostOfTranslating = 0.7;
constexpr int64_t kCostOfFiles = 700;

constexpr int kResamples = 200;  // a standard error within 5 %

// Computes sentence statistics once; sums them over all lines and per set.
class SentenceSums {
 public:
  SentenceSums(const evaluate::Metric& metric, std::span<const std::string> hypotheses, const TrainingData& data)
      : metric_(metric), of_sentence_(evaluate::sentence_statistics(metric, hypotheses, {&data.valid_reference, 1})) {}
  evaluate::MetricStatistics all() const { return evaluate::sum(of_sentence_); }
  std::vector<double> resampled() const {
    return evaluate::resampled_scores(metric_, of_sentence_, {.samples = kResamples});
  }
  double of_line(size_t i) const { return metric_.sentence_score(of_sentence_[i]); }
  double next(size_t lines) {
    const auto own = std::span(of_sentence_).subspan(at_, lines);
    at_ += lines;
    return metric_.score(evaluate::sum(own));
  }

 private:
  const evaluate::Metric& metric_;
  std::vector<evaluate::MetricStatistics> of_sentence_;
  size_t at_ = 0;
};

constexpr size_t kWorst = 10;  // lines to show

// Whether one to four words follow each other at least four times.
bool repeats(const std::vector<std::string_view>& words) {
  for (size_t period = 1; period <= 4; ++period) {
    size_t same = 0;
    for (size_t i = period; i < words.size(); ++i)
      if (same = words[i] == words[i - period] ? same + 1 : 0; same == 3 * period) return true;
  }
  return false;
}

// Whether the translation does not end where it should: it repeats itself, and the reference does not, or is more than
// twice as long.
bool runs_away(const std::string& hypothesis, const std::string& reference) {
  const auto words = text::words(hypothesis), expected = text::words(reference);
  return words.size() > 2 * expected.size() + 10 || (repeats(words) && !repeats(expected));
}

void set_faults(Validation& v, const std::vector<std::string>& hypotheses, const TrainingData& data,
                const SentenceSums& by_chrf) {
  std::vector<size_t> order(hypotheses.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto end = order.begin() + std::ptrdiff_t(std::min(kWorst, order.size()));
  std::partial_sort(order.begin(), end, order.end(), [&](size_t a, size_t b) {
    return std::pair(by_chrf.of_line(a), a) < std::pair(by_chrf.of_line(b), b);
  });
  for (auto i = order.begin(); i != end && by_chrf.of_line(*i) < 100; ++i)
    v.worst.push_back({data.valid_source[*i], data.valid_reference[*i], hypotheses[*i]});
  for (size_t i = 0; i < hypotheses.size(); ++i) v.runaway += runs_away(hypotheses[i], data.valid_reference[i]);
  v.runaway /= double(std::max<size_t>(hypotheses.size(), 1));
}

}  // namespace

int64_t validation_cost(const TrainingData& data, const TrainOptions& o, double length) {
  int64_t tokens = 0;
  for (const data::Example& e : data.valid) tokens += std::ssize(e.target) + 1;
  const double translated = kCostOfTranslating * double(o.valid_beam) * std::max(length, 1.0);
  return kCostOfFiles + int64_t(double(tokens) * (kCostOfLoss + translated));
}

std::vector<data::Plan> plan_validation(const TrainingData& data, const TrainOptions& o) {
  std::vector<data::Plan> plans;
  size_t first = 0;
  for (const ValidSet& set : data.valid_sets) {
    plans.push_back(data::plan_epoch(std::span(data.valid).subspan(first, set.examples),
                                     {o.batch_tokens, o.max_length, o.seed}, 0));
    for (auto& batch : plans.back())
      for (int32_t& index : batch) index += static_cast<int32_t>(first);
    first += set.examples;
  }
  return plans;
}

decode::TranslateOptions translation_of(const TrainOptions& options) {
  decode::TranslateOptions how;
  how.search.beam_size = static_cast<int>(options.valid_beam);
  return how;
}

Validation validate(Context& cx, const model::Transformer& model, const TrainingData& data, const TrainOptions& options,
                    size_t memory, cluster::Processes& among) {
  Validation v;
  model::LossSums all;
  for (const ValidSet& set : data.valid_sets) v.sets.emplace_back(set.name, ValidScores{});
  const std::vector<data::Plan> plans = plan_validation(data, options);
  for (size_t i = 0; i < plans.size(); ++i) {
    const model::LossSums sums = validation_loss(cx, model, data, options, plans[i], among);
    set_loss(v.sets[i].second, sums);
    add_to(all, sums);
  }
  set_loss(v, all);

  cx.arena.release();
  decode::TranslateOptions how = translation_of(options);
  how.memory = memory;
  how.stop = cancel_flag();
  const std::vector<std::string> hypotheses = translations(model, data, how, cx.backend, among);
  const evaluate::Bleu bleu({.tokenize = options.valid_tokenize});
  const evaluate::Chrf chrf;
  SentenceSums by_bleu(bleu, hypotheses, data), by_chrf(chrf, hypotheses, data);
  const evaluate::MetricStatistics bleu_sums = by_bleu.all();
  set_text_scores(v, bleu_sums, by_chrf.all());
  v.resampled = {{"bleu", by_bleu.resampled()}, {"chrf", by_chrf.resampled()}};
  v.cost = validation_cost(data, options, characters(hypotheses) / std::max(characters(data.valid_reference), 1.0));
  v.signature = evaluate::signature(bleu, 1);
  v.characters_a_word =
      characters(data.valid_reference) / double(std::max<int64_t>(bleu.result(bleu_sums).reference_length, 1));
  v.length_ratio = bleu.result(bleu_sums).ratio();
  set_faults(v, hypotheses, data, by_chrf);
  for (size_t i = 0; i < v.sets.size(); ++i) {
    v.sets[i].second.bleu = by_bleu.next(data.valid_sets[i].lines);
    v.sets[i].second.chrf = by_chrf.next(data.valid_sets[i].lines);
  }
  if (v.sets.size() == 1) v.sets.clear();
  if (!options.valid_script.empty()) {
    ScriptScore by_script = score_of_script(options, hypotheses, data, among);
    v.script = by_script.score;
    v.script_problem = std::move(by_script.problem);
  }
  for (size_t i = 0; i < std::min<size_t>(5, hypotheses.size()); ++i)
    v.examples.push_back({data.valid_source[i], data.valid_reference[i], hypotheses[i]});
  return v;
}

std::string warning_of_no_validation(const TrainOptions& o, int64_t updates_an_epoch, double updates_in_time) {
  const Interval valid = Interval::parse("valid-every", o.valid_every);
  if (valid.is_auto()) return "";  // the end of the run is validated
  const int64_t first = valid.updates > 0 ? valid.updates : valid.epochs * updates_an_epoch;
  const auto ends = [&](const std::string& where, const std::string& most) {
    return cat("the run ends ", where, ", before its first validation at update ", first, " (`valid-every` ",
               o.valid_every, "): lower `valid-every` to ", most, " or less to have one",
               o.average_best > 0 ? cat("; without any, `average-best` ", o.average_best, " has no models") : "");
  };
  int64_t end = first;
  if (o.max_updates > 0) end = std::min(end, o.max_updates);
  if (o.max_epochs > 0) end = std::min(end, o.max_epochs * updates_an_epoch);
  if (end < first) return ends(cat("at update ", end), cat(end));
  if (updates_in_time == 0 || updates_in_time >= double(first)) return "";
  const auto about = std::max<int64_t>(1, int64_t(updates_in_time));
  return ends(cat("at about update ", about, ", where `max-minutes` ", o.max_minutes, " are over"), cat(about));
}

}  // namespace hexapla::train
