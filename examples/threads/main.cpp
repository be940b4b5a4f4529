// Many threads share one model: threads MODEL < text
// Prints the translations, one per line, after checking that all ways to request them agree.
#include <hexapla/hexapla.h>

#include <atomic>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

int main(int argc, char** argv) try {
  if (argc != 2) throw std::runtime_error("usage: threads MODEL < text");
  const hexapla::Translator translator(argv[1]);
  std::vector<std::string> lines;
  for (std::string line; std::getline(std::cin, line);) lines.push_back(line);

  // One call for all lines is the fastest: it sorts them by length and distributes them among the
  // processors.
  const std::vector<std::string> translations = translator.translate(lines);

  // Threads with one line each take turns; the model is in memory once.
  std::vector<std::string> by_threads(lines.size());
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      for (std::size_t line; (line = next++) < lines.size();) by_threads[line] = translator.translate(lines[line]);
    });
  for (std::thread& t : threads) t.join();

  // Requests return at once and are translated together; each reports its progress and can be
  // canceled.
  std::atomic<int> steps{0};
  hexapla::RequestOptions request;
  request.on_progress = [&](std::size_t, const std::string&) { ++steps; };
  std::vector<hexapla::PendingTranslation> pending;
  for (const std::string& line : lines) pending.push_back(translator.submit({line}, {}, request));
  std::vector<std::string> by_requests;
  for (const hexapla::PendingTranslation& p : pending) by_requests.push_back(p.get()[0][0].text);

  for (const std::string& translation : translations) std::cout << translation << '\n';
  std::cerr << lines.size() << " lines, " << steps << " steps told of\n";
  return by_threads == translations && by_requests == translations ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
