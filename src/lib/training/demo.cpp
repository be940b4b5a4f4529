#include "lib/training/demo.h"

#include <fmt/format.h>

#include <filesystem>

#include "backend/device/device.h"
#include "base/compute/parallel.h"
#include "base/error.h"
#include "base/files/disk.h"
#include "base/files/file.h"
#include "base/files/hash.h"
#include "base/options/environment.h"
#include "data/dates/dates.h"
#include "decode/opened/open_model.h"
#include "inspect/drawing/picture.h"
#include "inspect/recorder.h"
#include "text/quantities.h"
#include "train/record/checkpoint.h"

namespace hexapla::api {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kTrainPairs = 120'000, kTestPairs = 1000, kUpdates = kDemoUpdates;
constexpr int64_t kLongest = 64;  // tokens; the longest form of a date has about 30

// Files in the demo's folder: the note that marks it as a demo's, and the files of a run.
constexpr const char* kNote = "demo.txt";
constexpr std::array kRunFiles = {"checkpoints", "failure",     "model.safetensors",
                                  "train.jsonl", "valid.jsonl", "vocab.spm"};

std::string usual_folder() {
  std::string folder = cache_folder("demo");
  if (!folder.empty()) return folder;
  throw UsageError("neither XDG_CACHE_HOME nor HOME is set; give `model` DIR, the folder for the demo's model");
}

// Rejects a folder with other content: its checkpoints are somebody's work.
void claim_demo_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw RunError(cat("cannot create the folder ", folder, " (`model`): ", system_text(error.value()),
                       "; choose a folder that you may write to"));
  const std::string note = folder + "/" + kNote;
  if (fs::exists(note)) return;
  if (!fs::is_empty(folder))
    throw UsageError(
        cat("the folder ", folder, " (`model`) holds files that are not a demo's; name an empty or new folder"));
  write_file_atomically(note, "The model of 'hexapla demo'. It can be made again at any time.\n");
}

void remove_run(const std::string& folder) {
  for (const char* name : kRunFiles) {
    std::error_code error;
    fs::remove_all(folder + "/" + name, error);
    if (error) throw RunError(cat("cannot remove ", folder, "/", name, ": ", system_text(error.value())));
  }
}

train::TrainOptions demo_options(const std::string& folder) {
  train::TrainOptions o;
  o.train_sets = {"made-up dates", "their ISO forms"};  // in memory: names for messages
  o.model = folder;
  o.batch_tokens = 512;
  o.max_length = kLongest;
  o.max_updates = kUpdates;
  o.lr = 2e-3;
  o.warmup = 500;
  o.label_smoothing = 0;  // there is only one right answer
  o.save_every = "200";
  o.report_every = "250";
  o.average_last = 5;
  model::Config& c = o.architecture;
  c.enc_layers = c.dec_layers = 2;
  c.d_model = 96;
  c.d_ff = 256;
  c.heads = 4;
  c.dropout = 0;  // there are more dates than it could memorize
  return o;
}

// The vocabulary ignores case and splits numbers into digits.
train::TrainingData date_data(const data::Corpus& corpus) {
  std::vector<std::string> text = corpus.source;
  text.resize(std::min<size_t>(text.size(), 5000));
  text.insert(text.end(), corpus.target.begin(), corpus.target.begin() + std::ssize(text));
  const text::Vocabulary v =
      text::Vocabulary::train(text, {.size = 120, .normalization = "nmt_nfkc_cf", .split_digits = true});
  train::TrainingData data{.pairs = {data::store_examples(data::encode_corpus(corpus, v, v, kLongest).examples), v, v}};
  std::string all = v.bytes();
  for (int64_t i = 0; i < corpus.size(); ++i) all += corpus.source[i] + "\t" + corpus.target[i] + "\n";
  data.identity["training data"] = hash_hex(all);
  return data;
}

std::vector<std::string> translate_lines(const decode::OpenModel& m, const std::vector<std::string>& lines) {
  decode::TranslateOptions how;
  how.search.beam_size = 1;
  how.batch_sentences = 250;
  std::vector<std::string> best;
  for (const auto& found : m.translator().translate(lines, how)) best.push_back(found.front().text);
  return best;
}

std::string show_accuracy(const decode::OpenModel& m, const data::Corpus& test) {
  const std::vector<std::string> got = translate_lines(m, test.source);
  int64_t right = 0;
  std::string wrong;
  for (size_t i = 0, shown = 0; i < got.size(); ++i) {
    if (got[i] == test.target[i])
      ++right;
    else if (shown++ < 3)
      wrong += fmt::format("  wrong: {} -> {}, should be {}\n", test.source[i], got[i], test.target[i]);
  }
  return fmt::format("{:.1f} % of {} unseen dates are right in every character\n{}",
                     100.0 * static_cast<double>(right) / static_cast<double>(got.size()),
                     text::grouped(static_cast<long long>(got.size())), wrong);
}

// Days unseen in training, each in another form.
data::Corpus five_examples(const data::Corpus& test) {
  constexpr std::array styles = {data::DateStyle{"%A, the %o of %B %Y"},
                                 data::DateStyle{"%p %o '%y", data::Letters::upper}, data::DateStyle{"%M/%D/%y"},
                                 data::DateStyle{"%Y.%M.%D"},
                                 data::DateStyle{"the %w of %B, %Y", data::Letters::lower}};
  data::Corpus five;
  for (size_t i = 0; i < styles.size(); ++i) {
    five.source.push_back(data::write_date(data::parse_iso_date(test.target[i]), styles[i]));
    five.target.push_back(test.target[i]);
  }
  return five;
}

std::string show_examples(const decode::OpenModel& m, const data::Corpus& examples) {
  const std::vector<std::string> got = translate_lines(m, examples.source);
  std::string text;
  for (size_t i = 0; i < got.size(); ++i) {
    text += fmt::format("{} -> {}", examples.source[i], got[i]);
    text += got[i] == examples.target[i] ? "\n" : fmt::format("  (wrong: it is {})\n", examples.target[i]);
  }
  return text;
}

// The decoder's attention over the source for each token that it writes, section 3.2.3.
std::string show_attention(const decode::OpenModel& m, const std::string& source, const std::string& target, int width,
                           bool color) {
  inspect::Pair pair{m.source.encode(source), m.target.encode(target)};
  m.source.end_source(pair.source);
  const inspect::Inspection seen = inspect::inspect_pair(*m.backend, *m.file.net, pair, m.target.bos(), m.target.eos());
  const int64_t last = m.file.config.dec_layers - 1;
  inspect::Picture picture;
  for (int32_t id : seen.target_out) picture.rows.push_back(m.target.piece(id));
  for (int32_t id : pair.source) picture.columns.push_back(m.source.piece(id));
  picture.values = seen.seen.get(fmt::format("decoder.layers.{}.cross_attention.weights", last)).mean_head();
  return fmt::format("Attention to '{}' (columns) while writing '{}' (rows):\n{}", source, target,
                     inspect::draw_picture(picture, {.width = width, .color = color}));
}

template <Number T>
T recorded(const decode::OpenModel& m, const char* key) {
  const auto entry = m.file.history.find(key);
  const auto number = entry == m.file.history.end() ? std::nullopt : parse_number<T>(entry->second);
  if (!number) throw DataError(cat("the demo's model does not record its ", key, "; add `retrain` to replace it"));
  return *number;
}

uint64_t seed_of(const decode::OpenModel& m) { return recorded<uint64_t>(m, "seed"); }

// Whether a model with enough updates exists; to convert a single date, any model will do.
// UsageError: another seed.
bool already_trained(const DemoOptions& o, const std::string& folder) {
  if (!fs::exists(folder + "/model.safetensors")) return false;
  use_threads(o.threads);
  const decode::OpenModel m = decode::open_translator(folder, {});
  if (o.seed && *o.seed != seed_of(m))
    throw UsageError(cat(folder, " holds a demo of `seed` ", seed_of(m), ", not ", *o.seed,
                         "; add `retrain` to replace it, or name another `model` folder"));
  if (o.text && !o.max_updates) return true;
  return recorded<int64_t>(m, "updates") >= o.max_updates.value_or(kUpdates);
}

train::TrainResult train_on_dates(const DemoOptions& asked, const std::string& folder, train::TrainWatcher& watcher,
                                  const Stop& stop) {
  train::TrainOptions o = demo_options(folder);
  o.seed = asked.seed.value_or(1);
  o.max_updates = asked.max_updates.value_or(kUpdates);
  o.threads = asked.threads;
  const train::TrainingData data = date_data(data::make_dates(o.seed, kTrainPairs, kTestPairs).train);
  const Precision precision = parse_precision("auto");
  o.precision = name_of(precision);
  const auto backend = make_backend(precision);
  try {
    return train::train(o, data, *backend, watcher, stop());
  } catch (const UsageError& e) {  // the checkpoints have another seed or come from another version of the demo
    throw UsageError(cat(e.what(), "; or add `retrain` to start over"));
  }
}

Demonstrated present(const decode::OpenModel& m, const DemoOptions& o) {
  const data::Corpus test = data::make_dates(seed_of(m), 0, kTestPairs).test;
  const data::Corpus examples = five_examples(test);
  const std::string& first = examples.source.front();
  return {.shown = cat(show_accuracy(m, test), "\n", show_examples(m, examples), "\n",
                       show_attention(m, first, translate_lines(m, {first}).front(), o.width, o.color)),
          .example = first};
}

}  // namespace

Demonstrated demonstrate(const DemoOptions& o, train::TrainWatcher& watcher,
                         const std::function<void(const std::string&)>& say, const Stop& stop) {
  if (o.text && o.text->find_first_not_of(" \t\r\n") == std::string::npos)
    throw UsageError("`text` is empty; give a date, as in `text` 'March 3rd, 2023'");
  const std::string folder = o.model.empty() ? usual_folder() : o.model;
  claim_demo_folder(folder);
  if (o.retrain) {
    const train::RunLock lock(folder);
    remove_run(folder);
  }
  const bool found = already_trained(o, folder);
  if (!found) {
    say(fmt::format("training a small Transformer to read dates; the model goes to {}", folder));
    const train::TrainResult result = train_on_dates(o, folder, watcher, stop);
    if (result.end == train::TrainEnd::interrupted) return {.end = result.end, .updates = result.updates};
    train::require_whole(result);
  }
  use_threads(o.threads);
  const decode::OpenModel m = decode::open_translator(folder, {});
  if (found && !o.text)
    say(fmt::format("found a model of {} updates in {} (--retrain makes a new one)",
                    text::grouped(recorded<int64_t>(m, "updates")), folder));
  Demonstrated demo = o.text ? Demonstrated{.shown = translate_lines(m, {*o.text}).front() + "\n"} : present(m, o);
  demo.model = folder;
  return demo;
}

}  // namespace hexapla::api
