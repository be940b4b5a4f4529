#include "data/batches/pair_store.h"

#include <gmock/gmock.h>

#include "base/compute/random.h"
#include "base/files/test_folder.h"

namespace hexapla::data {
namespace {

using PairStoreTest = TestFolder;

std::vector<Example> numbered_examples(int count) {
  Random random(3);
  std::vector<Example> all;
  for (int i = 0; i < count; ++i) {
    Example e;
    for (uint32_t n = 1 + random.below(40); n > 0; --n) e.source.push_back(int32_t(random.below(70000)));
    for (uint32_t n = 1 + random.below(40); n > 0; --n) e.target.push_back(int32_t(random.below(300)));
    e.line = i * 7 + 1;
    e.corpus = i % 3;
    all.push_back(std::move(e));
  }
  return all;
}

void expect_same(const Example& a, const Example& b) {
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.target, b.target);
  EXPECT_EQ(a.line, b.line);
  EXPECT_EQ(a.corpus, b.corpus);
}

void fill(PairStore& store, const std::vector<Example>& all) {
  for (const Example& e : all) {
    std::string source, target;
    pack_ids(e.source, source);
    pack_ids(e.target, target);
    EXPECT_EQ(count_ids(source), std::ssize(e.source));
    store.add({e.corpus, e.line, source, target});
  }
  store.finish();
}

TEST_F(PairStoreTest, GivesBackThePairsFromMemoryAndFromDisk) {
  const auto all = numbered_examples(2000);
  for (const size_t memory : {size_t{1} << 30, size_t{50'000}, size_t{0}}) {
    PairStore store(memory, folder());
    fill(store, all);
    EXPECT_EQ(store.in_memory(), memory > 1'000'000);
    EXPECT_EQ(store.pairs(), 2000);
    size_t i = 0;
    store.for_each([&](const PackedPair& pair) { expect_same(unpack_example(pair), all[i++]); });
    EXPECT_EQ(i, all.size());
    PairTable table;
    for (size_t b = 0; b < store.blocks(); ++b) table.add(store.block(b));
    ASSERT_EQ(table.size(), 2000);
    for (int64_t k : {1999, 0, 777}) expect_same(unpack_example(table[k]), all[k]);
  }
  EXPECT_EQ(entries(), 0u) << "the temporary file has a name";
}

TEST_F(PairStoreTest, SeveralBlocksKeepTheOrder) {
  PairStore memory(size_t{1} << 30, folder()), disk(0, folder());
  const std::string text(1 << 20, 'x');
  for (PairStore* store : {&memory, &disk}) {
    for (int i = 0; i < 9; ++i) store->add({0, i, text, "y"});
    store->finish();
    EXPECT_GT(store->blocks(), 1u);
    int64_t line = 0;
    store->for_each([&](const PackedPair& pair) { EXPECT_EQ(pair.line, line++); });
    EXPECT_EQ(line, 9);
  }
}

TEST_F(PairStoreTest, AFullDiskIsOneClearError) {
  PairStore store(0, folder());
  const FileSizeLimit limit(1000);
  EXPECT_THAT(what_of<RunError>([&] {
                fill(store, numbered_examples(2000));
                store.finish();
              }),
              testing::HasSubstr("`temp-dir`"));
}

TEST(PairTable, KeepsLinks) {
  std::vector<Example> all = numbered_examples(3);
  all[1].links = {{0, 0}, {300, 0}, {2, 7}};
  const auto store = store_examples(all);
  size_t i = 0;
  store->for_each([&](const PackedPair& pair) { EXPECT_EQ(unpack_example(pair).links, all[i++].links); });
  EXPECT_EQ(i, 3u);
}

TEST(PairTable, CutShortIsAnError) {
  std::string bytes;
  append_pair(bytes, {0, 1, "abc", "def"});
  bytes.pop_back();
  PairTable table;
  EXPECT_THROW(table.add(std::make_shared<const std::string>(bytes)), InternalError);
}

}  // namespace
}  // namespace hexapla::data
