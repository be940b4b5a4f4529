#include "documents/html/html_tree.h"

#include <cstdlib>
#include <new>

#include "base/system/cancellation.h"

namespace hexapla::text::document {
namespace {

enum End { begun, canceled_early, out_of_memory };

}  // namespace

// An exception must not pass through a C library, so the parser is left by longjmp: it has nothing but this memory.
HtmlTree::HtmlTree(std::string_view page) {
  GumboOptions options = kGumboDefaultOptions;
  options.max_errors = 0;
  options.userdata = this;
  options.allocator = take;
  options.deallocator = give_back;
  const int end = setjmp(end_);  // NOLINT(cert-err52-cpp)
  if (end == begun) {
    output_ = gumbo_parse_with_options(&options, page.data(), page.size());
    return;
  }
  while (all_.after != &all_) give_back(this, all_.after + 1);
  if (end == out_of_memory) throw std::bad_alloc();
  throw Canceled("stopped");
}

HtmlTree::~HtmlTree() {
  while (all_.after != &all_) give_back(this, all_.after + 1);
}

void* HtmlTree::take(void* self, std::size_t size) {
  auto& tree = *static_cast<HtmlTree*>(self);
  if (canceled()) std::longjmp(tree.end_, canceled_early);  // NOLINT(cert-err52-cpp)
  void* const memory = std::malloc(sizeof(Block) + size);
  if (memory == nullptr) std::longjmp(tree.end_, out_of_memory);  // NOLINT(cert-err52-cpp)
  auto* const block = new (memory) Block{tree.all_.before, &tree.all_};
  block->before->after = block->after->before = block;
  return block + 1;
}

void HtmlTree::give_back(void*, void* memory) {
  if (memory == nullptr) return;
  Block* const block = static_cast<Block*>(memory) - 1;
  block->before->after = block->after;
  block->after->before = block->before;
  std::free(block);
}

}  // namespace hexapla::text::document
