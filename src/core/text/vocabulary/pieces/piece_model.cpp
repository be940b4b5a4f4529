#include "text/vocabulary/pieces/piece_model.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "base/files/protobuf.h"
#include "text/utf8.h"
#include "text/vocabulary/pieces/byte_words.h"
#include "text/vocabulary/pieces/charsmap.h"

namespace hexapla::text {
namespace {

using Type = PieceModel::Type;

constexpr size_t kMostBytes = size_t{1} << 30;
// The first numbers that sentencepiece_model.proto reserves for extensions.
constexpr uint64_t kIdsField = 200, kOpeningField = 201, kOpenEndedField = 202, kMergesField = 203,
                   kOpeningBehindField = 204, kAddedByLibraryField = 205;
// Fields of a piece: its type if it is an added one, and how that is found.
constexpr uint64_t kOwnTypeField = 200, kAddedField = 201;
// The type of added pieces in a file, which earlier programs refuse.
constexpr uint64_t kAddedType = 7;
constexpr float kMostScore = 1e20F;  // sums over a long text stay far below the largest float

struct Malformed {
  std::string why;
};
template <class... Args>
void require(bool condition, const Args&... why) {
  if (!condition) throw Malformed{cat(why...)};
}

// Calls take(from); Malformed instead of InternalError.
template <class Take>
auto taken(std::string_view& from, Take&& take) {
  try {
    return take(from);
  } catch (const InternalError&) {
    throw Malformed{"a field is cut short or of no known type"};
  }
}

// The last value of a repeated field counts.
struct Field : ProtobufField {
  std::string_view message() const {
    require(wire_type == 2, "field ", number, " is not made of bytes");
    return content;
  }
  std::string text(size_t most) const {
    require(message().size() <= most, "a text has ", content.size(), " bytes, allowed are ", most);
    require(!invalid_utf8(content) && content.find('\0') == content.npos, "a text is not UTF-8, or has a NUL");
    return std::string(content);
  }
  uint64_t whole() const {
    require(wire_type == 0, "field ", number, " is not a whole number");
    return value;
  }
  bool flag() const { return whole() != 0; }
  template <class Enum>
  Enum choice(Enum last) const {
    require(whole() >= 1 && value <= static_cast<uint64_t>(last), "field ", number, " is ", value);
    return static_cast<Enum>(value);
  }
  float number32() const {
    require(wire_type == 5, "field ", number, " is not a number of 4 bytes");
    uint32_t bits = 0;
    for (size_t i = 0; i < 4; ++i) bits |= uint32_t{static_cast<unsigned char>(content[i])} << (8 * i);
    return std::bit_cast<float>(bits);
  }
};

template <class F>
void for_each_field(std::string_view message, F&& f) {
  while (!message.empty()) f(Field{taken(message, take_field)});
}

PieceModel::Piece parse_piece(std::string_view message) {
  PieceModel::Piece piece;
  bool added = false;
  for_each_field(message, [&](const Field& field) {
    if (field.number == 1) piece.text = field.text(PieceModel::kMaxPieceBytes);
    if (field.number == 2) piece.score = field.number32();
    if (field.number == 3) added = field.whole() == kAddedType;
    if (field.number == 3 && !added) piece.type = field.choice(Type::byte);
    if (field.number == kOwnTypeField) piece.type = field.choice(Type::byte);
    if (field.number == kAddedField) {
      require(field.whole() < 16, "field ", kAddedField, " is ", field.value);
      piece.added = {(field.value & 1) != 0, (field.value & 2) != 0, (field.value & 4) != 0, (field.value & 8) != 0};
    }
  });
  require(!piece.text.empty(), "it is empty");
  require(added == piece.added.has_value(), "it does not say how it is found");
  require(!added || piece.type == Type::normal || piece.type == Type::control || piece.type == Type::unused,
          "an added piece is of the type ", static_cast<int>(piece.type));
  require(std::fabs(piece.score) <= kMostScore, "its score is ", piece.score);
  return piece;
}

void parse_trainer(std::string_view message, PieceModel& model) {
  constexpr size_t most = PieceModel::kMaxPieceBytes;
  for_each_field(message, [&](const Field& field) {
    if (field.number == 3) model.kind = field.choice(PieceModel::Kind::byte_bpe);
    if (field.number == 24) model.treat_whitespace_as_suffix = field.flag();
    if (field.number == 35) model.byte_fallback = field.flag();
    if (field.number == 44) model.unknown_surface = field.text(most);
    if (field.number == 46) model.bos = field.text(most);
    if (field.number == 47) model.eos = field.text(most);
    if (field.number == 48) model.pad = field.text(most);
  });
}

void parse_normalizer(std::string_view message, PieceModel::Normalizer& normalizer) {
  for_each_field(message, [&](const Field& field) {
    if (field.number == 2) normalizer.charsmap = field.message();
    if (field.number == 3) normalizer.add_dummy_prefix = field.flag();
    if (field.number == 4) normalizer.remove_extra_whitespaces = field.flag();
    if (field.number == 5) normalizer.escape_whitespaces = field.flag();
  });
}

// Two ids per merge.
void parse_merges(std::string_view numbers, PieceModel& model) {
  const auto id = [&] {
    const uint64_t number = taken(numbers, take_varint);
    require(number < PieceModel::kMaxPieces, "a merge is of a piece ", number);
    return static_cast<int32_t>(number);
  };
  while (!numbers.empty()) {
    require(model.merges.size() < PieceModel::kMaxPieces, "it has more than ", PieceModel::kMaxPieces, " merges");
    const int32_t left = id();
    model.merges.emplace_back(left, id());
  }
}

void parse_fields(std::string_view bytes, PieceModel& model) {
  for_each_field(bytes, [&](const Field& field) {
    if (field.number == 1) {
      require(model.pieces.size() < PieceModel::kMaxPieces, "it has more than ", PieceModel::kMaxPieces, " pieces");
      try {
        model.pieces.push_back(parse_piece(field.message()));
      } catch (const Malformed& fault) {
        throw Malformed{cat("piece ", model.pieces.size(), ": ", fault.why)};
      }
    }
    if (field.number == 2) parse_trainer(field.message(), model);
    if (field.number == 3) parse_normalizer(field.message(), model.normalizer);
    if (field.number == 5) parse_normalizer(field.message(), model.denormalizer);
    if (field.number == kIdsField) model.ids = field.whole();
    if (field.number == kOpeningField) model.opening = field.text(PieceModel::kMaxPieceBytes);
    if (field.number == kOpenEndedField) model.open_ended = field.flag();
    if (field.number == kOpeningBehindField) model.opening_behind = field.flag();
    if (field.number == kAddedByLibraryField) model.added_by_library = field.flag();
    if (field.number == kMergesField) parse_merges(field.message(), model);
  });
}

// Pieces that can match text; others exist only as ids. SentencePiece has two tables for them.
bool spells_text(Type type) { return type == Type::normal || type == Type::user || type == Type::unused; }

void check_byte_pieces(const PieceModel& model) {
  std::unordered_set<std::string_view> bytes;
  for (const PieceModel::Piece& piece : model.pieces)
    if (piece.type == Type::byte) bytes.insert(piece.text);
  require(model.byte_fallback == !bytes.empty(), "its byte pieces and its byte_fallback do not belong together");
  if (!model.byte_fallback) return;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = byte_piece(static_cast<unsigned char>(byte));
    require(bytes.count(text) == 1, "it has no byte piece ", text);
  }
  require(bytes.size() == 256, "it has ", bytes.size(), " byte pieces");
}

void check_merges(const PieceModel& model) {
  if (model.kind != PieceModel::Kind::byte_bpe) return require(model.merges.empty(), "it has merges, but other pieces");
  std::unordered_map<std::string_view, size_t> normal;
  for (size_t id = 0; id < model.pieces.size(); ++id)
    if (model.pieces[id].type == Type::normal) normal.emplace(model.pieces[id].text, id);
  for (int byte = 0; byte < 256; ++byte) {
    const std::string piece = visible_bytes(std::string(1, static_cast<char>(byte)));
    require(normal.contains(piece), "it has no piece for the byte ", byte, ", ", piece);
  }
  size_t bytes = 0;
  for (size_t rank = 0; rank < model.merges.size(); ++rank) {
    const auto [left, right] = model.merges[rank];
    const auto known = [&](int32_t id) {
      return static_cast<size_t>(id) < model.pieces.size() && model.pieces[id].type == Type::normal;
    };
    require(known(left) && known(right), "merge ", rank, " is of pieces that it does not have");
    const std::string made = model.pieces[left].text + model.pieces[right].text;
    require((bytes += made.size()) <= kMostBytes, "its merges make more than ", kMostBytes, " bytes");
    require(normal.contains(made), "merge ", rank, " makes a piece that it does not have");
  }
}

void check(const PieceModel& model) {
  require(!model.pieces.empty(), "it has no pieces");
  std::unordered_set<std::string_view> spelling, other;
  int unknown = 0;
  bool spells = false;
  for (size_t id = 0; id < model.pieces.size(); ++id) {
    const PieceModel::Piece& piece = model.pieces[id];
    require((spells_text(piece.type) ? spelling : other).insert(piece.text).second, "piece ", id,
            " occurs for the second time");
    unknown += piece.type == Type::unknown;
    spells |= spells_text(piece.type);
  }
  require(unknown == 1, "it has ", unknown, " unknown pieces instead of one");
  require(spells, "no piece of it spells text");
  require(model.ids <= model.pieces.size(), "it has ", model.ids, " ids, but ", model.pieces.size(), " pieces");
  require(static_cast<size_t>(model.unknown()) < model.size(), "the unknown piece has no id");
  check_byte_pieces(model);
  check_merges(model);
  for (const PieceModel::Normalizer* n : {&model.normalizer, &model.denormalizer})
    if (const std::string fault = fault_of_charsmap(n->charsmap); !fault.empty())
      throw Malformed{"in its normalization " + fault};
}

void put_number(std::string& to, uint64_t field, uint64_t value) {
  put_varint(to, field << 3);
  put_varint(to, value);
}
void put_bytes(std::string& to, uint64_t field, std::string_view bytes) {
  put_varint(to, field << 3 | 2);
  put_varint(to, bytes.size());
  to += bytes;
}
void put_float(std::string& to, uint64_t field, float value) {
  put_varint(to, field << 3 | 5);
  for (uint32_t i = 0, bits = std::bit_cast<uint32_t>(value); i < 4; ++i, bits >>= 8)
    to.push_back(static_cast<char>(bits & 0xFF));
}

std::string message_of(const PieceModel::Piece& piece) {
  std::string message;
  put_bytes(message, 1, piece.text);
  put_float(message, 2, piece.score);
  put_number(message, 3, piece.added ? kAddedType : static_cast<uint64_t>(piece.type));
  if (!piece.added) return message;
  const auto& [left, right, word, normalized] = *piece.added;
  put_number(message, kOwnTypeField, static_cast<uint64_t>(piece.type));
  put_number(message, kAddedField,
             uint64_t{left} | uint64_t{right} << 1 | uint64_t{word} << 2 | uint64_t{normalized} << 3);
  return message;
}

std::string message_of(const PieceModel::Normalizer& normalizer) {
  std::string message;
  put_bytes(message, 2, normalizer.charsmap);
  put_number(message, 3, normalizer.add_dummy_prefix);
  put_number(message, 4, normalizer.remove_extra_whitespaces);
  put_number(message, 5, normalizer.escape_whitespaces);
  return message;
}

std::string message_of(const std::vector<std::pair<int32_t, int32_t>>& merges) {
  std::string message;
  for (const auto& [left, right] : merges) {
    put_varint(message, static_cast<uint64_t>(left));
    put_varint(message, static_cast<uint64_t>(right));
  }
  return message;
}

std::string trainer_message(const PieceModel& model) {
  std::string message;
  put_number(message, 3, static_cast<uint64_t>(model.kind));
  put_number(message, 24, model.treat_whitespace_as_suffix);
  put_number(message, 35, model.byte_fallback);
  put_bytes(message, 44, model.unknown_surface);
  put_bytes(message, 45, model.pieces[model.unknown()].text);
  put_bytes(message, 46, model.bos);
  put_bytes(message, 47, model.eos);
  put_bytes(message, 48, model.pad);
  return message;
}

}  // namespace

PieceModel PieceModel::parse(std::string_view bytes, const std::string& name) {
  try {
    require(bytes.size() <= kMostBytes, "allowed are ", kMostBytes, " bytes");
    PieceModel model;
    parse_fields(bytes, model);
    check(model);
    return model;
  } catch (const Malformed& fault) {
    throw DataError(cat(name, " is not a SentencePiece model that can be used (", bytes.size(), " bytes): ", fault.why,
                        "; it is damaged, truncated, or not such a model: get it again from its source"));
  }
}

std::string PieceModel::serialized() const {
  std::string bytes;
  for (const Piece& piece : pieces) put_bytes(bytes, 1, message_of(piece));
  put_bytes(bytes, 2, trainer_message(*this));
  put_bytes(bytes, 3, message_of(normalizer));
  if (!denormalizer.charsmap.empty()) put_bytes(bytes, 5, message_of(denormalizer));
  if (ids > 0) put_number(bytes, kIdsField, ids);
  if (!opening.empty()) put_bytes(bytes, kOpeningField, opening);
  if (open_ended) put_number(bytes, kOpenEndedField, 1);
  if (opening_behind) put_number(bytes, kOpeningBehindField, 1);
  if (added_by_library) put_number(bytes, kAddedByLibraryField, 1);
  if (!merges.empty()) put_bytes(bytes, kMergesField, message_of(merges));
  return bytes;
}

int32_t PieceModel::unknown() const {
  const auto found =
      std::find_if(pieces.begin(), pieces.end(), [](const Piece& piece) { return piece.type == Type::unknown; });
  return static_cast<int32_t>(found - pieces.begin());
}

std::string name_of(PieceModel::Kind kind) {
  constexpr std::array names{"?", "unigram", "bpe", "word", "char", "byte-level bpe"};
  return names[static_cast<size_t>(kind) % names.size()];
}

std::string byte_piece(unsigned char byte) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  return {'<', '0', 'x', digits[byte >> 4], digits[byte & 15], '>'};
}

}  // namespace hexapla::text
