#include "convert/parsing/pickle.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "convert/parsing/limits.h"

namespace hexapla::convert {
namespace {

using PickleKind = PickleValue::Kind;
using Use = KnownName::Use;

// The opcodes in pickletools.py that picklers write for data; PyTorch uses protocol 2.
enum class Op : uint8_t {
  proto = 0x80,
  frame = 0x95,
  stop = '.',
  mark = '(',
  pop = '0',
  pop_mark = '1',
  none = 'N',
  true_ = 0x88,
  false_ = 0x89,
  int4 = 'J',
  int1 = 'K',
  int2 = 'M',
  long1 = 0x8a,
  long4 = 0x8b,
  real = 'G',
  string1 = 'U',
  string4 = 'T',
  text1 = 0x8c,
  text4 = 'X',
  text8 = 0x8d,
  bytes1 = 'C',
  bytes4 = 'B',
  bytes8 = 0x8e,
  empty_list = ']',
  empty_dictionary = '}',
  empty_tuple = ')',
  empty_set = 0x8f,
  tuple = 't',
  tuple1 = 0x85,
  tuple2 = 0x86,
  tuple3 = 0x87,
  frozen_set = 0x91,
  append = 'a',
  appends = 'e',
  add_items = 0x90,
  set_item = 's',
  set_items = 'u',
  global = 'c',
  stack_global = 0x93,
  reduce = 'R',
  new_object = 0x81,
  build = 'b',
  reference = 'Q',
  put1 = 'q',
  put4 = 'r',
  memoize = 0x94,
  get1 = 'h',
  get4 = 'j',
};

// The most frequent values, which pickles encode in one byte, are stored once.
constexpr PickleId kNone = 0, kFalse = 1, kTrue = 2;

// The pickle machine: a stack of values, marks on it, and a memo of values by number.
class Machine {
 public:
  Machine(Cursor& bytes, std::span<const KnownName> known, std::deque<PickleValue>& values)
      : bytes_(bytes), known_(known), values_(values) {
    values_ = {{.kind = PickleKind::none}, {.kind = PickleKind::boolean}, {.kind = PickleKind::boolean, .integer = 1}};
  }

  PickleId run() {
    for (;;) {
      start_ = bytes_.at();
      const auto op = static_cast<Op>(bytes_.number<uint8_t>());
      if (op == Op::stop) return pop();
      if (!frame(op) && !number(op) && !text(op) && !collection(op) && !filling(op) && !named(op) && !memo(op))
        refuse(
            cat("has the opcode ", int(op), ", which pickles of numbers, texts, lists and dictionaries do not need"));
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw DataError(cat(bytes_.place(), ": the pickle, at byte ", start_, ", ", what));
  }
  void count(size_t more = 1) {
    if ((count_ += more) > limits::kValues)
      refuse(cat("has more than ", limits::kValues, " values; allowed are no more, which is plenty for a model"));
  }

  void push(PickleId id) {
    count();
    stack_.push_back(id);
  }
  void push(PickleValue value) {
    values_.push_back(std::move(value));
    push(static_cast<PickleId>(values_.size() - 1));
  }
  void push_integer(int64_t integer) { push({.kind = PickleKind::integer, .integer = integer}); }
  void push_text(PickleKind kind, std::string_view text) { push({.kind = kind, .text = text}); }
  size_t bottom() const { return marks_.empty() ? 0 : marks_.back(); }  // values below belong to an outer mark
  PickleId pop() {
    if (stack_.size() <= bottom()) refuse("takes a value that is not there; the file is damaged");
    const PickleId top = stack_.back();
    stack_.pop_back();
    return top;
  }
  std::vector<PickleId> pop(size_t n) {
    if (stack_.size() - bottom() < n) refuse("takes values that are not there; the file is damaged");
    std::vector<PickleId> all(stack_.end() - static_cast<ptrdiff_t>(n), stack_.end());
    stack_.resize(stack_.size() - n);
    return all;
  }
  std::vector<PickleId> pop_to_mark() {
    if (marks_.empty()) refuse("takes a mark that is not there; the file is damaged");
    std::vector<PickleId> all = pop(stack_.size() - marks_.back());
    marks_.pop_back();
    return all;
  }
  PickleValue& top() {
    if (stack_.size() <= bottom()) refuse("uses a value that is not there; the file is damaged");
    return values_[stack_.back()];
  }

  // Each handles one group of opcodes; false: not in this group.
  bool frame(Op op) {
    switch (op) {
      case Op::proto:
        if (const int version = bytes_.number<uint8_t>(); version < 2 || version > 5)
          refuse(cat("is of protocol ", version, "; read are 2 to 5"));
        return true;
      case Op::frame:
        bytes_.number<uint64_t>();
        return true;
      case Op::mark:
        count();
        marks_.push_back(stack_.size());
        return true;
      case Op::pop:
        pop();
        return true;
      case Op::pop_mark:
        pop_to_mark();
        return true;
      default:
        return false;
    }
  }

  bool number(Op op) {
    switch (op) {
      case Op::none:
        push(kNone);
        return true;
      case Op::true_:
      case Op::false_:
        push(op == Op::true_ ? kTrue : kFalse);
        return true;
      case Op::int1:
        push_integer(bytes_.number<uint8_t>());
        return true;
      case Op::int2:
        push_integer(bytes_.number<uint16_t>());
        return true;
      case Op::int4:
        push_integer(bytes_.number<int32_t>());
        return true;
      case Op::long1:
        push_long(bytes_.number<uint8_t>());
        return true;
      case Op::long4:
        push_long(bytes_.number<uint32_t>());
        return true;
      case Op::real:
        push({.kind = PickleKind::real, .real = std::bit_cast<double>(__builtin_bswap64(bytes_.number<uint64_t>()))});
        return true;
      default:
        return false;
    }
  }
  // Two's complement with any number of bytes.
  void push_long(size_t size) {
    const std::string_view all = bytes_.take(size);
    if (size > 8) return push_text(PickleKind::large, all);
    uint64_t value = !all.empty() && (all.back() & 0x80) != 0 ? ~uint64_t{0} : 0;
    for (size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(all[i]);
    push_integer(static_cast<int64_t>(value));
  }

  bool text(Op op) {
    switch (op) {
      case Op::string1:
      case Op::text1:
      case Op::bytes1:
        push_text(PickleKind::text, bytes_.take(bytes_.number<uint8_t>()));
        return true;
      case Op::string4:
      case Op::text4:
      case Op::bytes4:
        push_text(PickleKind::text, bytes_.take(bytes_.number<uint32_t>()));
        return true;
      case Op::text8:
      case Op::bytes8:
        push_text(PickleKind::text, bytes_.take(bytes_.number<uint64_t>()));
        return true;
      default:
        return false;
    }
  }

  bool collection(Op op) {
    switch (op) {
      case Op::empty_list:
      case Op::empty_tuple:
      case Op::empty_set:
        push({.kind = PickleKind::list});
        return true;
      case Op::empty_dictionary:
        push({.kind = PickleKind::dictionary});
        return true;
      case Op::tuple:
      case Op::frozen_set:
        push({.kind = PickleKind::list, .items = pop_to_mark()});
        return true;
      case Op::tuple1:
        push({.kind = PickleKind::list, .items = pop(1)});
        return true;
      case Op::tuple2:
        push({.kind = PickleKind::list, .items = pop(2)});
        return true;
      case Op::tuple3:
        push({.kind = PickleKind::list, .items = pop(3)});
        return true;
      default:
        return false;
    }
  }

  bool filling(Op op) {
    switch (op) {
      case Op::append:
        extend(PickleKind::list, pop(1));
        return true;
      case Op::appends:
      case Op::add_items:
        extend(PickleKind::list, pop_to_mark());
        return true;
      case Op::set_item:
        extend(PickleKind::dictionary, pop(2));
        return true;
      case Op::set_items:
        extend(PickleKind::dictionary, pop_to_mark());
        return true;
      default:
        return false;
    }
  }
  void extend(PickleKind kind, const std::vector<PickleId>& more) {
    PickleValue& to = top();
    if (to.kind != kind) refuse("fills what is no list or dictionary; the file is damaged");
    if (kind == PickleKind::dictionary && more.size() % 2 != 0)
      refuse("has a key without a value; the file is damaged");
    to.items.insert(to.items.end(), more.begin(), more.end());
  }

  bool named(Op op) {
    switch (op) {
      case Op::global: {
        const std::string_view module = bytes_.line(), name = bytes_.line();
        push_known(module, name);
        return true;
      }
      case Op::stack_global: {
        const std::vector<PickleId> both = pop(2);
        push_known(text_of(both[0]), text_of(both[1]));
        return true;
      }
      case Op::reduce:
      case Op::new_object: {
        const std::vector<PickleId> both = pop(2);
        call(both[0], both[1]);
        return true;
      }
      case Op::build: {
        const PickleId state = pop();
        build(state);
        return true;
      }
      case Op::reference: {
        push({.kind = PickleKind::reference, .items = pop(1)});
        return true;
      }
      default:
        return false;
    }
  }
  std::string_view text_of(PickleId id) const {
    if (values_[id].kind != PickleKind::text) refuse("names something by what is no text; the file is damaged");
    return values_[id].text;
  }
  const KnownName* known(std::string_view name) const {
    const auto at = std::find_if(known_.begin(), known_.end(), [&](const KnownName& k) { return k.name == name; });
    return at == known_.end() ? nullptr : &*at;
  }
  void push_known(std::string_view module, std::string_view name) {
    if (module == "__builtin__") module = "builtins";  // its name in Python 2
    const std::string full = cat(module, ".", name);
    const KnownName* found = known(full);
    if (!found)
      refuse(cat("asks for ", shown(full),
                 ", a class or function, which is not on the list of those that hold weights. ",
                 "Nothing of a pickle is ever run. If you trust the file, save its weights alone: ",
                 "torch.save(model.state_dict(), ...)"));
    push_text(PickleKind::name, found->name);
  }

  // The result of calling a known name with a tuple of arguments.
  void call(PickleId what, PickleId arguments) {
    if (values_[what].kind != PickleKind::name || values_[arguments].kind != PickleKind::list)
      refuse("calls what is no function; the file is damaged");
    const KnownName& name = *known(values_[what].text);
    std::vector<PickleId> items = values_[arguments].items;
    count(items.size());
    switch (name.use) {
      case Use::name:
        refuse(cat("calls ", name.name, ", which only stands for itself"));
      case Use::call:
        return push({.kind = PickleKind::call, .text = name.name, .items = std::move(items)});
      case Use::object:
        return push({.kind = PickleKind::object, .text = name.name});
      case Use::dictionary:
        return push({.kind = PickleKind::dictionary, .items = pairs(items)});
      case Use::list:
        if (items.size() > 1 || (items.size() == 1 && values_[items[0]].kind != PickleKind::list))
          refuse(cat("calls ", name.name, " with something else than one list; the file is damaged"));
        if (!items.empty()) items = values_[items[0]].items;
        count(items.size());
        return push({.kind = PickleKind::list, .items = std::move(items)});
    }
  }
  // The arguments of OrderedDict([(key, value), ...]), as Python 2 wrote it.
  std::vector<PickleId> pairs(const std::vector<PickleId>& arguments) {
    std::vector<PickleId> all;
    if (arguments.empty()) return all;
    for (const PickleId pair : values_[arguments[0]].items) {
      if (values_[pair].items.size() != 2) refuse("makes a dictionary of what are no pairs; the file is damaged");
      count();
      all.insert(all.end(), values_[pair].items.begin(), values_[pair].items.end());
    }
    return all;
  }
  // Sets the attributes of an object. Attributes of a dictionary (a state dict's _metadata) are not
  // entries, and those of a tensor are not needed.
  void build(PickleId state) {
    PickleValue& to = top();
    if (to.kind == PickleKind::dictionary || to.kind == PickleKind::call) return;
    if (to.kind != PickleKind::object || values_[state].kind != PickleKind::dictionary)
      refuse("gives attributes to what has none; the file is damaged");
    const std::vector<PickleId> more = values_[state].items;
    count(more.size());
    to.items.insert(to.items.end(), more.begin(), more.end());
  }

  bool memo(Op op) {
    switch (op) {
      case Op::put1:
        put(bytes_.number<uint8_t>());
        return true;
      case Op::put4:
        put(bytes_.number<uint32_t>());
        return true;
      case Op::memoize:
        put(static_cast<uint32_t>(memo_.size()));
        return true;
      case Op::get1:
        push(get(bytes_.number<uint8_t>()));
        return true;
      case Op::get4:
        push(get(bytes_.number<uint32_t>()));
        return true;
      default:
        return false;
    }
  }
  void put(uint32_t number) {
    top();
    count();
    memo_[number] = stack_.back();
  }
  PickleId get(uint32_t number) const {
    const auto at = memo_.find(number);
    if (at == memo_.end()) refuse(cat("looks up value ", number, ", which was never stored; the file is damaged"));
    return at->second;
  }

  Cursor& bytes_;
  std::span<const KnownName> known_;
  std::deque<PickleValue>& values_;
  std::vector<PickleId> stack_;
  std::vector<size_t> marks_;  // heights of the stack
  std::unordered_map<uint32_t, PickleId> memo_;
  size_t start_ = 0, count_ = 0;
};

}  // namespace

Pickle Pickle::read(Cursor& bytes, std::span<const KnownName> known) {
  Pickle pickle;
  pickle.root_ = Machine(bytes, known, pickle.values_).run();
  return pickle;
}

const PickleValue* Pickle::find(const PickleValue& dictionary, std::string_view key) const {
  if (dictionary.kind != PickleKind::dictionary && dictionary.kind != PickleKind::object) return nullptr;
  for (size_t i = dictionary.items.size(); i >= 2; i -= 2) {  // the last duplicate key counts, as in Python
    const PickleValue& name = values_[dictionary.items[i - 2]];
    if (name.kind == PickleKind::text && name.text == key) return &values_[dictionary.items[i - 1]];
  }
  return nullptr;
}

}  // namespace hexapla::convert
