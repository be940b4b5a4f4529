// Stdin has only one reader, whichever options name it.
#include "cli/options/text_inputs.h"

#include <gmock/gmock.h>

#include <set>

#include "cli/command/command.h"
#include "cli/command/parser.h"
#include "cli/test_command.h"

namespace hexapla::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Words = std::vector<std::string>;

bool is_marked(CLI::Option& option) {
  for (const Validator& mark : {text_input(), text_input_beside_stdin()}) {
    try {
      option.get_validator(mark.name);
      return true;
    } catch (const CLI::OptionNotFound&) {
    }
  }
  return false;
}

std::string name_of(const CLI::Option& o) { return o.get_lnames().empty() ? o.get_name() : o.get_lnames().front(); }

// f(command, option) for every option of every command.
template <class F>
void each_option(CLI::App& app, F&& f) {
  for (CLI::Option* option : app.get_options()) f(app.get_name(), *option);
  for (CLI::App* command : app.get_subcommands({})) each_option(*command, f);
}

// Options of files that are not text, or are written.
const std::set<std::string> kExcepted{"config",        "realign",     "vocab",      "vocabs",   "write-clean",
                                      "write-batches", "write-model", "out",        "output",   "trace",
                                      "socket",        "certificate", "key",        "api-keys", "source-vocab",
                                      "target-vocab",  "source-spm",  "target-spm", "map",      "shortlist",
                                      "bpe",           "svg"};

TEST(TextInputs, EveryOptionThatNamesAFileIsOneOrIsNot) {
  Command app;
  Action chosen;
  add_commands(app, chosen);
  int marked = 0;
  each_option(app.parser(), [&](const std::string& command, CLI::Option& o) {
    const std::string type = o.get_type_name(), name = name_of(o);
    const bool file = type.find("FILE") != type.npos || type.find("SOURCE") != type.npos;
    EXPECT_EQ(is_marked(o), file && !kExcepted.count(name))
        << command << " " << name << ": text input has the type FILE or SOURCE TARGET and check(text_input())";
    marked += is_marked(o);
  });
  EXPECT_GE(marked, 16);
}

class Stdin : public CommandFolder {
 protected:
  void refused(const Words& arguments, const std::string& first, const std::string& second) const {
    const Result r = run_command(arguments, "ein Hund\n");
    EXPECT_EQ(r.code, 2) << r.err;
    EXPECT_THAT(r.err, AllOf(HasSubstr("stdin ('-') can be read only once"), HasSubstr("for " + first),
                             HasSubstr("and for " + second)));
    EXPECT_EQ(r.out, "");
  }
};

TEST_F(Stdin, HasOneReader) {
  const std::string x = write("x", "ein Hund\n"), y = write("y", "a dog\n"), z = at("z");
  refused({"translate", "-m", z, "--prefix", "-"}, "the lines to be translated", "--prefix");
  refused({"data", "-", x, "--test-sets", "-", y}, "files", "--test-sets");
  refused({"data", "--tsv", "-", "--test-sets", "-", y}, "--tsv", "--test-sets");
  refused({"data", x, y, "--test-sets", "-", "-"}, "--test-sets", "--test-sets");
  refused({"score", "-m", z, "-", "-"}, "files", "files");
  refused({"evaluate", "-", x, "--compare", "-"}, "files", "--compare");
  refused({"evaluate", x, y, "--compare", "-", "--source", "-"}, "--compare", "--source");
  refused({"quantize", "-m", z, "-o", at("q"), "--valid-sets", "-", "-"}, "--valid-sets", "--valid-sets");
  const Words train{"train", "--model", at("run"), "--train-sets", "-", x};
  refused(train + Words{"--valid-sets", "-", y}, "--train-sets", "--valid-sets");
  refused(train + Words{"--guided-alignment", "-"}, "--train-sets", "--guided-alignment");
  refused(train + Words{"--config", write("run.yaml", "valid-sets: [\"-\", y]\n")}, "--train-sets", "--valid-sets");
}

TEST_F(Stdin, MayBeTheOnlyOneThatIsMeant) {
  const std::string x = write("x", "ein Hund\n");
  EXPECT_EQ(run_command({"evaluate", "-", x}, "ein Hund\n").code, 0);
  EXPECT_EQ(run_command({"evaluate", "-", x, "--worst", "1", "--source", x}, "ein Hund\n").code, 0);
}

}  // namespace
}  // namespace hexapla::cli
