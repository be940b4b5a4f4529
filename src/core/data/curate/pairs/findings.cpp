#include "data/curate/pairs/findings.h"

#include "base/error.h"

namespace hexapla::data {
namespace {

constexpr FaultInfo kInfo[kFaults] = {
    {"fields", "not two fields", true, false},
    {"blank", "blank", true, false},
    {"encoding", "invalid UTF-8", true, false},
    {"control", "control characters", true, false},
    {"replacement", "lost characters (U+FFFD)", true, false},
    {"mojibake", "mojibake (UTF-8 taken for Latin-1)", true, false},
    {"entities", "HTML entities", false, false},
    {"mark", "byte order mark", false, false},
    {"line-end", "carriage return at the end", false, false},
    {"too-long", "too long", true, false},
    {"ratio", "lengths too different", true, false},
    {"identical", "source and target identical", true, false},
    {"in-test", "sentence of the test set", true, false},
    {"duplicate", "pair repeated", true, false},
    {"same-source", "source repeated", false, true},
    {"same-target", "target repeated", false, true},
    {"script", "in another script than most lines", false, true},
    {"unknown", "characters unknown to the vocabulary", false, false},
};

}  // namespace

std::string beginning(std::string_view text) {
  constexpr size_t longest = 400;
  size_t end = text.size();
  if (end > longest) {
    for (end = longest; end > longest - 4 && (text[end] & 0xC0) == 0x80;) --end;
  }
  return std::string(text.substr(0, end));
}

const FaultInfo& fault_info(Fault fault) { return kInfo[static_cast<size_t>(fault)]; }

Fault fault_named(std::string_view id, std::string_view option) {
  std::string known;
  for (size_t i = 0; i < kFaults; ++i) {
    if (kInfo[i].id == id) return static_cast<Fault>(i);
    known += (i == 0 ? "" : ", ") + std::string(kInfo[i].id);
  }
  throw UsageError(cat(option, " '", id, "' is unknown; allowed are ", known));
}

void Findings::add(Fault fault, Where where, int64_t line, std::string_view source, std::string_view target) {
  Finding& finding = found_[static_cast<size_t>(fault)][static_cast<size_t>(where)];
  ++finding.count;
  if (finding.examples.size() < kExamples) finding.examples.push_back({line, beginning(source), beginning(target)});
}

}  // namespace hexapla::data
