#pragma once
// Pickles of Python (protocols 2 to 5; Lib/pickletools.py describes them), as values and nothing else. A pickle is a
// program: it names functions, which Python calls. Here a name has to be on a list, what would be called is kept as a
// record of the call for the reader of the format to look at, and nothing is ever run.
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "convert/parsing/cursor.h"

namespace hexapla::convert {

using PickleId = uint32_t;  // a value by its number in Pickle::values()

struct PickleValue {
  enum class Kind : uint8_t {
    none,
    boolean,     // integer: 0 or 1
    integer,     // of 64 bits
    large,       // a whole number of more bits: text has its bytes, the lowest first
    real,        // real
    text,        // text, also of bytes
    list,        // items, also of a tuple or a set
    dictionary,  // items: key, value, key, value, ...
    name,        // text: a known name that stands for itself, "torch.FloatStorage"
    call,        // text: the known name of a function; items: its arguments
    object,      // text: the known name of a class; items: its attributes, as a dictionary's
    reference,   // items: the one value that the reader of the format finds by itself (a persistent id)
  };
  Kind kind = Kind::none;
  int64_t integer = 0;
  double real = 0;
  std::string_view text = {};        // inside of the pickle's bytes
  std::vector<PickleId> items = {};  // may lead back to this value: who walks through counts the depth
};

// What a name means that a pickle may ask for, "module.name".
struct KnownName {
  enum class Use : uint8_t {
    name,        // stands for itself, and is never called
    call,        // a function: the call is kept
    dictionary,  // collections.OrderedDict
    list,        // called with one list, it stands for it: torch.Size, set
    object,      // a class without anything but attributes: argparse.Namespace
  };
  std::string_view name;
  Use use;
};

class Pickle {
 public:
  // Takes one pickle off the front of the cursor, whose bytes outlive the result. DataError naming its place, the byte
  // and what is wrong: a name that is not known, an opcode that no pickle of data has, cut short, too large.
  static Pickle read(Cursor& bytes, std::span<const KnownName> known);

  const std::deque<PickleValue>& values() const { return values_; }
  const PickleValue& operator[](PickleId id) const { return values_[id]; }
  PickleId root() const { return root_; }

  // The value of a text key of a dictionary or an object; nullptr: it is none, or has no such key.
  const PickleValue* find(const PickleValue& dictionary, std::string_view key) const;

 private:
  std::deque<PickleValue> values_;
  PickleId root_ = 0;
};

}  // namespace hexapla::convert
