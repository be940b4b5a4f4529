#pragma once
// Faults of parallel text, and where they were found.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::data {

// A pair with several faults is counted as dropped for the first one in this order.
enum class Fault : uint8_t {
  fields,       // a TSV line without exactly two
  blank,        // only white space
  encoding,     // invalid UTF-8
  control,      // control characters, Unicode line separators, a byte order mark inside a line
  replacement,  // U+FFFD: characters lost in an earlier conversion
  mojibake,     // UTF-8 misread as Latin-1 or Windows-1252 and encoded again
  entities,     // HTML's &amp; and &#39; instead of characters
  mark,         // a byte order mark at the start of the file; the readers drop it
  line_end,     // CR before the line end; the readers drop it
  too_long,     // above max_length characters
  ratio,        // one side much longer than the other
  identical,    // both sides equal
  in_test,      // a sentence of the test set
  duplicate,    // a repeated pair
  same_source,  // a repeated source, possibly with another target
  same_target,
  script,   // in another script than most lines of its side
  unknown,  // characters without a piece in the vocabulary
};
constexpr size_t kFaults = 18;

struct FaultInfo {
  std::string_view id;     // in options and JSON
  std::string_view words;  // in the report
  bool dropped;            // by default, when writing a clean pair of files
  bool harmless;           // common in good corpora: ignored by `strict`
};
const FaultInfo& fault_info(Fault fault);
// The fault with this id; the UsageError lists all ids and names `option`.
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
  std::string source, target;  // the unaffected side may be empty
};

// Shortens a line for an example, as one may have a megabyte.
std::string beginning(std::string_view text);

// Counts of each fault, with the first few places.
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

}  // namespace hexapla::data
