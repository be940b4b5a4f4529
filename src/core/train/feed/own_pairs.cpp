#include "train/feed/own_pairs.h"

#include <array>
#include <optional>

#include "base/error.h"
#include "base/files/hash.h"
#include "data/files/corpus.h"
#include "train/feed/own_lines.h"

namespace hexapla::train {
namespace {

std::string hash_of(const std::vector<data::Example>& examples) {
  Hash hash;
  auto append = [&](std::span<const int32_t> ids) {
    hash.add({reinterpret_cast<const char*>(ids.data()), ids.size_bytes()});
    hash.add("\n");
  };
  for (const data::Example& e : examples) {
    append(e.source), append(e.target);
    for (const data::Link& link : e.links) append(std::array{link.source, link.target});
  }
  return hash.hex();
}

// Reads pairs and links into memory: there is only one set, and it fits.
std::vector<data::PreparedPairs> prepare_linked_pairs(const TrainOptions& o, const text::VocabularyPair& v,
                                                      cluster::Processes& processes) {
  const data::Corpus corpus = data::read_parallel(data::parse_sets("train-sets", o.train_sets, o.text.tsv).front());
  data::Encoded encoded = data::encode_corpus(corpus, v.source, v.target, o.max_length);
  const data::LinkUnit unit = o.guided_alignment_units == "pieces"   ? data::LinkUnit::pieces
                              : o.guided_alignment_units == "blanks" ? data::LinkUnit::blanks
                                                                     : data::LinkUnit::words;
  const data::GoldLinks links(o.guided_alignment, unit, corpus);
  if (const std::string doubt = links.doubt(); !doubt.empty()) encoded.notes.push_back(doubt);
  data::add_links(encoded.examples, corpus, links, v.source, v.target);
  const LineShares shares(o, {corpus.file_lines});
  const cluster::Share own = cluster::own_share(processes, o.shards);
  std::vector<std::vector<data::Example>> dealt(static_cast<size_t>(own.size()));
  for (data::Example& e : encoded.examples)
    if (const int64_t shard = shares.shard_of(0, e.line); shard >= own.from && shard < own.to)
      dealt[shard - own.from].push_back(std::move(e));
  std::vector<data::PreparedPairs> all;
  for (const auto& examples : dealt) all.push_back({data::store_examples(examples), {}, hash_of(examples)});
  all.front().notes = std::move(encoded.notes);
  all.front().unknown = {encoded.unknown};
  all.front().lines = std::move(encoded.lines);  // of all pairs: the length shares are the same everywhere
  return all;
}

void read_once_to_count(data::TrainingText& text) {
  if (!text.lines().empty()) return;
  for (data::TextPair pair; text.next(pair);) {
  }
  text.rewind();
}

// Pairs from a program or a pipe can be read only once, by a single process with all shards.
std::vector<data::PreparedPairs> prepare_dealt_pairs(const TrainOptions& o,
                                                     const std::vector<data::ParallelSource>& sets,
                                                     data::TrainingText& text, const text::VocabularyPair& v,
                                                     const Reading& how, std::vector<std::string>& notes) {
  std::optional<data::TrainingText> own_text;
  std::optional<LineShares> shares;
  if (text.read_once()) {
    read_once_to_count(text);
    shares.emplace(o, text.lines());
  } else {
    const CountedSets counted(how.processes, sets);
    shares.emplace(o, counted.lines());
    own_text.emplace(counted.own(*shares, o.shards), how.options.space);
    own_text->leave_out(text.left_out());
  }
  const cluster::Share own = cluster::own_share(how.processes, o.shards);
  const auto part_of = [&](const data::TextPair& pair) {
    return static_cast<size_t>(shares->shard_of(static_cast<size_t>(pair.corpus), pair.line) - own.from);
  };
  data::TrainingText& read = own_text ? *own_text : text;
  auto pairs = data::deal_pairs(read, v, how.options, static_cast<size_t>(own.size()), part_of, how.progress);
  notes = read.notes();
  return pairs;
}

// Combines the shards in order, so the result is the same for any number of processes.
void add_up(cluster::Processes& processes, OwnPairs& pairs) {
  Hash hash;
  std::vector<std::string> own;
  for (const data::PreparedPairs& shard : pairs.shards) {
    if (shard.store->pairs() == 0)
      throw DataError("one of the `shards` has no usable pair: give more text, or fewer shards");
    own.push_back(shard.fingerprint);
    own.push_back(cat(shard.store->pairs()));
  }
  for (const std::string& others : cluster::gather(processes, cluster::pack(own))) {
    const std::vector<std::string> texts = cluster::unpack(others);
    for (size_t i = 0; i + 1 < texts.size(); i += 2) {
      hash.add(texts[i]);
      pairs.examples += std::stoll(texts[i + 1]);
    }
  }
  pairs.fingerprint = hash.hex();
}

std::vector<int64_t> pairs_of_each(size_t sets, const std::vector<data::PreparedPairs>& shards,
                                   cluster::Processes& processes) {
  std::vector<std::string> own;
  for (const data::PreparedPairs& shard : shards)
    for (const int64_t pairs : shard.of_sets) own.push_back(cat(pairs));
  std::vector<int64_t> sums(sets);
  for (const std::string& others : cluster::gather(processes, cluster::pack(own))) {
    const std::vector<std::string> texts = cluster::unpack(others);
    for (size_t i = 0; i < texts.size(); ++i) sums[i % sets] += std::stoll(texts[i]);
  }
  return sums;
}

}  // namespace

OwnPairs prepare_own_pairs(const TrainOptions& o, const std::vector<data::ParallelSource>& sets,
                           data::TrainingText& text, const text::VocabularyPair& v, const Reading& how) {
  if (how.processes.several() && text.read_once())
    throw UsageError(cat("`train-sets` ", text.names().front(),
                         ": several processes read the text, each a part of it, ",
                         "but a pipe can be read only once; write it to a file first"));
  OwnPairs pairs;
  if (!o.guided_alignment.empty())
    pairs.shards = prepare_linked_pairs(o, v, how.processes);
  else if (o.shards > 1)
    pairs.shards = prepare_dealt_pairs(o, sets, text, v, how, pairs.notes);
  else
    pairs.shards.push_back(data::prepare_pairs(text, v.source, v.target, how.options, how.progress));
  if (o.shards == 1) {
    pairs.notes = text.notes();
    pairs.fingerprint = pairs.shards.front().fingerprint;
    pairs.examples = pairs.shards.front().store->pairs();
  } else {
    add_up(how.processes, pairs);
  }
  pairs.of_sets = pairs_of_each(text.names().size(), pairs.shards, how.processes);
  return pairs;
}

}  // namespace hexapla::train
