#pragma once
// Normalization of text before a vocabulary splits it into pieces. Targets are normalized, too, so
// no translation contains what normalization removes.
#include <array>
#include <string>
#include <string_view>

namespace hexapla::text {

// `keep` is ours: removes control characters, turns tabs and line breaks into blanks and runs of
// blanks into one blank, and keeps every other character. The others are SentencePiece's: NFKC
// (full-width, half-width and compatibility forms become plain ones), with `nmt` also for white
// space and invisible characters, with `cf` case-folded; `identity` only changes runs of blanks.
inline constexpr std::array kNormalizations = {"keep", "nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"};

bool is_normalization(const std::string& name);
std::string normalization_names();  // "keep, nmt_nfkc, ... or identity"

// `keep` as a SentencePiece precompiled_charsmap.
std::string keep_charsmap();

// The name of the rule in a SentencePiece model that its library accepts; "": none.
std::string normalization_of(std::string_view model);
// The model with the rule of another one.
std::string with_normalization_of(std::string_view other, std::string_view model);

}  // namespace hexapla::text
