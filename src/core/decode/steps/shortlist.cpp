#include "decode/steps/shortlist.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <sstream>

#include "base/classic.h"
#include "base/error.h"
#include "base/files/file.h"
#include "base/range.h"
#include "data/files/lines.h"
#include "text/utf8.h"

namespace hexapla::decode {
namespace {

constexpr uint64_t kShortlistMagic = 0xF11A48D5013417F5;
constexpr uint64_t kMostPieces = uint64_t{1} << 23, kMostIds = uint64_t{1} << 28;

// Marian's util::hashMem over 8-byte words: bytes after the last whole word are ignored.
uint64_t checksum_of(const std::string& bytes) {
  uint64_t sum = 0, word = 0;
  for (size_t at = 0; at + sizeof word <= bytes.size(); at += sizeof word) {
    std::memcpy(&word, bytes.data() + at, sizeof word);
    sum ^= word + 0x9e3779b9U + (sum << 6) + (sum >> 2);
  }
  return sum;
}

template <class T>
void append(std::string& bytes, const T* values, size_t count) {
  bytes.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

void check_starts(const ShortlistTable& t, const std::string& path) {
  const auto refuse = [&](const std::string& what) {
    throw DataError(cat(path, ": ", what, "; the shortlist is damaged"));
  };
  if (t.starts.empty() || t.starts.front() != 0) refuse("the ids of the first source piece do not begin at 0");
  for (size_t s = 1; s < t.starts.size(); ++s)
    if (t.starts[s] < t.starts[s - 1] || t.starts[s] > t.ids.size())
      refuse(cat("the ids of source piece ", s - 1, " end at ", t.starts[s], ", and there are ", t.ids.size()));
}

}  // namespace

ShortlistTable ShortlistTable::read(const std::string& path) {
  const FileReader file(path);
  std::array<uint64_t, 6> head{};  // magic, checksum, first, best, numbers of starts and of ids
  if (file.size() < sizeof head)
    throw DataError(cat(path, ": a shortlist has ", sizeof head, " bytes at least, this file ", file.size()));
  file.read(0, head.data(), sizeof head);
  if (head[0] != kShortlistMagic)
    throw DataError(cat(path, " is no binary shortlist of Marian's; hexapla shortlist makes one"));
  const uint64_t starts = head[4], ids = head[5];
  if (starts > kMostPieces || ids > kMostIds || file.size() != sizeof head + starts * 8 + ids * 4)
    throw DataError(cat(path, ": a shortlist of ", starts, " source pieces and ", ids, " ids does not have ",
                        file.size(), " bytes; the file is cut short or damaged"));
  std::string body(file.size() - 16, '\0');
  file.read(16, body.data(), body.size());
  if (checksum_of(body) != head[1]) throw DataError(cat(path, ": the checksum is wrong; the shortlist is damaged"));
  ShortlistTable t{head[2], head[3], std::vector<uint64_t>(starts), std::vector<uint32_t>(ids)};
  std::memcpy(t.starts.data(), body.data() + 32, starts * 8);
  std::memcpy(t.ids.data(), body.data() + 32 + starts * 8, ids * 4);
  check_starts(t, path);
  return t;
}

void ShortlistTable::write(const std::string& path) const {
  const std::array<uint64_t, 4> counts{first, best, starts.size(), ids.size()};
  std::string body, bytes;
  append(body, counts.data(), counts.size());
  append(body, starts.data(), starts.size());
  append(body, ids.data(), ids.size());
  const std::array<uint64_t, 2> front{kShortlistMagic, checksum_of(body)};
  append(bytes, front.data(), front.size());
  write_file_atomically(path, bytes + body);
}

ShortlistTable make_shortlist(const LexicalCounts& counts, int32_t source_pieces, uint64_t first, uint64_t best) {
  ShortlistTable t{first, best, {0}, {}};
  for (int32_t s = 0; s < source_pieces; ++s) {
    if (const auto found = counts.find(s); found != counts.end()) {
      std::vector<std::pair<int32_t, double>> all(found->second.begin(), found->second.end());
      std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
      all.resize(std::min<size_t>(all.size(), best));
      const auto begin = std::ssize(t.ids);
      for (const auto& [id, count] : all) t.ids.push_back(static_cast<uint32_t>(id));
      std::sort(t.ids.begin() + begin, t.ids.end());
    }
    t.starts.push_back(t.ids.size());
  }
  return t;
}

LexicalCounts read_lexical_table(const std::string& path, const text::Vocabulary& source,
                                 const text::Vocabulary& target) {
  const auto ids = [](const text::Vocabulary& v) {
    std::map<std::string, int32_t, std::less<>> all;
    for (int32_t id = 0; id < v.size(); ++id) all.emplace(v.piece(id), id);
    return all;
  };
  const auto of_source = ids(source), of_target = ids(target);
  LexicalCounts counts;
  data::LineReader lines(path);
  for (std::string line; lines.next(line);) {
    Classic<std::istringstream> fields(line);
    std::string t, s, number, rest;
    const bool three = static_cast<bool>(fields >> t >> s >> number) && !(fields >> rest);
    const std::optional<double> p = three ? parse_number<double>(number) : std::nullopt;
    if (!p || !(*p >= 0) || !std::isfinite(*p))
      throw DataError(cat(path, ":", lines.line_number(), ": '", text::printable(line.substr(0, 60), ""),
                          "' is not TARGET SOURCE PROBABILITY, as Marian's tables have it"));
    const auto from = of_source.find(s), to = of_target.find(t);
    if (from != of_source.end() && to != of_target.end()) counts[from->second][to->second] += *p;
  }
  if (counts.empty())
    throw DataError(cat(path, ": no line is of pieces that the model's vocabularies have; make the table of the text ",
                        "cut into pieces"));
  return counts;
}

Shortlist::Shortlist(ShortlistTable table, const text::Vocabulary& source, const text::Vocabulary& target,
                     const std::string& file)
    : table_(std::move(table)), eos_(target.eos()), target_size_(target.size()), shared_(same_pieces(source, target)) {
  const uint32_t highest = table_.ids.empty() ? 0 : *std::max_element(table_.ids.begin(), table_.ids.end());
  const auto of_source = std::ssize(table_.starts) - 1;
  if (of_source > source.size() || highest >= static_cast<uint32_t>(target_size_))
    throw DataError(cat(file, " is a shortlist for ", of_source, " source pieces and target ids up to ", highest,
                        ", but the model has ", source.size(), " and ", target_size_,
                        " pieces; the shortlist belongs to another model"));
}

text::Ids Shortlist::allowed(const text::Ids& source) const {
  text::Ids all{eos_};
  const auto first = std::min<uint64_t>(table_.first, static_cast<uint64_t>(target_size_));
  for (uint64_t id = 0; id < first; ++id) all.push_back(static_cast<int32_t>(id));
  for (const int32_t piece : source) {
    if (shared_) all.push_back(piece);
    if (static_cast<size_t>(piece) + 1 >= table_.starts.size()) continue;
    for (uint64_t i = table_.starts[piece]; i < table_.starts[piece + 1]; ++i)
      all.push_back(static_cast<int32_t>(table_.ids[i]));
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace hexapla::decode
