#pragma once
// What may be wrong with parallel text, and where it was found.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::curate {

// In the order in which a pair with several faults is said to be dropped.
enum class Fault : uint8_t {
  fields,       // of a TSV line: not two
  blank,        // nothing but white space
  encoding,     // invalid UTF-8
  control,      // control characters, line separators of Unicode, a byte order mark inside of a line
  replacement,  // U+FFFD: characters that were lost in an earlier conversion
  mojibake,     // UTF-8 that was read as Latin-1 or Windows-1252 and written again
  entities,     // of HTML: &amp; and &#39; where characters should be
  mark,         // a byte order mark at the start of the file; the readers drop it
  line_end,     // CR before the line end; the readers drop it
  too_long,     // above max_length characters
  ratio,        // one side much longer than the other
  identical,    // both sides equal
  in_test,      // a sentence of the test set
  duplicate,    // a pair that came before
  same_source,  // a source that came before, perhaps with another target
  same_target,
  unknown,  // characters that the vocabulary has no piece for
};
constexpr size_t kFaults = 17;

struct FaultInfo {
  std::string_view id;     // in options and JSON
  std::string_view words;  // in the report
  bool dropped;            // by default, when a clean pair of files is written
  bool harmless;           // usual in good corpora: does not count for `strict`
};
const FaultInfo& info(Fault fault);
// The fault of that id; UsageError that lists all ids and names `option`.
Fault fault_named(std::string_view id, std::string_view option);

class FaultSet {
 public:
  void add(Fault fault) { bits_ |= 1u << static_cast<unsigned>(fault); }
  void remove(Fault fault) { bits_ &= ~(1u << static_cast<unsigned>(fault)); }
  void add(FaultSet others) { bits_ |= others.bits_; }
  bool has(Fault fault) const { return (bits_ >> static_cast<unsigned>(fault)) & 1u; }
  bool empty() const { return bits_ == 0; }

 private:
  uint32_t bits_ = 0;
};

enum class Where : uint8_t { source, target, pair };
constexpr std::string_view kWhere[] = {"source", "target", "pair"};

struct FaultExample {
  int64_t line = 0;
  std::string source, target;  // the side that is not concerned may be empty
};

// Counts, and the first few places of each fault.
class Findings {
 public:
  struct Finding {
    int64_t count = 0;
    std::vector<FaultExample> examples;
  };
  static constexpr size_t kExamples = 3;

  void add(Fault fault, Where where, int64_t line, std::string_view source, std::string_view target);
  const Finding& of(Fault fault, Where where) const {
    return found_[static_cast<size_t>(fault)][static_cast<size_t>(where)];
  }

 private:
  std::array<std::array<Finding, 3>, kFaults> found_;
};

}  // namespace hexapla::curate
