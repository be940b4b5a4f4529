// With HEXAPLA_TEST_LOCALE=de_DE.UTF-8 tests run as in a program that has set that locale, in C and
// in C++.
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <locale>
#include <stdexcept>

namespace {

[[maybe_unused]] const bool set = [] {
  const char* const name = std::getenv("HEXAPLA_TEST_LOCALE");
  if (!name || !*name) return false;
  try {
    std::locale::global(std::locale(name));
    if (std::setlocale(LC_ALL, name)) return true;
  } catch (const std::runtime_error&) {
  }
  std::fprintf(stderr, "HEXAPLA_TEST_LOCALE: this system has no locale %s: scripts/install_dependencies.sh --checks\n",
               name);
  std::exit(1);
}();

}  // namespace
