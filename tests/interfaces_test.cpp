// One model, every interface: for any request, the program, the C++ library, the server and the
// Python module return the same translations, scores, alignments and warnings. Cases are numbered:
//   HEXAPLA_INTERFACE_CASES=2000 (150)      number of cases
//   HEXAPLA_INTERFACE_FROM=4711 (0)         first case
//   HEXAPLA_PYTHON_PACKAGE=venv/bin/python  has the package; default: not tested
#include <gmock/gmock.h>

#include "base/options/test_environment.h"
#include "interfaces/answers.h"
#include "interfaces/python.h"

namespace hexapla::interfaces {
namespace {

// Compares members that both have; not every interface has all of them.
void expect_same_members(const Json& a, const Json& b, const std::string& where) {
  for (const auto& [name, value] : a.items()) {
    if (!b.contains(name)) continue;
    if (name == "token_scores" || name == "score" || name == "normalized") {
      const auto numbers =
          [](const Json& j) {  // those of tokens are single precision where they were found by a search
            std::vector<float> all;
            for (const Json& n : j.is_array() ? j : Json::array({j}))
              all.push_back(n.is_null() ? -1e30F : n.get<float>());
            return all;
          };
      EXPECT_EQ(numbers(value), numbers(b[name])) << where << " " << name;
    } else {
      EXPECT_EQ(value, b[name]) << where << " " << name;
    }
  }
}

void expect_same(const Json& library, const Json& other, const Case& c, const std::string& interface) {
  const std::string where = cat(c.text(), "\n", interface, ":");
  ASSERT_EQ(library.contains("error"), other.contains("error"))
      << where << "\nthe library: " << library.dump(-1, ' ', false, Json::error_handler_t::replace)
      << "\nbut here: " << other.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (library.contains("error")) return;
  EXPECT_EQ(library["warnings"], other["warnings"]) << where;
  ASSERT_EQ(library["lines"].size(), other["lines"].size()) << where;
  for (size_t i = 0; i < library["lines"].size(); ++i) {
    ASSERT_EQ(library["lines"][i].size(), other["lines"][i].size()) << where << " line " << i;
    for (size_t j = 0; j < library["lines"][i].size(); ++j)
      expect_same_members(library["lines"][i][j], other["lines"][i][j], cat(where, " line ", i, ", translation ", j));
  }
}

// A stream warns of one portion after the other.
Json warnings_by_line(Json answer) {
  if (answer.contains("warnings"))
    std::stable_sort(answer["warnings"].begin(), answer["warnings"].end(),
                     [](const Json& a, const Json& b) { return a[0].get<int>() < b[0].get<int>(); });
  return answer;
}

// Calls f(case, the library's answer) for every requested case.
struct Interfaces : TestFolder {
  template <class F>
  void each_case(F&& f) {
    const Models models(folder());
    Library library;
    const uint64_t first = environment_or("HEXAPLA_INTERFACE_FROM", 0),
                   count = environment_or("HEXAPLA_INTERFACE_CASES", 150);
    uint64_t answered = 0;
    for (uint64_t i = first; i < first + count; ++i) {
      const Case c = Draw(models, i).next();
      const Json expected = library.answer(c);
      answered += !expected.contains("error");
      f(c, expected, library);
      if (HasFailure()) FAIL() << "HEXAPLA_INTERFACE_FROM=" << i << " HEXAPLA_INTERFACE_CASES=1 runs this case alone";
    }
    EXPECT_GE(answered, count > 50 ? count * 6 / 10 : 0) << "most cases are answered";
  }
};

TEST_F(Interfaces, GiveTheSameOfOneModel) {
  const Program program(folder());
  Http http;
  each_case([&](const Case& c, const Json& expected, Library& library) {
    expect_same(expected, program.answer(c), c, "the program");
    if (c.task == Task::translate) {
      expect_same(expected, library.submitted(c), c, "submit()");
      expect_same(warnings_by_line(expected), warnings_by_line(library.streamed(c)), c, "stream()");
      const Json best = expected.contains("error") ? expected : library.best(c);
      for (size_t line = 0; best.is_array() && line < best.size(); ++line)
        EXPECT_EQ(best[line], expected["lines"][line][0]["text"]) << c.text();
    }
    const bool served = c.subject->paths.size() == 1 && c.task != Task::align;  // HTTP has neither ensembles nor align
    if (c.utf8 && served) expect_same(expected, http.answer(c), c, "HTTP");
  });
}

// Scoring a translation gives the score found by its search, if its text is split into the same
// tokens again.
TEST_F(Interfaces, ScoreATranslationAsItsSearchDid) {
  const Models models(folder());
  for (const Subject& subject : models.all()) {
    if (subject.paths.size() > 1) continue;  // an ensemble does not score
    const Translator translator(subject.paths.front());
    std::vector<std::string> lines;
    for (const std::string& word : subject.words) {
      lines.push_back(word);
      for (const std::string& language : subject.languages) lines.push_back(cat(">>", language, "<< ", word));
    }
    lines.resize(std::min<std::size_t>(lines.size(), 20));
    const auto same_tokens = [&](const TranslatorOptions& how) {
      const auto found = translator.translate_n_best(lines, how);
      std::vector<std::string> sources, texts;
      std::vector<const Translation*> all;
      for (std::size_t i = 0; i < lines.size(); ++i)
        for (const Translation& t : found[i]) sources.push_back(lines[i]), texts.push_back(t.text), all.push_back(&t);
      const std::vector<ScoreResult> scores = translator.score_tokens(sources, texts);
      std::size_t same = 0;
      for (std::size_t i = 0; i < texts.size(); ++i) {
        if (scores[i].tokens != all[i]->tokens) continue;
        ++same;
        EXPECT_NEAR(scores[i].score, all[i]->score, 1e-4) << subject.name << ": " << sources[i] << " as " << texts[i];
      }
      return same;
    };
    // Untrained models mostly write text that is split differently, or nothing; short samples give
    // more to compare.
    TranslatorOptions beam, draws;
    beam.beam_size = beam.n_best = 3;
    beam.longest = draws.longest = 3;
    draws.sample = true;
    draws.n_best = 16;
    EXPECT_GT(same_tokens(beam) + same_tokens(draws), 10u) << subject.name;
  }
}

TEST_F(Interfaces, PythonGivesItToo) {
  Python python;
  if (!python.is_there()) GTEST_SKIP() << "HEXAPLA_PYTHON_PACKAGE names no Python that has the package";
  each_case([&](const Case& c, const Json& expected, Library&) {
    if (c.utf8) expect_same(expected, python.answer(c), c, "Python");  // its texts must be characters
  });
}

}  // namespace
}  // namespace hexapla::interfaces
