#include "text/vocabulary/sampling.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "base/error.h"
#include "text/vocabulary/pieces/added_pieces.h"
#include "text/vocabulary/pieces/piece_model.h"
#include "text/vocabulary/pieces/piece_trie.h"

namespace hexapla::text {
namespace {

constexpr float kUnknownPenalty = 10;  // SentencePiece's: an unknown character scores this much below the rarest piece

// Splits characters like SentencePiece, which matters for bytes that are not UTF-8.
size_t length_by_first_byte(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const size_t size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  return std::min(size, text.size());
}

double log_of_sum(double a, double b) {  // log(exp(a) + exp(b))
  if (a < b) std::swap(a, b);
  return b == -std::numeric_limits<double>::infinity() ? a : a + std::log1p(std::exp(b - a));
}

}  // namespace

struct SubwordSampler::Impl {
  PieceModel model;
  double alpha;
  PieceTrie pieces, symbols;                      // normal and user-defined ones
  std::array<int32_t, 256> byte_ids;              // the pieces of byte fallback, or -1
  std::unordered_map<std::string, char> byte_of;  // "<0xC3>"
  float unknown_score = 0;
  int32_t unknown = 0;
  AddedPieces added;
  bool crosses_words = false;  // whether a piece has a "▁" elsewhere than at its start

  explicit Impl(const Vocabulary& v, double strength)
      : model(PieceModel::parse(v.bytes(), "the vocabulary")), alpha(strength), unknown(v.unk()), added(model) {
    byte_ids.fill(-1);
    float least = 0;
    for (size_t i = 0; i < model.pieces.size(); ++i) {
      const PieceModel::Piece& piece = model.pieces[i];
      const auto id = static_cast<int32_t>(i);
      if (piece.type == PieceModel::Type::user) symbols.add(piece.text, id);
      if (piece.type == PieceModel::Type::byte) add_byte(piece.text, id);
      if (piece.type != PieceModel::Type::normal) continue;
      pieces.add(piece.text, id);
      least = std::min(least, piece.score);
      crosses_words |= piece.text.find("▁", 1) != std::string::npos;
    }
    unknown_score = least - kUnknownPenalty;
  }

  void add_byte(const std::string& text, int32_t id) {
    unsigned char value = 0;
    std::from_chars(text.data() + 3, text.data() + 5, value, 16);
    byte_ids[value] = id;
    byte_of[text] = static_cast<char>(value);
  }

  // The text as normalized by SentencePiece.
  std::string normalized(const Vocabulary& v, std::string_view text) const {
    std::string all;
    for (const std::string& piece : v.pieces(text)) {
      const auto byte = byte_of.find(piece);
      if (byte == byte_of.end())
        all += piece;
      else
        all += byte->second;
    }
    return all;
  }

  void add_unknown(std::string_view character, Ids& ids) const {
    if (byte_ids[0] < 0) {
      if (ids.empty() || ids.back() != unknown) ids.push_back(unknown);
      return;
    }
    for (const char c : character) ids.push_back(byte_ids[static_cast<unsigned char>(c)]);
  }

  void sample_lattice(std::string_view text, Random& random, Ids& ids) const;
  void sample_merges(std::string_view text, Random& random, Ids& ids) const;
  void sample_span(std::string_view text, Random& random, Ids& ids) const;
  void sample_normalized(std::string_view text, Random& random, Ids& ids) const;
};

// Forward: sums[e] = log of the sum of P(x)^alpha over the segmentations x of the first e bytes.
// Backward: draws pieces from the end, each with its share of the sum.
void SubwordSampler::Impl::sample_lattice(std::string_view text, Random& random, Ids& ids) const {
  struct Edge {
    size_t from;
    int32_t id;  // -1: an unknown character
    double score;
  };
  constexpr double nothing = -std::numeric_limits<double>::infinity();
  std::vector<double> sums(text.size() + 1, nothing);
  std::vector<std::vector<Edge>> into(text.size() + 1);
  sums[0] = 0;
  auto add = [&](size_t from, size_t bytes, int32_t id, float score) {
    into[from + bytes].push_back({from, id, alpha * score});
    sums[from + bytes] = log_of_sum(sums[from + bytes], sums[from] + alpha * score);
  };
  for (size_t at = 0; at < text.size(); at += length_by_first_byte(text.substr(at))) {
    const size_t one = length_by_first_byte(text.substr(at));
    bool known = false;
    pieces.for_each_prefix(text.substr(at), [&](size_t bytes, int32_t id) {
      add(at, bytes, id, model.pieces[id].score);
      known |= bytes == one;
    });
    if (!known) add(at, one, -1, unknown_score);
  }
  std::vector<std::pair<std::string_view, int32_t>> chosen;
  for (size_t end = text.size(); end > 0;) {
    double left = random.uniform();
    const Edge* edge = nullptr;
    for (const Edge& e : into[end]) {
      edge = &e;
      left -= std::exp(sums[e.from] + e.score - sums[end]);
      if (left < 0) break;
    }
    chosen.emplace_back(text.substr(edge->from, end - edge->from), edge->id);
    end = edge->from;
  }
  for (auto piece = chosen.rbegin(); piece != chosen.rend(); ++piece)
    if (piece->second >= 0)
      ids.push_back(piece->second);
    else
      add_unknown(piece->first, ids);
}

// In each step, drops every possible merge with probability alpha and performs the best of the
// rest. Ends when none is left.
void SubwordSampler::Impl::sample_merges(std::string_view text, Random& random, Ids& ids) const {
  struct Symbol {
    std::string_view text;
    int32_t merged = -1;  // the piece formed with the next symbol, or -1
  };
  std::vector<Symbol> symbols_left;
  for (size_t at = 0; at < text.size(); at += symbols_left.back().text.size())
    symbols_left.push_back({text.substr(at, length_by_first_byte(text.substr(at)))});
  auto look = [&](size_t i) {
    Symbol& s = symbols_left[i];
    s.merged = i + 1 == symbols_left.size()
                   ? -1
                   : pieces.find({s.text.data(), s.text.size() + symbols_left[i + 1].text.size()});
  };
  for (size_t i = 0; i < symbols_left.size(); ++i) look(i);
  auto score = [&](size_t i) { return model.pieces[symbols_left[i].merged].score; };
  for (;;) {
    size_t best = symbols_left.size();
    for (size_t i = 0; i < symbols_left.size(); ++i) {
      if (symbols_left[i].merged < 0 || random.uniform() < alpha) continue;
      if (best == symbols_left.size() || score(i) > score(best)) best = i;
    }
    if (best == symbols_left.size()) break;
    Symbol& s = symbols_left[best];
    s.text = {s.text.data(), s.text.size() + symbols_left[best + 1].text.size()};
    symbols_left.erase(symbols_left.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    look(best);
    if (best > 0) look(best - 1);
  }
  for (const Symbol& s : symbols_left) {
    const int32_t id = pieces.find(s.text);
    if (id >= 0)
      ids.push_back(id);
    else
      add_unknown(s.text, ids);
  }
}

// Text between user-defined symbols. Merges word by word if no piece crosses words.
void SubwordSampler::Impl::sample_span(std::string_view text, Random& random, Ids& ids) const {
  if (text.empty()) return;
  if (model.kind == PieceModel::Kind::unigram) return sample_lattice(text, random, ids);
  if (crosses_words) return sample_merges(text, random, ids);
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find("▁", 1));
    sample_merges(word, random, ids);
    text.remove_prefix(word.size());
  }
}

SubwordSampler::SubwordSampler(const Vocabulary& vocabulary, double alpha)
    : vocabulary_(vocabulary), impl_(std::make_shared<Impl>(vocabulary, alpha)) {
  const PieceModel::Kind kind = impl_->model.kind;
  if (kind != PieceModel::Kind::unigram && kind != PieceModel::Kind::bpe)
    throw UsageError(cat("`subword-alpha` ", alpha, " with a vocabulary of kind ", name_of(kind),
                         ": only unigram and bpe have other segmentations to draw; use 0 with this vocabulary"));
  if (!(alpha > 0) || !std::isfinite(alpha) || (kind == PieceModel::Kind::bpe && alpha > 1))
    throw UsageError(cat("`subword-alpha` is ", alpha, ", but must be ",
                         kind == PieceModel::Kind::bpe
                             ? "above 0 and at most 1: it is the share of merges that BPE drops"
                             : "above 0: it is the exponent of the chances; 0.1 to 0.5 are usual"));
}

// Splits at user-defined symbols.
void SubwordSampler::Impl::sample_normalized(std::string_view text, Random& random, Ids& ids) const {
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    size_t symbol_bytes = 0;
    int32_t symbol = -1;
    symbols.for_each_prefix(text.substr(at), [&](size_t bytes, int32_t id) {
      symbol_bytes = bytes;
      symbol = id;
    });
    if (symbol < 0) {
      at += length_by_first_byte(text.substr(at));
      continue;
    }
    sample_span(text.substr(begin, at - begin), random, ids);
    ids.push_back(symbol);
    begin = at += symbol_bytes;
  }
  sample_span(text.substr(begin), random, ids);
}

Ids SubwordSampler::sample(std::string_view text, Random& random) const {
  const Vocabulary::Leading first = vocabulary_.leading(text);
  Ids ids;
  if (first.bytes > 0) ids.push_back(first.id);
  const auto sample_text = [&](std::string_view one) {
    impl_->sample_normalized(impl_->normalized(vocabulary_, one), random, ids);
  };
  if (impl_->added.empty()) sample_text(text.substr(first.bytes));
  const std::vector<AddedPieces::Part> parts = impl_->added.split(text.substr(first.bytes));
  for (const AddedPieces::Part& part : parts)
    if (part.id >= 0)
      ids.push_back(part.id);
    else
      sample_text(part.from.text);
  const auto without_id = [&](int32_t id) { return id >= vocabulary_.size(); };
  std::replace_if(ids.begin(), ids.end(), without_id, impl_->unknown);
  return ids;
}

}  // namespace hexapla::text
