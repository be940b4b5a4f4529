#include "serve/http/fair_places.h"

#include <gtest/gtest.h>

namespace hexapla::serve {
namespace {

TEST(FairPlaces, AreAllForOneAddressThatIsAlone) {
  FairPlaces places(4);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(places.enter("a"));
  EXPECT_FALSE(places.enter("a"));
  places.leave("a");
  EXPECT_TRUE(places.enter("a"));
  EXPECT_EQ(places.taken(), 4u);
}

TEST(FairPlaces, AreLeftForOthersWhenOneHasAll) {
  FairPlaces places(4);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(places.enter("a"));
  EXPECT_TRUE(places.enter("b"));
  EXPECT_TRUE(places.enter("b"));
  EXPECT_FALSE(places.enter("b"));  // it already has its half
  EXPECT_FALSE(places.enter("a"));
  EXPECT_TRUE(places.enter("c"));
  EXPECT_FALSE(places.enter("a"));
}

TEST(FairPlaces, AreTwiceAsManyAtMost) {
  FairPlaces places(2);
  EXPECT_TRUE(places.enter("a"));
  EXPECT_TRUE(places.enter("a"));
  EXPECT_TRUE(places.enter("b"));
  EXPECT_TRUE(places.enter("c"));
  EXPECT_FALSE(places.enter("d"));
  places.leave("b");
  EXPECT_TRUE(places.enter("d"));
}

TEST(FairPlaces, OfAnAddressThatLeftCountForNobody) {
  FairPlaces places(2);
  EXPECT_TRUE(places.enter("b"));
  places.leave("b");
  EXPECT_EQ(places.taken(), 0u);
  EXPECT_TRUE(places.enter("a"));
  EXPECT_TRUE(places.enter("a"));
  EXPECT_FALSE(places.enter("a"));
}

}  // namespace
}  // namespace hexapla::serve
