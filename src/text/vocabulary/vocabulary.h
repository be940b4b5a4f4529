#pragma once
// Subwords: text to token ids and back, by SentencePiece (Kudo and Richardson 2018; unigram model, Kudo 2018).
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
  int size = 10000;                        // pieces, with the four special ones; a small text may give fewer
  double character_coverage = 1.0;         // share of the text's characters that get a piece of their own, 0.98 to 1
  std::string normalization = "nmt_nfkc";  // one of kNormalizations (text/vocabulary/normalization.h)
  int64_t max_lines = 2'000'000;           // of a longer text evenly spaced lines are taken: memory grows with them
  bool split_digits = false;               // every digit is a piece of its own
  bool byte_fallback = false;              // characters without a piece become bytes, not unknown: 256 pieces more
  std::vector<std::string> user_symbols;   // always one piece each, wherever they stand
};

// Tokens, and where each stands in the text (before normalization).
struct EncodedText {
  Ids ids;
  std::vector<TokenSpan> spans;
};

// A trained subword model. Copies share it; the const functions may be called from several threads at once.
class Vocabulary {
 public:
  // A model with pad 0, bos 1 `<s>`, eos 2 `</s>`, unk 3. The same lines and options give the same bytes on
  // any number of cores. UsageError: an option out of range; DataError: no text, or a size that cannot hold the
  // characters of the text; Canceled, too.
  static Vocabulary train(const std::vector<std::string>& lines, const VocabularyOptions& options = {});
  // A SentencePiece model file of any kind. DataError: not to be read, not a model, no `<s>` or no `</s>` in it.
  static Vocabulary load(const std::string& path);
  // The same from memory; the name stands in messages.
  static Vocabulary parse(std::string_view model_bytes, const std::string& name);

  const std::string& bytes() const;   // the serialized model, to embed in a model file
  std::string normalization() const;  // the name of its rule, as one line; "" where it has none
  int32_t size() const;
  int32_t bos() const;
  int32_t eos() const;
  int32_t unk() const;  // every SentencePiece model has one
  int32_t pad() const;  // -1 where the model has none
  // The piece that encode() begins every text with (PieceModel::opening); -1: none, or it stands behind a source's eos.
  // On the target side it is what a translation has to begin with.
  int32_t opening() const;
  // The languages that may take its place, "de" for >>de<<, sorted.
  std::vector<std::string> languages() const;
  // The same vocabulary with the piece >>language<< as its opening. UsageError naming `option` and the languages: there
  // is no such piece, or texts begin with none.
  Vocabulary opening_with(const std::string& language, const std::string& option) const;

  // A control piece such as >>de<< that a text begins with: it says which language to translate to. The rest of the
  // text is encoded without it. Where there is an opening, this piece takes its place.
  struct Leading {
    int32_t id = -1;   // -1: there is none
    size_t bytes = 0;  // of the text
  };
  Leading leading(std::string_view text) const;

  Ids encode(std::string_view text) const;  // without bos and eos; empty for blank text
  // A source as the encoder gets it: eos goes behind it, or, where open_ended(), only behind an empty one; then the
  // opening where it is there (PieceModel::opening_behind).
  void end_source(Ids& ids) const;
  bool open_ended() const;  // PieceModel::open_ended
  // Control symbols dropped, and always one line (plain_line), whatever pieces a model writes: byte fallback has one
  // for a line feed. InternalError: an id outside [0, size).
  std::string decode(std::span<const int32_t> ids) const;
  EncodedText encode_with_spans(std::string_view text) const;           // the ids of encode()
  std::vector<TokenSpan> spans_in(std::span<const int32_t> ids) const;  // in decode(ids)
  std::string piece(int32_t id) const;                           // "▁the"; InternalError: an id outside [0, size)
  std::vector<std::string> pieces(std::string_view text) const;  // encode, as pieces
  // Byte-level BPE: a piece stands for bytes, blanks are characters like others, and text is not normalized.
  bool byte_level() const;
  std::string bytes_of(int32_t id) const;  // of byte-level BPE: ByteBpe::bytes_of; InternalError: as for piece()

 private:
  struct Impl;
  explicit Vocabulary(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

// Of the two sides of parallel text.
struct VocabularyPair {
  Vocabulary source, target;
};

// Whether the ids of both stand for the same pieces, so that they can share embeddings: their rules of normalization
// may differ all the same.
bool same_pieces(const Vocabulary& a, const Vocabulary& b);

// One set of pieces for both sides, learned from the lines of both, each normalized by the rule of its side:
// options.normalization is that of the source. Where the rules are the same, so are the two vocabularies. Errors as
// Vocabulary::train.
VocabularyPair train_joint_vocabulary(std::vector<std::string> source, std::vector<std::string> target,
                                      const VocabularyOptions& options, const std::string& target_normalization);

}  // namespace hexapla::text
