#include "lib/jobs/lines/shard_output.h"

#include <streambuf>

#include "base/files/hash.h"
#include "base/files/overwriting.h"
#include "model/weights/model_file.h"
#include "train/record/provenance.h"

namespace hexapla::api {
namespace {

// "hexapla 0.1.0 (...), model f3..., --beam-size 5": everything but the input that determines the
// output.
std::string maker(const std::vector<std::string>& model_files, const std::string& options) {
  std::string text = train::build_text();
  for (const std::string& file : model_files) text += ", model " + hash_hex(FileReader(file));
  return text + options;
}

}  // namespace

data::ShardNumber ShardOutput::number() const {
  return shard.empty() ? data::ShardNumber{} : data::ShardNumber::parse("shard", shard);
}

std::unique_ptr<Answers> ShardOutput::answers(const data::RangeReader& part, const std::string& input,
                                              const std::vector<std::string>& models) const {
  std::vector<std::string> files;
  for (const std::string& m : models) files.push_back(model::model_file(m));
  std::vector<std::string> inputs = files;
  inputs.push_back(input);
  refuse_to_overwrite(inputs, "`output`", data::manifest_of(output));
  const data::ShardManifest manifest = data::describe_shard(part, number(), input, maker(files, made_by));
  return data::is_whole(output, manifest) ? nullptr : std::make_unique<Answers>(manifest, output);
}

ShardWork ShardOutput::open(const std::string& input, const std::vector<std::string>& models, std::ostream& out,
                            const JobWatch& watch) const {
  ShardWork work;
  if (given()) work.part = std::make_shared<data::RangeReader>(input, number());
  work.answers = output.empty() ? std::make_unique<Answers>(out) : answers(*work.part, input, models);
  if (work.part && !work.part->note().empty()) watch.say(work.part->note());
  if (!work.answers) watch.say(cat(output, " is complete already"));
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

Answers::Answers(std::ostream& out) : out_(&out) {}

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

}  // namespace hexapla::api
