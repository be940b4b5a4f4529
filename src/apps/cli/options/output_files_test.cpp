// No command overwrites a file that it reads, whichever options name it.
#include "cli/options/output_files.h"

#include <gmock/gmock.h>

#include <set>

#include "cli/command/command.h"
#include "cli/command/parser.h"
#include "cli/options/text_inputs.h"
#include "cli/test_command.h"

namespace hexapla::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using Words = std::vector<std::string>;

bool has_mark(CLI::Option& option, const Validator& mark) {
  try {
    option.get_validator(mark.name);
    return true;
  } catch (const CLI::OptionNotFound&) {
    return false;
  }
}

// f(name, command, option) for every option of every command, including those of `bench`.
template <class F>
void each_one(CLI::App& app, const std::string& name, F&& f) {
  for (CLI::Option* option : app.get_options()) f(name, app, *option);
  for (CLI::App* command : app.get_subcommands({}))
    each_one(*command, name.empty() ? command->get_name() : name + " " + command->get_name(), f);
}

// Files that are read but are not text; and --write-clean and --realign, which have their own check
// (data/curate/clean_writer.h).
const std::set<std::string> kNoText{"--config",      "--realign",      "--vocab",       "--vocabs",
                                    "--write-clean", "--socket",       "--certificate", "--key",
                                    "--api-keys",    "--source-vocab", "--bpe",         "--target-vocab",
                                    "--source-spm",  "--target-spm",   "--map",         "--shortlist"};

TEST(OutputFiles, EveryOptionThatNamesAFileIsReadOrMarkedAsWritten) {
  Command app;
  Action chosen;
  add_commands(app, chosen);
  int written = 0;
  each_one(app.parser(), "", [&](const std::string& command, CLI::App&, CLI::Option& o) {
    const std::string type = o.get_type_name(), name = o.get_name();
    const bool file = type.find("FILE") != type.npos || type.find("SOURCE") != type.npos;
    const bool read = has_mark(o, text_input()) || has_mark(o, text_input_beside_stdin());
    written += has_mark(o, output_file());
    EXPECT_TRUE(!file || kNoText.count(name) || read != has_mark(o, output_file()))
        << command << " " << name << ": give it check(output_file())";
  });
  EXPECT_GE(written, 12);
}

class Outputs : public CommandFolder {};

// Tries every pair of such an option and an input option.
TEST_F(Outputs, AreNoInputs) {
  const std::string input = write("input", "ein Hund\n"), link = at("link");
  std::filesystem::create_symlink(input, link);
  Command app;
  Action chosen;
  add_commands(app, chosen);
  int tried = 0;
  each_one(app.parser(), "", [&](const std::string& command, CLI::App& of, CLI::Option& output) {
    if (!has_mark(output, output_file())) return;
    for (CLI::Option* other : of.get_options()) {
      const std::string type = other->get_type_name();
      if (other == &output || !(has_mark(*other, text_input()) || kNoText.count(other->get_name()))) continue;
      Words words;
      std::istringstream names(command);
      for (std::string word; names >> word;) words.push_back(word);
      const auto give = [&](const CLI::Option& o, const std::string& file) {
        if (!o.get_positional()) words.push_back(o.get_name());
        for (int i = 0; i < std::max(1, o.get_expected_min()); ++i) words.push_back(file);
      };
      give(*other, input);
      give(output, link);
      for (CLI::Option* required : of.get_options())
        if (required->get_required() && required != other && required != &output) give(*required, at("other"));
      const Result r = run_command(words);
      EXPECT_EQ(r.code, 2) << command << " " << other->get_name() << " " << output.get_name() << ": " << r.err;
      const bool alone = other->get_needs().empty() && output.get_needs().empty();
      EXPECT_THAT(r.err, HasSubstr(alone ? "would be overwritten" : "")) << command << " " << other->get_name();
      EXPECT_EQ(read_file(input), "ein Hund\n") << command << " " << other->get_name();
      ++tried;
    }
  });
  EXPECT_GE(tried, 12);
}

TEST_F(Outputs, MayBeADeviceThatIsReadToo) {
  const std::string x = write("x", "ein Hund\n");
  EXPECT_EQ(run_command({"join", x, "-o", "/dev/null"}).err.find("would be overwritten"), std::string::npos);
}

}  // namespace
}  // namespace hexapla::cli
