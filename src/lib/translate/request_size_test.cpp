// The size of an answer, estimated from its request.
#include <gtest/gtest.h>

#include <stdexcept>

#include "hexapla/hexapla.h"
#include "lib/test_models.h"

namespace hexapla::api {
namespace {

using test::model_file;

// Nobody knows before how long translations get: the usual length counts first, what is beyond it when it is there.
TEST(RequestSizes, SayWhatAlignmentsOfLongTranslationsNeedBeforeTheyAreComputed) {
  const Translator translator(model_file());
  TranslatorOptions options;
  options.alignment = "pieces";
  options.beam_size = options.n_best = 1;
  std::vector<RequestSize> sizes;
  RequestOptions request;
  request.on_size = [&](const RequestSize& size) { sizes.push_back(size); };
  options.extra_length = 40;
  const Translation t = translator.submit({"a dog"}, options, request).get()[0][0];
  ASSERT_GT(t.tokens.size(), 6u) << "an untrained model does not stop";
  ASSERT_EQ(sizes.size(), 2u);
  EXPECT_EQ(sizes[1].translations + sizes[1].tokens, 0u);
  EXPECT_EQ(sizes[0].alignment_cells + sizes[1].alignment_cells, t.alignment.weights.values.size());
  options.min_length = static_cast<int>(t.tokens.size());
  sizes.clear();
  translator.submit({"a dog"}, options, request).get();
  EXPECT_EQ(sizes.size(), 1u) << "this length is known";
  options.min_length = {};
  request.on_size = [&](const RequestSize& size) {
    if (size.tokens == 0) throw std::length_error("too large");
  };
  EXPECT_THROW(translator.submit({"a dog"}, options, request).get(), std::length_error);
}

}  // namespace
}  // namespace hexapla::api
