#pragma once
#include <string>

#include "convert/containers/ctranslate2_file.h"
#include "convert/foreign_model.h"

namespace hexapla::convert {

// Where the files of a model are.
struct CTranslate2Folder {
  std::string model;    // the folder with model.bin
  std::string package;  // of Argos Translate, around it: with metadata.json; "": none
};

// zero_start: whether translations start with zeros, not with a token. m: with its resolved configuration; its
// vocabularies, norms' epsilon, search and notes are set here. DataError naming file and key: something of text that no
// vocabulary of ours can say, or a key of config.json that is unknown.
void read_words(ForeignModel& m, const CTranslate2Folder& folder, const CTranslate2File& file, bool zero_start,
                const ImportOptions& options);

// The epsilon inside of norms, as config.json has it.
double norm_eps_in(const CTranslate2Folder& folder);

}  // namespace hexapla::convert
