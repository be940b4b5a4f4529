#include <gmock/gmock.h>

#include "base/files/test_folder.h"
#include "model/transformer.h"

namespace hexapla::model {
namespace {
using testing::HasSubstr;

Config small() {
  Config c;
  c.source_vocab = c.target_vocab = 10;
  c.enc_layers = c.dec_layers = 1;
  c.d_model = 8, c.d_ff = 8, c.heads = 2;
  return c;
}

// Calls f(name, field, its choices) for every field of `c` that is a word.
template <class F>
void each_word(Config& c, F&& f) {
  Config::visit(c, [&](const char* name, auto& field, const char*, const auto& allowed, const When&) {
    if constexpr (is_word<std::remove_cvref_t<decltype(field)>>) f(name, field, allowed);
  });
}

TEST(Choices, EachIsBuilt) {
  Config names = small();
  each_word(names, [](const std::string& name, auto, const Choices& allowed) {
    for (const auto& choice : allowed) {
      Config c = small();
      each_word(c, [&](const std::string& other, auto& field, const Choices&) {
        if (other == name) field = field.parse(name, choice);
      });
      c.resolve();
      EXPECT_NO_THROW(Transformer{c}) << name << ' ' << choice;
    }
  });
}

}  // namespace
}  // namespace hexapla::model
