// Tests of Translator::stream(): what it gives, how far it reads ahead, and how it ends.
#include <gmock/gmock.h>

#include <list>
#include <sstream>

#include "hexapla/hexapla.h"
#include "lib/test_models.h"
#include "lib/translate/stream/line_stream.h"

namespace hexapla::api {
namespace {

using test::made_up_lines;
using test::model_file;
using testing::ElementsAre;
using testing::HasSubstr;
using Lines = std::vector<std::string>;

// Text and score of each translation.
Lines shown(const PendingTranslation::Lines& lines) {
  Lines all;
  for (const auto& of_line : lines) {
    std::string& text = all.emplace_back();
    for (const Translation& t : of_line) {
      text += cat(t.text, " ", t.score, " ", t.normalized, " ", t.ids.size(), " ", t.alignment.weights.values.size());
      for (const float score : t.token_scores) text += cat(" ", score);
      text += "\n";
    }
  }
  return all;
}
PendingTranslation::Lines lines_of(TranslationStream stream) { return {stream.begin(), stream.end()}; }

TranslatorOptions stream_options() {
  TranslatorOptions options;
  options.extra_length = 5;
  return options;
}

// A source that counts what was read of it.
struct Counted {
  const Lines& lines;
  size_t read = 0;
  LineSource source(size_t read_ahead) {
    LineSource from = [this](std::string& line) {
      if (read == lines.size()) return false;
      line = lines[read++];
      return true;
    };
    from.read_ahead = read_ahead;
    return from;
  }
};

struct Streams : testing::Test {
  const Translator translator{model_file()};
  const Lines lines = made_up_lines(20, 8);
  const std::vector<Constraints> asked = [] {
    std::vector<Constraints> all(20);
    all[3].prefix = "a dog", all[5].require = {"cat"}, all[12].forbid = {"a", "dog"};
    return all;
  }();
  std::function<bool(std::string&, Constraints&)> with_constraints() const {
    return [this, i = size_t{0}](std::string& line, Constraints& of_line) mutable {
      if (i == lines.size()) return false;
      line = lines[i], of_line = asked[i];
      ++i;
      return true;
    };
  }
  // The translations before an error, and its message.
  template <class E>
  std::pair<size_t, std::string> failed(TranslationStream stream) const {
    std::vector<Translation> found;
    size_t given = 0;
    try {
      while (stream.next(found)) ++given;
    } catch (const E& e) {
      EXPECT_FALSE(stream.next(found)) << "it has ended";
      return {given, e.what()};
    }
    return {given, "no error"};
  }
};

TEST_F(Streams, GiveWhatACallForAllLinesGives) {
  TranslatorOptions best = stream_options(), several = stream_options(), sampled = stream_options();
  several.n_best = 3, several.alignment = "words";
  sampled.sample = true, sampled.n_best = 2, sampled.seed = 5;
  for (const TranslatorOptions& options : {best, several, sampled}) {
    const Lines expected = shown(translator.translate_n_best(lines, options));
    for (const size_t read_ahead : {1, 3, 20, 2000}) {
      LineSource source = lines;
      source.read_ahead = read_ahead;
      EXPECT_EQ(shown(lines_of(translator.stream(source, options))), expected) << read_ahead;
    }
  }
  LineSource source = with_constraints();
  source.read_ahead = 4;
  EXPECT_EQ(shown(lines_of(translator.stream(source, several))),
            shown(translator.translate_n_best(lines, several, asked)));
}

TEST_F(Streams, TakeLinesFromAnywhere) {
  const Lines expected = translator.translate({"a dog", "two cats"}, stream_options());
  const auto texts = [&](LineSource source) {
    Lines found;
    for (const auto& of_line : translator.stream(std::move(source), stream_options())) found.push_back(of_line[0].text);
    return found;
  };
  std::istringstream text("a dog\ntwo cats\n");
  const char* const words[] = {"a dog", "two cats"};
  const std::list<std::string_view> views{"a dog", "two cats"};
  EXPECT_EQ(texts({"a dog", "two cats"}), expected);
  EXPECT_EQ(texts(Lines{"a dog", "two cats"}), expected);
  EXPECT_EQ(texts(text), expected);
  EXPECT_EQ(texts(words), expected);
  EXPECT_EQ(texts(views), expected);
  EXPECT_EQ(texts(Lines()), Lines());
}

TEST_F(Streams, ReadOnlyWhatTheyNeed) {
  Counted counted{lines};
  TranslationStream stream = translator.stream(counted.source(4), stream_options());
  EXPECT_EQ(counted.read, 0u);
  std::vector<Translation> found;
  std::vector<size_t> read, ready;
  while (stream.next(found)) read.push_back(counted.read), ready.push_back(stream.ready());
  ASSERT_EQ(read.size(), lines.size());
  for (size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i], i / 4 * 4 + 4) << i;
    EXPECT_EQ(ready[i], 3 - i % 4) << i;
  }
  EXPECT_FALSE(stream.next(found));
}

TEST_F(Streams, HoldFewLinesOrBytes) {
  const std::string blank(LineStream::kBytes / 2, ' ');
  size_t read = 0;
  TranslationStream long_lines = translator.stream([&](std::string& line) { return line = blank, ++read < 6; });
  std::vector<Translation> found;
  ASSERT_TRUE(long_lines.next(found));
  EXPECT_EQ(read, 2u);
  EXPECT_EQ(found[0].text, "");
  size_t many = 0;
  TranslationStream blanks = translator.stream([&](std::string&) { return ++many < 5000; });
  ASSERT_TRUE(blanks.next(found));
  EXPECT_EQ(many, 2000u);
}

TEST_F(Streams, TranslateWhatIsThereBeforeTheyWait) {
  Counted counted{lines};
  LineSource source = counted.source(2000);
  source.ready = [&] { return counted.read % 5 != 0; };
  TranslationStream stream = translator.stream(source, stream_options());
  std::vector<Translation> found;
  for (size_t i = 0; stream.next(found); ++i) EXPECT_EQ(counted.read, i / 5 * 5 + 5) << i;
}

TEST_F(Streams, GiveTheLinesBeforeAnErrorOfTheirSource) {
  struct Mine {
    std::string what() const { return "mine"; }
  };
  const auto source = [&, i = 0](std::string& line) mutable {
    if (i == 7) throw Mine();
    line = lines[i++];
    return true;
  };
  EXPECT_EQ(failed<Mine>(translator.stream(source, stream_options())), std::pair(size_t{7}, std::string("mine")));
  LineSource waiting = lines;
  waiting.ready = []() -> bool { throw Mine(); };
  EXPECT_EQ(failed<Mine>(translator.stream(waiting, stream_options())), std::pair(size_t{1}, std::string("mine")));
}

TEST_F(Streams, GiveTheLinesBeforeOneThatIsRefused) {
  TranslatorOptions options = stream_options();
  options.long_input = "refuse", options.max_length = 12;
  std::vector<size_t> progress;
  for (const bool tells : {false, true}) {
    Lines given(600, "a dog");
    given[300] = "a dog a dog a dog a dog a dog a dog a dog a dog a dog a dog";
    if (tells) options.on_progress = [&](size_t done) { progress.push_back(done); };
    const auto [before, what] = failed<DataError>(translator.stream(given, options));
    EXPECT_EQ(before, 300u);
    EXPECT_THAT(what, testing::AllOf(HasSubstr("line 301"), HasSubstr("max_length")));
  }
  EXPECT_THAT(progress, ElementsAre(256, 300));
  LineSource not_text = [&, i = 0](std::string& line, Constraints& of_line) mutable {
    line = lines[i++];
    if (i == 3) of_line.prefix = "\xff";
    return true;
  };
  not_text.read_ahead = 2;
  const auto [before, what] = failed<UsageError>(translator.stream(not_text, stream_options()));
  EXPECT_EQ(before, 2u);
  EXPECT_THAT(what, HasSubstr("line 3: "));
}

TEST_F(Streams, TellWarningsAndProgressWithNumbersInTheStream) {
  TranslatorOptions options = stream_options();
  std::vector<size_t> warned, progress;
  options.warn = [&](size_t line, const std::string&) { warned.push_back(line); };
  options.on_progress = [&](size_t done) { progress.push_back(done); };
  Lines given = lines;
  given[1] = given[9] = given[19] = "a \xff b";
  LineSource source = given;
  source.read_ahead = 8;
  lines_of(translator.stream(source, options));
  EXPECT_THAT(warned, ElementsAre(2, 10, 20));
  EXPECT_THAT(progress, ElementsAre(8, 16, 20));
  options.on_progress = [](size_t) { throw std::domain_error("mine"); };
  EXPECT_EQ(failed<std::domain_error>(translator.stream(given, options)), std::pair(size_t{0}, std::string("mine")));
}

TEST_F(Streams, CanBeStopped) {
  std::atomic<bool> stop = false;
  TranslatorOptions options = stream_options();
  options.stop = &stop;
  Counted counted{lines};
  TranslationStream stream = translator.stream(counted.source(4), options);
  std::vector<Translation> found;
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(stream.next(found));
  stop = true;
  EXPECT_THROW(stream.next(found), Canceled);
  EXPECT_FALSE(stream.next(found));
  EXPECT_EQ(counted.read, 4u);
  stop = false;
  options.warn = [&](size_t, const std::string&) { stop = true; };  // while it translates
  EXPECT_THROW(lines_of(translator.stream({"a \xff b"}, options)), Canceled);
}

TEST_F(Streams, RefuseWhatTheyCannotDo) {
  LineSource none = lines, far = lines;
  none.read_ahead = 0, far.read_ahead = 1'000'001;
  EXPECT_THROW(translator.stream(none), UsageError);
  EXPECT_THROW(translator.stream(far), UsageError);
  none.read_ahead = 1, none.next = nullptr;
  EXPECT_THROW(translator.stream(none), UsageError);
  TranslatorOptions wrong;
  wrong.beam_size = 0;
  EXPECT_THROW(translator.stream(lines, wrong), UsageError);
  std::vector<Translation> found;
  TranslationStream* within = nullptr;
  TranslationStream stream = translator.stream([&](std::string&) { return within->next(found); });
  within = &stream;
  EXPECT_THROW(stream.next(found), UsageError);
  EXPECT_FALSE(stream.next(found));
}

TEST_F(Streams, OutliveTheMoveOfTheirTranslator) {
  Translator first(model_file());
  TranslationStream stream = first.stream(lines, stream_options());
  const Translator second = std::move(first);
  EXPECT_EQ(shown(lines_of(std::move(stream))), shown(translator.translate_n_best(lines, stream_options())));
}

}  // namespace
}  // namespace hexapla::api
