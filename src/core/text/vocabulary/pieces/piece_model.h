#pragma once
// A parser for SentencePiece model files (sentencepiece_model.proto). SentencePiece's library
// trusts its input, so most accidental or malicious changes of a file end the process
// (docs/adr/0100-untrusted-files.md).
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hexapla::text {

struct PieceModel {
  // byte_bpe is ours: byte-level BPE (text/vocabulary/pieces/byte_bpe.h), whose pieces have
  // GPT-2's names ("Ġthe").
  enum class Kind { unigram = 1, bpe = 2, word = 3, character = 4, byte_bpe = 5 };
  enum class Type { normal = 1, unknown = 2, control = 3, user = 4, unused = 5, byte = 6 };
  // A piece that is found in a text before the text is split into other pieces
  // (text/vocabulary/pieces/added_pieces.h).
  struct Added {
    bool left = false, right = false;  // includes the blanks on this side
    bool word = false;                 // only where it is a word of its own
    bool normalized = false;           // found in the normalized text
  };
  struct Piece {
    std::string text;
    float score = 0;  // unigram: log probability; bpe: higher scores are merged earlier
    Type type = Type::normal;
    std::optional<Added> added = {};
  };
  struct Normalizer {
    std::string charsmap;  // see text/vocabulary/pieces/charsmap.h
    bool add_dummy_prefix = true, remove_extra_whitespaces = true, escape_whitespaces = true;
  };
  Kind kind = Kind::unigram;
  std::vector<Piece> pieces;  // by id
  Normalizer normalizer, denormalizer;
  bool byte_fallback = false, treat_whitespace_as_suffix = false;
  // Number of ids a text may get; 0: the number of pieces. Pieces with higher ids count as unknown,
  // but text is still split into them (text/vocabulary/pieces/piece_table.h).
  size_t ids = 0;
  // The piece that begins every text, as a language in multilingual models (">>de<<"); "": none.
  std::string opening;
  bool open_ended = false;                          // sources end with their last piece, without eos
  bool added_by_library = false;                    // added pieces are found as by Hugging Face's tokenizers library
  bool opening_behind = false;                      // of sources: the opening follows eos, as in early NLLB-200
  std::vector<std::pair<int32_t, int32_t>> merges;  // byte_bpe: ids of two pieces, earliest merge first
  std::string unknown_surface = " \u2047 ", bos = "<s>", eos = "</s>", pad = "<pad>";

  static constexpr size_t kMaxPieces = size_t{1} << 22;
  static constexpr size_t kMaxPieceBytes = 4096;  // bytes

  // Checks that every text is valid UTF-8, every number finite and every type known; pieces have 1
  // to kMaxPieceBytes bytes and are distinct, one is the unknown piece, and there are all byte pieces or
  // none. In byte_bpe every byte has a piece and every merge produces one. DataError naming `name`:
  // not such a model.
  static PieceModel parse(std::string_view bytes, const std::string& name);
  // These fields in SentencePiece's format.
  std::string serialized() const;

  int32_t unknown() const;  // the id of the unknown piece
  size_t size() const { return ids > 0 ? ids : pieces.size(); }
};

std::string name_of(PieceModel::Kind kind);  // "unigram", "bpe", "word", "char", "byte-level bpe"
std::string byte_piece(unsigned char byte);  // "<0xE4>"

}  // namespace hexapla::text
