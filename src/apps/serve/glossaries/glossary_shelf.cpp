#include "serve/glossaries/glossary_shelf.h"

#include <algorithm>

#include "base/error.h"
#include "serve/files/file_shelf.h"
#include "serve/http/message.h"

namespace hexapla::serve {
namespace {

constexpr std::size_t kPerGlossary = 1000, kPerTerm = 500;  // overhead in bytes; the text itself is stored four times

// In DeepL's format: 8-4-4-4-12 digits.
std::string new_id() {
  return cat(random_digits(8), "-", random_digits(4), "-", random_digits(4), "-", random_digits(4), "-",
             random_digits(12));
}

}  // namespace

GlossaryShelf::Stored GlossaryShelf::put(StoredGlossary glossary, const Entries& entries) {
  if (entries.empty()) throw HttpError(400, "entries is missing: a glossary has one term at least");
  if (entries.size() > kMostTerms)
    throw HttpError(400, cat("entries has ", entries.size(), " terms, but at most ", kMostTerms, " are allowed"));
  glossary.terms = Glossary(entries);
  glossary.tsv = tsv_of(entries);
  glossary.id = new_id();
  glossary.made = std::chrono::system_clock::now();
  const std::size_t bytes =
      kPerGlossary + kPerTerm * entries.size() + 4 * glossary.tsv.size() + glossary.owner.size() + glossary.name.size();
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  for (auto place = places_.begin(); place != places_.end() && !has_room(bytes);) {
    const auto here = place++;
    if (now - here->used > kept_) places_.erase(here);
  }
  if (!has_room(bytes)) throw HttpError(456, "Quota exceeded: the server has no room for another glossary; delete one");
  places_.push_back({std::make_shared<const StoredGlossary>(std::move(glossary)), bytes_.take(bytes), now});
  return places_.back().glossary;
}

std::list<GlossaryShelf::Place>::iterator GlossaryShelf::find(const std::string& owner, const std::string& id) {
  return std::find_if(places_.begin(), places_.end(),
                      [&](const Place& p) { return p.glossary->id == id && p.glossary->owner == owner; });
}

GlossaryShelf::Stored GlossaryShelf::get(const std::string& owner, const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = find(owner, id);
  if (found == places_.end()) return nullptr;
  found->used = Clock::now();
  return found->glossary;
}

std::vector<GlossaryShelf::Stored> GlossaryShelf::all(const std::string& owner) {
  const std::lock_guard lock(mutex_);
  std::vector<Stored> all;
  for (const Place& p : places_)
    if (p.glossary->owner == owner) all.push_back(p.glossary);
  return all;
}

bool GlossaryShelf::drop(const std::string& owner, const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = find(owner, id);
  if (found == places_.end()) return false;
  places_.erase(found);
  return true;
}

}  // namespace hexapla::serve
