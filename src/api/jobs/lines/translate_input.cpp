#include "api/jobs/lines/translate_input.h"

#include <exception>
#include <utility>

#include "api/translate/stream/line_stream.h"
#include "base/error.h"
#include "base/json.h"

namespace hexapla::api {
namespace {

// Lines of a file, of which one is read ahead to tell whether it is there.
class WaitingLines {
 public:
  WaitingLines(const std::string& path, data::BeforeWaiting before_waiting)
      : before_waiting_(std::move(before_waiting)), reader_(path, [this] {
          if (looking_) throw NotThere();
          before_waiting_();
        }) {}
  WaitingLines(const WaitingLines&) = delete;
  WaitingLines& operator=(const WaitingLines&) = delete;

  bool next(std::string& line) {
    if (!looked_) return reader_.next(line);
    looked_ = false;
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    line = std::move(ahead_);
    return there_;
  }
  bool ready() {
    if (looked_) return true;
    looking_ = true;
    try {
      there_ = reader_.next(ahead_);
    } catch (const NotThere&) {
      looking_ = false;
      return false;
    } catch (const UserError&) {
      error_ = std::current_exception();
    }
    looking_ = false;
    return looked_ = true;
  }
  const std::string& name() const { return reader_.name(); }

 private:
  struct NotThere {};

  bool looking_ = false, looked_ = false;
  bool there_ = false;  // whether what was looked at is a line, not the end
  std::string ahead_;
  std::exception_ptr error_;
  const data::BeforeWaiting before_waiting_;
  data::LineReader reader_;
};

class Plain final : public TranslateInput {
 public:
  explicit Plain(LinesToTranslate lines) : lines_(std::move(lines)) {}
  bool next(std::string& text, Constraints& request) override {
    request = {};
    return lines_.next(text);
  }
  bool ready() override { return lines_.ready(); }

 private:
  LinesToTranslate lines_;
};

class WithPrefixes final : public TranslateInput {
 public:
  WithPrefixes(LinesToTranslate lines, const std::string& file, data::BeforeWaiting before_waiting)
      : prefixes_(file, std::move(before_waiting)), lines_(std::move(lines)) {}
  bool next(std::string& text, Constraints& request) override {
    request = {};
    const int64_t before = read_;
    const bool line = lines_.next(text), prefix = prefixes_.next(request.prefix);
    if (line && !prefix)
      throw DataError(cat(prefixes_.name(), " has ", before,
                          " lines, but the input has more; give a prefix for every line, even if it is empty"));
    if (prefix && !line)
      throw DataError(cat(prefixes_.name(), " has more lines than the ", before,
                          " of the input; give exactly one prefix per line"));
    read_ += line;
    if (line) check(request);
    return line;
  }
  bool ready() override { return lines_.ready() && prefixes_.ready(); }

 private:
  // What a file asks for is data, not usage.
  void check(const Constraints& request) const {
    try {
      constraints_of(request, static_cast<uint64_t>(read_));
    } catch (const UsageError& e) {
      throw DataError(e.what());
    }
  }

  WaitingLines prefixes_;
  LinesToTranslate lines_;
  int64_t read_ = 0;
};

class Json final : public TranslateInput {
 public:
  explicit Json(LinesToTranslate lines) : lines_(std::move(lines)) {}
  bool next(std::string& text, Constraints& request) override {
    std::string line;
    if (!lines_.next(line)) return false;
    ++number_;
    text.clear();
    request = {};
    if (!line.empty()) read(line, text, request);
    return true;
  }
  bool ready() override { return lines_.ready(); }

 private:
  void read(const std::string& line, std::string& text, Constraints& request) const {
    const auto object = json_or_null(line);
    if (!object.is_object()) fail("is not a JSON object; give {\"text\": \"...\"}");
    if (!object.contains("text")) fail("has no \"text\"; give {\"text\": \"...\"}");
    for (const auto& [key, value] : object.items()) {
      if (key == "text")
        text = string(value, key);
      else if (key == "prefix")
        request.prefix = string(value, key);
      else if (key == "require")
        request.require = list(value, key);
      else if (key == "forbid")
        request.forbid = list(value, key);
      else
        fail(cat("has a \"", key, "\"; allowed are text, prefix, require and forbid"));
    }
  }
  std::string string(const nlohmann::json& value, const std::string& key) const {
    if (!value.is_string()) fail(cat("has a \"", key, "\" that is not a string"));
    return value.get<std::string>();
  }
  std::vector<std::string> list(const nlohmann::json& value, const std::string& key) const {
    std::vector<std::string> all;
    if (!value.is_array()) fail(cat("has a \"", key, "\" that is not a list of strings"));
    for (const auto& item : value) all.push_back(string(item, key));
    return all;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(cat(lines_.name, ", line ", number_, ": it ", what));
  }

  LinesToTranslate lines_;
  int64_t number_ = 0;
};

}  // namespace

LinesToTranslate lines_of(const std::string& path, data::BeforeWaiting before_waiting) {
  const auto reader = std::make_shared<WaitingLines>(path, std::move(before_waiting));
  return {[reader](std::string& line) { return reader->next(line); }, reader->name(),
          [reader] { return reader->ready(); }};
}

std::unique_ptr<TranslateInput> plain_input(LinesToTranslate lines) {
  return std::make_unique<Plain>(std::move(lines));
}
std::unique_ptr<TranslateInput> input_with_prefixes(LinesToTranslate lines, const std::string& prefix_file,
                                                    data::BeforeWaiting before_waiting) {
  return std::make_unique<WithPrefixes>(std::move(lines), prefix_file, std::move(before_waiting));
}
std::unique_ptr<TranslateInput> json_input(LinesToTranslate lines) { return std::make_unique<Json>(std::move(lines)); }

}  // namespace hexapla::api
