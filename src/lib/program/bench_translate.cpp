#include <algorithm>
#include <atomic>
#include <filesystem>
#include <numeric>
#include <optional>
#include <span>

#include <unistd.h>

#include "backend/device/device.h"
#include "base/compute/parallel.h"
#include "base/compute/timing.h"
#include "base/error.h"
#include "data/files/lines.h"
#include "data/made_up_ids.h"
#include "decode/opened/open_model.h"
#include "decode/search/search.h"
#include "decode/steps/shortlist.h"
#include "decode/steps/workers.h"
#include "lib/program/bench.h"
#include "lib/program/bench_numbers.h"
#include "model/parameters/parameters.h"
#include "model/weights/packed_weights.h"

namespace hexapla::api {
namespace {

// Seconds of each round, after a warm-up round.
template <class Round>
std::vector<double> measured(int rounds, const Round& round) {
  std::vector<double> seconds;
  for (int i = 0; i <= rounds; ++i) {
    const auto start = std::chrono::steady_clock::now();
    round(i);
    if (i > 0) seconds.push_back(seconds_since(start));
  }
  return seconds;
}

// A quantized model is multiplied in 8 bits, whatever the precision of the backend's other products.
std::string products_of(const Backend& backend, const model::LoadedModel& m) {
  bool integers = false;
  model::for_each<model::Parameter>(
      *m.net, [&](const std::string&, const model::Parameter& p) { integers |= bool(p.integers); });
  return cat(product_implementation(backend), integers ? ", 8-bit weights" : "");
}

// Includes tokenization, but not loading.
MeasuredTranslation translate_text(const TranslateBench& o, const decode::LineWarning& warn) {
  const decode::OpenModel m =
      decode::open_translator(o.model, decode::asked_precision(o.precision_given, o.precision, o.device), o.device);
  const std::vector<std::string> lines = data::read_lines(o.text);
  decode::TranslateOptions options;
  options.search.beam_size = o.beam;
  options.batch_sentences = o.batch;
  std::optional<decode::Shortlist> allowed;
  if (!o.shortlist.empty())
    options.search.shortlist =
        &allowed.emplace(decode::ShortlistTable::read(o.shortlist), m.source, m.target, o.shortlist);
  std::string translations;
  const double time = median(measured(o.rounds, [&](int round) {
    translations.clear();
    for (const auto& best : m.translator().translate(lines, options, round == 0 ? warn : decode::LineWarning()))
      translations += best.front().text + "\n";
  }));
  if (!o.output.empty()) {
    data::LineWriter to(o.output);
    to.write(translations.substr(0, translations.size() - 1));
    to.commit();
  }
  return {time, static_cast<double>(lines.size()) / time, products_of(*m.backend, m.file)};
}

decode::SearchOptions search_options(const TranslateBench& o) {
  decode::SearchOptions options;
  options.beam_size = o.beam;
  options.extra_length = 0;
  return options;
}

// -> tokens. An untrained model hardly ever chooses </s>, so translations have `length` tokens.
int64_t translate(const TranslateBench& o, Backend& backend, const model::Transformer& model,
                  std::span<const text::Ids> sources, std::span<const size_t> order) {
  const int64_t workers = std::clamp<int64_t>(o.sentences / o.batch, 1, threads());
  const decode::SearchOptions search = search_options(o);
  decode::Queue queue{sources, order, o.batch, o.batch * o.length};
  std::atomic<int64_t> tokens = 0;
  decode::on_workers(
      workers, backend, DType::f32, decode::search_memory(model, queue, search, DType::f32), [&](Context& cx) {
        decode::search(cx, model, queue, search, {1, 2, 0}, [&](size_t, const std::vector<decode::Hypothesis>& found) {
          tokens += std::ssize(found.front().ids) + 1;
        });
      });
  return tokens;
}

MeasuredTranslation translate_ids(const TranslateBench& o, Backend& backend, const model::LoadedModel& loaded) {
  Random random(1);
  std::vector<text::Ids> sources;
  for (int64_t i = 0; i < o.sentences; ++i)
    sources.push_back(data::made_up_ids(random, o.length, loaded.config.source_vocab));
  for (text::Ids& s : sources) s.back() = 2;
  std::vector<size_t> order(sources.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<int64_t> tokens;
  const std::vector<double> seconds =
      measured(o.rounds, [&](int) { tokens.push_back(translate(o, backend, *loaded.net, sources, order)); });
  std::vector<double> rates;
  for (size_t i = 0; i < seconds.size(); ++i) rates.push_back(static_cast<double>(tokens[i + 1]) / seconds[i]);
  return {median(seconds), median(rates), products_of(backend, loaded)};
}

}  // namespace

void write_untrained(const TranslateBench& o, const std::string& path) {
  model::Transformer net(model_of(o.preset, o.vocabulary));
  model::Parameters parameters(net, DType::f32, model::Parameters::Use::inference);
  model::initialize(net, 1);
  model::save_model(path, net, {"untrained", "untrained"}, {});
}

MeasuredTranslation bench_translate(const TranslateBench& o, const decode::LineWarning& warn) {
  if (!o.text.empty()) return translate_text(o, warn);
  const auto backend = make_backend(decode::parse_decoding_precision(o.precision, o.device), o.device);
  if (!o.model.empty()) return translate_ids(o, *backend, decode::load_packed(decode::checked_file(o.model), *backend));
  const std::string path = (std::filesystem::temp_directory_path() / cat("hexapla-bench-", getpid())).string();
  write_untrained(o, path);
  const model::LoadedModel untrained = decode::load_packed(path, *backend);
  std::filesystem::remove(path);
  return translate_ids(o, *backend, untrained);
}

}  // namespace hexapla::api
