// hexapla bench: the speed of training and translation, on made-up ids and untrained weights.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <numeric>
#include <optional>
#include <span>

#include "backend/cpu/cpu.h"
#include "backend/products_only.h"
#include "base/classic.h"
#include "base/compute/parallel.h"
#include "base/error.h"
#include "base/files/file.h"
#include "base/json.h"
#include "cli/commands/bench.h"
#include "cli/options/declare_option.h"
#include "cli/options/output_files.h"
#include "cli/options/search_options.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/line_notes.h"
#include "data/files/lines.h"
#include "decode/opened/open_model.h"
#include "decode/search/search.h"
#include "decode/steps/shortlist.h"
#include "decode/steps/workers.h"
#include "model/parameters/parameters.h"
#include "model/weights/packed_weights.h"
#include "train/loop/optimizer.h"
#include "train/measure/memory_budget.h"

namespace hexapla::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr Range<int64_t> kVocabulary{8, model::Config::kVocabulary.most};

double seconds_since(Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); }

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

// Not getrusage(), which includes the process that started this one.
int64_t peak_mib() {
  Classic<std::ifstream> status("/proc/self/status");
  for (std::string key; status >> key;)
    if (int64_t kib = 0; key == "VmHWM:" && status >> kib) return kib / 1024;
  return 0;
}

model::Config model_of(const std::string& preset, int64_t vocabulary) {
  model::Config c = model::Config::preset(preset);
  c.source_vocab = c.target_vocab = vocabulary;
  c.resolve();
  return c;
}

// A sentence pair in ids, without </s>.
struct Pair {
  text::Ids source, target;
};

text::Ids made_up(Random& random, int64_t n, int64_t vocabulary) {
  text::Ids ids(static_cast<size_t>(n));
  for (int32_t& id : ids) id = static_cast<int32_t>(4 + random.below(static_cast<uint32_t>(vocabulary - 4)));
  return ids;
}

// Lengths typical of news (wmt) or picture captions (multi30k); targets are about 5 % longer.
int64_t source_length(Random& random, const std::string& lengths) {
  if (lengths == "wmt") return std::clamp<int64_t>(std::llround(std::exp(3.25 + 0.55 * random.normal())), 2, 119);
  return std::clamp<int64_t>(std::llround(14.5 + 4.5 * random.normal()), 4, 45);
}

// Batches of similar lengths, at most `tokens` target tokens each, in random order.
std::vector<std::vector<Pair>> make_batches(const std::string& lengths, int64_t vocabulary, int64_t tokens,
                                            size_t most) {
  Random random(1);
  std::vector<Pair> pool;
  for (int i = 0; i < 20000; ++i) {
    const int64_t s = source_length(random, lengths);
    const int64_t t =
        std::clamp<int64_t>(std::llround(static_cast<double>(s) * (1.05 + 0.15 * random.normal())), 2, 119);
    pool.push_back({text::Ids(static_cast<size_t>(s)), text::Ids(static_cast<size_t>(t))});
  }
  std::stable_sort(pool.begin(), pool.end(), [](const Pair& a, const Pair& b) {
    return std::pair(a.target.size(), a.source.size()) < std::pair(b.target.size(), b.source.size());
  });
  std::vector<std::vector<Pair>> batches;
  int64_t held = tokens;
  for (Pair& p : pool) {
    const auto n = static_cast<int64_t>(p.target.size()) + 1;
    if (held + n > tokens) batches.emplace_back(), held = 0;
    batches.back().push_back(std::move(p));
    held += n;
  }
  random.shuffle(batches);
  batches.resize(std::min(batches.size(), most));
  for (auto& batch : batches)
    for (Pair& p : batch) {
      p.source = made_up(random, static_cast<int64_t>(p.source.size()), vocabulary);
      p.target = made_up(random, static_cast<int64_t>(p.target.size()), vocabulary);
    }
  return batches;
}

// One batch in the model's layout: <s> is 1, </s> is 2.
struct Rows {
  std::vector<int32_t> source, in, out, source_offsets{0}, target_offsets{0};
  explicit Rows(const std::vector<Pair>& pairs) {
    for (const Pair& p : pairs) {
      source.insert(source.end(), p.source.begin(), p.source.end());
      source.push_back(2);
      in.push_back(1);
      in.insert(in.end(), p.target.begin(), p.target.end());
      out.insert(out.end(), p.target.begin(), p.target.end());
      out.push_back(2);
      source_offsets.push_back(static_cast<int32_t>(source.size()));
      target_offsets.push_back(static_cast<int32_t>(out.size()));
    }
  }
  model::BatchView view() const { return {source, in, out, source_offsets, target_offsets}; }
  std::vector<std::pair<int64_t, int64_t>> lengths() const {
    std::vector<std::pair<int64_t, int64_t>> all;
    for (size_t i = 0; i + 1 < source_offsets.size(); ++i)
      all.emplace_back(source_offsets[i + 1] - source_offsets[i], target_offsets[i + 1] - target_offsets[i]);
    return all;
  }
};

void write_batches(const std::string& path, const std::vector<std::vector<Pair>>& batches) {
  nlohmann::json all = nlohmann::json::array();
  for (const auto& batch : batches) {
    nlohmann::json pairs = nlohmann::json::array();
    for (const Pair& p : batch) pairs.push_back({p.source, p.target});
    all.push_back(std::move(pairs));
  }
  write_file_atomically(path, json_text(all));
}

struct BenchTrain {
  std::string preset = "tiny", lengths = "wmt", precision = "auto", batches_file;
  int64_t vocabulary = 10000, tokens = 2048;
  double seconds = 10, dropout = 0.1;
  int threads = 0;
  bool json = false;

  // Trains like `hexapla train`, without reading text and without logs.
  class Trainer {
   public:
    Trainer(const model::Config& config, const train::TrainOptions& options, Backend& backend, Backend& replayed,
            std::span<const Rows> batches)
        : model_(config),
          parameters_(model_, DType::f32, model::Parameters::Use::training),
          optimizer_(model_, parameters_, options),
          arena_(arena_bytes_for(batches)),
          replay_arena_(arena_.capacity()),
          cx_{backend, arena_, DType::f32, true},
          replay_{replayed, replay_arena_, DType::f32, true} {
      model::initialize(model_, 1, options.init_gain);
    }
    double step(const Rows& rows) {
      const auto start = Clock::now();
      cx_.step = static_cast<uint32_t>(++updates_);
      run(cx_, rows);
      sum_of_squares(cx_, parameters_.gradients());
      optimizer_.update(cx_, updates_, 1, 1);
      return seconds_since(start);
    }
    // Only the matrix products of the same step.
    double replay(const Rows& rows) {
      const auto start = Clock::now();
      run(replay_, rows);
      return seconds_since(start);
    }

   private:
    void run(Context& cx, const Rows& rows) {
      fill(cx, parameters_.gradients(), 0);
      model_.loss_and_gradient(cx, rows.view(), 0.1, 1.0 / static_cast<double>(rows.out.size()), saved_);
      cx.arena.clear();
    }
    size_t arena_bytes_for(std::span<const Rows> batches) const {
      size_t most = 0;
      for (const Rows& rows : batches)
        most = std::max(most, train::step_memory(model_, train::made_up(rows.lengths())));
      return train::capacity_for(most);
    }
    model::Transformer model_;
    model::Parameters parameters_;
    train::Optimizer optimizer_;
    Arena arena_, replay_arena_;
    Context cx_, replay_;
    model::Transformer::Saved saved_;
    int64_t updates_ = 0;
  };

  int run() const {
    use_threads(threads);
    model::Config config = model_of(preset, vocabulary);
    config.dropout = config.attention_dropout = config.activation_dropout = dropout;
    const Precision p = parse_precision(precision);
    const auto backend = make_cpu_backend(p);
    const auto products = make_products_only(*backend);
    const auto batches = make_batches(lengths, vocabulary, tokens, 200);
    if (!batches_file.empty()) write_batches(batches_file, batches);
    train::TrainOptions options;
    options.architecture = config;
    options.lr = 1e-4;
    std::vector<Rows> rows;
    for (const auto& b : batches) rows.emplace_back(b);
    Trainer trainer(config, options, *backend, *products, rows);
    for (size_t i = 0; i < 4; ++i) trainer.step(rows[i]), trainer.replay(rows[i]);
    std::vector<double> rates, fractions;
    const auto start = Clock::now();
    for (size_t i = 4; rates.size() < 5 || seconds_since(start) < seconds; ++i) {
      const Rows& r = rows[i % rows.size()];
      const double whole = trainer.step(r), alone = trainer.replay(r);
      rates.push_back(static_cast<double>(r.out.size()) / whole);
      fractions.push_back(alone / whole);
    }
    print(name_of(p), *backend, rates, fractions);
    return 0;
  }

  void print(const char* used, const Backend& backend, const std::vector<double>& rates,
             const std::vector<double>& fractions) const {
    if (json) {
      std::cout << nlohmann::ordered_json{{"tokens_per_second", median(rates)},
                                          {"products_fraction", median(fractions)},
                                          {"steps", rates.size()},
                                          {"peak_mib", peak_mib()}}
                << "\n";
      return;
    }
    std::cout << fmt::format(
        "{} {} V={} tokens={} dropout={} {} {} threads={}: {:.0f} target tokens/s, {:.0f} % of it products, {} steps, "
        "peak {} MiB\n",
        preset, lengths, vocabulary, tokens, dropout, used, product_implementation(backend), hexapla::threads(),
        median(rates), 100 * median(fractions), rates.size(), peak_mib());
  }
};

struct BenchTranslate {
  std::string new_model;                            // if given, only writes an untrained model here
  std::string model_path, text, output, shortlist;  // a trained model and its input, or:
  std::string preset = "base", precision = "f32";
  int64_t vocabulary = 32000, sentences = 64, length = 30, batch = 32;
  int beam = 4, threads = 1, rounds = 3;
  bool json = false;
  std::function<bool(const std::string& option)> given;

  int run() const {
    if (!new_model.empty()) {
      write_untrained(new_model);
      return 0;
    }
    if (!text.empty()) return translate_text();
    if (!model_path.empty()) return translate_ids(model::load_to_translate(model_path));
    const std::string path = (std::filesystem::temp_directory_path() / cat("hexapla-bench-", getpid())).string();
    write_untrained(path);
    model::LoadedModel untrained = model::load_to_translate(path);
    std::filesystem::remove(path);
    return translate_ids(std::move(untrained));
  }

  // Includes tokenization, but not loading.
  int translate_text() const {
    use_threads(threads);
    const decode::OpenModel m =
        decode::open_translator(model_path, decode::asked_precision(given("precision"), precision));
    const std::vector<std::string> lines = data::read_lines(text);
    decode::TranslateOptions options;
    options.search.beam_size = beam;
    options.batch_sentences = batch;
    std::optional<decode::Shortlist> allowed;
    if (!shortlist.empty())
      options.search.shortlist =
          &allowed.emplace(decode::ShortlistTable::read(shortlist), m.source, m.target, shortlist);
    std::vector<double> seconds;
    std::string translations;
    Progress progress(make_terminal(parse_color("auto"), false));
    LineNotes notes(progress);
    for (int i = 0; i <= rounds; ++i) {
      const auto start = Clock::now();
      const decode::LineWarning warn = [&](size_t line, const std::string& what) {
        if (i == 0) notes.add(static_cast<int64_t>(line), what);
      };
      const auto found = m.translator().translate(lines, options, warn);
      if (i > 0) seconds.push_back(seconds_since(start));  // the first is for warming up
      translations.clear();
      for (const auto& best : found) translations += best.front().text + "\n";
    }
    notes.finish();
    if (!output.empty()) {
      data::LineWriter to(output);
      to.write(translations.substr(0, translations.size() - 1));
      to.commit();
    }
    const double time = median(seconds), rate = static_cast<double>(lines.size()) / time;
    if (json)
      std::cout << nlohmann::ordered_json{{"seconds", time}, {"lines_per_second", rate}, {"peak_mib", peak_mib()}}
                << "\n";
    else
      std::cout << fmt::format("beam={} batch={} {} threads={}: {:.1f} lines/s, {:.2f} s, peak {} MiB\n", beam, batch,
                               product_implementation(*m.backend), hexapla::threads(), rate, time, peak_mib());
    return 0;
  }

  void write_untrained(const std::string& path) const {
    model::Transformer net(model_of(preset, vocabulary));
    model::Parameters parameters(net, DType::f32, model::Parameters::Use::inference);
    model::initialize(net, 1);
    model::save_model(path, net, {"untrained", "untrained"}, {});
  }

  int translate_ids(model::LoadedModel loaded) const {
    use_threads(threads);
    model::Transformer& model = *loaded.net;
    const int64_t pieces = loaded.config.source_vocab;
    const auto backend = make_cpu_backend(decode::parse_decoding_precision(precision));
    model::pack_weights(*backend, loaded);
    Random random(1);
    std::vector<text::Ids> sources;
    for (int64_t i = 0; i < sentences; ++i) sources.push_back(made_up(random, length, pieces));
    for (text::Ids& s : sources) s.back() = 2;
    std::vector<size_t> order(sources.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const int64_t workers = std::clamp<int64_t>(sentences / batch, 1, hexapla::threads());
    std::vector<double> rates;
    for (int i = 0; i <= rounds; ++i) {
      const auto start = Clock::now();
      const int64_t tokens = translate(*backend, model, workers, sources, order);
      const double rate = static_cast<double>(tokens) / seconds_since(start);
      if (i > 0) rates.push_back(rate);  // the first is for warming up
    }
    print(*backend, rates);
    return 0;
  }

  // -> tokens. Untrained, a model hardly ever chooses </s>: translations have `length` tokens.
  int64_t translate(Backend& backend, const model::Transformer& model, int64_t workers,
                    std::span<const text::Ids> sources, std::span<const size_t> order) const {
    decode::Queue queue{sources, order, batch, batch * length};
    std::atomic<int64_t> tokens = 0;
    decode::on_workers(workers, backend, DType::f32, decode::search_memory(model, queue, search_options(), DType::f32),
                       [&](Context& cx) {
                         decode::search(cx, model, queue, search_options(), {1, 2, 0},
                                        [&](size_t, const std::vector<decode::Hypothesis>& found) {
                                          tokens += static_cast<int64_t>(found.front().ids.size()) + 1;
                                        });
                       });
    return tokens;
  }

  decode::SearchOptions search_options() const {
    decode::SearchOptions options;
    options.beam_size = beam;
    options.extra_length = 0;
    return options;
  }

  void print(const Backend& backend, const std::vector<double>& rates) const {
    const double rate = median(rates);
    if (json) {
      std::cout << nlohmann::ordered_json{{"tokens_per_second", rate}, {"peak_mib", peak_mib()}} << "\n";
      return;
    }
    std::cout << fmt::format(
        "{} beam={} batch={} {} threads={}: {:.0f} tokens/s, {:.1f} ms per sentence, peak {} MiB\n",
        model_path.empty() ? preset : model_path, beam, batch, product_implementation(backend), hexapla::threads(),
        rate, 1e3 * static_cast<double>(length) / rate, peak_mib());
  }
};

void add_bench_train(Command& bench, Action& chosen) {
  auto b = std::make_shared<BenchTrain>();
  Command* c = bench.add_command("train", "target tokens per second in training, and the share of matrix products");
  c->add_option("--preset", b->preset, "tiny, small, base or big")->default_str("tiny");
  c->add_option("--lengths", b->lengths, "wmt or multi30k: how long sentences are")
      ->check(one_of("lengths", {"wmt", "multi30k"}))
      ->default_str("wmt");
  c->add_option("--vocab-size", b->vocabulary, kVocabulary, "pieces")->default_str("10000");
  c->add_option("--batch-tokens", b->tokens, ranges::batch_tokens, "target tokens per batch")->default_str("2048");
  c->add_option("--dropout", b->dropout, ranges::below_1,
                "dropout on sublayer outputs, attention weights and hidden layers")
      ->default_str("0.1");
  c->add_option("--precision", b->precision, "auto, f32 or bf16")->default_str("auto");
  c->add_option("--seconds", b->seconds, Range<double>{0, 1e6}, "seconds to measure")->default_str("10");
  c->add_option("--threads", b->threads, ranges::threads, "compute threads; 0: one per available core")
      ->default_str("0");
  c->add_option("--write-batches", b->batches_file,
                "write the batches to this file, as JSON, for another program to train on")
      ->check(output_file())
      ->type_name("FILE");
  c->add_flag("--json", b->json, "as JSON");
  c->callback([b, &chosen] { chosen = [b] { return b->run(); }; });
}

void add_bench_translate(Command& bench, Action& chosen) {
  auto b = std::make_shared<BenchTranslate>();
  Command* c = bench.add_command("translate", "tokens per second at a fixed length, or a model's lines per second");
  // `beside`, but never when only writing a model.
  const auto measures = [b = b.get()](const When& beside = kAlways) {
    const When writes{false, "is for a measurement, but `write-model` writes a model and stops: leave one of them out"};
    return b->new_model.empty() ? beside : writes;
  };
  const auto always = [measures] { return measures(); };
  const auto of_text = [=, b = b.get()] {
    return measures({!b->text.empty(), "is for `text`: give it, or leave this out"});
  };
  const auto made_up = [=, b = b.get()] {
    return measures({b->text.empty(), "is for made-up sentences, but `text` has others: leave one of them out"});
  };
  const auto untrained = [b = b.get()] {
    return When{b->model_path.empty(), "is for an untrained model, but `model` names another: leave one of them out"};
  };
  c->add_option("-m,--model", b->model_path, "model to measure")->type_name("MODEL")->when(always);
  c->add_option("--write-model", b->new_model, "write an untrained model of --preset to this file, and stop")
      ->check(output_file())
      ->type_name("FILE");
  c->add_option("--text", b->text, "text to translate, one sentence per line")
      ->check(text_input())
      ->type_name("FILE")
      ->when(always);
  c->add_option("-o,--output", b->output, "file to write its translations to")
      ->check(output_file())
      ->type_name("FILE")
      ->when(of_text);
  c->add_option("--shortlist", b->shortlist, "of --text: only pieces that this file allows")
      ->type_name("FILE")
      ->when(of_text);
  c->add_option("--preset", b->preset, "tiny, small, base or big")->default_str("base")->when(untrained);
  c->add_option("--vocab-size", b->vocabulary, kVocabulary, "pieces")->default_str("32000")->when(untrained);
  c->add_option("--precision", b->precision, "f32, bf16 or int8")
      ->check(one_of("precision", {"f32", "bf16", "int8"}))
      ->default_str("f32")
      ->when(always);
  c->add_option("-b,--beam-size", b->beam, ranges::beam, "1: greedy")->default_str("4")->when(always);
  c->add_option("--batch-size", b->batch, Range<int64_t>{1, 100'000}, "sentences per batch")
      ->default_str("32")
      ->when(always);
  c->add_option("--sentences", b->sentences, Range<int64_t>{1, 1'000'000}, "sentences in total")
      ->default_str("64")
      ->when(made_up);
  c->add_option("--length", b->length, Range<int64_t>{2, 10'000}, "tokens per sentence, on both sides")
      ->default_str("30")
      ->when(made_up);
  c->add_option("--rounds", b->rounds, Range<int64_t>{1, 1000}, "rounds; the result is their median")
      ->default_str("3")
      ->when(always);
  c->add_option("--threads", b->threads, ranges::threads, "compute threads; 0: one per available core")
      ->default_str("1")
      ->when(always);
  c->add_flag("--json", b->json, "as JSON")->when(always);
  c->callback([b, c, &chosen] {
    b->given = given_in(*c);
    chosen = [b] { return b->run(); };
  });
}

}  // namespace

void add_bench(Command& app, Action& chosen) {
  Command* c = app.add_command("bench", "measure the speed of training and translation on synthetic text");
  c->require_command();
  c->footer(
      "Examples:\n"
      "  hexapla bench ops --preset base\n"
      "  hexapla bench train --preset base --lengths wmt\n"
      "  hexapla bench translate --preset tiny --vocab-size 10000 --precision int8 --threads 1\n"
      "  mpirun -n 2 hexapla bench cluster --preset tiny");
  add_bench_ops(*c, chosen);
  add_bench_train(*c, chosen);
  add_bench_translate(*c, chosen);
  add_bench_cluster(*c, chosen);
}

}  // namespace hexapla::cli
