#include "convert/kinds/toolkits/recorded_options.h"

#include "base/error.h"
#include "convert/parsing/limits.h"

namespace hexapla::convert {
namespace {

using ValueKind = PickleValue::Kind;

std::string text_of_value(const PickleValue& value) {
  switch (value.kind) {
    case ValueKind::none:
      return "None";
    case ValueKind::boolean:
      return value.integer != 0 ? "True" : "False";
    case ValueKind::integer:
      return cat(value.integer);
    case ValueKind::real:
      return cat(value.real);
    case ValueKind::text:
      return shown(value.text);
    case ValueKind::list:
      return cat("a list of ", value.items.size());
    default:
      return "no plain value";
  }
}

}  // namespace

RecordedOptions::RecordedOptions(const TorchFile& file, const std::vector<std::string>& keys) : file_(file) {
  const Pickle& values = file.values();
  const PickleValue* at = &values[values.root()];
  for (const std::string& key : keys) {
    place_ += (place_.empty() ? "" : ".") + key;
    if (at) at = values.find(*at, key);
  }
  if (at && (at->kind == ValueKind::object || at->kind == ValueKind::dictionary)) options_ = at;
}

RecordedOptions::RecordedOptions(const TorchFile& file, const PickleValue* options, std::string place)
    : file_(file), place_(std::move(place)) {
  if (options && (options->kind == ValueKind::object || options->kind == ValueKind::dictionary)) options_ = options;
}

const PickleValue* RecordedOptions::find(const std::string& key) const {
  const PickleValue* value = options_ ? file_.values().find(*options_, key) : nullptr;
  return value && value->kind != ValueKind::none ? value : nullptr;
}

bool RecordedOptions::has(const std::string& key) const { return find(key) != nullptr; }

void RecordedOptions::refuse(const std::string& key, const std::string& allowed) const {
  const PickleValue* value = find(key);
  throw DataError(cat(path(), ": the option '", place_, ".", key, "' ",
                      value ? "is " + text_of_value(*value) : "is missing", "; allowed is ", allowed));
}

int64_t RecordedOptions::whole(const std::string& key, const Range<int64_t>& allowed) const {
  const PickleValue* value = find(key);
  if (!value || value->kind != ValueKind::integer || !allowed.has(value->integer)) refuse(key, allowed.requirement());
  return value->integer;
}

int64_t RecordedOptions::whole(const std::string& key, const Range<int64_t>& allowed, int64_t otherwise) const {
  return has(key) ? whole(key, allowed) : otherwise;
}

double RecordedOptions::number(const std::string& key, const Range<double>& allowed, double otherwise) const {
  const PickleValue* value = find(key);
  if (value && value->kind == ValueKind::list && !value->items.empty()) value = &file_.values()[value->items[0]];
  if (!value) return otherwise;
  const double number = value->kind == ValueKind::integer ? static_cast<double>(value->integer) : value->real;
  if ((value->kind != ValueKind::integer && value->kind != ValueKind::real) || !allowed.has(number))
    refuse(key, allowed.requirement());
  return number;
}

bool RecordedOptions::flag(const std::string& key, bool otherwise) const {
  const PickleValue* value = find(key);
  if (!value) return otherwise;
  const bool number = value->kind == ValueKind::integer && (value->integer == 0 || value->integer == 1);
  if (value->kind != ValueKind::boolean && !number) refuse(key, "True or False");
  return value->integer != 0;
}

std::string RecordedOptions::word(const std::string& key, const std::string& otherwise) const {
  const PickleValue* value = find(key);
  if (!value) return otherwise;
  if (value->kind != ValueKind::text) refuse(key, "a text");
  return std::string(value->text);
}

std::vector<std::string> RecordedOptions::texts(const std::string& key) const {
  const PickleValue* list = find(key);
  if (!list || list->kind != ValueKind::list) refuse(key, "a list of texts");
  std::vector<std::string> all;
  for (const PickleId id : list->items) {
    const PickleValue& value = file_.values()[id];
    if (value.kind != ValueKind::text) refuse(key, "a list of texts");
    all.emplace_back(value.text);
  }
  return all;
}

void RecordedOptions::require_none(const std::string& key) const {
  const PickleValue* value = find(key);
  if (!value) return;
  const bool nothing =
      ((value->kind == ValueKind::boolean || value->kind == ValueKind::integer) && value->integer == 0) ||
      (value->kind == ValueKind::real && value->real == 0) || (value->kind == ValueKind::text && value->text.empty()) ||
      (value->kind == ValueKind::list && value->items.empty());
  if (!nothing) refuse(key, "none: models with it are not read");
}

}  // namespace hexapla::convert
