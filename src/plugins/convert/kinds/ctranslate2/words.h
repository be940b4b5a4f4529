#pragma once
#include <string>

#include "convert/containers/ctranslate2_file.h"
#include "convert/foreign/foreign_model.h"

namespace hexapla::convert {

// Locations of a model's files.
struct CTranslate2Folder {
  std::string model;    // the folder with model.bin
  std::string package;  // the Argos Translate package around it, with metadata.json; "": none
};

// Sets the vocabularies, notes and search of m, whose configuration is resolved. zero_start:
// whether translations start with zeros instead of a token. DataError naming file and key: text
// handling that our vocabularies cannot represent, or an unknown key of config.json.
void read_words(ForeignModel& m, const CTranslate2Folder& folder, const CTranslate2File& file, bool zero_start,
                const ImportOptions& options);

// The epsilon of the norms in config.json.
double norm_eps_in(const CTranslate2Folder& folder);

}  // namespace hexapla::convert
