#pragma once
// The modules of the page as one script, for a page that is one file.
#include <string>

namespace hexapla::serve {

// Each module becomes a function that returns what others import, after those that it imports. What modules
// import in a circle must be functions and objects.
// InternalError: an import of a file that the page does not have.
std::string page_script();
// The style sheets that the page links, in its order.
std::string page_style();

}  // namespace hexapla::serve
