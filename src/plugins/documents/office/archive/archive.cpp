#include "documents/office/archive/archive.h"

#include <zip.h>

#include <new>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "text/utf8.h"

namespace hexapla::text::document {
namespace {

constexpr std::uint64_t kLarge = std::uint64_t{1} << 20;

// The signature of an old .doc file or of a document that is encrypted as a whole.
constexpr std::string_view kCompoundFile = "\xD0\xCF\x11\xE0";

class Error {
 public:
  Error() { zip_error_init(&error_); }
  ~Error() { zip_error_fini(&error_); }
  Error(const Error&) = delete;
  zip_error_t* operator&() { return &error_; }
  std::string text() { return zip_error_strerror(&error_); }

 private:
  zip_error_t error_;
};

[[noreturn]] void fail_opening(std::string_view content, const std::string& why) {
  if (content.starts_with(kCompoundFile))
    throw DataError(
        "the document is in an old format of Office, or has a password; save it as .docx, .pptx or .xlsx "
        "without one");
  throw DataError(cat("the document is not the ZIP archive that such files are (", why,
                      "); open it with the program that made it, and save it anew"));
}

void check_name(const std::string& name) {
  const std::string path = cat('/', name, '/');
  if (name.starts_with("/") || name.find('\\') != std::string::npos || path.find("/../") != std::string::npos)
    throw DataError(cat("the archive has a member '", text::printable(name),
                        "', whose name leads out of it; make the archive anew without it"));
}

// An archive in memory that may be modified.
struct OpenArchive {
  zip_source_t* source = nullptr;
  zip_t* zip = nullptr;

  explicit OpenArchive(std::string_view content) {
    Error error;
    source = zip_source_buffer_create(content.data(), content.size(), 0, &error);
    if (source == nullptr) throw std::bad_alloc();
    if (content.empty()) zip_error_set(&error, ZIP_ER_NOZIP, 0);  // libzip would create a new archive
    zip_source_keep(source);                                      // keeps it alive when the archive is closed
    zip = content.empty() ? nullptr : zip_open_from_source(source, 0, &error);
    if (zip != nullptr) return;
    zip_source_free(source);
    zip_source_free(source);
    fail_opening(content, error.text());
  }
  ~OpenArchive() {
    if (zip != nullptr) zip_discard(zip);
    zip_source_free(source);
  }
  OpenArchive(const OpenArchive&) = delete;

  zip_stat_t stat(zip_uint64_t index) const {
    zip_stat_t found;
    zip_stat_init(&found);
    const zip_uint64_t wanted = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
    if (zip_stat_index(zip, index, 0, &found) != 0 || (found.valid & wanted) != wanted)
      throw DataError(cat("the archive's directory is damaged at member ", index, ": ", zip_strerror(zip)));
    return found;
  }
  zip_uint64_t count() const { return static_cast<zip_uint64_t>(zip_get_num_entries(zip, 0)); }

  // content: must stay valid until closed().
  void replace(const zip_stat_t& member, std::string_view content) const {
    zip_source_t* const bytes = zip_source_buffer(zip, content.data(), content.size(), 0);
    const bool stored = (member.valid & ZIP_STAT_COMP_METHOD) != 0 && member.comp_method == ZIP_CM_STORE;
    if (bytes == nullptr || zip_file_replace(zip, member.index, bytes, 0) != 0 ||
        zip_set_file_compression(zip, member.index, stored ? ZIP_CM_STORE : ZIP_CM_DEFLATE, 0) != 0)
      fail_writing();
  }
  [[noreturn]] void fail_writing() const {
    throw DataError(cat("the archive cannot be written: ", zip_strerror(zip), "; save the document anew"));
  }
  // Closes the archive and returns it with all changes.
  std::string closed() {
    if (zip_close(zip) != 0) fail_writing();
    zip = nullptr;
    std::string content;
    if (zip_source_open(source) != 0) throw DataError("the archive cannot be read after it was written");
    char part[1 << 16];
    for (zip_int64_t bytes = 0; (bytes = zip_source_read(source, part, sizeof part)) > 0;)
      content.append(part, static_cast<std::size_t>(bytes));
    zip_source_close(source);
    return content;
  }
};

std::string unpacked(zip_t* zip, const zip_stat_t& stat, const std::string& name) {
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(zip_fopen_index(zip, stat.index, 0), zip_fclose);
  const auto damaged = [&](const char* why) {
    throw DataError(cat("the archive's member ", name, " is damaged (", why, "); save the document anew"));
  };
  if (!file) damaged(zip_strerror(zip));
  std::string content(stat.size, '\0');
  std::size_t read = 0;
  for (zip_int64_t bytes = 1; bytes > 0; read += static_cast<std::size_t>(bytes)) {
    char more;  // read at the end, where checksums are compared; there must be none
    const bool whole = read == content.size();
    bytes = zip_fread(file.get(), whole ? &more : content.data() + read, whole ? 1 : content.size() - read);
    if (bytes < 0) damaged(zip_file_strerror(file.get()));
    if (whole && bytes > 0) damaged("it is longer than the directory says");
  }
  if (read != content.size()) damaged("it is shorter than the directory says");
  return content;
}

}  // namespace

struct Archive::Zip {
  Zip(std::string_view content, const ArchiveLimits& allowed) : limits(allowed), open(content) {}

  void add(zip_uint64_t index) {
    const zip_stat_t stat = open.stat(index);
    names.emplace_back(stat.name);
    check_name(names.back());
    bytes += stat.size;
    if (stat.size > limits.bytes || bytes > limits.bytes)
      throw DataError(
          cat("the archive has more than ", limits.bytes, " bytes when it is unpacked; split the document"));
    if (!at.emplace(names.back(), index).second)
      throw DataError(
          cat("the archive has two members of the name ", text::printable(names.back()), "; save the document anew"));
  }

  const ArchiveLimits limits;
  const OpenArchive open;
  std::vector<std::string> names;
  std::unordered_map<std::string, zip_uint64_t> at;
  std::uint64_t bytes = 0, read = 0;
};

Archive::Archive(std::string_view content, const ArchiveLimits& limits) : zip_(std::make_unique<Zip>(content, limits)) {
  const zip_uint64_t count = zip_->open.count();
  if (count > limits.members)
    throw DataError(cat("the archive has ", count, " members, more than ", limits.members, "; split the document"));
  for (zip_uint64_t i = 0; i < count; ++i) zip_->add(i);
}

Archive::~Archive() = default;
Archive::Archive(Archive&&) noexcept = default;

const std::vector<std::string>& Archive::names() const { return zip_->names; }

bool Archive::has(const std::string& name) const { return zip_->at.contains(name); }

std::string Archive::read(const std::string& name) const {
  const auto found = zip_->at.find(name);
  if (found == zip_->at.end())
    throw DataError(cat("the document has no part ", text::printable(name),
                        ", which such documents have; open it with "
                        "the program that made it, and save it anew"));
  const zip_stat_t stat = zip_->open.stat(found->second);
  if ((stat.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && stat.encryption_method != ZIP_EM_NONE)
    throw DataError(cat("the archive's member ", name, " is encrypted; save the document without a password"));
  if (stat.size > zip_->limits.member_bytes)
    throw DataError(cat("the archive's member ", name, " has ", stat.size, " bytes when it is unpacked, more than ",
                        zip_->limits.member_bytes, "; split the document"));
  zip_->read += stat.size;
  if (zip_->read > zip_->limits.read_bytes)
    throw DataError(
        cat("the document has more than ", zip_->limits.read_bytes, " bytes of text with its markup; split it"));
  if (stat.size > kLarge && stat.size / zip_->limits.ratio > stat.comp_size)
    throw DataError(cat("the archive's member ", name, " is ", stat.size, " bytes packed into ", stat.comp_size,
                        ", more than ", zip_->limits.ratio, " to 1; split the document, or store it unpacked"));
  return unpacked(zip_->open.zip, stat, name);
}

std::string with_members(std::string_view archive, const std::map<std::string, std::string>& changed) {
  OpenArchive open(archive);
  for (zip_uint64_t i = 0; i < open.count(); ++i) {
    const zip_stat_t stat = open.stat(i);
    const auto found = changed.find(stat.name);
    if (found != changed.end()) open.replace(stat, found->second);
    // A member without any change would share memory with `archive`, which libzip 1.7 then frees.
    if (zip_file_set_mtime(open.zip, i, stat.mtime, 0) != 0) open.fail_writing();
  }
  return open.closed();
}

}  // namespace hexapla::text::document
