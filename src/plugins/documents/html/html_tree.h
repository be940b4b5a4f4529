#pragma once
// A page as Gumbo parses it.
#include <gumbo.h>

#include <csetjmp>
#include <cstddef>
#include <string_view>

namespace hexapla::text::document {

// Owns the memory that the parser takes. Each request for some is a chance to end it, which is the only one.
class HtmlTree {
 public:
  // Borrows the page. Canceled, as check_canceled().
  explicit HtmlTree(std::string_view page);
  ~HtmlTree();
  HtmlTree(const HtmlTree&) = delete;
  HtmlTree& operator=(const HtmlTree&) = delete;

  const GumboNode& root() const { return *output_->root; }

 private:
  struct Block {  // the header of a piece of memory
    Block *before = this, *after = this;
  };
  static void* take(void* self, std::size_t size);
  static void give_back(void* self, void* memory);

  Block all_;
  std::jmp_buf end_;
  GumboOutput* output_ = nullptr;
};

}  // namespace hexapla::text::document
