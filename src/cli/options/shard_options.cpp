#include "cli/options/shard_options.h"

#include <algorithm>
#include <iostream>
#include <streambuf>

#include "base/files/hash.h"
#include "base/files/overwriting.h"
#include "cli/options/output_files.h"
#include "cli/parser.h"
#include "decode/opened/open_model.h"
#include "model/weights/model_file.h"
#include "train/record/provenance.h"

namespace hexapla::cli {
namespace {

// Options that do not affect the output, or that the manifest records separately.
constexpr const char* without_effect[] = {"model",           "threads",      "quiet", "color",
                                          "batch-sentences", "batch-tokens", "shard", "input",
                                          "output",          "files",        "tsv",   "help"};

}  // namespace

void ShardFlags::bind(Command& c, const std::string& what) {
  command = &c;
  c.add_option("--shard", shard,
               "I/N: only the lines that begin in the I-th of N equal parts of " + what + ", without reading the rest")
      ->type_name("I/N");
  c.add_option(
       "--output", output,
       "write to this file (.gz, .zst and .xz are compressed), which appears when it is complete, with its manifest "
       "(FILE.manifest.json); a complete one is not written again")
      ->check(output_file())
      ->type_name("FILE");
}

data::ShardNumber ShardFlags::number() const {
  return shard.empty() ? data::ShardNumber{} : data::ShardNumber::parse("shard", shard);
}

std::string ShardFlags::made_by(const std::vector<std::string>& model_files) const {
  std::string text = train::build_text();
  for (const std::string& file : model_files) text += ", model " + hash_hex(FileReader(file));
  const std::vector<const CLI::Option*> options = std::as_const(command->parser()).get_options();
  for (const CLI::Option* option : options) {
    const std::string name = option->get_lnames().empty() ? option->get_name() : option->get_lnames().front();
    const auto* const end = std::end(without_effect);
    if (option->count() == 0 || std::find(std::begin(without_effect), end, name) != end) continue;
    text += ", --" + name;
    for (const std::string& value : option->reduced_results()) text += " " + value;
  }
  return text;
}

ShardWork ShardFlags::open(const std::string& input, const std::vector<std::string>& models) const {
  ShardWork work;
  if (!shard.empty() || !output.empty()) work.part = std::make_shared<data::RangeReader>(input, number());
  if (work.part) work.note = work.part->note();
  if (output.empty()) {
    work.answers = std::make_unique<Answers>();
    return work;
  }
  std::vector<std::string> files;
  for (const std::string& m : models) files.push_back(model::model_file(m));
  std::vector<std::string> inputs = files;
  inputs.push_back(input);
  refuse_to_overwrite(inputs, "--output", data::manifest_of(output));
  const data::ShardManifest manifest = data::describe_shard(*work.part, number(), input, made_by(files));
  if (!data::is_whole(output, manifest)) work.answers = std::make_unique<Answers>(manifest, output);
  return work;
}

class Answers::Buffer final : public std::streambuf {
 public:
  explicit Buffer(data::ShardWriter& writer) : writer_(writer) {}

 private:
  int_type overflow(int_type c) override {
    if (c == traits_type::eof()) return c;
    const char one = traits_type::to_char_type(c);
    writer_.write({&one, 1});
    return c;
  }
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    writer_.write({text, static_cast<size_t>(size)});
    return size;
  }

  data::ShardWriter& writer_;
};

Answers::Answers() : out_(&std::cout) {}

Answers::Answers(const data::ShardManifest& manifest, const std::string& output)
    : writer_(std::in_place, output),
      buffer_(std::make_unique<Buffer>(*writer_)),
      own_(std::make_unique<std::ostream>(buffer_.get())),
      out_(own_.get()),
      manifest_(manifest) {
  own_->exceptions(std::ios::badbit);  // passes on the writer's exceptions
}

Answers::~Answers() = default;

void Answers::finish(int64_t lines) {
  if (writer_) writer_->finish(manifest_, lines);
}

}  // namespace hexapla::cli
