// consumer MODEL FOLDER: prints what the calls give, the same for every library of one version.
#include "consumer.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace {

using hexapla::Options;
using Lines = std::vector<std::string>;

std::ostream& operator<<(std::ostream& out, const Lines& lines) {
  for (const std::string& line : lines) out << line << " | ";
  return out;
}

// The library's message when f throws such an error; nothing if it throws none.
template <class Error, class F>
std::string thrown(F&& f) {
  try {
    f();
    return "";
  } catch (const Error& e) {
    return e.what();
  }
}

// The plugin lies where the library is installed. It is asked for a device that no machine has.
void call_plugin(const std::string& model) {
  hexapla::ModelOptions options;
  options.device = "opencl:1000";
  std::cout << thrown<hexapla::UsageError>([&] { hexapla::Translator(model, options); }) << '\n';
}

void call_options() {
  std::cout << hexapla::version() << ' ' << hexapla::instruction_set() << '\n';
  hexapla::set_threads(1);
  for (const auto& options :
       {hexapla::search_options(), hexapla::training_options(), hexapla::import_options(), hexapla::export_options()})
    std::cout << options.size() << ' ' << options.front().name << '\n';
  std::cout << hexapla::OptionValue(0.5).words() << hexapla::document_formats() << '\n';
  const hexapla::TranslatorOptions options = hexapla::TranslatorOptions::from({{"beam_size", 3}});
  std::cout << *options.beam_size << options.named().size() << '\n';
  std::cout << thrown<hexapla::UsageError>([] { hexapla::TranslatorOptions::from({{"beam", 3}}); });
  std::cout << thrown<hexapla::DataError>([] { hexapla::Translator("/no/model"); }) << '\n';
}

void call_glossary(const hexapla::Translator& translator, const std::string& folder) {
  const std::vector<std::pair<std::string, std::string>> terms{{"May", "5"}, {"June", "6"}};
  std::ofstream(folder + "/terms") << "May\t5\n";
  std::cout << hexapla::Glossary(terms).size() << hexapla::Glossary::read(folder + "/terms").size();
  std::cout << thrown<hexapla::UsageError>([&] {
    translator.check(hexapla::Glossary({{"May", "中"}, {"June", "6"}}));
  });
  std::cout << '\n';
}

void call_translator(const std::string& model, const std::string& folder) {
  const std::string line = "3 May 1999";
  const hexapla::Translator translator = moved(hexapla::Translator(model));
  const Lines once{translator.translate(line)};
  std::cout << *translator.complete().beam_size << ' ' << once;
  std::cout << hexapla::Translator(Lines{model, model}).translate(Lines{line}) << '\n';
  std::cout << translator.translate_n_best({line}).front().front().score << '\n';
  std::cout << translator.translate_document(line + "\n", "a.txt") << translator.tokens(line) << '\n';
  std::cout << translator.translate_tokens({translator.tokens(line)}).front().front().text << '\n';
  const hexapla::PendingTranslation pending = translator.submit({line});
  const bool done = pending.wait_for(std::chrono::milliseconds::max()) && pending.ready();
  std::cout << done << pending.get().front().front().text << '\n';
  pending.cancel();
  hexapla::TranslationStream stream = moved(translator.stream({line.c_str(), line.c_str()}));
  for (const auto& found : stream) std::cout << found.front().text << ' ' << stream.ready() << '\n';
  std::cout << translator.score({line}, once).front() << ' ';
  std::cout << translator.score_tokens({line}, once).front().score << ' ';
  std::cout << hexapla::document_lines(line, "a.txt") << hexapla::document_format("a.htm").ending << '\n';
  std::cout << translator.align({line}, once).front().text() << ' ' << translator.trace(line).ending << '\n';
  call_glossary(translator, folder);
}

void call_text_files(const std::string& model, const std::string& folder) {
  std::ofstream(folder + "/text") << "a\nb\n";
  std::string line;
  hexapla::TextFile whole(folder + "/text"), part = moved(hexapla::TextFile(folder + "/text", "1/1"));
  std::cout << whole.next(line) << whole.ready() << whole.name().empty() << part.note() << '\n';
  std::ofstream(folder + "/pairs.tsv") << "a\tb\n";
  std::string other;
  hexapla::PairFile pairs = moved(hexapla::PairFile(hexapla::TextFile(folder + "/pairs.tsv")));
  std::cout << pairs.ready() << pairs.next(line, other) << hexapla::read_lines(folder + "/text") << '\n';
  hexapla::PairFile two(hexapla::TextFile(folder + "/text"), hexapla::TextFile(folder + "/text"));
  hexapla::AugmentOptions options;
  options.kind = "both-directions";
  options.train_sets = {folder + "/text", folder + "/text"};
  std::cout << two.next(line, other) << hexapla::augment(options, folder + "/x", folder + "/y").pairs << '\n';
  std::cout << hexapla::make_shortlist(model, options.train_sets, folder + "/lex.bin").vocabulary << '\n';
  hexapla::ShardFile out = moved(hexapla::ShardFile(folder + "/part", part, {model}, ", in upper case"));
  if (!out.complete()) out.write("A\nB\n");
  out.finish(2);
}

void call_model(const std::string& path, const std::string& folder) {
  hexapla::Model model = moved(hexapla::Model::load(path));
  std::cout << model.configuration() << model.history().size() << ' ' << model.parameter_count() << ' '
            << model.parameters().front().name << ' ' << model.source_vocabulary().size() << ' '
            << model.target_vocabulary().size() << '\n';
  model.save(folder + "/saved.safetensors");
  model.save_quantized(folder + "/int8.safetensors");
  std::cout << hexapla::Model::average({path, path}).parameter_count() << '\n';
  std::cout << hexapla::export_model(path, folder + "/there", "safetensors");
  std::cout << hexapla::import_model(folder + "/there", folder + "/back.safetensors").kind << '\n';
}

void call_inspector(const std::string& model) {
  const std::string line = "3 May 1999";
  const hexapla::Inspector inspector = moved(hexapla::Inspector(model));
  const hexapla::Inspection inspection = inspector.inspect(line);
  std::cout << inspection.score << ' ' << inspector.inspect(line, "", hexapla::InspectionOptions()).score << ' '
            << inspector.formula("generator.log_probabilities") << '\n';
  std::cout << inspector.trace(line).ending << ' ' << inspector.translation(line).text << '\n';
  hexapla::ModelChanges changes;
  changes.positions = false;
  std::cout << inspector.changed(changes).inspect(line).score << ' '
            << hexapla::Inspector::draw_attention(inspection, "encoder.layers.0.self_attention").size() << '\n';
}

void call_evaluator() {
  const hexapla::Evaluator evaluator = moved(hexapla::Evaluator());
  const Lines one{"a b c d e"}, other{"a b c d f"};
  std::cout << evaluator.score(one, {other}).front().score << ' ' << evaluator.score_sentences(one, {other})[0][0]
            << ' ' << evaluator.compare(one, other, {other}).front().p_value << '\n';
  hexapla::EvaluatorOptions resampled;
  resampled.resamples = 10;
  const hexapla::MetricScore score = hexapla::Evaluator(resampled).score(one, {other}).front();
  std::cout << hexapla::Evaluator::p_value(score, hexapla::Evaluator::of_runs({score, score}))
            << evaluator.notes({"a"}, {other}).size() << "\n";
}

void call_trainer(const std::string& folder) {
  const Options options{{"preset", "tiny"}, {"layers", 1}, {"dim_model", 16},  {"dim_ff", 16},
                        {"vocab_size", 20}, {"heads", 1},  {"max_updates", 2}, {"model", folder + "/run"}};
  hexapla::Trainer trainer = moved(hexapla::Trainer(options));
  int left = 40;
  const auto pairs = [&left](std::string& source, std::string& target) {
    source = target = left % 3 == 0 ? "a b c" : "c b a d";
    return left-- > 0;
  };
  trainer.set_training_pairs(pairs);
  trainer.set_validation_pairs(hexapla::PairSource());
  trainer.stop();
  std::cout << trainer.train().finished << '\n';
  std::ofstream(folder + "/config.yaml") << trainer.options();
  std::cout << hexapla::Trainer(folder + "/config.yaml", {{"seed", 2}}).options().empty() << '\n';
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) throw std::runtime_error("usage: consumer MODEL FOLDER");
  call_options();
  call_translator(argv[1], argv[2]);
  call_text_files(argv[1], argv[2]);
  call_plugin(argv[1]);
  call_model(argv[1], argv[2]);
  call_inspector(argv[1]);
  call_evaluator();
  call_trainer(argv[2]);
  call_layers();
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return EXIT_FAILURE;
}
