#include "text/vocabulary/vocabulary.h"

#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

#include "base/classic.h"
#include "base/error.h"
#include "base/files/disk.h"
#include "base/system/cancellation.h"
#include "base/system/child_process.h"
#include "base/system/machine.h"
#include "text/plain_line.h"
#include "text/utf8.h"
#include "text/vocabulary/normalization.h"
#include "text/vocabulary/pieces/added_pieces.h"
#include "text/vocabulary/pieces/byte_bpe.h"
#include "text/vocabulary/pieces/byte_words.h"
#include "text/vocabulary/pieces/piece_model.h"
#include "text/vocabulary/pieces/piece_table.h"
#include "text/vocabulary/pieces/piece_text.h"
#include "text/vocabulary/trainer_arguments.h"

namespace hexapla::text {
namespace {

// SentencePiece ends the whole process if it has no line to train on, so lines that it would skip
// or find empty are removed beforehand.
constexpr size_t kLongestTrained = 4192;                   // bytes: its max_sentence_length
constexpr std::string_view kBlank = "\u2581";              // represents a blank
constexpr std::string_view kReservedCharacter = "\u2585";  // marks unknown text

bool usable(const std::string& line) {
  return line.size() <= kLongestTrained && line.find(kReservedCharacter) == std::string::npos && has_text(line);
}

// At most `limit` evenly spaced usable lines of the text.
class SpacedLines : public sentencepiece::SentenceIterator {
 public:
  SpacedLines(const std::vector<std::string>& lines, int64_t limit) {
    for (const auto& line : lines) {
      if (usable(line)) lines_.push_back(&line);
    }
    count_ = std::min<uint64_t>(lines_.size(), static_cast<uint64_t>(limit));
  }
  bool empty() const { return count_ == 0; }
  uint64_t size() const { return count_; }

  bool done() const override { return at_ >= count_; }
  void Next() override { ++at_; }
  const std::string& value() const override { return *lines_[at_ * lines_.size() / count_]; }
  sentencepiece::util::Status status() const override { return {}; }

 private:
  std::vector<const std::string*> lines_;
  uint64_t count_ = 0, at_ = 0;
};

// Removes SentencePiece's source location: "Internal: x.cc(580) [cond] message" -> "message".
std::string reason(const sentencepiece::util::Status& status) {
  const std::string all = status.ToString();
  const size_t bracket = all.rfind("] ");
  return bracket == std::string::npos || bracket + 2 == all.size() ? all : all.substr(bracket + 2);
}

// Returns a model's bytes; `what` follows "a vocabulary" in messages. Trains in a child process,
// because a failed allocation in one of SentencePiece's threads ends the process.
std::string trained_model(SpacedLines& lines, const VocabularyOptions& options, const std::string& what) {
  constexpr char good = '+', bad = '-';
  const ChildResult result = in_child_process([&] {
    std::string model;
    const auto status = sentencepiece::SentencePieceTrainer::Train(trainer_arguments(options), &lines, &model);
    return status.ok() ? good + model : bad + reason(status);
  });
  if (!result.value)
    throw RunError(cat("cannot train a vocabulary", what, ": SentencePiece ", result.end,
                       "; lower `vocab-lines`, which determines the memory needed (", why_memory_was_refused(0), ")"));
  if (result.value->front() == bad)
    throw DataError(cat("cannot train a vocabulary", what, ": ", result.value->substr(1),
                        "; change `vocab-size` or give more text"));
  return result.value->substr(1);
}

// SentencePiece joins a run of unknown characters to one token by copying the run once per
// character: a million took minutes. It does not do this with byte fallback, so models without
// bytes get 256 more pieces, and the tokens are joined when ids are read. Omitted if a piece
// already has such a name.
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

std::map<std::string, int32_t, std::less<>> leading_pieces(const PieceModel& model) {
  std::map<std::string, int32_t, std::less<>> all;
  for (size_t id = 0; id < model.size(); ++id) {
    const PieceModel::Piece& piece = model.pieces[id];
    if (piece.type == PieceModel::Type::control && begins_text(piece.text)) all[piece.text] = static_cast<int32_t>(id);
  }
  return all;
}

int32_t opening_of(const PieceModel& model, const std::string& name) {
  if (model.opening.empty()) return -1;
  for (size_t id = 0; id < model.size(); ++id)
    if (model.pieces[id].text == model.opening && model.pieces[id].type == PieceModel::Type::control)
      return static_cast<int32_t>(id);
  throw DataError(cat(name, " begins texts with ", printable(model.opening),
                      ", which is no control piece of it; the file is damaged, get it again from its source"));
}

// A vocabulary with hardly any pieces, used only to normalize text.
Vocabulary bare_rule(const std::string& normalization) {
  const VocabularyOptions options{.size = 8, .normalization = normalization};
  check_vocabulary_options(options);
  const std::vector<std::string> text{"a"};
  SpacedLines lines(text, 1);
  return Vocabulary::parse(trained_model(lines, options, ""), normalization);
}

// Normalizes lines with that rule; empties lines on which a vocabulary would not be trained.
void normalize(std::vector<std::string>& lines, const Vocabulary& rule) {
  for (std::string& line : lines) {
    check_canceled();
    std::string all;
    if (usable(line))
      for (const std::string& piece : rule.pieces(line)) all += piece;
    for (size_t at = all.find(kBlank); at != std::string::npos; at = all.find(kBlank, at))
      all.replace(at, kBlank.size(), 1, ' ');
    line = std::move(all);
  }
}

}  // namespace

struct Vocabulary::Impl {
  std::string bytes;
  // The processor may have more than `size` pieces: some without ids, and from first_byte on the
  // bytes of unknown characters.
  int32_t size = 0, first_byte = 0, unknown = 0, opening = -1;
  sentencepiece::SentencePieceProcessor processor;
  std::optional<ByteBpe> byte_bpe;  // replaces it for processing text
  std::optional<AddedPieces> added;
  bool open_ended = false, opening_behind = false;
  bool of_words = false;                                // pieces are words of a table
  bool of_symbols = false;                              // merges of subword-nmt, which start from characters
  bool marks_ends = false;                              // blanks belong to the preceding piece
  bool of_table = false;                                // ids from a table (text/vocabulary/pieces/piece_table.h)
  std::map<std::string, int32_t, std::less<>> leading;  // ids of pieces that may begin a text

  void check_id(int32_t id) const {
    HEXAPLA_CHECK(id >= 0 && id < size, "token id ", id, " is outside the vocabulary of ", size, " pieces");
  }
  // DataError: a model that passes all checks may still fail on a text.
  Ids ids_of(std::string_view text) const {
    Ids ids;
    if (const auto status = processor.Encode({text.data(), text.size()}, &ids); !status.ok())
      throw DataError(cat("the vocabulary cannot encode a text of ", text.size(), " bytes (", reason(status),
                          "): it is damaged; get it again from its source"));
    return ids;
  }
  bool is_byte(int32_t id) const { return id >= first_byte; }
  // Pieces without an id are unknown.
  int32_t id_of(int32_t piece) const { return piece < size ? piece : unknown; }
  // Characters that no piece spells may still equal a piece into which text is never split.
  int32_t id_of_characters(const std::string& characters) const {
    const int32_t id = of_table ? processor.PieceToId(characters) : unknown;
    if (added && added->by_library() && added->has(id)) return unknown;
    return processor.IsUnused(id) ? id_of(id) : unknown;
  }

  int32_t byte_at(const std::vector<PieceOfText>& encoded, size_t i) const { return encoded[i].id - first_byte; }
  // Whether the pieces from `i` on are the bytes of the mark of a word's start, or of its end.
  bool is_mark(const std::vector<PieceOfText>& encoded, size_t i) const {
    constexpr std::string_view kMark = "\u2581";
    if (i + kMark.size() > encoded.size()) return false;
    for (size_t k = 0; k < kMark.size(); ++k)
      if (byte_at(encoded, i + k) != static_cast<unsigned char>(kMark[k])) return false;
    return true;
  }
  // Whether the byte at `i` of a run of unknown characters begins another token.
  bool begins_token(const std::vector<PieceOfText>& encoded, size_t i) const {
    if (of_words) return is_mark(encoded, i);
    return of_symbols && (byte_at(encoded, i) & 0xC0) != 0x80 && !is_mark(encoded, i);
  }

  // A run of unknown characters is one token, but one per word or character in models of those.
  struct Token {
    int32_t id;
    TokenSpan span;
    std::string piece;
  };
  std::vector<Token> tokens(std::string_view text) const {
    if (byte_bpe && is_white_space(text)) return {};
    if (!added) return byte_bpe ? byte_tokens(text) : sentence_tokens(text);
    std::vector<Token> all;
    const std::vector<AddedPieces::Part> parts = added->split(text);
    for (const AddedPieces::Part& part : parts)
      if (part.id >= 0)
        all.push_back({part.id, {part.from.at.front(), part.from.at.back()}, processor.IdToPiece(part.id)});
      else
        append_text(part.from, all);
    return all;
  }
  // Text between added pieces.
  void append_text(const AlignedText& from, std::vector<Token>& to) const {
    const auto& [text, at] = from;
    std::vector<Token> own = byte_bpe ? byte_tokens(text) : sentence_tokens(text);
    for (Token& token : own) to.push_back({token.id, {at[token.span.from], at[token.span.to]}, std::move(token.piece)});
  }
  std::vector<Token> byte_tokens(std::string_view text) const {
    std::vector<Token> all;
    for (const auto& [id, span] : byte_bpe->encode(text)) all.push_back({id_of(id), span, processor.IdToPiece(id)});
    return all;
  }
  std::vector<Token> sentence_tokens(std::string_view text) const {
    const std::string message = processor.EncodeAsSerializedProto({text.data(), text.size()});
    if (!is_whole(message)) ids_of(text);  // throws with the reason
    const std::vector<PieceOfText> encoded = pieces_of_text(message);
    std::vector<Token> all;
    bool in_run = false;
    for (size_t i = 0; i < encoded.size(); ++i) {
      const auto& [piece, surface, id, begin, end] = encoded[i];
      if (!(is_byte(id) && in_run) || begins_token(encoded, i)) all.push_back({id_of(id), {begin, end}, ""});
      in_run = is_byte(id);
      all.back().span.to = end;
      if (in_run)
        all.back().piece += static_cast<char>(id - first_byte);
      else
        all.back().piece = piece;
      if (in_run) all.back().id = id_of_characters(all.back().piece);
    }
    return all;
  }
};

Vocabulary Vocabulary::train(const std::vector<std::string>& lines, const VocabularyOptions& options) {
  check_vocabulary_options(options);
  SpacedLines iterator(lines, options.max_lines);
  if (iterator.empty()) {
    throw DataError(cat("no text to train a vocabulary on: none of the ", lines.size(),
                        " lines has a letter, digit or mark and at most ", kLongestTrained,
                        " bytes; give text with one sentence per line"));
  }
  const std::string what = cat(" of ", options.size, " pieces on ", iterator.size(), " lines");
  return parse(trained_model(iterator, options, what), "the trained vocabulary");
}

Vocabulary Vocabulary::load(const std::string& path) {
  if (std::filesystem::is_directory(path)) throw DataError(cat("vocabulary ", path, " is a directory: name a file"));
  Classic<std::ifstream> in(path, std::ios::binary);
  if (!in) {
    throw DataError(
        cat("cannot read vocabulary ", path, ": ", system_text(errno), "; give the path of a SentencePiece model"));
  }
  const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) throw RunError(cat("cannot read vocabulary ", path, ": ", system_text(errno)));
  return parse(bytes, path);
}

Vocabulary Vocabulary::parse(std::string_view model_bytes, const std::string& name) {
  PieceModel model = PieceModel::parse(model_bytes, name);
  auto impl = std::make_shared<Impl>();
  impl->bytes = model_bytes;
  impl->size = static_cast<int32_t>(model.size());
  impl->first_byte = static_cast<int32_t>(model.pieces.size());
  impl->unknown = model.unknown();
  impl->of_table = model.ids > 0;
  impl->leading = leading_pieces(model);
  impl->opening = opening_of(model, name);
  impl->open_ended = model.open_ended;
  impl->opening_behind = model.opening_behind;
  impl->of_words = impl->of_table && model.kind == PieceModel::Kind::word;
  impl->marks_ends = model.treat_whitespace_as_suffix;
  impl->of_symbols = impl->of_table && impl->marks_ends;
  if (AddedPieces added(model); !added.empty()) impl->added = std::move(added);
  if (model.kind == PieceModel::Kind::byte_bpe) {
    impl->byte_bpe.emplace(model);
    model.kind = PieceModel::Kind::bpe;  // a kind that SentencePiece supports; it only looks up names
  } else {
    add_bytes_for_unknown(model);
  }
  for (PieceModel::Piece& piece : model.pieces) piece.added.reset();  // which SentencePiece does not know
  const auto status = impl->processor.LoadFromSerializedProto(model.serialized());
  if (!status.ok()) throw DataError(cat(name, " cannot be used by SentencePiece: ", reason(status)));
  for (const auto& [symbol, id] : {std::pair{"<s>", impl->processor.bos_id()}, {"</s>", impl->processor.eos_id()}}) {
    if (id < 0) {
      throw DataError(cat(name, " has no ", symbol, " piece, which the decoder needs: train it with bos_id and ",
                          "eos_id of 0 or more"));
    }
  }
  return Vocabulary(std::move(impl));
}

const std::string& Vocabulary::bytes() const { return impl_->bytes; }
std::string Vocabulary::normalization() const { return plain_line(normalization_of(impl_->bytes)); }
int32_t Vocabulary::size() const { return impl_->size; }
int32_t Vocabulary::bos() const { return impl_->processor.bos_id(); }
int32_t Vocabulary::eos() const { return impl_->processor.eos_id(); }
int32_t Vocabulary::unk() const { return impl_->unknown; }
int32_t Vocabulary::pad() const { return impl_->processor.pad_id(); }
int32_t Vocabulary::opening() const { return impl_->opening_behind ? -1 : impl_->opening; }
bool Vocabulary::open_ended() const { return impl_->open_ended; }
bool Vocabulary::is_added(int32_t id) const { return impl_->added && impl_->added->has(id); }
bool Vocabulary::has_added() const { return impl_->added.has_value(); }
bool Vocabulary::of_tokens() const { return impl_->of_words; }

void Vocabulary::end_source(Ids& ids) const {
  if (ids.empty() || !open_ended()) ids.push_back(eos());
  if (impl_->opening_behind && impl_->opening >= 0) ids.push_back(impl_->opening);
}

std::vector<std::string> Vocabulary::languages() const {
  std::vector<std::string> all;
  for (const auto& [piece, id] : impl_->leading) all.push_back(piece.substr(2, piece.size() - 4));
  return all;
}

Vocabulary Vocabulary::opening_with(const std::string& language, const std::string& option) const {
  if (impl_->opening < 0 || impl_->leading.empty())
    throw UsageError(cat("`", option, "` ", language, ": this model is not told languages; leave it out"), option,
                     language);
  const std::string piece = cat(">>", language, "<<");
  if (!impl_->leading.contains(piece)) {
    std::string all;
    for (const std::string& known : languages()) all += (all.empty() ? "" : ", ") + known;
    throw UsageError(cat("`", option, "` '", language, "' is none of the model's languages: ", all), option, language);
  }
  PieceModel model = PieceModel::parse(bytes(), "the vocabulary");
  model.opening = piece;
  return parse(model.serialized(), "the vocabulary");
}

Vocabulary::Leading Vocabulary::leading(std::string_view text) const {
  const size_t end = impl_->leading.empty() ? text.npos : text.find("<<");
  if (end == text.npos) return {};
  const size_t bytes = end + 2;
  const auto found = impl_->leading.find(text.substr(0, bytes));
  return found == impl_->leading.end() ? Leading() : Leading{found->second, bytes};
}

Ids Vocabulary::encode(std::string_view text) const {
  if (impl_->of_table || impl_->byte_bpe || impl_->added || opening() >= 0 || leading(text).bytes > 0)
    return encode_with_spans(text).ids;
  Ids ids = impl_->ids_of(text);
  const auto is_byte = [&](int32_t id) { return impl_->is_byte(id); };
  ids.erase(std::unique(ids.begin(), ids.end(), [&](int32_t a, int32_t b) { return is_byte(a) && is_byte(b); }),
            ids.end());
  std::replace_if(ids.begin(), ids.end(), is_byte, impl_->unknown);
  return ids;
}

// SentencePiece joins byte pieces to characters, and writes U+FFFD for invalid ones.
std::string Vocabulary::decode(std::span<const int32_t> ids) const {
  for (const int32_t id : ids) impl_->check_id(id);
  std::string text;
  if (impl_->byte_bpe) {
    for (const int32_t id : ids) text += impl_->byte_bpe->bytes_of(id);
    return plain_line(text);
  }
  const auto status = impl_->processor.Decode(std::vector<int>(ids.begin(), ids.end()), &text);
  HEXAPLA_CHECK(status.ok(), "SentencePiece cannot decode ", ids.size(), " ids: ", status.ToString());
  if (impl_->marks_ends && text.ends_with(' ')) text.pop_back();
  return plain_line(text);
}

EncodedText Vocabulary::encode_with_spans(std::string_view text) const {
  EncodedText out;
  const Leading first = leading(text);
  if (first.bytes > 0) {
    out.ids.push_back(first.id);
    out.spans.push_back({0, first.bytes});
  } else if (opening() >= 0) {
    out.ids.push_back(opening());
    out.spans.push_back({0, 0});
  }
  for (const Impl::Token& token : impl_->tokens(text.substr(first.bytes))) {
    out.ids.push_back(token.id);
    out.spans.push_back({first.bytes + token.span.from, first.bytes + token.span.to});
  }
  if (first.bytes == 0 && opening() >= 0 && out.ids.size() == 1) return {};  // blank
  return out;
}

std::vector<TokenSpan> Vocabulary::spans_in(std::span<const int32_t> ids) const {
  for (const int32_t id : ids) impl_->check_id(id);
  std::vector<TokenSpan> out;
  std::string text;
  if (impl_->byte_bpe) {
    for (const int32_t id : ids) {
      text += impl_->byte_bpe->bytes_of(id);
      out.push_back({text.size() - impl_->byte_bpe->bytes_of(id).size(), text.size()});
    }
    make_plain_line(text, out);
    return out;
  }
  const std::string decoded = impl_->processor.DecodeIdsAsSerializedProto(std::vector<int>(ids.begin(), ids.end()));
  for (const PieceOfText& piece : pieces_of_text(decoded)) {
    out.push_back({text.size(), text.size() + piece.surface.size()});
    text += piece.surface;
  }
  if (impl_->marks_ends && text.ends_with(' ')) text.pop_back(), out.back().to = text.size();
  make_plain_line(text, out);
  return out;
}

std::string Vocabulary::piece(int32_t id) const {
  impl_->check_id(id);
  return impl_->processor.IdToPiece(id);
}

bool Vocabulary::byte_level() const { return impl_->byte_bpe.has_value(); }

std::string Vocabulary::bytes_of(int32_t id) const {
  impl_->check_id(id);
  return impl_->byte_bpe->bytes_of(id);
}

std::vector<std::string> Vocabulary::pieces(std::string_view text) const {
  std::vector<std::string> out;
  const size_t first = leading(text).bytes;
  if (first > 0) out.emplace_back(text.substr(0, first));
  for (Impl::Token& token : impl_->tokens(text.substr(first))) out.push_back(std::move(token.piece));
  return out;
}

bool same_pieces(const Vocabulary& a, const Vocabulary& b) {
  if (a.bytes() == b.bytes()) return true;
  if (a.size() != b.size()) return false;
  for (int32_t id = 0; id < a.size(); ++id)
    if (a.piece(id) != b.piece(id)) return false;
  return true;
}

VocabularyPair train_joint_vocabulary(std::vector<std::string> source, std::vector<std::string> target,
                                      const VocabularyOptions& options, const std::string& target_normalization) {
  check_vocabulary_options(options);
  VocabularyOptions both = options;
  const auto join = [&] {
    source.insert(source.end(), std::make_move_iterator(target.begin()), std::make_move_iterator(target.end()));
    return Vocabulary::train(source, both);
  };
  if (options.normalization == target_normalization) {
    const Vocabulary v = join();
    return {v, v};
  }
  const Vocabulary of_source = bare_rule(options.normalization), of_target = bare_rule(target_normalization);
  normalize(source, of_source);
  normalize(target, of_target);
  both.normalization = "identity";
  const Vocabulary pieces = join();
  const auto under = [&](const Vocabulary& rule) {
    return Vocabulary::parse(with_normalization_of(rule.bytes(), pieces.bytes()), "the trained vocabulary");
  };
  return {under(of_source), under(of_target)};
}

}  // namespace hexapla::text
