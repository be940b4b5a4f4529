#include "cli/translate_input.h"

#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace hexapla::cli {
namespace {

bool read_line(std::string& line) {
  if (!std::getline(std::cin, line)) return false;
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return true;
}

class Plain final : public TranslateInput {
 public:
  explicit Plain(bool prompt) : prompt_(prompt) {}
  InputLines next(int64_t most) override {
    InputLines in;
    for (std::string line; static_cast<int64_t>(in.text.size()) < most && ask(line);) in.text.push_back(line);
    in.requests.resize(in.text.size());
    return in;
  }

 private:
  bool ask(std::string& line) const {
    if (prompt_) std::cerr << "> " << std::flush;
    const bool more = read_line(line);
    if (prompt_ && !more) std::cerr << "\n";
    return more;
  }
  bool prompt_;
};

// What was read before a wrong line is translated before that line is complained about.
class Checked : public TranslateInput {
 public:
  InputLines next(int64_t most) final {
    if (failure_) std::rethrow_exception(failure_);
    InputLines in;
    try {
      fill(in, most);
    } catch (const DataError&) {
      if (in.text.empty()) throw;
      failure_ = std::current_exception();
    }
    return in;
  }

 private:
  virtual void fill(InputLines& in, int64_t most) = 0;  // adds whole lines
  std::exception_ptr failure_;
};

class WithPrefixes final : public Checked {
 public:
  explicit WithPrefixes(const std::string& file) : prefixes_(file) {}

 private:
  void fill(InputLines& in, int64_t most) override {
    for (std::string line, prefix; static_cast<int64_t>(in.text.size()) < most && read_line(line); ++lines_) {
      if (!prefixes_.next(prefix))
        throw DataError(cat(prefixes_.name(), " has ", lines_,
                            " lines, but the input has more; give a prefix for every line, if only an empty one"));
      in.text.push_back(line);
      in.requests.push_back({.prefix = prefix});
    }
    if (std::string prefix; in.text.empty() && prefixes_.next(prefix))
      throw DataError(
          cat(prefixes_.name(), " has more lines than the ", lines_, " of the input; give one prefix for every line"));
  }

  LineReader prefixes_;
  int64_t lines_ = 0;
};

class Json final : public Checked {
 private:
  void fill(InputLines& in, int64_t most) override {
    for (std::string line; static_cast<int64_t>(in.text.size()) < most && read_line(line);) {
      ++lines_;
      std::string text;
      LineRequest request;
      if (!line.empty()) read(line, text, request);
      in.text.push_back(std::move(text));
      in.requests.push_back(std::move(request));
    }
  }
  void read(const std::string& line, std::string& text, LineRequest& request) const {
    const auto object = nlohmann::json::parse(line, nullptr, false);
    if (!object.is_object()) fail("is no JSON object; give {\"text\": \"...\"}");
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
        fail(cat("has a \"", key, "\"; known are text, prefix, require and forbid"));
    }
  }
  std::string string(const nlohmann::json& value, const std::string& key) const {
    if (!value.is_string()) fail(cat("has a \"", key, "\" that is no string"));
    return value.get<std::string>();
  }
  std::vector<std::string> list(const nlohmann::json& value, const std::string& key) const {
    std::vector<std::string> all;
    if (!value.is_array()) fail(cat("has a \"", key, "\" that is no list of strings"));
    for (const auto& item : value) all.push_back(string(item, key));
    return all;
  }
  [[noreturn]] void fail(const std::string& what) const { throw DataError(cat("stdin, line ", lines_, ": it ", what)); }

  int64_t lines_ = 0;
};

}  // namespace

std::unique_ptr<TranslateInput> plain_input(bool prompt) { return std::make_unique<Plain>(prompt); }
std::unique_ptr<TranslateInput> input_with_prefixes(const std::string& prefix_file) {
  return std::make_unique<WithPrefixes>(prefix_file);
}
std::unique_ptr<TranslateInput> json_input() { return std::make_unique<Json>(); }

}  // namespace hexapla::cli
