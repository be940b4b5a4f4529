#pragma once
// The answer of each interface to a case, in one form:
//   {"lines": [[{text, score, normalized, ids or tokens, token_scores, alignment}]],
//    "warnings": [[line, what]]}, or {"error": what}
// A score of -infinity is null; a member that an interface does not have is missing.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <memory>
#include <regex>

#include "base/options/option_names.h"
#include "cases.h"
#include "hexapla/hexapla.h"
#include "serve/routes/test_service.h"

namespace hexapla::interfaces {

inline Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

// "0.7,0.2,0.1 0.1,0.8,0.1", in the program's format.
inline std::string soft_text(const Matrix& m) {
  std::string text;
  for (size_t row = 0; row < m.rows; ++row)
    for (size_t column = 0; column < m.columns; ++column)
      text += fmt::format("{}{:g}", column > 0 ? "," : row > 0 ? " " : "", m(row, column));
  return text;
}
inline std::string hard_text(const std::vector<std::pair<int, int>>& links) {
  std::string text;
  for (const auto& [source, target] : links) text += fmt::format("{}{}-{}", text.empty() ? "" : " ", source, target);
  return text;
}
inline Json alignment_json(const Alignment& a, const Case& c) {
  Json j{{"alignment", c.hard ? hard_text(a.links) : soft_text(a.weights)}, {"weights", Json::array()}};
  for (const double w : a.weights.values) j["weights"].push_back(static_cast<float>(w));
  if (c.units != "pieces") j["source_words"] = a.source_words, j["target_words"] = a.target_words;
  return j;
}

inline std::string words_of_option(const Json& value) {
  return value.is_string() ? value.get<std::string>() : json_text(value);
}

// ---------------------------------------------------------------------------------------------------- the program

class Program {
 public:
  explicit Program(const std::string& folder) : folder_(folder) {}

  Json answer(const Case& c) const {
    std::vector<std::string> words{c.task == Task::translate ? "translate" : "score", "--threads", "1"};
    for (const std::string& path : c.subject->paths) words.insert(words.end(), {"-m", path});
    for (const auto& [name, value] : c.options.items()) {
      if (c.task != Task::translate && name == "long_input") continue;  // scoring in the program always truncates
      words.push_back(as_flag(name));
      if (value != Json(true)) words.push_back(words_of_option(value));
    }
    if (!c.units.empty())
      words.insert(words.end(), {"--alignment", c.hard ? "hard" : "soft", "--alignment-units", c.units});
    words.push_back("--json");
    return c.task == Task::translate ? translated(c, std::move(words)) : scored(c, std::move(words));
  }

 private:
  static std::string as_flag(std::string name) {
    std::replace(name.begin(), name.end(), '_', '-');
    return "--" + name;
  }
  static std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }

  static Json translated(const Case& c, std::vector<std::string> words) {
    std::string input = joined(c.lines);
    if (!c.constraints.is_null()) {
      words.push_back("--jsonl");
      input.clear();
      for (size_t i = 0; i < c.lines.size(); ++i) {
        Json line = c.constraints[i];
        line["text"] = c.lines[i];
        input += json_text(line) + "\n";
      }
    }
    Json lines = Json::array();
    const cli::Result r = cli::run_command(words, input);
    for (const Json& line : rows(r)) {
      Json& all = lines.emplace_back(Json::array());
      for (Json t : line["translations"]) {
        if (line.contains("source_words")) t["source_words"] = line["source_words"];
        all.push_back(in_one_form(std::move(t)));
      }
    }
    return finished(r, std::move(lines));
  }

  Json scored(const Case& c, std::vector<std::string> words) const {
    for (const auto& [name, lines] : {std::pair{"/source", &c.lines}, std::pair{"/target", &c.translations}}) {
      write_file_atomically(folder_ + name, joined(*lines));
      words.push_back(folder_ + name);
    }
    const cli::Result r = cli::run_command(words);
    Json lines = Json::array();
    for (Json line : rows(r)) {
      line["token_scores"] = Json::array();
      line["tokens"] = Json::array();
      for (const Json& piece : line["pieces"]) {
        line["token_scores"].push_back(piece[1]);
        line["tokens"].push_back(piece[0]);
      }
      line["tokens"].erase(line["tokens"].size() - 1);  // </s>
      line.erase("words"), line.erase("pieces");
      lines.push_back(Json::array({in_one_form(std::move(line))}));
    }
    return finished(r, std::move(lines));
  }

  static std::vector<Json> rows(const cli::Result& r) {
    std::vector<Json> all;
    std::istringstream in(r.out);
    for (std::string line; std::getline(in, line);) all.push_back(Json::parse(line));
    return all;
  }
  static Json in_one_form(Json t) {
    if (t.contains("normalised")) t["normalized"] = t["normalised"], t.erase("normalised");
    t.erase("coverage");
    return t;
  }
  // Parses "line 2: what" on stderr, and renames options as in the library.
  static Json finished(const cli::Result& r, Json lines) {
    static const std::regex note("line (\\d+): (.*)"), flag("--([a-z]+(-[a-z]+)*)");
    std::istringstream in(r.err);
    Json warnings = Json::array();
    std::string error;
    for (std::string line; std::getline(in, line);) {
      for (std::smatch found; std::regex_search(line, found, flag);) {
        std::string name = found[1];
        std::replace(name.begin(), name.end(), '-', '_');
        line = found.prefix().str() + name + found.suffix().str();
      }
      std::smatch said;
      if (line.starts_with("hexapla: error: ")) error = line.substr(16);
      if (std::regex_match(line, said, note)) warnings.push_back({std::stoi(said[1]), said[2].str()});
    }
    if (r.code != 0) return {{"error", error.empty() ? r.err : error}};
    return {{"lines", std::move(lines)}, {"warnings", std::move(warnings)}};
  }

  std::string folder_;
};

// ------------------------------------------------------------------------------------------------- the C++ library

class Library {
 public:
  Json answer(const Case& c) {
    try {
      return c.task == Task::translate ? translated(c, translator(c).translate_n_best(c.lines, options(c), asked(c)))
                                       : scored(c);
    } catch (const std::exception& e) {
      return {{"error", e.what()}};
    }
  }
  // Uses submit(); the first result must be translate()'s.
  Json submitted(const Case& c) {
    try {
      RequestOptions request;
      request.constraints = asked(c);
      TranslatorOptions how = options(c);
      how.batch_sentences.reset(), how.batch_tokens.reset();  // requests share them
      return translated(c, translator(c).submit(c.lines, how, request).get());
    } catch (const std::exception& e) {
      return {{"error", e.what()}};
    }
  }
  // Uses stream(); the result must be translate()'s.
  Json streamed(const Case& c) {
    try {
      const std::vector<Constraints> all = asked(c);
      LineSource source = [&, line = std::size_t{0}](std::string& text, Constraints& of_line) mutable {
        if (line == c.lines.size()) return false;
        text = c.lines[line];
        if (!all.empty()) of_line = all[line];
        ++line;
        return true;
      };
      source.read_ahead = 3;
      TranslationStream stream = translator(c).stream(source, options(c));
      return translated(c, {stream.begin(), stream.end()});
    } catch (const std::exception& e) {
      return {{"error", e.what()}};
    }
  }
  Json best(const Case& c) {
    try {
      TranslatorOptions how = options(c);
      how.n_best = 1;
      how.alignment = "";
      return translator(c).translate(c.lines, how, asked(c));
    } catch (const std::exception& e) {
      return {{"error", e.what()}};
    }
  }

 private:
  Translator& translator(const Case& c) {
    auto& found = translators_[c.subject];
    if (!found) found = std::make_unique<Translator>(c.subject->paths);
    return *found;
  }
  TranslatorOptions options(const Case& c) {
    Options given;
    for (const auto& [name, value] : c.options.items()) given.emplace(name, words_of_option(value));
    if (!c.units.empty() && c.task == Task::translate) given.emplace("alignment", c.units);
    TranslatorOptions how = TranslatorOptions::from(given);
    warnings_ = Json::array();
    how.warn = [this](std::size_t line, const std::string& what) { warnings_.push_back({line, what}); };
    return how;
  }
  static std::vector<Constraints> asked(const Case& c) {
    std::vector<Constraints> all;
    for (const Json& one : c.constraints)
      all.push_back({one.value("prefix", ""), one.value("require", std::vector<std::string>()),
                     one.value("forbid", std::vector<std::string>())});
    return all;
  }
  Json translated(const Case& c, const PendingTranslation::Lines& found) {
    Json lines = Json::array();
    for (const auto& of_line : found) {
      Json& all = lines.emplace_back(Json::array());
      for (const Translation& t : of_line) {
        all.push_back({{"text", t.text},
                       {"score", number(t.score)},
                       {"normalized", number(t.normalized)},
                       {"ids", t.ids},
                       {"tokens", t.tokens},
                       {"token_scores", t.token_scores}});
        if (!c.units.empty()) all.back().update(alignment_json(t.alignment, c));
        EXPECT_TRUE(t.token_scores.empty() ? t.ids.empty() : t.token_scores.size() == t.ids.size() + 1) << c.text();
        EXPECT_EQ(t.tokens.size(), t.ids.size()) << c.text();
      }
    }
    return {{"lines", std::move(lines)}, {"warnings", warnings_}};
  }
  Json scored(const Case& c) {
    Json lines = Json::array();
    const TranslatorOptions how = options(c);
    for (const ScoreResult& s : translator(c).score_tokens(c.lines, c.translations, how))
      lines.push_back(Json::array({Json{{"score", number(s.score)},
                                        {"normalized", number(s.normalized)},
                                        {"tokens", s.tokens},
                                        {"token_scores", s.token_scores}}}));
    if (c.task == Task::score) return {{"lines", std::move(lines)}, {"warnings", warnings_}};
    const Json said = warnings_;
    TranslatorOptions looking = options(c);
    looking.length_penalty.reset(), looking.length_normalization.reset();  // only for scores
    const std::vector<Alignment> all = translator(c).align(c.lines, c.translations, looking, c.units);
    EXPECT_EQ(said, warnings_) << c.text() << "\nscoring and aligning a pair read the same text";
    for (size_t i = 0; i < all.size(); ++i) lines[i][0].update(alignment_json(all[i], c));
    return {{"lines", std::move(lines)}, {"warnings", warnings_}};
  }

  std::map<const Subject*, std::unique_ptr<Translator>> translators_;
  Json warnings_;
};

// ------------------------------------------------------------------------------------------------------------ HTTP

class Http {
 public:
  Json answer(const Case& c) {
    if (c.task == Task::translate) return translated(c);
    Json lines = Json::array(), warnings = Json::array();
    for (size_t i = 0; i < c.lines.size(); ++i) {
      const Json r = post(c, "/v1/score", {{"q", c.lines[i]}, {"t", c.translations[i]}, {"options", c.options}});
      if (r.contains("error")) return r;
      for (const Json& w : r.value("warnings", Json::array())) warnings.push_back({i + 1, w["what"]});
      lines.push_back(Json::array({Json{{"score", r["score"]},
                                        {"normalized", r["normalized"]},
                                        {"tokens", r["tokens"]},
                                        {"token_scores", r["token_scores"]}}}));
    }
    return {{"lines", std::move(lines)}, {"warnings", std::move(warnings)}};
  }

 private:
  Json translated(const Case& c) {
    Json options = c.options;
    options.erase("batch_sentences"), options.erase("batch_tokens");  // requests share them
    if (!c.units.empty()) options["alignment"] = c.units;
    const Json r = post(c, "/v1/translate", {{"q", c.lines}, {"options", options}, {"constraints", c.constraints}});
    if (r.contains("error")) return r;
    Json lines = Json::array(), warnings = Json::array();
    for (const Json& of_line : r["translations"]) {
      Json& all = lines.emplace_back(Json::array());
      for (Json t : of_line) {
        if (t.contains("alignment")) take_alignment(t, c);
        all.push_back(std::move(t));
      }
    }
    for (const Json& w : r.value("warnings", Json::array())) warnings.push_back({w["line"], w["what"]});
    return {{"lines", std::move(lines)}, {"warnings", std::move(warnings)}};
  }
  static void take_alignment(Json& t, const Case& c) {
    const Json a = t["alignment"];
    t.erase("alignment");
    t["weights"] = Json::array();
    for (const Json& row : a["weights"])
      for (const Json& weight : row) t["weights"].push_back(weight.get<float>());
    if (c.units != "pieces") t["source_words"] = a["source_words"], t["target_words"] = a["target_words"];
    if (c.hard) t["alignment"] = hard_text(a["links"].get<std::vector<std::pair<int, int>>>());
  }
  Json post(const Case& c, const std::string& target, const Json& body) {
    auto& server = servers_[c.subject];
    if (!server) {
      serve::ServiceOptions o;
      o.models = {{c.subject->paths.front()}};  // languages would select those of a multilingual model
      server = std::make_unique<serve::test::RunningService>(o);
    }
    const serve::test::Received r = server->post(target, body);
    const Json answer = r.json();
    if (r.status != 200) return {{"error", answer.value("error", cat("status ", r.status, ": ", r.body))}};
    return answer;
  }

  std::map<const Subject*, std::unique_ptr<serve::test::RunningService>> servers_;
};

}  // namespace hexapla::interfaces
