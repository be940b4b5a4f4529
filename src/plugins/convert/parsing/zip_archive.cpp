#include "convert/parsing/zip_archive.h"

#include <algorithm>

#include "convert/parsing/cursor.h"
#include "convert/parsing/limits.h"

namespace hexapla::convert {
namespace {

// Signatures of the records, and their lengths without names and comments.
constexpr uint32_t kLocal = 0x04034b50, kListed = 0x02014b50, kEndRecord = 0x06054b50, kEndRecord64 = 0x06064b50,
                   kLocator64 = 0x07064b50;
constexpr size_t kLocalBytes = 30, kListedBytes = 46, kEndBytes = 22, kEnd64Bytes = 56, kLocatorBytes = 20;
constexpr uint16_t kStored = 0, kDeflated = 8;
constexpr uint16_t kEncrypted = 1 | 1 << 6 | 1 << 13;  // flags
constexpr uint32_t kIn64 = 0xFFFFFFFF;                 // the number is in the zip64 field

// Takes the numbers that did not fit into 32 bits from a zip64 field, in the order in which they
// are stored.
void take_64(std::string_view extra, const std::string& place, std::initializer_list<size_t*> numbers) {
  Cursor fields(extra, place + ", extra fields");
  while (fields.left() >= 4) {
    const auto id = fields.number<uint16_t>(), size = fields.number<uint16_t>();
    Cursor field(fields.take(size), place + ", zip64 field");
    if (id != 1) continue;
    for (size_t* number : numbers)
      if (*number == kIn64) *number = field.number<uint64_t>();
    return;
  }
}

class PackedBytes : public data::Bytes {
 public:
  PackedBytes(const FileReader& file, size_t at, size_t size) : file_(file), at_(at), left_(size) {}
  size_t read(char* to, size_t size) override {
    const size_t now = std::min(size, left_);
    file_.read(at_, to, now);
    at_ += now;
    left_ -= now;
    return now;
  }

 private:
  const FileReader& file_;
  size_t at_, left_;
};

}  // namespace

ZipArchive::ZipArchive(const std::string& path) : file_(path) {
  const Directory directory = find_directory();
  std::vector<Listed> all = listed(directory);
  for (Listed& one : all) locate(one, directory.offset);
  check_apart(all);
  for (Listed& one : all) entries_.push_back(std::move(one.entry));
  std::sort(entries_.begin(), entries_.end(), [](auto& a, auto& b) { return a.name < b.name; });
  const auto twice =
      std::adjacent_find(entries_.begin(), entries_.end(), [](auto& a, auto& b) { return a.name == b.name; });
  if (twice != entries_.end()) damaged(cat("the entry ", shown(twice->name), " is there twice"));
}

bool ZipArchive::is_one(const std::string& path) {
  const FileReader file(path);
  uint32_t signature = 0;
  if (file.size() >= kEndBytes) file.read(0, &signature, sizeof signature);
  return signature == kLocal || signature == kEndRecord;
}

void ZipArchive::damaged(const std::string& what) const {
  throw DataError(cat(path(), ": as a zip archive it is damaged, or cut short: ", what));
}

// The last record locates the directory. A comment may follow it, so search from the end.
ZipArchive::Directory ZipArchive::find_directory() const {
  const size_t size = file_.size(), longest = std::min<size_t>(size, kEndBytes + UINT16_MAX);
  std::string tail(longest, '\0');
  file_.read(size - longest, tail.data(), longest);
  for (size_t back = kEndBytes; back <= longest; ++back) {
    if (tail.compare(longest - back, 4, "PK\5\6") != 0) continue;
    Cursor end(std::string_view(tail).substr(longest - back), path());
    end.take(8);  // signature, numbers of disks
    const auto here = end.number<uint16_t>(), entries = end.number<uint16_t>();
    const auto bytes = end.number<uint32_t>(), offset = end.number<uint32_t>();
    const auto comment = end.number<uint16_t>();
    if (comment != end.left()) continue;
    if (here != entries) damaged("it is split over several files");
    if (has_directory64(size - back)) return directory64(size - back);
    const Directory found{offset, bytes, entries};
    if (found.offset > size - back || found.size != size - back - found.offset)
      damaged(cat("its list of entries should be ", found.size, " bytes from byte ", found.offset, " on"));
    return found;
  }
  damaged("its list of entries is missing");
}

// PyTorch writes zip64 records even if all numbers fit in 32 bits. end: offset of the last record.
bool ZipArchive::has_directory64(size_t end) const {
  uint32_t signature = 0;
  if (end >= kLocatorBytes) file_.read(end - kLocatorBytes, &signature, sizeof signature);
  return signature == kLocator64;
}

ZipArchive::Directory ZipArchive::directory64(size_t end) const {
  const auto record = [&](size_t at, size_t size, uint32_t signature) {
    std::string bytes(size, '\0');
    if (at > file_.size() || size > file_.size() - at) damaged("its zip64 record lies outside of the file");
    file_.read(at, bytes.data(), size);
    if (Cursor(bytes, path()).number<uint32_t>() != signature) damaged("its zip64 record is missing");
    return bytes;
  };
  const std::string locator = record(end - kLocatorBytes, kLocatorBytes, kLocator64);
  Cursor to(locator, path());
  to.take(8);
  const auto at = to.number<uint64_t>();
  const std::string bytes = record(at, kEnd64Bytes, kEndRecord64);
  Cursor fields(bytes, path());
  fields.take(24);
  const auto here = fields.number<uint64_t>(), entries = fields.number<uint64_t>();
  const auto size = fields.number<uint64_t>(), offset = fields.number<uint64_t>();
  if (here != entries) damaged("it is split over several files");
  if (offset > at || size != at - offset)
    damaged(cat("its list of entries should be ", size, " bytes from byte ", offset, " on"));
  return {offset, size, entries};
}

std::vector<ZipArchive::Listed> ZipArchive::listed(const Directory& directory) const {
  if (directory.entries > limits::kEntries || directory.size > limits::kDirectory)
    damaged(cat("its list has ", directory.entries, " entries and ", directory.size, " bytes; allowed are ",
                limits::kEntries, " and ", limits::kDirectory));
  std::string bytes(directory.size, '\0');
  file_.read(directory.offset, bytes.data(), bytes.size());
  Cursor list(bytes, path() + ": list of entries");
  std::vector<Listed> all;
  for (size_t i = 0; i < directory.entries; ++i) {
    Cursor fields(list.take(kListedBytes), path());
    if (fields.number<uint32_t>() != kListed) damaged(cat("entry ", i, " of its list does not begin as one"));
    fields.take(4);  // versions
    const auto flags = fields.number<uint16_t>(), method = fields.number<uint16_t>();
    fields.take(4);  // time
    ZipEntry e;
    e.crc = fields.number<uint32_t>();
    e.packed = fields.number<uint32_t>(), e.size = fields.number<uint32_t>();
    const auto name = fields.number<uint16_t>(), extra = fields.number<uint16_t>(), comment = fields.number<uint16_t>();
    fields.take(8);  // disk, attributes
    size_t header = fields.number<uint32_t>();
    e.name = list.take(name);
    const std::string what = place(e);
    take_64(list.take(extra), what, {&e.size, &e.packed, &header});
    list.take(comment);
    if (name == 0 || name > limits::kEntryName)
      damaged(cat("the name of entry ", i, " has ", name, " bytes; allowed are 1 to ", limits::kEntryName));
    if (flags & kEncrypted) throw DataError(what + " is encrypted; unpack it, and pack it without a password");
    if (method != kStored && method != kDeflated)
      throw DataError(cat(what, " is packed by method ", method, "; read are 0 (stored) and 8 (deflated)"));
    e.deflated = method == kDeflated;
    if (!e.deflated && e.size != e.packed) damaged(cat(shown(e.name), " is stored, but its two sizes differ"));
    all.push_back({std::move(e), header});
  }
  if (list.left() != 0) damaged(cat("its list of entries has ", list.left(), " bytes too many"));
  return all;
}

void ZipArchive::locate(Listed& l, size_t data_end) const {
  if (l.header > data_end || data_end - l.header < kLocalBytes)
    damaged(cat("entry ", shown(l.entry.name), " should begin at byte ", l.header, ", outside of the data"));
  std::string bytes(std::min(kLocalBytes + l.entry.name.size(), data_end - l.header), '\0');
  file_.read(l.header, bytes.data(), bytes.size());
  Cursor fields(bytes, place(l.entry));
  const auto signature = fields.number<uint32_t>();
  fields.take(4);  // version, flags
  const auto method = fields.number<uint16_t>();
  fields.take(16);  // time, and fields repeated in the directory
  const auto name = fields.number<uint16_t>(), extra = fields.number<uint16_t>();
  if (signature != kLocal || method != (l.entry.deflated ? kDeflated : kStored) ||
      fields.take(fields.left()) != l.entry.name || name != l.entry.name.size())
    damaged(
        cat("what stands at byte ", l.header, " is not the entry ", shown(l.entry.name), " that the list has there"));
  l.entry.offset = l.header + kLocalBytes + name + extra;
  if (l.entry.offset > data_end || l.entry.packed > data_end - l.entry.offset)
    damaged(cat("entry ", shown(l.entry.name), " should have ", l.entry.packed, " bytes from byte ", l.entry.offset,
                " on, beyond the end of the data"));
}

void ZipArchive::check_apart(std::vector<Listed>& all) const {
  std::sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.header < b.header; });
  for (size_t i = 1; i < all.size(); ++i)
    if (all[i - 1].entry.offset + all[i - 1].entry.packed > all[i].header)
      damaged(cat("the entries ", shown(all[i - 1].entry.name), " and ", shown(all[i].entry.name), " overlap"));
}

const ZipEntry* ZipArchive::find(std::string_view name) const {
  const auto at = std::lower_bound(entries_.begin(), entries_.end(), name,
                                   [](const ZipEntry& e, std::string_view n) { return e.name < n; });
  return at != entries_.end() && at->name == name ? &*at : nullptr;
}

void ZipArchive::read(const ZipEntry& e, size_t at, void* to, size_t size) const {
  HEXAPLA_CHECK(!e.deflated && at <= e.size && size <= e.size - at, "bytes ", at, " to ", at + size, " of ", e.name);
  file_.read(e.offset + at, to, size);
}

std::unique_ptr<data::Bytes> ZipArchive::content(const ZipEntry& e) const {
  auto packed = std::make_unique<PackedBytes>(file_, e.offset, e.packed);
  if (!e.deflated) return packed;
  return data::inflated(std::move(packed));
}

// Grows with the inflated data; the archive's claim of a size is not trusted.
std::string ZipArchive::text(const ZipEntry& e, size_t limit) const {
  const std::string what = place(e);
  const bool swollen = e.deflated && e.size > limits::kAlwaysInflated && e.size / limits::kInflation > e.packed;
  if (e.size > limit || swollen)
    throw DataError(cat(what, " should become ", e.size, " bytes; allowed are ", limit, ", and ", limits::kInflation,
                        " times the ", e.packed, " that it has in the file"));
  std::string all(e.size, '\0');
  size_t filled = 0;
  try {
    const auto from = content(e);
    while (const size_t now = filled < all.size() ? from->read(all.data() + filled, all.size() - filled) : 0)
      filled += now;
    char beyond;
    if (filled < all.size() || from->read(&beyond, 1) != 0) throw data::DamagedBytes{"its size is another one"};
  } catch (const data::DamagedBytes& damage) {
    throw DataError(cat(what, " is damaged: ", damage.what));
  }
  if (e.crc != 0 && data::crc32_of(all) != e.crc)
    throw DataError(what + " is damaged: its checksum is another one; get the file again");
  return all;
}

std::string ZipArchive::place(const ZipEntry& e) const { return cat(path(), ": entry ", shown(e.name)); }

}  // namespace hexapla::convert
