// Tests of the public Translator's results other than text: tokens, alignments, constraints, pending requests.
#include <gmock/gmock.h>

#include <filesystem>
#include <functional>
#include <future>
#include <mutex>
#include <set>
#include <thread>

#include "hexapla/hexapla.h"
#include "lib/test_models.h"
#include "text/words.h"

namespace hexapla::api {
namespace {

using test::made_up_lines;
using test::model_file;
using testing::HasSubstr;

TranslatorOptions short_options() {
  TranslatorOptions options;
  options.extra_length = 5;
  return options;
}
TranslatorOptions two_short() {
  TranslatorOptions options = short_options();
  options.n_best = 2;
  return options;
}

std::vector<std::string> texts_in(const PendingTranslation::Lines& lines) {
  std::vector<std::string> texts;
  for (const auto& line : lines)
    for (const Translation& t : line) texts.push_back(t.text);
  return texts;
}

struct LiveApi : testing::Test {
  const Translator translator{model_file()};
  const std::vector<std::string> lines = made_up_lines(20, 8);
};

TEST_F(LiveApi, GivesTokensTheirScoresAndAlignments) {
  TranslatorOptions options = two_short();
  options.alignment = "words";
  for (const auto& line : translator.translate_n_best(lines, options))
    for (const Translation& t : line) {
      EXPECT_EQ(t.tokens.size(), t.ids.size());
      ASSERT_EQ(t.token_scores.size(), t.tokens.size() + 1);
      double sum = 0;
      for (const float score : t.token_scores) sum += score;
      EXPECT_NEAR(sum, t.score, 1e-3);
      EXPECT_EQ(t.alignment.weights.rows, t.alignment.target_words.size() + 1);
      EXPECT_EQ(t.alignment.weights.columns, t.alignment.source_words.size() + 1);
      EXPECT_EQ(t.alignment.links.size(), t.alignment.target_words.size());
    }
  EXPECT_THROW(translator.align({"a"}, {"a"}, {}, "letters"), UsageError);
  const Alignment given = translator.align({"a dog runs"}, {"two cats"})[0];
  EXPECT_THAT(given.source_words, testing::ElementsAre("a", "dog", "runs"));
  EXPECT_EQ(given.weights.rows, 3u);
}

TEST_F(LiveApi, TokensOfALineHaveItsTranslations) {
  std::vector<std::string> given = lines;
  given.insert(given.end(), {"", "  two  \u2603 dogs ", "\u72d7\u8dd1", "a \xff b", "\u0e2b\u0e21\u0e32 a"});
  std::vector<std::vector<std::string>> tokens;
  for (const std::string& line : given) tokens.push_back(translator.tokens(line));
  TranslatorOptions of_lines = short_options();
  of_lines.protect = "none";  // as for tokens
  const auto expected = translator.translate_n_best(given, of_lines);
  const auto found = translator.translate_tokens(tokens, short_options());
  EXPECT_EQ(texts_in(found), texts_in(expected));
  for (size_t line = 0; line < given.size(); ++line) EXPECT_EQ(found[line][0].score, expected[line][0].score);
  EXPECT_TRUE(tokens[lines.size()].empty());
  EXPECT_EQ(texts_in(translator.translate_tokens(tokens, short_options(), std::vector<Constraints>(tokens.size()))),
            texts_in(expected));
  EXPECT_TRUE(translator.translate_tokens({}).empty());
}

TEST_F(LiveApi, ProtectedTextIsInEveryTranslation) {
  const std::vector<std::string> protect{"a {0} dog", "@you see ACME-1 and a cat", "https://a.example/b.c"};
  TranslatorOptions options = two_short();
  options.alignment = "words";
  options.protect_pattern = {"ACME-\\d"};
  const auto found = translator.translate_n_best(protect, options);
  for (const Translation& t : found[0]) EXPECT_THAT(t.text, HasSubstr("{0}"));
  for (const Translation& t : found[1]) EXPECT_THAT(t.text, testing::AllOf(HasSubstr("@you"), HasSubstr("ACME-1")));
  EXPECT_EQ(found[2][0].text, protect[2]);
  EXPECT_EQ(texts_in(translator.submit(protect, options).get()), texts_in(found));
  EXPECT_THAT(found[0][0].alignment.source_words, testing::ElementsAre("a", "{0}", "dog"));
  const TranslatorOptions all = translator.complete(options);
  EXPECT_EQ(*all.protect, "auto");
  EXPECT_EQ(*all.protect_pattern, *options.protect_pattern);
  EXPECT_TRUE(translator.complete().protect_pattern->empty());
  options.protect = "none";
  EXPECT_THAT(translator.translate_n_best({protect[1]}, options)[0][0].text, HasSubstr("ACME-1"));
  options.protect_pattern = {"("};
  EXPECT_THROW(translator.translate_n_best(protect, options), UsageError);
  EXPECT_THROW(translator.translate_tokens({{}}, TranslatorOptions::from({{"protect", "auto"}})), UsageError);
}

TEST(Translators, TellEverySentenceTheLanguageOfItsLine) {
  const text::Vocabulary source = test::vocabulary_of_languages("");
  const Translator translator(test::save_random(source, source, "told"));
  TranslatorOptions options = short_options();
  options.sentences = "split";
  const TranslatorOptions unaligned = options;
  options.alignment = "words";
  for (const std::string language : {">>de<< ", ">>en<< "})
    for (const auto& [first, second] : {std::pair<std::string, std::string>{"a dog runs.", "two cats sleep here."},
                                        {"a {0} dog runs.", "two {1} cats sleep {0} here."},
                                        {"A DOG RUNS.", "TWO CATS {1} SLEEP HERE."}}) {
      const std::string line = language + first + " " + second;
      const Translation whole = translator.translate_n_best({line}, options)[0][0];
      const std::vector<std::string> apart = translator.translate({language + first, language + second}, unaligned);
      EXPECT_EQ(whole.text, apart[0] + " " + apart[1]) << line;
      EXPECT_EQ(translator.submit({line}, options).get()[0][0].text, whole.text) << "live";
      const Alignment& a = whole.alignment;
      std::vector<std::string> words;
      for (const std::string_view word : text::words(line)) words.emplace_back(word);
      EXPECT_EQ(a.source_words, words) << line;
      const auto of_first = static_cast<int>(text::words(language + first).size());
      const auto from_second = static_cast<int>(text::words(apart[0]).size());
      for (const auto& [s, t] : a.links) EXPECT_EQ(s >= of_first, t >= from_second) << line << ": " << s << "-" << t;
    }
}

TEST(Translators, WarnOfLanguagesThatTheModelDoesNotHave) {
  const text::Vocabulary source = test::vocabulary_of_languages("");
  for (const std::string& file : {test::save_random(source, source, "unknown_language"), test::multilingual_file()}) {
    const Translator translator(file);
    std::vector<std::string> warnings;
    TranslatorOptions options = short_options();
    options.warn = [&](size_t line, const std::string& what) { warnings.push_back(cat(line, ": ", what)); };
    const std::vector<std::string> lines{">>de<< a dog", ">>dee<< a dog", ">> a dog <<", ">>de", "a >>xx<< dog"};
    const auto one = testing::ElementsAre(testing::AllOf(HasSubstr("2: >>dee<< is none of the model's "),
                                                         HasSubstr("was read as text"), HasSubstr("such as >>de<<")));
    const auto of_language = [&] {
      std::erase_if(warnings, [](const std::string& w) { return w.find("languages") == std::string::npos; });
      return std::exchange(warnings, {});
    };
    translator.translate(lines, options);
    EXPECT_THAT(of_language(), one);
    translator.submit(lines, options).get();
    EXPECT_THAT(of_language(), one);
    options.extra_length = {};
    translator.score(lines, std::vector<std::string>(lines.size(), "a dog"), options);
    EXPECT_THAT(of_language(), one);
    EXPECT_THAT(Inspector(file).trace(">>dee<< a dog", {}).warnings, testing::Contains(HasSubstr(">>dee<<")));
  }
}

TEST_F(LiveApi, TokensThatCannotBeAreRefused) {
  const auto refused = [&](const std::vector<std::vector<std::string>>& tokens, const TranslatorOptions& options = {}) {
    try {
      translator.translate_tokens(tokens, options);
    } catch (const UserError& e) {
      return std::string(e.what());
    }
    return std::string("nothing");
  };
  const std::vector<std::string> good = translator.tokens("a dog");
  EXPECT_THAT(refused({good, {"no such piece\n"}}),
              HasSubstr("line 2: the source vocabulary has no piece 'no such piece"));
  EXPECT_THAT(refused({good, {""}}), HasSubstr("line 2: the source vocabulary has no piece ''"));
  TranslatorOptions options;
  options.alignment = "words";
  EXPECT_THAT(refused({good}, options), HasSubstr("alignment 'words' is about words of a line"));
  options = {};
  options.unk = "copy";
  EXPECT_THAT(refused({good}, options), HasSubstr("unk 'copy' is about words of a line"));
  options = {};
  options.max_length = 5;
  EXPECT_THAT(refused({{}, std::vector<std::string>(5, good[0])}, options),
              HasSubstr("line 2 has 6 tokens with </s>, and a sentence may have 5; give fewer, or raise max_length"));
  EXPECT_EQ(refused({std::vector<std::string>(4, good[0])}, options), "nothing");
}

// The number of threads of the process. OpenMP's team lives as long as the thread that computes with it.
size_t running() {
  const std::filesystem::directory_iterator tasks("/proc/self/task"), end;
  return static_cast<size_t>(std::distance(tasks, end));
}

TEST_F(LiveApi, ATranslatorHasItsOwnNumberOfThreads) {
  const auto added = [&](int of_caller, int own) {
    const Translator with(model_file(), {.threads = own});
    size_t more = 0;
    std::thread([&] {
      set_threads(of_caller);
      const size_t before = running();
      with.translate(lines);
      more = running() - before;
      EXPECT_EQ(with.translate(lines), translator.translate(lines)) << own;
    }).join();
    return more;
  };
  EXPECT_THROW(Translator(model_file(), {.threads = -1}), UsageError);
  set_threads(3);
  translator.translate(lines);  // lets the runtime start its permanent threads
  set_threads(0);
  EXPECT_EQ(added(1, 1), 0u);
  EXPECT_GE(added(1, static_cast<int>(running()) + 2), 1u) << "Clang's OpenMP takes idle threads of others first";
}

TEST_F(LiveApi, SaysHowLargeAnAnswerMayBeBeforeItBegins) {
  for (const char* units : {"", "blanks", "pieces"}) {
    TranslatorOptions options = short_options();
    options.alignment = units;
    options.max_length = 6;  // divides some lines
    std::vector<std::string> some = lines;
    some.emplace_back("");
    std::vector<RequestSize> sizes;
    RequestOptions request;
    request.on_size = [&](const RequestSize& size) { sizes.push_back(size); };
    std::size_t translations = 0, tokens = 0, cells = 0;
    const PendingTranslation::Lines found = translator.submit(some, options, request).get();
    for (const auto& line : found)
      for (const Translation& t : line) {
        translations += !t.tokens.empty();
        tokens += t.tokens.size();
        cells += t.alignment.weights.values.size();
      }
    ASSERT_GE(sizes.size(), 1u);
    ASSERT_LE(sizes.size(), *units ? 2u : 1u);
    EXPECT_GE(sizes[0].translations, translations);
    EXPECT_GE(sizes[0].tokens, tokens);
    EXPECT_LE(sizes[0].tokens, 20 * tokens);
    EXPECT_GE(sizes[0].alignment_cells + sizes.back().alignment_cells,
              *units ? cells - 2 : 0);  // a blank line has a cell without a token
    EXPECT_EQ(sizes[0].alignment_cells > 0, *units != 0);
    request.on_size = [](const RequestSize&) { throw std::length_error("too large"); };
    EXPECT_THROW(translator.submit(some, options, request), std::length_error);
  }
}

TEST_F(LiveApi, ConstraintsAreOfEachLine) {
  const std::vector<Constraints> asked{{"two b", {}, {}}, {"", {"red"}, {}}, {"", {}, {"a"}}};
  const auto found = translator.translate({"a dog", "a cat", "a bird"}, short_options(), asked);
  EXPECT_THAT(found[0], testing::StartsWith("two b"));
  EXPECT_THAT(found[1], HasSubstr("red"));
  EXPECT_THAT(found[2], testing::Not(HasSubstr("a ")));
  try {
    translator.translate({"a"}, {}, asked);
    FAIL() << "three constraints of one line";
  } catch (const UsageError& e) {
    EXPECT_EQ(e.option(), "constraints");
  }
}

TEST_F(LiveApi, TermsOfAGlossaryHaveTheirTranslations) {
  TranslatorOptions options = short_options();
  options.glossary = Glossary({{"DOG", "red|blue"}, {"cats", "two"}});
  const std::vector<std::string> some{"a dog", "two cats. a dog", "a bird"};
  std::set<size_t> missed;
  options.warn = [&](size_t line, const std::string&) { missed.insert(line); };
  const auto found = translator.translate(some, options);
  const auto has = [](const std::string& text, const std::string& end) { return text.find(end) != text.npos; };
  EXPECT_TRUE(has(found[0], "ed") || has(found[0], "lue") || missed.count(1) > 0) << found[0];
  EXPECT_TRUE(has(found[1], "wo") || missed.count(2) > 0) << found[1];
  EXPECT_EQ(found[2], translator.translate("a bird", short_options()));
  EXPECT_EQ(texts_in(translator.submit(some, options).get()), found);
  EXPECT_EQ(translator.complete(options).glossary.size(), 2u);
  EXPECT_THROW(translator.score({"a"}, {"b"}, options), UsageError);
  options.sample = true;
  EXPECT_EQ(texts_in(translator.submit(some, options).get()), translator.translate(some, options));
}

TEST_F(LiveApi, AWrongGlossaryIsNamed) {
  try {
    Glossary({{"dog", "Hund"}, {"cat", " "}});
    ADD_FAILURE();
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), HasSubstr("entry 2"));
    EXPECT_EQ(e.option(), "glossary");
  }
  EXPECT_THROW(Glossary::read("/no/such/file"), DataError);
  EXPECT_EQ(Glossary().size(), 0u);
}

TEST_F(LiveApi, ARequestIsWhatTheCallGives) {
  const auto expected = texts_in(translator.translate_n_best(lines, two_short()));
  std::vector<PendingTranslation> pending;
  for (int i = 0; i < 8; ++i) pending.push_back(translator.submit(lines, two_short()));
  for (const PendingTranslation& p : pending) EXPECT_EQ(texts_in(p.get()), expected);
  EXPECT_EQ(texts_in(pending[0].get()), expected) << "a second time";
}

TEST_F(LiveApi, ARequestTellsHowFarItIs) {
  std::vector<std::string> seen;
  std::promise<void> ended;
  RequestOptions request;
  request.on_progress = [&](std::size_t line, const std::string& so_far) {
    EXPECT_EQ(line, 1u) << "counted as in messages";
    seen.push_back(so_far);
  };
  request.on_end = [&] { ended.set_value(); };
  const PendingTranslation p = translator.submit({lines[0]}, two_short(), request);
  const std::string best = p.get()[0][0].text;
  ended.get_future().wait();
  EXPECT_FALSE(seen.empty());
}

TEST_F(LiveApi, WhatItsCallerThrowsEndsTheRequestWithThat) {
  RequestOptions request;
  request.on_progress = [](std::size_t, const std::string&) { throw 7; };
  EXPECT_THROW(translator.submit({lines[0]}, two_short(), request).get(), int);
  EXPECT_EQ(translator.submit({lines[0]}, two_short()).get().size(), 1u) << "others go on";
}

TEST_F(LiveApi, ACanceledRequestSaysSo) {
  std::promise<void> begun, go;
  std::shared_future<void> gate = go.get_future().share();
  RequestOptions slow;
  std::once_flag once;
  slow.on_progress = [&](std::size_t, const std::string&) {
    std::call_once(once, [&] {
      begun.set_value();
      gate.wait();
    });
  };
  const PendingTranslation held = translator.submit(lines, two_short(), slow);
  begun.get_future().wait();
  const PendingTranslation waiting = translator.submit(lines, two_short());
  EXPECT_FALSE(waiting.ready());
  waiting.cancel();
  EXPECT_THROW(waiting.get(), Canceled);
  held.cancel();
  go.set_value();
  EXPECT_THROW(held.get(), Canceled);
}

TEST_F(LiveApi, ATranslatorThatGoesCancelsItsRequests) {
  auto own = std::make_unique<Translator>(model_file());
  std::vector<PendingTranslation> pending;
  for (int i = 0; i < 50; ++i) pending.push_back(own->submit(made_up_lines(50, i), two_short()));
  own.reset();
  int canceled = 0;
  for (const PendingTranslation& p : pending) {
    ASSERT_TRUE(p.ready());
    p.cancel();
    try {
      p.get();
    } catch (const Canceled&) {
      ++canceled;
    }
  }
  EXPECT_GT(canceled, 0);
}

// A request whose first step waits for `go`.
struct Held {
  std::promise<void> go;
  std::shared_future<void> gate = go.get_future().share();
  RequestOptions request;
  std::function<void()> at_first_step = [] {};
  std::once_flag once;

  Held() {
    request.on_progress = [this](std::size_t, const std::string&) {
      std::call_once(once, [&] {
        gate.wait();
        at_first_step();
      });
    };
  }
};

// In each callback, by destruction and by assignment.
TEST_F(LiveApi, ATranslatorMayGoInACallbackOfItsOwn) {
  for (const bool at_the_end : {false, true})
    for (const bool assigns : {false, true}) {
      auto own = std::make_unique<Translator>(model_file());
      std::promise<void> ended;
      const auto go = [&] {
        if (assigns)
          *own = Translator(model_file());
        else
          own.reset();
      };
      Held held;
      if (!at_the_end) held.at_first_step = go;
      held.request.on_end = [&] {
        if (at_the_end) go();
        ended.set_value();
      };
      const PendingTranslation p = own->submit({lines[0]}, two_short(), held.request);
      const PendingTranslation other = own->submit(lines, two_short());
      held.go.set_value();
      ended.get_future().wait();
      for (const PendingTranslation& each : {p, other}) try {
          EXPECT_FALSE(each.get().empty());
        } catch (const Canceled&) {  // if it had not finished
        }
      if (assigns) {
        EXPECT_EQ(own->translate(lines[0]), translator.translate(lines[0]));
      }
    }
}

TEST_F(LiveApi, WaitingForItselfInACallbackIsRefused) {
  Held held;
  std::unique_ptr<PendingTranslation> own;
  std::string refusals, best;
  bool ready_at_step = true;
  held.at_first_step = [&] {
    ready_at_step = own->ready() || own->wait_for(std::chrono::milliseconds(0));
    const std::vector<std::function<void()>> waits{[&] { own->get(); },
                                                   [&] { own->wait_for(std::chrono::milliseconds::max()); }};
    for (const auto& wait : waits) try {
        wait();
      } catch (const UsageError& e) {
        refusals += e.what();
      }
  };
  std::promise<void> ended;
  held.request.on_end = [&] {
    best = own->get()[0][0].text;
    ended.set_value();
  };
  own = std::make_unique<PendingTranslation>(translator.submit({lines[0]}, two_short(), held.request));
  held.go.set_value();
  ended.get_future().wait();
  EXPECT_EQ(best, translator.translate_n_best({lines[0]}, two_short())[0][0].text);
  EXPECT_FALSE(ready_at_step);
  EXPECT_THAT(refusals, testing::MatchesRegex("get\\(\\) and .* itself: .*get\\(\\) and .* itself: .*"));
}

TEST_F(LiveApi, TheLongestTimeIsNeverAndANegativeOneIsRefused) {
  using std::chrono::milliseconds;
  for (const milliseconds never :
       {milliseconds::max(), milliseconds::max() - milliseconds(1), milliseconds::max() / 2}) {
    RequestOptions request;
    request.timeout = never;
    const PendingTranslation p = translator.submit(lines, two_short(), request);
    EXPECT_TRUE(p.wait_for(never)) << never.count();
    EXPECT_EQ(p.get().size(), lines.size()) << never.count();
  }
  const PendingTranslation p = translator.submit(lines, two_short());
  for (const milliseconds past : {milliseconds(-1), milliseconds::min()}) {
    RequestOptions request;
    request.timeout = past;
    EXPECT_THROW(translator.submit(lines, two_short(), request), UsageError) << past.count();
    EXPECT_THROW(p.wait_for(past), UsageError) << past.count();
  }
}

TEST_F(LiveApi, ACallStopsWhenItIsTold) {
  const std::atomic<bool> stop = true;
  TranslatorOptions options;
  options.stop = &stop;
  EXPECT_THROW(translator.translate(lines, options), Canceled);
  EXPECT_THROW(translator.score(lines, lines, options), Canceled);
  EXPECT_THROW(translator.align(lines, lines, options), Canceled);
}

TEST_F(LiveApi, AWrongUnitIsNamedAsItWasGiven) {
  const auto option_of = [](auto&& f) {
    try {
      f();
    } catch (const UsageError& e) {
      return e.option();
    }
    return std::string("not refused");
  };
  TranslatorOptions options = short_options();
  options.alignment = "letters";
  EXPECT_EQ(option_of([&] { translator.translate(lines, options); }), "alignment");
  EXPECT_EQ(option_of([&] { translator.align(lines, lines, {}, "letters"); }), "units");
}

TEST_F(LiveApi, ManyThreadsTakeTurns) {
  const std::vector<std::string> expected = translator.translate(lines, short_options());
  std::vector<std::thread> callers;
  std::atomic<int> wrong = 0;
  for (int i = 0; i < 100; ++i)
    callers.emplace_back([&, i] {
      const std::size_t line = static_cast<std::size_t>(i) % lines.size();
      wrong += translator.translate(lines[line], short_options()) != expected[line];
    });
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(LiveApi, AnEnsembleOfOneModelTwiceIsThatModel) {
  const Translator two(std::vector<std::string>{model_file(), model_file()});
  EXPECT_EQ(two.translate(lines, short_options()), translator.translate(lines, short_options()));
  ModelOptions wrong;
  wrong.weights = {1, -1};
  EXPECT_THROW(Translator(std::vector<std::string>{model_file(), model_file()}, wrong), UsageError);
  EXPECT_THROW(Translator(std::vector<std::string>{}), UsageError);
  wrong = {};
  wrong.precision = "f8";
  EXPECT_THROW(Translator(model_file(), wrong), UsageError);
}

}  // namespace
}  // namespace hexapla::api
