#pragma once
// Subwords: converts text to token ids and back with SentencePiece (Kudo and Richardson 2018;
// unigram model, Kudo 2018).
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/words.h"

namespace hexapla::text {

using Ids = std::vector<int32_t>;

struct VocabularyOptions {
  std::string type = "unigram";            // or bpe
  int size = 10000;                        // pieces, including four special ones; small texts may give fewer
  double character_coverage = 1.0;         // fraction of characters covered by pieces, 0.98 to 1
  std::string normalization = "nmt_nfkc";  // one of kNormalizations (text/vocabulary/normalization.h)
  int64_t max_lines = 2'000'000;           // evenly spaced lines used of a longer text, to limit memory
  bool split_digits = false;               // every digit is a separate piece
  bool byte_fallback = false;              // characters without a piece become bytes, not unknown: adds 256 pieces
  std::vector<std::string> user_symbols;   // always one piece each, in any context
};

// Tokens and their places in the text (before normalization).
struct EncodedText {
  Ids ids;
  std::vector<TokenSpan> spans;
};

// A trained subword model. Copies share it; const functions are thread-safe.
class Vocabulary {
 public:
  // A model with pad 0, bos 1 `<s>`, eos 2 `</s>`, unk 3. The same lines and options give the same
  // bytes on any number of cores. UsageError: an option out of range; DataError: no text, or a size
  // too small for the characters of the text. Also throws Canceled.
  static Vocabulary train(const std::vector<std::string>& lines, const VocabularyOptions& options = {});
  // Reads a SentencePiece model of any kind. DataError: unreadable, not a model, no `<s>` or no
  // `</s>` in it.
  static Vocabulary load(const std::string& path);
  // The same from memory; messages use the name.
  static Vocabulary parse(std::string_view model_bytes, const std::string& name);

  const std::string& bytes() const;   // the serialized model, to embed in a model file
  std::string normalization() const;  // the name of its rule on one line; "": none
  int32_t size() const;
  int32_t bos() const;
  int32_t eos() const;
  int32_t unk() const;  // every SentencePiece model has one
  int32_t pad() const;  // -1: none
  // The piece with which encode() begins every text (PieceModel::opening); -1: none, or it follows
  // a source's eos. On the target side, translations must begin with it.
  int32_t opening() const;
  // The languages that can replace it, "de" for >>de<<, sorted.
  std::vector<std::string> languages() const;
  // The same vocabulary with the opening >>language<<. UsageError naming `option` and the
  // languages: no such piece, or texts have no opening.
  Vocabulary opening_with(const std::string& language, const std::string& option) const;

  // Whether this piece is found before text is split into others (PieceModel::Added).
  bool is_added(int32_t id) const;
  bool has_added() const;
  // Whether texts are tokens with blanks between them, such as words or the letters of a name: a stop
  // is a token like others.
  bool of_tokens() const;

  // A control piece such as >>de<< at the beginning of a text that selects the target language. The
  // rest of the text is encoded without it. It replaces the opening, if any.
  struct Leading {
    int32_t id = -1;   // -1: none
    size_t bytes = 0;  // of the text
  };
  Leading leading(std::string_view text) const;

  Ids encode(std::string_view text) const;  // without bos and eos; empty for blank text
  // Completes a source for the encoder: appends eos (if open_ended(), only to an empty source),
  // then the opening if it belongs there (PieceModel::opening_behind).
  void end_source(Ids& ids) const;
  bool open_ended() const;  // PieceModel::open_ended
  // Drops control symbols and always returns one line (plain_line) for any pieces: byte fallback
  // has one for a line feed. InternalError: an id outside [0, size).
  std::string decode(std::span<const int32_t> ids) const;
  EncodedText encode_with_spans(std::string_view text) const;           // the ids of encode()
  std::vector<TokenSpan> spans_in(std::span<const int32_t> ids) const;  // in decode(ids)
  std::string piece(int32_t id) const;                           // "▁the"; InternalError: an id outside [0, size)
  std::vector<std::string> pieces(std::string_view text) const;  // the pieces of encode()
  // Byte-level BPE: pieces represent bytes, blanks are normal characters, and text is not
  // normalized.
  bool byte_level() const;
  std::string bytes_of(int32_t id) const;  // byte-level BPE: ByteBpe::bytes_of; InternalError: as for piece()

 private:
  struct Impl;
  explicit Vocabulary(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

struct VocabularyPair {
  Vocabulary source, target;
};

// Whether both have the same pieces with the same ids and so can share embeddings; their
// normalization rules may differ.
bool same_pieces(const Vocabulary& a, const Vocabulary& b);

// One set of pieces for both sides, learned from the lines of both, each normalized by its side's
// rule: options.normalization is the source's. With equal rules, the two vocabularies are equal.
// Errors as Vocabulary::train.
VocabularyPair train_joint_vocabulary(std::vector<std::string> source, std::vector<std::string> target,
                                      const VocabularyOptions& options, const std::string& target_normalization);

}  // namespace hexapla::text
