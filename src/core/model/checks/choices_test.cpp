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

TEST(Choices, EachIsBuilt) {
  Config names = small();
  for (const OptionRow& word : names.rows())
    for (const auto& choice : word.choices() ? *word.choices() : Choices{}) {
      Config c = small();
      const OptionRows rows = c.rows();
      find(rows, word.name)->set({choice});
      c.resolve();
      EXPECT_NO_THROW(Transformer{c}) << word.name << ' ' << choice;
    }
}

}  // namespace
}  // namespace hexapla::model
