// Translates standard input line by line: translate MODEL < text
#include <hexapla/hexapla.h>

#include <iostream>
#include <stdexcept>

int main(int argc, char** argv) try {
  if (argc != 2) throw std::runtime_error("usage: translate MODEL < text");
  const hexapla::Translator translator(argv[1]);
  for (const auto& line : translator.stream(std::cin)) std::cout << line.front().text << '\n';
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
