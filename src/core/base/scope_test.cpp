#include "base/scope.h"

#include <gmock/gmock.h>

#include <thread>

#include "base/error.h"

namespace hexapla {
namespace {
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Scope, NamesTheWayDown) {
  EXPECT_EQ(Scope::path(), "");
  {
    const Scope decoder("decoder");
    EXPECT_EQ(Scope::path(), "decoder");
    {
      const Scope layer("layers", 3), attention("cross_attention");
      EXPECT_EQ(Scope::path(), "decoder.layers.3.cross_attention");
    }
    const Scope first("layers", 0);
    EXPECT_EQ(Scope::path(), "decoder.layers.0");
  }
  EXPECT_EQ(Scope::path(), "");
}

TEST(Scope, EndsWithAnException) {
  try {
    const Scope encoder("encoder");
    throw 1;
  } catch (int) {
  }
  EXPECT_EQ(Scope::path(), "");
}

TEST(Scope, EachThreadHasItsOwn) {
  const Scope here("here");
  std::string there;
  std::thread([&] {
    const Scope scope("there");
    there = Scope::path();
  }).join();
  EXPECT_EQ(there, "there");
  EXPECT_EQ(Scope::path(), "here");
}

std::string what_fails(int rows) {
  try {
    HEXAPLA_CHECK(rows == 3, "rows are ", rows, ", but must be ", 3);
  } catch (const InternalError& e) {
    return e.what();
  }
  return "";
}

TEST(Check, NamesWhatWhereInTheModelAndWhereInTheCode) {
  EXPECT_EQ(what_fails(3), "");
  EXPECT_THAT(what_fails(2),
              AllOf(HasSubstr("rows are 2, but must be 3"), HasSubstr("scope_test.cpp:"), Not(HasSubstr("\n  in  "))));
  const Scope encoder("encoder"), layer("layers", 5);
  EXPECT_THAT(what_fails(2), HasSubstr("\n  in  encoder.layers.5\n"));
}

TEST(Check, BuildsTheMessageOnlyWhenItFails) {
  int built = 0;
  const auto text = [&] {
    ++built;
    return "text";
  };
  HEXAPLA_CHECK(true, text());
  EXPECT_EQ(built, 0);
  EXPECT_THROW(HEXAPLA_CHECK(false, text()), InternalError);
  EXPECT_EQ(built, 1);
}

TEST(Errors, WhoMendsThemIsTheirKind) {
  static_assert(std::is_base_of_v<UserError, DataError> && std::is_base_of_v<RunError, OutOfMemory>);
  static_assert(std::is_base_of_v<Error, InternalError> && !std::is_base_of_v<UserError, InternalError>);
  const UsageError one("`beam-size` is 0", "beam-size", "0"), none("two of them");
  EXPECT_EQ(one.option() + "=" + one.value(), "beam-size=0");
  EXPECT_EQ(none.option() + none.value(), "");
}

}  // namespace
}  // namespace hexapla
