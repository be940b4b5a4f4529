// hexapla serve: translates over HTTP.
#include <malloc.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "base/compute/parallel.h"
#include "base/options/option_names.h"
#include "cli/command/command.h"
#include "cli/options/declare_option.h"
#include "cli/options/search_options.h"
#include "cli/terminal/terminal.h"
#include "lib/display.h"
#include "lib/translate/live_service.h"
#include "serve/job/serve_job.h"

namespace hexapla::cli {
namespace {

constexpr Range<int64_t> kPort{0, 65535}, kSeconds{1, 86'400};

// Without stdio: if nobody reads the log, a lock of stderr would also stop the end of the program.
void write_to_log(const std::string& line) {
  const std::string whole = text::printable(line) + "\n";
  for (std::string_view rest = whole; !rest.empty();) {
    const ssize_t some = write(STDERR_FILENO, rest.data(), rest.size());
    pollfd ready{STDERR_FILENO, POLLOUT, 0};
    if (some > 0)
      rest.remove_prefix(static_cast<size_t>(some));
    else if (errno == EAGAIN)
      poll(&ready, 1, -1);
    else if (errno != EINTR)
      return;
  }
}

// The C library raises this limit to the largest block ever freed: pages and documents of later requests then leave
// their holes in its heaps, a hundred MiB after a while. With a limit that stays, a large block is a mapping of its
// own, which goes back to the system.
void give_back_large_blocks() {
#ifdef M_MMAP_THRESHOLD  // glibc
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}

// Search options of single requests.
OptionRows search_rows(decode::DecodingOptions& options) {
  return without(options.rows_of_search(), {"batch-sentences", "batch-tokens", "precision"});
}

struct Serve {
  std::vector<std::string> models;
  std::string precision = "f32";
  serve::ServerOptions server;
  serve::ServiceOptions service;
  decode::DecodingOptions search;
  int64_t port = 5000, timeout = 120, body = 4096, connections = 4096, of_address = 256, waiting = 10'000,
          per_minute = 0;
  int64_t char_limit = 0, batch_limit = 0, cache = 0, files = 64, memory = 0;
  int threads = 0;
  bool quiet = false;
  const Command* command = nullptr;

  int run() {
    give_back_large_blocks();
    use_threads(threads);
    if (command->was_given("--precision")) service.model.precision = precision;
    api::check_for_requests(search);
    service.model.search = given_options(*command, search_rows(search));  // a model's record gives the others
    service.char_limit = char_limit > 0 ? char_limit : -1;
    service.batch_limit = batch_limit > 0 ? batch_limit : -1;
    service.timeout = std::chrono::seconds(timeout);
    service.waiting_lines = static_cast<size_t>(waiting);
    service.memory = static_cast<size_t>(memory) << 20;
    service.cache = static_cast<size_t>(cache) << 20;
    service.files = static_cast<size_t>(files) << 20;
    service.requests_per_minute = static_cast<int>(per_minute);
    if (!quiet) service.log = write_to_log;
    server.port = static_cast<uint16_t>(port);
    server.limits.body = static_cast<size_t>(body) << 10;
    server.limits.connections = static_cast<size_t>(connections);
    server.limits.connections_of_address = static_cast<size_t>(of_address);
    serve::serve({models, service, server}, [&](const std::string& where) {
      if (!quiet) say_on_stderr(where);
    });
    return 0;
  }
};

void bind_address(Serve& s, Command& c) {
  const auto at_port = [&s] {
    return When{s.server.socket.empty(), "is for a port, but `socket` listens at a file: leave one of them out"};
  };
  c.add_option("--host", s.server.host, "name or address to listen at; :: is every address of this machine")
      ->default_str("127.0.0.1")
      ->type_name("HOST")
      ->when(at_port);
  c.add_option("--port", s.port, kPort, "port to listen at; 0: any that is free")->default_str("5000")->when(at_port);
  c.add_option("--socket", s.server.socket, "listen at a Unix socket instead")->type_name("FILE");
  c.add_option("--certificate", s.server.certificate, "certificate and its chain for TLS (PEM); needs --key")
      ->type_name("FILE");
  c.add_option("--key", s.server.key, "private key of the certificate (PEM)")->type_name("FILE")->when([&s] {
    return When{!s.server.certificate.empty(), "is for a `certificate`: give that, too, or leave it out"};
  });
  c.add_option("--trusted-proxies", s.server.trusted_proxies,
               "addresses or networks (10.0.0.0/8) whose X-Forwarded-For, -Proto and -Host are trusted; unix: "
               "clients of --socket")
      ->type_name("ADDRESS");
}

void bind_limits(Serve& s, Command& c) {
  c.add_option("--api-keys", s.service.api_keys,
               "require a key of this file, with lines KEY [REQUESTS_PER_MINUTE [CHARACTERS]]")
      ->type_name("FILE");
  c.add_option("--requests-per-minute", s.per_minute, Range<int64_t>{0, 1'000'000},
               "from one address, if no key is required; 0: no limit")
      ->default_str("0")
      ->when([&s] {
        return When{s.service.api_keys.empty(),
                    "is for those without a key, but `api-keys` asks for one: leave one of them out"};
      });
  c.add_option("--char-limit", s.char_limit, ranges::kCount, "characters per text; 0: no limit")->default_str("0");
  c.add_option("--batch-limit", s.batch_limit, ranges::kCount, "texts per request; 0: no limit")->default_str("0");
  c.add_option("--alternatives-limit", s.service.alternatives_limit, Range<int64_t>{0, 15},
               "other translations that a request may ask for")
      ->default_str("10");
  c.add_option("--body-limit", s.body, Range<int64_t>{1, 1 << 20}, "KiB per request, after decompression")
      ->default_str("4096");
  c.add_option("--timeout", s.timeout, kSeconds, "seconds that a translation may take")->default_str("120");
  c.add_option("--waiting-lines", s.waiting, Range<int64_t>{1, 10'000},
               "lines that may be waiting or in translation; further requests get 503")
      ->default_str("10000");
  c.add_option("--memory", s.memory, ranges::kMebibytes,
               "MiB that the server may use; 0: four fifths of the memory of the machine or the container")
      ->default_str("0");
  c.add_option("--connections", s.connections, Range<int64_t>{1, 1 << 20}, "connections at a time")
      ->default_str("4096");
  c.add_option("--connections-per-address", s.of_address, Range<int64_t>{1, 1 << 20},
               "connections of one address at a time")
      ->default_str("256");
}

}  // namespace

void add_serve(Command& app, Action& chosen) {
  auto s = std::make_shared<Serve>();
  Command* c = app.add_command("serve", "answer requests for translations over HTTP");
  c->add_option(
       "-m,--model", s->models,
       "model file or training folder, preceded by its languages: en-de=MODEL; an ensemble: en-de=MODEL+MODEL; may "
       "be repeated")
      ->type_name("[FROM-TO=]MODEL")
      ->expected(1)
      ->take_all()
      ->required();
  bind_address(*s, *c);
  bind_limits(*s, *c);
  bind_options(*c, search_rows(s->search), s->search);
  c->add_option("--cache", s->cache, ranges::kMebibytes, "MiB of translations to keep; 0: none")->default_str("0");
  c->add_option("--files", s->files, ranges::kMebibytes,
                "MiB of memory for translated files, which are kept for 30 minutes; 0: no files")
      ->default_str("64");
  c->add_option("--precision", s->precision, "of products with weights: f32, bf16 or int8")
      ->default_str("f32")
      ->choices({"f32", "bf16", "int8"});
  bind_device(*c, s->service.model.device)->group("Speed");
  c->add_option("--threads", s->threads, ranges::kThreads,
                "compute threads of each model; 0: one per available core; translations do not depend on it")
      ->default_str("0");
  c->add_option("--spec-title", s->service.spec_title,
                "title of the description at /spec; some clients ask for LibreTranslate")
      ->default_str("hexapla");
  c->add_option("--runs", s->service.runs, "folder of trainings that the page shows")->type_name("DIR");
  c->add_flag("--log-texts", s->service.log_texts, "also log the parameters of requests, except keys")
      ->when([s = s.get()] {
        return When{!s->quiet, "logs texts, but `quiet` logs nothing: leave one of them out"};
      });
  c->add_flag("-q,--quiet", s->quiet, "print only errors; no log of requests");
  c->footer(
      "Examples:\n"
      "  hexapla serve -m run\n"
      "  hexapla serve -m en-de=run-1 -m de-en=run-2 --port 8080 --precision int8\n"
      "  hexapla serve -m en-de=run --host :: --certificate chain.pem --key key.pem --api-keys keys.txt\n"
      "The server has the interfaces of LibreTranslate and DeepL, for their clients, and its own under /v1 with\n"
      "scores, alignments and streams: see docs/serve.md, or /spec of the server; / is a page for browsers that shows\n"
      "models from inside. A model without given languages takes those in the names of its training text (train.en\n"
      "train.de); without any, it answers for every pair. Each request is logged on stderr in JSON, without texts.\n"
      "SIGTERM ends the server after all requests are answered, SIGHUP reloads the models.");
  s->command = c;
  c->callback([s, &chosen] { chosen = [s] { return s->run(); }; });
}

}  // namespace hexapla::cli
