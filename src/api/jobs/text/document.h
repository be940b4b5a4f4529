#pragma once
#include <string>
#include <vector>

#include "api/jobs/watch.h"
#include "hexapla/translator.h"
#include "text/document/formats/formats.h"  // format_list()

namespace hexapla::api {

struct DocumentJob {
  std::vector<std::string> models;
  ModelOptions how;
  Options search;             // those that were given
  std::string input, output;  // paths; the ending of the input's name is its format
  std::string glossary;       // path; "": none
  bool attributes = false;    // as DocumentOptions::attributes
};

// Translates the text of a file into another file, which appears when it is complete. UsageError:
// an unknown format, or the output's name has the ending of another one. Further errors as
// Translator::translate_document(). Progress has the number of all lines.
void translate_document(const DocumentJob& job, const JobWatch& watch);

}  // namespace hexapla::api
