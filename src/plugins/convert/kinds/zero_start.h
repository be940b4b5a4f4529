#pragma once
// Translations that start with zeros instead of a token's embedding: the start token is an
// additional last row of zeros, and its bias excludes it from every search and softmax.

namespace hexapla::convert {

inline constexpr const char* kZeroStart = "<start>";  // not in Marian's vocabularies
inline constexpr float kNeverWritten = -1e4F;

}  // namespace hexapla::convert
