#include "lib/jobs/text/document.h"

#include "base/error.h"
#include "base/files/file.h"
#include "documents/beginning.h"
#include "documents/formats/formats.h"
#include "lib/translate/document.h"

namespace hexapla::api {
namespace {

std::shared_ptr<const text::document::Document> open(const DocumentJob& job) {
  const text::document::Format* const format = text::document::format_of(job.input);
  if (format == nullptr)
    throw UsageError(
        cat("`input` ", job.input, ": no supported document format: ", text::document::advice_for(job.input)));
  if (const text::document::Format* const other = text::document::format_of(job.output);
      other && other->type != format->type)
    throw UsageError(cat("`output` ", job.output, ": the format stays; give it a name that ends in ", format->ending));
  const std::string content = read_file(job.input);
  try {
    return text::document::read(*format, content, job.attributes);
  } catch (const DataError& e) {
    throw DataError(cat(job.input, ": ", e.what()));
  }
}

}  // namespace

void translate_document(const DocumentJob& job, const JobWatch& watch) {
  const auto document = open(job);
  const Glossary terms = job.glossary.empty() ? Glossary() : Glossary::read(job.glossary);
  { const AtomicFile writable(job.output); }  // fails now, not after translating
  if (document->lines().empty())
    watch.say(cat("`input` ", job.input, " has no text to translate; the output is a copy"));
  const Translator translator(job.models, job.how);
  TranslatorOptions options = TranslatorOptions::from(job.search);
  options.glossary = terms;
  options.warn = [&](std::size_t line, const std::string& what) {
    watch.note(cat("'", text::document::beginning(document->lines()[line - 1]), "'"), what);
  };
  options.stop = watch.stop;
  const Stopwatch time;
  const auto all = std::ssize(document->lines());
  write_file_atomically(job.output, translated(translator, *document, options, [&](std::size_t done) {
                          watch.progress({static_cast<int64_t>(done), all, 0, time.seconds()});
                        }));
}

}  // namespace hexapla::api
