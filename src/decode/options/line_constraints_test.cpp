#include "decode/options/line_constraints.h"

#include <gmock/gmock.h>

#include <functional>

#include "base/error.h"

namespace hexapla::decode {
namespace {

// No part of a translation could be such a text: prefixes were dropped, and phrases called blank.
TEST(LineConstraints, AreUtf8) {
  const std::vector<std::pair<std::string, std::function<void(LineConstraints&, std::string)>>> fields{
      {"prefix", [](LineConstraints& c, std::string text) { c.prefix = std::move(text); }},
      {"require",
       [](LineConstraints& c, std::string text) {
         c.require = {"a dog", std::move(text)};
       }},
      {"forbid", [](LineConstraints& c, std::string text) {
         c.forbid = {"a dog", std::move(text)};
       }}};
  for (const auto& [name, set] : fields) {
    for (const char* bad : {"\xE9", "caf\xE9", "\xC3", "\xED\xA0\x80", "a\xFF dog", "\xC0\x80"}) {
      LineConstraints constraints;
      set(constraints, bad);
      try {
        check_utf8(constraints, "line 3: ");
        ADD_FAILURE() << name << " '" << bad << "' was taken";
      } catch (const UsageError& e) {
        EXPECT_EQ(e.option(), name);
        EXPECT_THAT(e.what(), testing::StartsWith("line 3: "));
      }
    }
    for (const char* good : {"", " ", "café", "狗", "\U0001F600"}) {
      LineConstraints constraints;
      set(constraints, good);
      EXPECT_NO_THROW(check_utf8(constraints)) << name << " '" << good << "'";
    }
  }
}

}  // namespace
}  // namespace hexapla::decode
