#include "train/record/run_vocabularies.h"

#include <filesystem>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/hash.h"
#include "base/json.h"
#include "base/options/option_json.h"
#include "train/record/earlier_run.h"

namespace hexapla::train {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Files {
  std::string joint, source, target;
  explicit Files(const std::string& run)
      : joint(run + "/vocab.spm"), source(run + "/vocab.source.spm"), target(run + "/vocab.target.spm") {}
};

OptionRows vocabulary_rows(const TrainOptions& options) {
  OptionRows rows = rows_of(options);
  std::erase_if(rows, [](const OptionRow& row) { return row.effect != Effect::vocabulary; });
  return rows;
}

json option_value(const TrainOptions& o, const std::string& option) {
  const OptionRows rows = vocabulary_rows(o);
  const OptionRow* row = find(rows, option);
  return row ? json(json_of(*row)) : json();
}

std::string shown_value(const json& value) { return value.is_string() ? value.get<std::string>() : json_text(value); }

[[noreturn]] void refuse_vocabulary(const TrainOptions& now, const std::string& option, const std::string& why) {
  const json value = option == "init-from" ? json(now.init_from) : option_value(now, option);
  throw UsageError(cat(now.model, " holds a run with other options: `", option, "` ", why,
                       "; give the options of that run, or another `model` folder"),
                   option, shown_value(value));
}

}  // namespace

std::string hash_of(const text::VocabularyPair& pair) {
  Hash both;
  for (const text::Vocabulary* side : {&pair.source, &pair.target})
    both.add(cat(side->bytes().size(), " ", side->bytes()));
  return both.hex();
}

std::optional<VocabularyRecord> VocabularyRecord::of_run(const std::string& run) {
  const std::optional<EarlierRun> earlier = EarlierRun::in(run);
  if (!earlier) return {};
  VocabularyRecord record;
  record.changeable_ = earlier->changeable;
  if (!earlier->identity.empty()) {
    const json identity = parse_json(earlier->identity, run);
    record.initial_ = identity.value("init-from", "");
    record.hash_ = identity.value("vocabulary", "");
  }
  return record;
}

// Options missing from the checkpoint are assumed unchanged.
void VocabularyRecord::compare(const TrainOptions& now) const {
  if (changeable_.empty()) return;
  TrainOptions was = now;
  const json all = parse_json(changeable_, now.model);
  for (const OptionRow& row : vocabulary_rows(was))
    if (all.contains(row.name)) set_recorded(row, all[row.name]);
  was.init_from = initial_;
  const std::string origin = given_vocabulary(was);
  if (!given_vocabulary(now).empty()) return;  // compared by bytes
  if (!origin.empty() && origin != "init-from")
    refuse_vocabulary(now, origin,
                      cat("was ", shown_value(option_value(was, origin)),
                          " (its copy: ", copies_of_vocabularies(now.model), "), now it is none"));
  if (!origin.empty()) return;  // the initial models differ
  for (const OptionRow& row : vocabulary_rows(now))
    if (const json value = json_of(row), before = option_value(was, row.name); value != before)
      refuse_vocabulary(now, row.name, cat("was ", shown_value(before), ", now it is ", shown_value(value)));
}

void VocabularyRecord::compare(const TrainOptions& now, const text::VocabularyPair& given) const {
  if (hash_.empty() || hash_of(given) == hash_) return;
  refuse_vocabulary(
      now, given_vocabulary(now),
      cat("brings another vocabulary than the run's own (its copy: ", copies_of_vocabularies(now.model), ")"));
}

std::optional<text::VocabularyPair> vocabularies_of_run(const std::string& run, bool separate) {
  const Files files(run);
  if (!separate && fs::exists(files.joint)) {
    const text::Vocabulary both = text::Vocabulary::load(files.joint);
    return text::VocabularyPair{both, both};
  }
  if (!fs::exists(files.source) || !fs::exists(files.target)) return {};
  text::VocabularyPair found{text::Vocabulary::load(files.source), text::Vocabulary::load(files.target)};
  if (!separate && !text::same_pieces(found.source, found.target))
    throw UsageError(cat(run, " holds a run with a vocabulary for each side: give `separate-vocabs` (or `vocabs`) ",
                         "as when it was started, or name another folder (`model`)"));
  return found;
}

std::string keep_vocabularies(const std::string& run, const text::VocabularyPair& vocabularies, bool separate) {
  const Files files(run);
  const std::string &source = vocabularies.source.bytes(), &target = vocabularies.target.bytes();
  const bool joint = !separate && source == target;
  std::string replaced;
  const auto keep = [&](const std::string& file, const std::string* bytes) {
    const bool there = fs::exists(file);
    if (there && bytes && read_file(file) == *bytes) return;
    if (there) replaced += cat(replaced.empty() ? "" : ", ", file);
    if (bytes)
      write_file_atomically(file, *bytes);
    else
      fs::remove(file);
  };
  keep(files.joint, joint ? &source : nullptr);
  keep(files.source, joint ? nullptr : &source);
  keep(files.target, joint ? nullptr : &target);
  return replaced;
}

std::string copies_of_vocabularies(const std::string& run) {
  const Files files(run);
  return fs::exists(files.joint) ? files.joint : cat(files.source, " ", files.target);
}

std::string how_to_give_copies(const std::string& run) {
  return cat(fs::exists(Files(run).joint) ? "`vocab` " : "`vocabs` ", copies_of_vocabularies(run));
}

std::optional<std::pair<std::string, std::string>> vocabulary_bytes_of_run(const std::string& run) {
  const Files files(run);
  if (fs::exists(files.joint)) return std::pair{read_file(files.joint), read_file(files.joint)};
  if (!fs::exists(files.source) || !fs::exists(files.target)) return {};
  return std::pair{read_file(files.source), read_file(files.target)};
}

}  // namespace hexapla::train
