// Recomputes every formula of the notes (docs/notes.md) from the output of `hexapla inspect` with
// an independent program: tests/notes/recompute.py, with NumPy.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <algorithm>

#include "base/files/test_toy_corpus.h"
#include "base/options/environment.h"
#include "base/test_paths.h"
#include "cli/test_command.h"

namespace hexapla::cli {
namespace {

struct Sibling {
  const char* name;
  std::vector<std::string> options;
};

class NotesClaims : public CommandFolder {
 protected:
  struct End {
    int code;
    std::string output;
  };
  static End recompute(const std::string& file) { return run_script("recompute.py", file); }
  static End run_script(const std::string& script, const std::string& argument) {
    const char* python = environment("HEXAPLA_PYTHON");
    FILE* pipe = popen(
        cat("'", python ? python : "python3", "' -B '", source_path("tests/notes/" + script), "' '", argument, "' 2>&1")
            .c_str(),
        "r");
    std::string output;
    for (int c; (c = fgetc(pipe)) != EOF;) output += static_cast<char>(c);
    return {WEXITSTATUS(pclose(pipe)), output};
  }
};

class Notes : public NotesClaims, public testing::WithParamInterface<Sibling> {};

TEST_P(Notes, EveryFormulaGivesWhatTheFileHas) {
  write_toy_corpus(at("a"), at("b"), 100);
  std::vector<std::string> words{"train",
                                 "-q",
                                 "--model",
                                 at("run"),
                                 "--train-sets",
                                 at("a"),
                                 at("b"),
                                 "--layers",
                                 "2",
                                 "--dim-model",
                                 "12",
                                 "--heads",
                                 "3",
                                 "--vocab-size",
                                 "40",
                                 "--batch-tokens",
                                 "200",
                                 "--lr",
                                 "0.01",
                                 "--max-updates",
                                 "20",
                                 "--precision",
                                 "f32"};
  words = words + GetParam().options;
  if (std::find(words.begin(), words.end(), "--dim-expert") == words.end())
    words = words + std::vector<std::string>{"--dim-ff", "20"};
  const Result trained = run_command(words);
  ASSERT_EQ(trained.code, 0) << trained.err;
  const Result seen = run_command({"inspect", "-m", at("run"), "--src", "small red dog", "--tgt", "hund rot klein",
                                   "--beside", "cat", "--out", at("all.safetensors"), "--weights", "--gradients"});
  ASSERT_EQ(seen.code, 0) << seen.err;
  const End end = recompute(at("all.safetensors"));
  if (end.code == 77 || end.code == 127) GTEST_SKIP() << "no Python with the package numpy (HEXAPLA_PYTHON)";
  EXPECT_EQ(end.code, 0) << end.output;
}

// Checks the errors in the notes' formulas that docs/notes.md lists, and its figures from docs/lab.
TEST_F(NotesClaims, HoldWhereTheyAreComputedAgain) {
  const End end = run_script("claims.py", source_path("docs"));
  if (end.code == 77 || end.code == 127) GTEST_SKIP() << "no Python with the package numpy (HEXAPLA_PYTHON)";
  EXPECT_EQ(end.code, 0) << end.output;
}

INSTANTIATE_TEST_SUITE_P(
    Siblings, Notes,
    testing::Values(
        Sibling{"paper", {}}, Sibling{"unscaled", {"--score", "dot"}}, Sibling{"additive", {"--score", "additive"}},
        Sibling{"sigmoid", {"--score", "sigmoid"}}, Sibling{"relu", {"--score", "relu"}},
        Sibling{"linear_kernel", {"--score", "linear-kernel"}}, Sibling{"top_4", {"--score", "top-4"}},
        Sibling{"unnormalized", {"--score", "unnormalized", "--norm-position", "pre"}},
        Sibling{"notes_code", {"--tied", "none", "--generator-bias", "--embedding-norm", "--attention-bias"}},
        Sibling{"pre_norm_gated", {"--norm-position", "pre", "--gated", "--activation", "swish"}},
        Sibling{"no_norm_no_positions", {"--norm", "none", "--positions", "none"}},
        Sibling{"halves", {"--positions", "sinusoidal-halves", "--embedding-scale", "none"}},
        Sibling{"timing_signal", {"--positions", "timing-signal", "--first-position", "2"}},
        Sibling{"post_norm_and_last", {"--norm-position", "post-last", "--activation", "gelu-tanh"}},
        Sibling{"gru", {"--encoder-mixing", "gru"}},
        Sibling{"pre_norm_convolution",
                {"--encoder-mixing", "convolution", "--kernel-width", "5", "--norm-position", "pre"}},
        Sibling{"ssru", {"--decoder-mixing", "ssru"}},
        Sibling{"pre_norm_ssru", {"--decoder-mixing", "ssru", "--encoder-mixing", "gru", "--norm-position", "pre"}},
        Sibling{"experts", {"--experts", "4"}},
        Sibling{"pre_norm_two_experts",
                {"--experts", "3", "--experts-per-token", "2", "--dim-expert", "7", "--norm-position", "pre",
                 "--activation", "gelu"}},
        Sibling{"no_mask", {"--decoder-mask", "none"}},
        Sibling{"batch_norm_learned",
                {"--norm", "batch", "--positions", "learned", "--activation", "gelu", "--tied", "decoder"}}),
    [](const auto& sibling) { return std::string(sibling.param.name); });

}  // namespace
}  // namespace hexapla::cli
