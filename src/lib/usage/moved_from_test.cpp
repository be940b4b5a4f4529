// Moved-from objects: every call throws an error that says so, and they can be assigned to.
#include <gmock/gmock.h>

#include <filesystem>
#include <functional>

#include "base/files/file.h"
#include "base/test_paths.h"
#include "hexapla/hexapla.h"
#include "hexapla/nn.h"
#include "lib/test_models.h"

namespace hexapla::api {
namespace {

using test::model_file;
using Lines = std::vector<std::string>;

struct NamedCall {
  std::string name;
  std::function<void()> call;
};

void expect_refused(const std::string& what, const std::vector<NamedCall>& calls) {
  for (const auto& [name, call] : calls) try {
      call();
      ADD_FAILURE() << what << "::" << name << " of an object that was moved from";
    } catch (const UsageError& e) {
      EXPECT_THAT(e.what(), testing::HasSubstr("this " + what + " was moved from")) << name;
    }
}

// Expects errors from `calls`, every public method of a moved-from object, and then restores
// `object`.
template <class T>
void expect_moved_from(const std::string& what, T& object, const std::vector<NamedCall>& calls) {
  T elsewhere(std::move(object));
  expect_refused(what, calls);
  T again(std::move(object));  // NOLINT(bugprone-use-after-move)
  object = std::move(elsewhere);
}

TEST(MovedFrom, TranslatorsSaySo) {
  Translator t(model_file());
  const Lines lines{"a"};
  expect_moved_from("translator", t,
                    {{"translate(line)", [&] { t.translate(lines[0]); }},
                     {"translate(lines)", [&] { t.translate(lines); }},
                     {"translate_n_best", [&] { t.translate_n_best(lines); }},
                     {"submit", [&] { t.submit(lines); }},
                     {"stream", [&] { t.stream(lines); }},
                     {"score", [&] { t.score(lines, lines); }},
                     {"score_tokens", [&] { t.score_tokens(lines, lines); }},
                     {"tokens", [&] { t.tokens("a"); }},
                     {"translate_tokens", [&] { t.translate_tokens({{}}); }},
                     {"trace", [&] { t.trace("a"); }},
                     {"align", [&] { t.align(lines, lines); }}});
  EXPECT_EQ(t.translate(lines).size(), 1u);
  TranslationStream stream = t.stream(lines);
  std::vector<Translation> found;
  expect_moved_from("stream", stream, {{"next", [&] { stream.next(found); }}, {"ready", [&] { stream.ready(); }}});
  EXPECT_TRUE(stream.next(found));
}

TEST(MovedFrom, TextFilesSaySo) {
  const std::string text = testing::TempDir() + "hexapla_moved_text" + std::to_string(getpid());
  write_file_atomically(text, "a\n");
  TextFile file(text, "1/1");
  std::string line;
  expect_moved_from("text file", file,
                    {{"next", [&] { file.next(line); }},
                     {"ready", [&] { file.ready(); }},
                     {"name", [&] { file.name(); }},
                     {"note", [&] { file.note(); }}});
  PairFile pairs(TextFile(text, "1/1"));
  expect_moved_from("pair file", pairs, {{"next", [&] { pairs.next(line, line); }}, {"ready", [&] { pairs.ready(); }}});
  ShardFile out(text + ".out", file, {model_file()}, "");
  expect_moved_from("shard's file", out,
                    {{"complete", [&] { out.complete(); }}, {"write", [&] { out.write("a\n"); }}, {"finish", [&] {
                                                                                                     out.finish(1);
                                                                                                   }}});
  std::filesystem::remove(text);
}

TEST(MovedFrom, ToolsSaySo) {
  Inspector inspector(model_file());
  expect_moved_from("inspector", inspector,
                    {{"inspect", [&] { inspector.inspect("a"); }},
                     {"inspect(options)", [&] { inspector.inspect("a", "a", {}); }},
                     {"formula", [&] { inspector.formula("loss"); }},
                     {"trace", [&] { inspector.trace("a"); }}});
  Evaluator evaluator;
  expect_moved_from("evaluator", evaluator,
                    {{"score", [&] { evaluator.score({"a"}, {{"a"}}); }},
                     {"score_sentences", [&] { evaluator.score_sentences({"a"}, {{"a"}}); }},
                     {"notes", [&] { evaluator.notes({}, {{"a"}}); }},
                     {"compare", [&] { evaluator.compare({"a"}, {"a"}, {{"a"}}); }}});
  Model model = Model::load(model_file());
  expect_moved_from("model", model,
                    {{"save", [&] { model.save("/nowhere/m"); }},
                     {"save_quantized", [&] { model.save_quantized("/nowhere/m"); }},
                     {"configuration", [&] { model.configuration(); }},
                     {"history", [&] { model.history(); }},
                     {"parameter_count", [&] { model.parameter_count(); }},
                     {"parameters", [&] { model.parameters(); }},
                     {"source_vocabulary", [&] { model.source_vocabulary(); }},
                     {"target_vocabulary", [&] { model.target_vocabulary(); }}});
  Trainer trainer({{"preset", "tiny"}, {"model", "run"}, {"max_updates", 1}});
  expect_moved_from("trainer", trainer,
                    {{"set_training_pairs", [&] { trainer.set_training_pairs({}); }},
                     {"set_validation_pairs", [&] { trainer.set_validation_pairs({}); }},
                     {"train", [&] { trainer.train(); }},
                     {"options", [&] { trainer.options(); }}});
  const Trainer elsewhere(std::move(trainer));
  trainer.stop();  // NOLINT(bugprone-use-after-move): may be called by a signal handler, so it does nothing
}

TEST(MovedFrom, ARequestStaysTheSame) {
  const Translator translator(model_file());
  PendingTranslation first = translator.submit({"a dog"});
  const PendingTranslation second(std::move(first));
  EXPECT_EQ(first.get().size(), 1u);  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(first.ready());
  EXPECT_TRUE(first.wait_for(std::chrono::milliseconds(1)));
  first.cancel();
  EXPECT_EQ(second.get().size(), 1u);
}

TEST(MovedFrom, WorkspacesAndOptimizersSaySo) {
  nn::Workspace work, other;
  nn::Tensor x = other.zeros(1, 4);
  expect_moved_from("workspace", work,
                    {{"begin", [&] { work.begin(); }},
                     {"begin_training", [&] { work.begin_training(1, 1); }},
                     {"zeros", [&] { work.zeros(1, 1); }},
                     {"bytes_in_use", [&] { work.bytes_in_use(); }},
                     {"add", [&] { nn::add(work, x, x); }},
                     {"log_softmax", [&] { nn::log_softmax(work, x); }},
                     {"forward", [&] { nn::Linear(4, 4).forward(work, x); }},
                     {"backward", [&] { nn::Linear(4, 4).backward(work, x); }}});
  nn::Linear layer(4, 4);
  nn::Adam adam({&layer});
  expect_moved_from("optimizer", adam, {{"update", [&] { adam.update(other, 0.1); }}});
}

TEST(MovedFrom, LayersSaySo) {
  const Options shape{{"dim_model", 4}, {"dim_ff", 4}, {"heads", 1}, {"enc_layers", 1}, {"dec_layers", 1}};
  nn::Workspace work;
  const nn::Tensor x = work.zeros(1, 4);
  const nn::Offsets one{0, 1};
  const nn::DecoderInputs inputs{x, x, one, one};
  const auto check = [&](auto layer, const std::function<void(decltype(layer)&)>& forward) {
    expect_moved_from("layer", layer,
                      {{"parameters", [&] { layer.parameters(); }},
                       {"forward", [&] { forward(layer); }},
                       {"backward", [&] { layer.backward(work, x); }},
                       {"initialize", [&] { nn::initialize({&layer}, 1); }},
                       {"clear_gradients", [&] { nn::clear_gradients({&layer}); }},
                       {"Adam", [&] { nn::Adam({&layer}); }}});
    forward(layer);
  };
  const auto rows = [&](auto& layer) { layer.forward(work, x); };
  const auto sentences = [&](auto& layer) { layer.forward(work, x, one); };
  const auto decodes = [&](auto& layer) { layer.forward(work, inputs); };
  check(nn::Embedding(4, shape), [&](auto& layer) { layer.forward(work, {1}, one); });
  check(nn::Linear(4, 4), rows);
  check(nn::LayerNorm(4), rows);
  check(nn::Dropout(0.5), rows);
  check(nn::FeedForward(shape), rows);
  check(nn::MultiHeadAttention(shape), [&](auto& layer) { layer.forward(work, {x, x, x, one, one, false, {}}); });
  check(nn::MultiHeadAttention(shape), [&](auto& layer) {
    layer.forward(work, {x, x, x, one, one, false, {}});
    layer.weights(work, 0);
  });
  check(nn::EncoderLayer(shape), sentences);
  check(nn::Encoder(shape), sentences);
  check(nn::DecoderLayer(shape), decodes);
  check(nn::Decoder(shape), decodes);
  check(nn::Generator(4, 4), rows);
  check(nn::Generator(4, 4), [&](auto& layer) { layer.loss(work, x, {1}); });
  check(nn::Generator(4, 4), [&](auto& layer) { layer.loss_and_gradient(work, x, {1}); });
  nn::Embedding embedding(4, shape);
  const nn::Embedding elsewhere(std::move(embedding));
  expect_refused("layer", {{"Generator", [&] { nn::Generator tied(embedding); }}});  // NOLINT(bugprone-use-after-move)
}

// Other pointers would not check that they are empty.
TEST(MovedFrom, PublicClassesOwnWhatTheyHaveThroughOneType) {
  for (const auto& file : std::filesystem::directory_iterator(source_path("include/hexapla"))) {
    const std::string text = read_file(file.path().string());
    if (file.path().filename() == "owned.h") continue;
    for (size_t at = text.find("unique_ptr<"); at != std::string::npos; at = text.find("unique_ptr<", at + 1))
      EXPECT_EQ(text.compare(at, 22, "unique_ptr<Impl> impl)"), 0)
          << file.path() << ": " << text.substr(at, 60) << ": use api::Owned";
  }
}

}  // namespace
}  // namespace hexapla::api
