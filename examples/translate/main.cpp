// Translates standard input line by line: translate MODEL < text
#include <hexapla/hexapla.h>

#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

int main(int argc, char** argv) try {
  if (argc != 2) throw std::runtime_error("usage: translate MODEL < text");
  const hexapla::Translator translator(argv[1]);
  std::vector<std::string> lines;
  for (std::string line; std::getline(std::cin, line);) lines.push_back(line);
  for (const std::string& line : translator.translate(lines)) std::cout << line << '\n';
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
