#pragma once
// Protocol Buffers' wire format (protobuf.dev/programming-guides/encoding), for reading.
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "base/files/varint.h"

namespace hexapla {

struct ProtobufField {
  uint64_t number = 0, wire_type = 0;
  uint64_t value = 0;                 // of wire type 0
  std::string_view encoded, content;  // encoded: including key and length
};

// Removes the first field from a message. InternalError: it is cut short, or of an unknown type.
inline ProtobufField take_field(std::string_view& message) {
  const std::string_view all = message;
  const uint64_t key = take_varint(message);
  ProtobufField field{.number = key >> 3, .wire_type = key & 7, .encoded = {}, .content = {}};
  const uint64_t type = field.wire_type;
  HEXAPLA_CHECK(type == 0 || type == 1 || type == 2 || type == 5, "a field of unknown type ", type);
  uint64_t size = type == 1 ? 8 : type == 5 ? 4 : 0;
  if (type == 0) field.value = take_varint(message);
  if (type == 2) size = take_varint(message);
  HEXAPLA_CHECK(size <= message.size(), "a field of ", size, " bytes is cut short");
  field.content = message.substr(0, size);
  message.remove_prefix(size);
  field.encoded = all.substr(0, all.size() - message.size());
  return field;
}

}  // namespace hexapla
