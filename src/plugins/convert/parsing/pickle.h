#pragma once
// Python's pickles (protocols 2 to 5; see Lib/pickletools.py), read as values only. A pickle is a
// program that names functions for Python to call. Here names must be on a list, calls are recorded
// for the reader of the format, and nothing is ever run.
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "convert/parsing/cursor.h"

namespace hexapla::convert {

using PickleId = uint32_t;  // index of a value in Pickle::values()

struct PickleValue {
  enum class Kind : uint8_t {
    none,
    boolean,     // integer: 0 or 1
    integer,     // 64 bits
    large,       // an integer of more bits: text has its bytes, lowest first
    real,        // real
    text,        // text, also for bytes
    list,        // items, also for tuples and sets
    dictionary,  // items: key, value, key, value, ...
    name,        // text: a known name as a value, "torch.FloatStorage"
    call,        // text: the known name of a function; items: its arguments
    object,      // text: the known name of a class; items: its attributes, as in a dictionary
    reference,   // items: the one value that the reader of the format resolves (a persistent id)
  };
  Kind kind = Kind::none;
  int64_t integer = 0;
  double real = 0;
  std::string_view text = {};        // inside of the pickle's bytes
  std::vector<PickleId> items = {};  // may form cycles: anyone traversing them must limit the depth
};

// How a pickle may use a name, "module.name".
struct KnownName {
  enum class Use : uint8_t {
    name,        // a plain value, never called
    call,        // a function: the call is kept
    dictionary,  // collections.OrderedDict
    list,        // called with one list, it becomes that list: torch.Size, set
    object,      // a class with only attributes: argparse.Namespace
  };
  std::string_view name;
  Use use;
};

class Pickle {
 public:
  // Reads one pickle from the cursor, whose bytes must outlive the result. DataError naming its
  // place, the byte and the error: an unknown name or opcode, truncated, too large.
  static Pickle read(Cursor& bytes, std::span<const KnownName> known);

  const std::deque<PickleValue>& values() const { return values_; }
  const PickleValue& operator[](PickleId id) const { return values_[id]; }
  PickleId root() const { return root_; }

  // The value of a text key of a dictionary or an object; nullptr: neither, or no such key.
  const PickleValue* find(const PickleValue& dictionary, std::string_view key) const;

 private:
  std::deque<PickleValue> values_;
  PickleId root_ = 0;
};

}  // namespace hexapla::convert
