#include "convert/kinds/mapped/tokenizer_json.h"

#include <algorithm>

#include "base/error.h"
#include "base/json.h"

namespace hexapla::convert {
namespace {

using OrderedJson = nlohmann::ordered_json;
using PieceType = text::PieceModel::Type;

constexpr const char* kBlank = "\u2581";  // represents a blank in pieces

// RFC 4648, section 4.
std::string in_base64(const std::string& bytes) {
  constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string all;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t three = 0;
    for (size_t k = 0; k < 3; ++k)
      three = three << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    for (size_t k = 0; k < 4; ++k) all += i + k <= bytes.size() ? digits[three >> (18 - 6 * k) & 63U] : '=';
  }
  return all;
}

OrderedJson normalizer_of(const text::PieceModel& pieces) {
  OrderedJson all = OrderedJson::array();
  if (!pieces.normalizer.charsmap.empty())
    all.push_back({{"type", "Precompiled"}, {"precompiled_charsmap", in_base64(pieces.normalizer.charsmap)}});
  if (pieces.normalizer.remove_extra_whitespaces) {
    all.push_back({{"type", "Strip"}, {"strip_left", true}, {"strip_right", true}});
    all.push_back({{"type", "Replace"}, {"pattern", {{"Regex", " {2,}"}}}, {"content", " "}});
  }
  return {{"type", "Sequence"}, {"normalizers", all}};
}

OrderedJson blanks_of(const text::PieceModel& pieces, bool split) {
  return {{"type", "Metaspace"},
          {"replacement", kBlank},
          {"prepend_scheme", pieces.normalizer.add_dummy_prefix ? "always" : "never"},
          {"split", split}};
}

// Bytes are decoded to characters before blanks are inserted.
OrderedJson decoder_of(const text::PieceModel& pieces) {
  const OrderedJson blanks = blanks_of(pieces, true), bytes = {{"type", "ByteFallback"}};
  if (!pieces.byte_fallback) return blanks;
  return {{"type", "Sequence"}, {"decoders", OrderedJson::array({bytes, blanks})}};
}

OrderedJson special_pieces(const text::PieceModel& pieces) {
  OrderedJson all = OrderedJson::array();
  for (size_t id = 0; id < pieces.pieces.size(); ++id) {
    const PieceType type = pieces.pieces[id].type;
    if (type == PieceType::unknown || type == PieceType::control)
      all.push_back({{"id", id},
                     {"content", pieces.pieces[id].text},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", true}});
  }
  return all;
}

size_t id_of(const text::PieceModel& pieces, const std::string& text) {
  const auto found =
      std::find_if(pieces.pieces.begin(), pieces.pieces.end(), [&](const auto& p) { return p.text == text; });
  return static_cast<size_t>(found - pieces.pieces.begin());
}

OrderedJson ending(const text::PieceModel& pieces) {
  const OrderedJson text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}},
                    other = {{"Sequence", {{"id", "B"}, {"type_id", 0}}}},
                    end = {{"SpecialToken", {{"id", pieces.eos}, {"type_id", 0}}}};
  OrderedJson known;
  known[pieces.eos] = {{"id", pieces.eos}, {"ids", {id_of(pieces, pieces.eos)}}, {"tokens", {pieces.eos}}};
  return {{"type", "TemplateProcessing"},
          {"single", {text, end}},
          {"pair", {text, end, other, end}},
          {"special_tokens", known}};
}

}  // namespace

std::string why_no_tokenizer_json(const text::PieceModel& pieces) {
  if (pieces.kind != text::PieceModel::Kind::unigram)
    return cat("its pieces are of the kind ", name_of(pieces.kind), ", but only those of unigram can be said there");
  if (pieces.ids > 0) return "its ids are those of a table beside a SentencePiece model";
  if (!pieces.opening.empty()) return cat("its texts begin with a language, ", pieces.opening);
  if (pieces.treat_whitespace_as_suffix) return "its pieces have their blanks behind the words";
  if (!pieces.normalizer.escape_whitespaces) return "its pieces have blanks as they are";
  if (std::any_of(pieces.pieces.begin(), pieces.pieces.end(), [](const auto& p) { return p.type == PieceType::user; }))
    return "it has pieces that are never cut, given by a user";
  if (id_of(pieces, pieces.eos) == pieces.pieces.size()) return cat("it has no piece ", pieces.eos);
  return "";
}

std::string tokenizer_json(const text::PieceModel& pieces) {
  OrderedJson all = OrderedJson::array();
  for (const auto& piece : pieces.pieces)
    all.push_back(OrderedJson::array({piece.text, static_cast<double>(piece.score)}));
  const OrderedJson file = {
      {"version", "1.0"},
      {"truncation", nullptr},
      {"padding", nullptr},
      {"added_tokens", special_pieces(pieces)},
      {"normalizer", normalizer_of(pieces)},
      {"pre_tokenizer", blanks_of(pieces, false)},
      {"post_processor", ending(pieces)},
      {"decoder", decoder_of(pieces)},
      {"model",
       {{"type", "Unigram"}, {"unk_id", pieces.unknown()}, {"vocab", all}, {"byte_fallback", pieces.byte_fallback}}}};
  return json_text(file, 1) + "\n";
}

}  // namespace hexapla::convert
