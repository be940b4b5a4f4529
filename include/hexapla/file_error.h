#pragma once
// Errors of files; the others are in error.h.
#include "hexapla/error.h"
#include "hexapla/export.h"

namespace hexapla {

// A file or folder to read that does not exist.
class HEXAPLA_API MissingFile : public DataError {
 public:
  using DataError::DataError;
};

}  // namespace hexapla
