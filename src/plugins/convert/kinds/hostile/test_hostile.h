#pragma once
// For tests: files built to overwhelm their reader: deep, wide, with huge counts, or not regular.
#include <sys/stat.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/files/file.h"
#include "convert/containers/test_containers.h"
#include "convert/kinds/hostile/test_tampered.h"

namespace hexapla::convert {

class Hostile {
 public:
  // most: the maximum number of repetitions.
  Hostile(Random& random, size_t most) : random_(random), most_(static_cast<double>(most)) {}

  // Replaces the file at `path`, whose content is `honest`, by a hostile one.
  void replace(const std::string& path, const std::string& honest) {
    if (below(8) == 0) return special(path);
    const std::string changed = changed_content(path, honest);
    std::ofstream(path) << changed;
  }

 private:
  size_t below(size_t n) { return random_.below(static_cast<uint32_t>(n)); }
  size_t many() { return static_cast<size_t>(std::exp(random_.uniform() * std::log(most_))); }
  static std::string times(size_t n, std::string_view text) {
    std::string all;
    all.reserve(n * text.size());
    for (size_t i = 0; i < n; ++i) all += text;
    return all;
  }
  template <class F>
  static std::string numbered(size_t n, F&& item) {
    std::string all;
    for (size_t i = 0; i < n; ++i) all += item(i);
    return all;
  }

  void special(const std::string& path) {
    std::filesystem::remove(path);
    const auto link = [&](const char* to) { std::filesystem::create_symlink(to, path); };
    switch (below(7)) {
      case 0:
        mkfifo(path.c_str(), 0600);
        break;
      case 1:
        link("/dev/zero");
        break;
      case 2:
        link("/dev/null");
        break;
      case 3:
        link(path.c_str());
        break;
      case 4:
        std::filesystem::create_directory(path);
        break;
      case 5:
        link("/proc/self/mem");
        break;
      default:
        std::ofstream(path) << times(many(), std::string_view("\0", 1));
    }
  }

  std::string changed_content(const std::string& path, const std::string& honest) {
    if (path.ends_with(".json")) return with_json(honest);
    if (path.ends_with(".yml") || path.ends_with(".yaml")) return with_yaml(honest);
    if (path.ends_with(".txt") || path.ends_with(".codes")) return with_lines(honest);
    if (path.ends_with(".safetensors")) return with_header(honest);
    if (path.ends_with(".spm") || path.ends_with(".model")) return with_pieces(honest);
    if (honest.starts_with("PK")) return with_entry(path, path.ends_with(".npz") ? ".npy" : "data.pkl");
    return tampered(random_, honest);
  }

  // Replaces a value up to the next comma or bracket.
  std::string with_json(std::string text) {
    const size_t at = text.find_first_of(":,[", below(text.size()));
    if (at == text.npos) return text + json_value();
    const size_t end = std::min(text.find_first_of(",]}", at + 1), text.size());
    return text.replace(at + 1, end - at - 1, json_value());
  }
  std::string json_value() {
    const size_t n = many();
    switch (below(12)) {
      case 0:
        return times(n, "[");
      case 1:
        return times(n, "[") + times(n, "]");
      case 2:
        return times(n, "{\"a\":") + "0" + times(n, "}");
      case 3:
        return "[" + times(n, "[],") + "[]]";
      case 4:
        return "[" + times(n, "{},") + "{}]";
      case 5:
        return "[" + times(n, "\"\",") + "\"\"]";
      case 6:
        return "{" + numbered(n, [](size_t i) { return cat("\"", i, "\":", i, ","); }) + "\"a\":0}";
      case 7:
        return "[" + numbered(n, [](size_t i) { return cat(R"({"id":)", i, R"(,"content":"t)", i, R"("},)"); }) + "{}]";
      case 8:
        return "[" + numbered(n, [](size_t i) { return cat(R"(["a)", i, R"(","b"],)"); }) + R"(["a","b"]])";
      case 9:
        return '"' + times(n, "\\u2581") + '"';
      default:
        return number();
    }
  }
  std::string number() {
    const char* const numbers[] = {"4194304",
                                   "65536",
                                   "2147483647",
                                   "4294967296",
                                   "9223372036854775807",
                                   "18446744073709551615",
                                   "184467440737095516160",
                                   "-1",
                                   "0",
                                   "1e308",
                                   "1e999",
                                   "0.5",
                                   "null",
                                   "true",
                                   "\"\"",
                                   "NaN"};
    return below(4) == 0 ? times(many(), "9") : numbers[below(std::size(numbers))];
  }

  std::string with_yaml(std::string text) {
    const size_t line = std::min(text.find('\n', below(text.size())), text.size());
    const size_t n = many();
    const auto insert = [&](const std::string& what) { return text.insert(line, "\n" + what + "\n"); };
    switch (below(7)) {
      case 0:
        return insert(numbered(std::min<size_t>(n, 2000), [](size_t i) { return std::string(i, ' ') + "a:\n"; }));
      case 1:
        return insert("a: " + times(n, "["));
      case 2:
        return insert("a:\n" + times(n, "- x\n"));
      case 3:
        return insert(numbered(n, [](size_t i) { return cat("k", i, ": ", i, "\n"); }));
      case 4:
        return insert(times(n, "k") + ":\n" + numbered(n, [](size_t i) { return cat(" ", i, ": 1\n"); }));
      case 5:
        return insert("a: [" + times(n, "x, ") + "]");
      default: {
        const size_t colon = text.find(": ", below(text.size()));
        if (colon == text.npos) return text;
        return text.replace(colon + 2, text.find('\n', colon) - colon - 2, number());
      }
    }
  }

  std::string with_lines(std::string text) {
    const size_t line = std::min(text.find('\n', below(text.size())), text.size() - 1) + 1;
    const std::string one = text.substr(0, text.find('\n') + 1);
    const size_t n = many();
    switch (below(6)) {
      case 0:
        return text.insert(line, times(n, "\n"));
      case 1:
        return text.insert(line, times(n, one));
      case 2:
        return text.insert(line, times(n, "x"));
      case 3:
        return text.insert(line, numbered(n, [](size_t i) { return cat("t", i, " ", i, "\n"); }));
      case 4:
        return text.insert(line, numbered(n, [](size_t i) { return cat("t", i, "\n"); }));
      default:
        return text.insert(line, times(n, std::string_view("\0", 1)));
    }
  }

  std::string with_header(const std::string& bytes) {
    uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof length);
    const std::string header = with_json(bytes.substr(8, length));
    const uint64_t claimed = below(8) == 0 ? uint64_t{1} << below(64) : header.size();
    return le(claimed) + header + bytes.substr(8 + length);
  }

  // Appends fields to a SentencePiece model.
  std::string with_pieces(const std::string& bytes) {
    const auto field = [](char tag, const std::string& content) {
      std::string length;
      for (size_t left = content.size(); length.empty() || left > 0; left >>= 7)
        length += static_cast<char>((left & 127) | (left > 127 ? 128 : 0));
      return tag + length + content;
    };
    const size_t n = many();
    switch (below(5)) {
      case 0:
        return bytes + numbered(n, [&](size_t i) { return field('\x0a', field('\x0a', cat("t", i))); });
      case 1:
        return bytes + field('\x0a', field('\x0a', times(n, "x")));
      case 2:
        return bytes + field('\x1a', field('\x12', times(n, "\x01\x02")));
      case 3:
        return bytes + times(n, "\x9b\x01");  // nested groups
      default:
        return tampered(random_, bytes);
    }
  }

  std::string with_entry(const std::string& path, const std::string& ending) {
    bool done = false;
    return rezipped(path, ending, [&](std::string content) {
      if (done || (ending == ".npy" && below(4) > 0)) return content;
      done = true;
      return ending == ".npy" ? tampered(random_, content) : with_pickled(content);
    });
  }
  std::string with_pickled(std::string pickle) {
    const char* const words[] = {"(",  "]",     "}",      "](",    "N", "2",   "N\x85", "\x85",
                                 "(l", "]\x85", "}N\x85", "K\x01", "e", "(((", "h\x01", "u"};
    const std::string word = words[below(std::size(words))];
    const size_t at = below(3) == 0 ? pickle.size() - 1 : 2 + below(pickle.size() - 2);
    return pickle.insert(at, times(many(), word));
  }

  Random& random_;
  double most_;
};

}  // namespace hexapla::convert
