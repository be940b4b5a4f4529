#include "text/vocabulary.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unordered_map>

#include "base/error.h"
#include "text/piece_model.h"
#include "text/utf8.h"

namespace hexapla {
namespace {

// SentencePiece sums expected counts per thread, so its result depends on this number (but not on the cores that
// run them): it is part of the definition of a vocabulary, and never an option.
constexpr int kTrainerThreads = 8;
constexpr std::array kNormalizations = {"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"};

// SentencePiece ends the whole process when it has no line to train on, so the lines that it would skip or find
// nothing in are left out before it sees them.
constexpr size_t kLongestTrained = 4192;                   // bytes: its max_sentence_length
constexpr std::string_view kReservedCharacter = "\u2585";  // its mark of unknown text

bool usable(const std::string& line) {
  return line.size() <= kLongestTrained && line.find(kReservedCharacter) == std::string::npos && has_text(line);
}

// Evenly spaced usable lines of the text, at most `limit`.
class SpacedLines : public sentencepiece::SentenceIterator {
 public:
  SpacedLines(const std::vector<std::string>& lines, int64_t limit) {
    for (const auto& line : lines) {
      if (usable(line)) lines_.push_back(&line);
    }
    count_ = std::min<uint64_t>(lines_.size(), static_cast<uint64_t>(limit));
  }
  bool empty() const { return count_ == 0; }

  bool done() const override { return at_ >= count_; }
  void Next() override { ++at_; }
  const std::string& value() const override { return *lines_[at_ * lines_.size() / count_]; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  std::vector<const std::string*> lines_;
  uint64_t count_ = 0, at_ = 0;
};

void check_options(const VocabularyOptions& options) {
  if (options.type != "unigram" && options.type != "bpe")
    throw UsageError(cat("no kind of vocabulary is named \"", options.type, "\" (--vocab-type): use unigram or bpe"));
  if (options.size < 8) throw UsageError(cat("--vocab-size ", options.size, " is too small: use 8 or more"));
  if (!(options.character_coverage >= 0.98 && options.character_coverage <= 1)) {
    throw UsageError(
        cat("--character-coverage ", options.character_coverage,
            " is outside [0.98, 1]: use 1.0 for alphabets, 0.9995 for scripts of many thousand characters"));
  }
  for (const std::string& symbol : options.user_symbols) {
    if (symbol.empty() || symbol.find_first_of(", \t\r\n") != std::string::npos || invalid_utf8(symbol))
      throw UsageError(cat("--user-symbols: \"", symbol, "\" cannot be a symbol: give UTF-8 without spaces or commas"));
    if (symbol == "<s>" || symbol == "</s>" || symbol == "<unk>" || symbol == "<pad>")
      throw UsageError(cat("--user-symbols: every vocabulary has ", symbol, " already; leave it out"));
    if (std::count(options.user_symbols.begin(), options.user_symbols.end(), symbol) > 1)
      throw UsageError(cat("--user-symbols: \"", symbol, "\" stands there twice; leave one out"));
  }
  if (options.max_lines < 1) throw UsageError(cat("max lines ", options.max_lines, " is too small: use 1 or more"));
  if (std::find(kNormalizations.begin(), kNormalizations.end(), options.normalization) == kNormalizations.end()) {
    throw UsageError(cat("no normalization is named \"", options.normalization,
                         "\": use nmt_nfkc, nfkc, nmt_nfkc_cf, nfkc_cf or identity"));
  }
}

std::unordered_map<std::string, std::string> trainer_arguments(const VocabularyOptions& options) {
  std::string symbols;
  for (const std::string& symbol : options.user_symbols) symbols += (symbols.empty() ? "" : ",") + symbol;
  std::unordered_map<std::string, std::string> all{{"model_type", options.type},
                                                   {"vocab_size", std::to_string(options.size)},
                                                   {"hard_vocab_limit", "false"},
                                                   {"character_coverage", cat(options.character_coverage)},
                                                   {"normalization_rule_name", options.normalization},
                                                   {"split_digits", options.split_digits ? "true" : "false"},
                                                   {"pad_id", "0"},
                                                   {"bos_id", "1"},
                                                   {"eos_id", "2"},
                                                   {"unk_id", "3"},
                                                   {"num_threads", std::to_string(kTrainerThreads)},
                                                   {"minloglevel", "2"}};
  // What is said here stands in the model's bytes: what nobody asked for is not said.
  if (options.byte_fallback) all["byte_fallback"] = "true";
  if (!symbols.empty()) all["user_defined_symbols"] = symbols;
  return all;
}

// The part after the place in SentencePiece's own code: "Internal: x.cc(580) [cond] message" -> "message".
std::string reason(const sentencepiece::util::Status& status) {
  const std::string all = status.ToString();
  const size_t bracket = all.rfind("] ");
  return bracket == std::string::npos || bracket + 2 == all.size() ? all : all.substr(bracket + 2);
}

// SentencePiece joins a run of unknown characters to one token by copying all of it for each of them: a million took
// minutes. Where it may fall back to bytes it does no such thing, so behind the pieces of a model without bytes it is
// given 256 more, and who asks for ids joins them. Left out where a piece has such a name already.
void add_bytes_for_unknown(PieceModel& model) {
  if (model.byte_fallback) return;
  std::vector<PieceModel::Piece> bytes;
  for (int byte = 0; byte < 256; ++byte)
    bytes.push_back({byte_piece(static_cast<unsigned char>(byte)), 0, PieceModel::Type::byte});
  const auto taken = [&](const PieceModel::Piece& piece) {
    return std::any_of(bytes.begin(), bytes.end(), [&](const auto& byte) { return byte.text == piece.text; });
  };
  if (std::any_of(model.pieces.begin(), model.pieces.end(), taken)) return;
  model.pieces.insert(model.pieces.end(), bytes.begin(), bytes.end());
  model.byte_fallback = true;
}

}  // namespace

struct Vocabulary::Impl {
  std::string bytes;
  int32_t size = 0, unknown = 0;
  sentencepiece::SentencePieceProcessor processor;  // may have more than `size` pieces: bytes of unknown characters

  void check_id(int32_t id) const {
    HEXAPLA_CHECK(id >= 0 && id < size, "token id ", id, " is outside the vocabulary of ", size, " pieces");
  }
  // What passes every check may still make no sense of a text.
  static void check_encoded(const sentencepiece::util::Status& status, std::string_view text) {
    if (!status.ok())
      throw DataError(cat("the vocabulary cannot encode a text of ", text.size(), " bytes (", reason(status),
                          "): it is damaged; get it again from where it was made"));
  }
  // f(piece, continues) for each piece of the text; continues: one with the unknown token before it.
  template <class F>
  void for_each_piece(std::string_view text, F&& f) const {
    sentencepiece::ImmutableSentencePieceText encoded;
    check_encoded(processor.Encode(text, encoded.mutable_proto()), text);
    bool unknown_before = false;
    for (const auto& piece : encoded.pieces()) {
      const bool is_byte = static_cast<int32_t>(piece.id()) >= size;
      f(piece, is_byte && unknown_before);
      unknown_before = is_byte;
    }
  }
  int32_t id_of(const sentencepiece::ImmutableSentencePieceText_ImmutableSentencePiece& piece) const {
    return static_cast<int32_t>(piece.id()) < size ? static_cast<int32_t>(piece.id()) : unknown;
  }
};

Vocabulary Vocabulary::train(const std::vector<std::string>& lines, const VocabularyOptions& options) {
  check_options(options);
  SpacedLines iterator(lines, options.max_lines);
  if (iterator.empty()) {
    throw DataError(cat("no text to train a vocabulary on: none of the ", lines.size(),
                        " lines has a letter, digit or mark and at most ", kLongestTrained,
                        " bytes; give text with one sentence a line"));
  }
  std::string model;
  const auto status = sentencepiece::SentencePieceTrainer::Train(trainer_arguments(options), &iterator, &model);
  if (!status.ok()) {
    throw DataError(cat("cannot train a vocabulary of ", options.size, " pieces on ", lines.size(),
                        " lines: ", reason(status), "; change --vocab-size or give more text"));
  }
  return parse(model, "the trained vocabulary");
}

Vocabulary Vocabulary::load(const std::string& path) {
  if (std::filesystem::is_directory(path)) throw DataError(cat("vocabulary ", path, " is a directory: name a file"));
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw DataError(
        cat("cannot read vocabulary ", path, ": ", std::strerror(errno), "; give the path of a SentencePiece model"));
  }
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) throw RunError(cat("cannot read vocabulary ", path, ": ", std::strerror(errno)));
  return parse(bytes, path);
}

Vocabulary Vocabulary::parse(std::string_view model_bytes, const std::string& name) {
  PieceModel model = PieceModel::parse(model_bytes, name);
  auto impl = std::make_shared<Impl>();
  impl->bytes = model_bytes;
  impl->size = static_cast<int32_t>(model.pieces.size());
  impl->unknown = model.unknown();
  add_bytes_for_unknown(model);
  const auto status = impl->processor.LoadFromSerializedProto(model.serialised());
  if (!status.ok()) throw DataError(cat(name, " cannot be used by SentencePiece: ", reason(status)));
  for (const auto& [symbol, id] : {std::pair{"<s>", impl->processor.bos_id()}, {"</s>", impl->processor.eos_id()}}) {
    if (id < 0) {
      throw DataError(cat(name, " has no ", symbol, " piece, which the decoder needs: train it with --bos_id and ",
                          "--eos_id of 0 or more"));
    }
  }
  return Vocabulary(std::move(impl));
}

const std::string& Vocabulary::bytes() const { return impl_->bytes; }
int32_t Vocabulary::size() const { return impl_->size; }
int32_t Vocabulary::bos() const { return impl_->processor.bos_id(); }
int32_t Vocabulary::eos() const { return impl_->processor.eos_id(); }
int32_t Vocabulary::unk() const { return impl_->unknown; }
int32_t Vocabulary::pad() const { return impl_->processor.pad_id(); }

Ids Vocabulary::encode(std::string_view text) const {
  Ids ids;
  Impl::check_encoded(impl_->processor.Encode(text, &ids), text);
  const auto is_byte = [&](int32_t id) { return id >= impl_->size; };
  ids.erase(std::unique(ids.begin(), ids.end(), [&](int32_t a, int32_t b) { return is_byte(a) && is_byte(b); }),
            ids.end());
  std::replace_if(ids.begin(), ids.end(), is_byte, impl_->unknown);
  return ids;
}

std::string Vocabulary::decode(std::span<const int32_t> ids) const {
  for (const int32_t id : ids) impl_->check_id(id);
  std::string text;
  const auto status = impl_->processor.Decode(std::vector<int>(ids.begin(), ids.end()), &text);
  HEXAPLA_CHECK(status.ok(), "SentencePiece cannot decode ", ids.size(), " ids: ", status.ToString());
  return text;
}

PlacedPieces Vocabulary::encode_with_places(std::string_view text) const {
  PlacedPieces out;
  impl_->for_each_piece(text, [&](const auto& piece, bool continues) {
    if (continues) {
      out.places.back().to = piece.end();
      return;
    }
    out.ids.push_back(impl_->id_of(piece));
    out.places.push_back({piece.begin(), piece.end()});
  });
  return out;
}

std::vector<PiecePlace> Vocabulary::places_in(std::span<const int32_t> ids) const {
  for (const int32_t id : ids) impl_->check_id(id);
  std::vector<PiecePlace> out;
  const auto decoded = impl_->processor.DecodeIdsAsImmutableProto(std::vector<int>(ids.begin(), ids.end()));
  for (const auto& piece : decoded.pieces()) out.push_back({piece.begin(), piece.end()});
  return out;
}

std::string Vocabulary::piece(int32_t id) const {
  impl_->check_id(id);
  return impl_->processor.IdToPiece(id);
}

std::vector<std::string> Vocabulary::pieces(std::string_view text) const {
  std::vector<std::string> out;
  impl_->for_each_piece(text, [&](const auto& piece, bool continues) {
    const auto byte = static_cast<int64_t>(piece.id()) - impl_->size;
    if (!continues) out.emplace_back();
    if (byte < 0)
      out.back() = piece.piece();
    else
      out.back() += static_cast<char>(byte);
  });
  return out;
}

}  // namespace hexapla
