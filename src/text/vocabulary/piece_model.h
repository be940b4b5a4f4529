#pragma once
// A SentencePiece model file (sentencepiece_model.proto), read by ourselves: its library believes whatever stands
// there, and most of what an accident or a stranger may write there ends the process
// (docs/adr/0024-untrusted-vocabularies.md).
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hexapla::text {

struct PieceModel {
  // byte_bpe is ours: byte-level BPE (text/vocabulary/byte_level/byte_bpe.h), whose pieces are called as GPT-2 calls
  // them
  // ("Ġthe").
  enum class Kind { unigram = 1, bpe = 2, word = 3, character = 4, byte_bpe = 5 };
  enum class Type { normal = 1, unknown = 2, control = 3, user = 4, unused = 5, byte = 6 };
  struct Piece {
    std::string text;
    float score = 0;  // unigram: log of its probability; bpe: the higher, the earlier it is merged
    Type type = Type::normal;
  };
  struct Normalizer {
    std::string charsmap;  // see text/vocabulary/charsmap.h
    bool add_dummy_prefix = true, remove_extra_whitespaces = true, escape_whitespaces = true;
  };
  Kind kind = Kind::unigram;
  std::vector<Piece> pieces;  // by id
  Normalizer normalizer, denormalizer;
  bool byte_fallback = false, treat_whitespace_as_suffix = false;
  // How many ids a text may get; 0: as many as there are pieces. The pieces behind them stand for the unknown one, but
  // text is cut into them all the same (text/vocabulary/piece_table.h).
  size_t ids = 0;
  // The piece that every text begins with, as multilingual models are told their languages (">>de<<"); "": none.
  std::string opening;
  bool open_ended = false;      // a source ends with its last piece, not with eos
  bool opening_behind = false;  // of sources: the opening stands behind eos, as NLLB-200 had it first
  std::vector<std::pair<int32_t, int32_t>> merges;  // of byte_bpe: the ids of two pieces, the earliest merge first
  std::string unknown_surface = " \u2047 ", bos = "<s>", eos = "</s>", pad = "<pad>";

  static constexpr size_t max_pieces = size_t{1} << 22;
  static constexpr size_t max_piece = 4096;  // bytes

  // Every text is valid UTF-8, every number finite and every type known; pieces have 1 to max_piece bytes and none is
  // there twice, one is the unknown piece, and of byte pieces there are all or none. Of byte_bpe every byte has a piece
  // and every merge makes one. DataError naming `name`: the bytes are no such model.
  static PieceModel parse(std::string_view bytes, const std::string& name);
  // Just these fields in the form that SentencePiece reads.
  std::string serialized() const;

  int32_t unknown() const;  // the id of the unknown piece
  size_t size() const { return ids > 0 ? ids : pieces.size(); }
};

std::string name_of(PieceModel::Kind kind);  // "unigram", "bpe", "word", "char", "byte-level bpe"
std::string byte_piece(unsigned char byte);  // "<0xE4>"

}  // namespace hexapla::text
