#pragma once
// Random requests to a model: text in all scripts, and options. Numbers determine requests.
#include "models.h"
#include "text/utf8.h"
#include "text/words.h"

namespace hexapla::interfaces {

using Json = nlohmann::json;

enum class Task { translate, score, align };

struct Case {
  uint64_t number = 0;
  const Subject* subject = nullptr;
  Task task = Task::translate;
  std::vector<std::string> lines;
  std::vector<std::string> translations;  // for score and align
  Json options = Json::object();          // with the library's names
  Json constraints = nullptr;             // a list of {prefix, require, forbid}
  std::string units;                      // for an alignment; "": none
  bool hard = false;                      // the program prints links instead of weights
  bool utf8 = true;                       // all text is UTF-8

  std::string text() const {
    return cat("case ", number, ": ", subject->name, task == Task::translate ? " translates " : " scores ",
               json_text(Json(lines)), translations.empty() ? "" : " as " + json_text(Json(translations)), " with ",
               json_text(options), constraints.is_null() ? "" : " and " + json_text(constraints), " alignment ",
               units.empty() ? "none" : units);
  }
};

class Draw {
 public:
  Draw(const Models& models, uint64_t number) : models_(models), random_(39, number), number_(number) {}

  Case next() {
    Case c;
    c.number = number_;
    c.subject = &of(models_.all());
    c.task = one_in(4) ? Task::score : one_in(8) ? Task::align : Task::translate;
    if (c.subject->paths.size() > 1) c.task = Task::translate;  // an ensemble can only translate
    for (uint32_t n = 1 + below(5); n > 0; --n) c.lines.push_back(language(*c.subject) + line(*c.subject));
    if (c.task == Task::translate) {
      search(c);
    } else {
      for (size_t i = 0; i < c.lines.size(); ++i) c.translations.push_back(line(*c.subject));
      scoring(c);
      if (one_in(10)) c.options["long_input"] = "truncate";
      if (c.task == Task::align) c.units = units();
    }
    for (const auto* all : {&c.lines, &c.translations})
      for (const std::string& text : *all) c.utf8 &= !text::invalid_utf8(text);
    if (!c.utf8) c.constraints = nullptr;  // the program reads these as JSON
    return c;
  }

 private:
  uint32_t below(uint32_t n) { return random_.below(n); }
  bool one_in(uint32_t n) { return below(n) == 0; }
  template <class T>
  const T& of(const std::vector<T>& all) {
    return all[below(static_cast<uint32_t>(all.size()))];
  }
  std::string units() { return of(std::vector<std::string>{"words", "blanks", "pieces"}); }

  std::string words(const Subject& s, uint32_t most) {
    std::string all;
    for (uint32_t n = 1 + below(most); n > 0; --n) all += (all.empty() ? "" : " ") + of(s.words);
    return all;
  }
  std::string language(const Subject& s) {
    return s.languages.empty() || !one_in(3) ? "" : cat(">>", of(s.languages), "<< ");
  }
  std::string line(const Subject& s) {
    static const std::vector<std::string> others{"",
                                                 " ",
                                                 "\t ",
                                                 "\u3000",
                                                 "☃",
                                                 "😀👩‍👩‍👧",
                                                 "一个男人在跑步，天气很好。我们走吧！",
                                                 "สุนัขวิ่งเร็วมาก",
                                                 "كلب يركض بسرعة.",
                                                 "הכלב רץ מהר",
                                                 "कुत्ता तेज़ दौड़ता है।",
                                                 "Ωμέγα Жук",
                                                 "e\u0301te\u0301 ﬁn Ａ１",
                                                 "a\tb\u00a0c\u2028d",
                                                 "1984 – 100 €!",
                                                 "STRAßE UND ÜBER, ΟΔΟΣ",
                                                 "A DOG. a cat {0}! THE CAT @you RUNS",
                                                 "<b>a</b> &amp; {x} ||| \\\"'",
                                                 "{0}: https://a.example/b?c=d. @you",
                                                 "`x`。%1$s个 #tag me@a.example"};
    if (one_in(40)) return words(s, 3) + " \xff\xfe " + words(s, 2);
    if (one_in(5)) return of(others);
    std::string text = words(s, 8);
    if (one_in(6)) text += " " + of(others);
    if (one_in(12))
      for (int i = 0; i < 6; ++i) text += (one_in(2) ? ". " : " ") + words(s, 8);
    return text;
  }

  // Sometimes options have no effect together; all interfaces must report the same.
  bool in_vain() { return one_in(10); }

  void scoring(Case& c) {
    if (one_in(3)) c.options["length_penalty"] = of(std::vector<double>{0, 0.3, 1, 2.5, -0.5});
    if (one_in(5) && (c.options.value("length_penalty", 1.0) != 0 || in_vain()))
      c.options["length_normalization"] = "power";
    if (one_in(4)) c.options["max_length"] = 3 + below(30);
    if (one_in(4)) c.options["protect"] = of(std::vector<std::string>{"auto", "none", "none"});
    if (one_in(6)) c.options["batch_sentences"] = 1 + below(3);
    if (one_in(6)) c.options["batch_tokens"] = 1 + below(60);
  }
  void search(Case& c) {
    Json& o = c.options;
    scoring(c);
    o["extra_length"] = below(9);
    if (one_in(4)) {
      o["sample"] = true;
      o["seed"] = below(1000);
      if (one_in(2)) o["temperature"] = 0.25 + below(8) * 0.25;
      if (one_in(3)) o["top_k"] = 1 + below(20);
      if (one_in(3)) o["top_p"] = 0.5 + 0.1 * below(5);
    } else if (!one_in(3)) {
      o["beam_size"] = of(std::vector<int>{1, 2, 3, 4, 5});
    }
    if (one_in(3)) o["n_best"] = 1 + below(4);
    if (one_in(6)) o["word_penalty"] = of(std::vector<double>{-0.5, 0.25, 2});
    const bool beam = !o.contains("sample");
    if (one_in(6) && (beam || in_vain())) o["coverage_penalty"] = 0.25;
    if (one_in(6)) o["longest"] = 1 + below(12);
    if (one_in(8)) o["longest_ratio"] = 0.5 + 0.5 * below(4);
    if (one_in(6)) o["min_length"] = 1 + below(8);
    if (one_in(8) && (beam || in_vain())) o["repetition_penalty"] = 0.75 + 0.25 * below(4);
    if (one_in(6)) o["no_repeat_ngram"] = 1 + below(3);
    if (one_in(6)) o["max_repetition"] = 1 + below(3);
    if (one_in(4)) o["unk"] = of(std::vector<std::string>{"forbid", "copy"});
    if (one_in(6) && ((beam && o.value("beam_size", 4) > 1) || in_vain()))
      o["stop_when"] = of(std::vector<std::string>{"outscored", "never", "shrinking"});
    if (one_in(4)) o["sentences"] = of(std::vector<std::string>{"split", "keep"});
    if (one_in(5)) o["letter_case"] = "keep";
    if (one_in(5)) o["long_input"] = of(std::vector<std::string>{"refuse", "truncate"});
    if (one_in(3)) c.units = units();
    c.hard = one_in(3);
    if (one_in(5)) constrain(c);
  }
  void constrain(Case& c) {
    c.constraints = Json::array();
    for (size_t i = 0; i < c.lines.size(); ++i) {
      Json one = Json::object();
      if (one_in(2)) one["prefix"] = words(*c.subject, 2) + (one_in(3) ? " " : "");
      if (one_in(8)) one["prefix"] = of(std::vector<std::string>{"{", "@yo", "a https://a.exam", "一", "☃", "{0} a"});
      if (one_in(4)) one["require"] = {of(c.subject->words)};
      if (one_in(4)) one["forbid"] = {of(c.subject->words)};
      c.constraints.push_back(std::move(one));
    }
  }

  const Models& models_;
  Random random_;
  uint64_t number_;
};

}  // namespace hexapla::interfaces
