#include "base/options/option_names.h"

#include <gtest/gtest.h>

namespace hexapla {
namespace {

TEST(OptionNames, AreSpelledAsTheUserWritesThem) {
  const std::string text = "`beam-size` is 0; raise `lr`, or run `hexapla replay DIR` ` and `ж`";
  EXPECT_EQ(spell_options(text, as_flag), "--beam-size is 0; raise --lr, or run `hexapla replay DIR` ` and `ж`");
  EXPECT_EQ(spell_options(text, as_field), "beam_size is 0; raise lr, or run `hexapla replay DIR` ` and `ж`");
  const std::string program = "import it`{ with: hexapla import 'a}' -o X, or raise `lr`}`; or lower `lr`";
  EXPECT_EQ(spell_options(program, as_flag), "import it with: hexapla import 'a}' -o X, or raise --lr; or lower --lr");
  EXPECT_EQ(spell_options(program, as_field), "import it; or lower lr");
  EXPECT_EQ(spell_options("a `{b", as_field), "a `{b");
  EXPECT_EQ(spell_options("", as_flag), "");
  EXPECT_EQ(spell_options("a ` b", as_flag), "a ` b");
  EXPECT_EQ(spell_options("``", as_flag), "``");
}

}  // namespace
}  // namespace hexapla
