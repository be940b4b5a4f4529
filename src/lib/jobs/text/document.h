#pragma once
#include <string>
#include <vector>

#include "documents/formats/formats.h"  // format_list()
#include "hexapla/translator.h"
#include "lib/jobs/watch.h"

namespace hexapla::api {

struct DocumentJob {
  std::vector<std::string> models;
  ModelOptions how;
  Options search;             // the given options
  std::string input, output;  // paths; the extension of the input's name determines its format
  std::string glossary;       // path; "": none
  bool attributes = false;    // as DocumentOptions::attributes
};

// Translates the text of a file into another file, which appears once it is complete. UsageError:
// an unknown format, or an output name with the extension of another format. Other errors as
// Translator::translate_document(). Progress includes the total number of lines.
void translate_document(const DocumentJob& job, const JobWatch& watch);

}  // namespace hexapla::api
