// Runs the documentation's examples in a folder with a toy corpus under the names they use. Only
// trainings are changed: they get a small model and stop after a few updates.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/files/test_toy_corpus.h"
#include "base/test_paths.h"

namespace hexapla {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct Example {
  std::string where, script;
};

// Parts of examples that cannot run here, with reasons.
const std::pair<const char*, const char*> kLeftOut[] = {
    {" OPTIONS\n", "OPTIONS stands for those of the table below it"},
    {"hexapla serve", "it serves until it is stopped; ServeCommand tests it"},
    {"hexapla demo", "it trains for minutes; DemoCommand tests it"},
    {"hexapla bench", "it measures for seconds and more; BenchCommand tests it"},
    {"hexapla replay", "it needs a training that failed; CapsuleCommands tests it"},
    {"hexapla doctor", "it checks every kernel; Doctor tests it"},
    {"update-00001000", "it needs a run of 1,200 updates"},
    {"hexapla train -c config.yml", "the user writes config.yml"},
};

std::string why_left_out(const std::string& script) {
  for (const auto& [part, why] : kLeftOut)
    if (script.find(part) != std::string::npos) return why;
  return "";
}

std::string after(std::string text, const std::string& mark) {
  const size_t at = text.find(mark);
  return at == std::string::npos ? "" : text.substr(at + mark.size());
}

// Blocks of shell code that call the program.
std::vector<Example> examples_in(const std::string& file) {
  std::vector<Example> all;
  std::istringstream lines(read_file(source_path(file)));
  std::string script;
  bool inside = false;
  int number = 0, began = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!inside && line == "```sh") {
      inside = true, began = number, script.clear();
    } else if (inside && line == "```") {
      inside = false;
      if (("\n" + script).find("\nhexapla ") != std::string::npos || script.find("| hexapla ") != std::string::npos)
        all.push_back({cat(file, ":", began), script});
    } else if (inside) {
      script += line + "\n";
    }
  }
  return all;
}

class Docs : public TestFolder {
 protected:
  struct End {
    int code;
    std::string out, errors;
  };

  Docs() {
    fs::create_directories(at("bin"));
    // Like the program, but with short trainings.
    write_program("hexapla", cat(R"(command=$1; [ $# -gt 0 ] && shift
if [ "$command" = train ] || [ "$command" = distill ]; then
  left_out=
  for word; do
    shift
    if [ -n "$left_out" ]; then left_out=; continue; fi
    case $word in
      --layers|--dec-layers|--dim-model|--dim-ff|--heads|--max-minutes|--max-updates|--warmup|--threads|--valid-every) left_out=1 ;;
      --quiet) ;;
      *) set -- "$@" "$word" ;;
    esac
  done
  set -- "$@" --layers 1 --dim-model 16 --dim-ff 16 --heads 2 --max-minutes 0 --max-updates 6 --warmup 1 --threads 1 --quiet
  case "$*" in *--valid-sets*) set -- "$@" --valid-every 2;; esac
fi
exec )",
                                 build_path("hexapla"), " \"$command\" \"$@\"\n"));
    write_program("filter", "exec cat\n");  // represents a user's own program
  }
  void write_program(const std::string& name, const std::string& script) const {
    std::ofstream(at("bin/" + name)) << "#!/bin/sh\n" << script;
    fs::permissions(at("bin/" + name), fs::perms::owner_all);
  }

  End bash(const std::string& script) const {
    std::ofstream(at("script")) << script;
    const std::string command = cat("cd ", folder(), "/work && PATH=", folder(), "/bin:$PATH bash -eo pipefail ",
                                    at("script"), " > ", at("out"), " 2> ", at("errors"), " < /dev/null");
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(at("out")), read_file(at("errors"))};
  }

  // The files in the examples: parallel text, systems' translations, and trained models.
  void lay_out() const {
    if (!fs::exists(at("template"))) make_template();
    if (HasFatalFailure()) return;
    fs::remove_all(at("work"));
    fs::copy(at("template"), at("work"), fs::copy_options::recursive);
  }

  void make_template() const {
    const fs::path work = at("work");
    fs::remove_all(work);
    fs::create_directories(work);
    for (const char* set : {"train", "val", "test", "test_2016_flickr", "new", "web", "all"}) write_set(work, set, set);
    write_set(work, "a", "train"), write_set(work, "b", "val");  // the same files, moved
    std::string tsv;
    std::istringstream x(read_file(work / "train.en")), y(read_file(work / "train.de"));
    for (std::string source, target; std::getline(x, source) && std::getline(y, target);)
      tsv += source + "\t" + target + "\n";
    for (const char* name : {"news.tsv.zst", "raw.tsv.xz", "crawl.tsv", "test.tsv"}) std::ofstream(work / name) << tsv;
    for (const char* name : {"test.hyp.de", "hyp", "ref1", "ref2", "baseline.de", "better.de", "other.de"})
      fs::copy_file(work / "test.de", work / name);
    for (const auto& [copy, of] : {std::pair{"mono.de", "train.de"},
                                   {"bt.en.gz", "train.en"},
                                   {"bt.de.gz", "train.de"},
                                   {"both.source", "train.en"},
                                   {"both.target", "train.de"}})
      fs::copy_file(work / of, work / copy);
    fs::copy(source_path("src/plugins/convert/fixtures/hf_marian_joint"), work / "opus-mt-en-de");
    fs::copy(source_path("src/plugins/convert/fixtures/hf_m2m"), work / "m2m");
    fs::copy(source_path("tests/fixtures/foreign/ctranslate2_built_in"), work / "ct2-en-de");
    fs::copy(source_path("src/plugins/convert/fixtures/joeynmt_pre"), work / "joey_model");
    fs::copy(source_path("src/plugins/convert/fixtures/fairseq_post"), work / "checkpoints");
    fs::rename(work / "checkpoints/model.pt", work / "checkpoints/checkpoint_best.pt");
    fs::copy(work / "checkpoints/dict.src.txt", work / "dict.de.txt");
    fs::copy(work / "checkpoints/dict.tgt.txt", work / "dict.en.txt");
    for (const auto& [copy, of] : {std::pair{"checkpoint.pt", "torch_post_norm.pt"},
                                   {"vocab.en", "tokens_23.txt"},
                                   {"vocab.de", "tokens_19.txt"}})
      fs::copy_file(source_path(cat("tests/fixtures/foreign/", of)), work / copy);
    std::ofstream(work / "film.srt") << "1\n00:00:01,000 --> 00:00:02,000\nA dog runs.\n";
    std::ofstream(work / "terms.tsv") << "dog\tHund\n";
    std::ofstream(work / "page.html") << "<p>A <b>dog</b> runs.</p>\n";
    const End made = bash(
        "gzip crawl.tsv\n"
        "hexapla train --model run --train-sets train.en train.de --valid-sets val.en val.de --vocab-size 60 "
        "--save-every 1 --keep 5 --average-best 3\n"
        "for copy in run-1 run-2 a b teacher run-de-en both wide wide-en-de; do cp -r run $copy; done\n"
        "cp run/model.safetensors model.safetensors\n"
        "hexapla quantize -q -m run -o run8.safetensors\n"
        "hexapla export run --to hf-marian -o run-hf\n" +
        cat("hexapla import ", source_path("src/plugins/convert/fixtures/marian"), " -o en-pt.safetensors\n",
            "hexapla import m2m -o m2m-tuned.safetensors\n", "cp m2m-tuned.safetensors m2m.safetensors\n"));
    ASSERT_EQ(made.code, 0) << made.errors;
    fs::rename(work, at("template"));
  }

  // Compression is detected by content, not by name, so plain files do.
  static void write_set(const fs::path& folder, const std::string& name, const std::string& seed) {
    const fs::path x = folder / (name + ".en"), y = folder / (name + ".de");
    write_toy_corpus(x, y, 60, std::hash<std::string>()(seed));
    std::ofstream(x, std::ios::app) << "A dog runs.\nthe cat\n";
    std::ofstream(y, std::ios::app) << "Ein Hund rennt.\nder Katze\n";
    fs::copy_file(x, folder / (name + ".en.gz"));
    for (const char* other : {".de.gz", ".zh"}) fs::copy_file(y, folder / (name + other));
  }

  void run(const std::vector<Example>& examples) const {
    for (const Example& example : examples) {
      if (!why_left_out(example.script).empty()) continue;
      lay_out();
      if (HasFatalFailure()) return;
      // Removes them before a block that makes one of them.
      for (const std::string model : {"run", "both"})
        if (std::regex_search(example.script, std::regex("--model " + model + "\\s")))
          fs::remove_all(at("work/" + model));
      if (example.script.find("-o run-hf") != std::string::npos) fs::remove_all(at("work/run-hf"));
      const End end = bash(example.script);
      EXPECT_EQ(end.code, 0) << example.where << ":\n" << example.script << end.errors;
    }
  }
};

TEST_F(Docs, ExamplesRunAsTheyStand) {
  std::vector<Example> all = examples_in("README.md");
  EXPECT_FALSE(all.empty());
  for (const std::string folder : {"docs", "docs/guide"})
    for (const auto& entry : fs::directory_iterator(source_path(folder)))
      if (entry.path().extension() == ".md")
        for (Example& e : examples_in(cat(folder, "/", entry.path().filename().string()))) all.push_back(std::move(e));
  EXPECT_GE(all.size(), 15u);
  run(all);
}

TEST_F(Docs, ReferenceIsWhatTheHelpSays) {
  fs::create_directories(at("work"));
  const End end = bash(cat("\"${HEXAPLA_PYTHON:-python3}\" -B '", source_path("scripts/command_pages.py"),
                           "' --program '", build_path("hexapla"), "'\n"));
  if (end.code == 127) GTEST_SKIP() << "no Python (HEXAPLA_PYTHON)";
  EXPECT_EQ(end.code, 0) << end.errors;
}

TEST_F(Docs, ExamplesOfTheHelpRunAsTheyStand) {
  std::vector<Example> all;
  fs::create_directories(at("work"));
  for (const char* command :
       {"train",  "translate", "score",   "evaluate", "data",      "inspect", "average", "quantize", "info", "compare",
        "import", "export",    "augment", "distill",  "reproduce", "replay",  "doctor",  "bench",    "demo", "serve"}) {
    const End help = bash(cat(build_path("hexapla"), " ", command, " --help"));
    ASSERT_EQ(help.code, 0);
    std::istringstream lines(after(help.out, "Example"));
    int found = 0;
    for (std::string line; std::getline(lines, line);) {
      static const std::regex call("  ((echo .*\\| )?hexapla .*?)(   .*)?");
      for (std::string more; line.ends_with(" \\") && std::getline(lines, more);)  // continued lines
        line.replace(line.size() - 1, 1, more.substr(more.find_first_not_of(' ')));
      std::smatch match;
      if (!std::regex_match(line, match, call)) continue;
      all.push_back({cat("hexapla ", command, " --help"), match[1].str() + "\n"});
      ++found;
    }
    EXPECT_GT(found, 0) << command;
  }
  run(all);
}

}  // namespace
}  // namespace hexapla
