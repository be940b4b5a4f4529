// The server as a process: its output equals that of `translate`, it ends on request, and other
// clients can use it.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/json_lines.h"
#include "base/files/test_folder.h"
#include "base/json.h"
#include "base/options/environment.h"
#include "base/test_paths.h"
#include "serve/http/test_client.h"

extern char** environ;

namespace hexapla {
namespace {

using serve::test::Client;
using testing::HasSubstr;

const std::string kModel = source_path("tests/fixtures/run_of_0.1.0/model.safetensors");

class ServeCommand : public TestFolder {
 protected:
  ~ServeCommand() override {
    if (pid_ > 0) end(SIGKILL);
  }
  // Starts the program with these arguments on a free port.
  void start(const std::string& words, const std::string& environment = "") {
    const std::string text =
        cat("exec env ", environment, " ", build_path("hexapla"), " serve ", words, " 2> ", at("errors"));
    const char* argv[] = {"sh", "-c", text.c_str(), nullptr};
    ASSERT_EQ(posix_spawn(&pid_, "/bin/sh", nullptr, nullptr, const_cast<char**>(argv), environ), 0);
  }
  std::uint16_t port() const {
    std::smatch found;
    for (int i = 0; i < 3000; ++i, usleep(10'000)) {
      const std::string said = std::filesystem::exists(at("errors")) ? read_file(at("errors")) : "";
      if (std::regex_search(said, found, std::regex("serving at https?://127.0.0.1:([0-9]+)\n")))
        return static_cast<std::uint16_t>(std::stoi(found[1]));
    }
    ADD_FAILURE() << "it does not serve: " << read_file(at("errors"));
    return 0;
  }
  int end(int signal) {
    kill(pid_, signal);
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  void hang_up() const { kill(pid_, SIGHUP); }
  std::string translated(const std::string& lines) const {
    std::ofstream(at("lines")) << lines;
    const int status = std::system(
        cat(build_path("hexapla"), " translate -q -m ", kModel, " < ", at("lines"), " > ", at("translated")).c_str());
    EXPECT_EQ(status, 0);
    return read_file(at("translated"));
  }
  std::string get(const std::string& command) const {
    EXPECT_EQ(std::system((command + " > " + at("out") + " 2>&1").c_str()), 0) << read_file(at("out"));
    return read_file(at("out"));
  }

 private:
  pid_t pid_ = -1;
};

TEST_F(ServeCommand, GivesTheBytesOfTranslateAndEndsWhenItIsTold) {
  const std::string lines = "a b c\nc b a d\n\nb\n";
  start(cat("-m en-de=", kModel, " --port 0"));
  Client c(port());
  EXPECT_EQ(c.post("/translate", {{"q", lines}, {"source", "en"}, {"target", "de"}}).json()["translatedText"],
            translated(lines));
  EXPECT_EQ(end(SIGTERM), 0);
  const std::string said = read_file(at("errors"));
  EXPECT_THAT(said, HasSubstr("from en to de"));
  EXPECT_THAT(said, HasSubstr("\"path\":\"/translate\",\"status\":200"));
  EXPECT_THAT(said, testing::Not(HasSubstr("c b a d"))) << "texts are not logged";
}

// tests/fixtures/run_of_0.1.0/README.md
TEST_F(ServeCommand, AnswersAsAnEarlierVersionDid) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "the C library's functions round otherwise without FMA";
#else
  GTEST_SKIP() << "the fixture was made on x86-64";
#endif
  start(cat("-m en-de=", kModel, " --port 0"), "HEXAPLA_ISA=generic HEXAPLA_PRODUCTS=own");
  Client c(port());
  for (const nlohmann::json& was : json_lines(source_path("tests/fixtures/run_of_0.1.0/served.jsonl"))) {
    nlohmann::json is = c.post(was["path"], was["request"]).json();
    if (is.is_object()) is.erase("ms");
    EXPECT_EQ(is, was["answer"]) << was["path"];
  }
  EXPECT_EQ(end(SIGTERM), 0);
}

TEST_F(ServeCommand, LoadsItsModelsAgain) {
  std::filesystem::copy_file(kModel, at("m"));
  start(cat("-m en-de=", at("m"), " --port 0"));
  Client c(port());
  const auto ask = [&] { return c.post("/translate", {{"q", "a b c"}, {"source", "en"}, {"target", "de"}}).status; };
  EXPECT_EQ(ask(), 200);
  const auto wait_for = [&](const std::string& words) {
    for (int i = 0; i < 3000 && read_file(at("errors")).find(words) == std::string::npos; ++i) usleep(10'000);
    EXPECT_THAT(read_file(at("errors")), HasSubstr(words));
  };
  hang_up();
  wait_for("the models were loaded again");
  EXPECT_EQ(ask(), 200);
  std::ofstream(at("m")) << "no model";
  hang_up();
  wait_for("the models stay as they were");
  EXPECT_EQ(ask(), 200);
  EXPECT_EQ(end(SIGINT), 0);
}

TEST_F(ServeCommand, SaysWhatIsWrong) {
  const auto said = [&](const std::string& words) {
    EXPECT_NE(std::system(cat(build_path("hexapla"), " serve ", words, " 2> ", at("errors")).c_str()), 0) << words;
    return read_file(at("errors"));
  };
  EXPECT_THAT(said("-m /nonexistent"), HasSubstr("/nonexistent"));
  EXPECT_THAT(said("-m english=" + kModel), HasSubstr("en-de=MODEL"));
  EXPECT_THAT(said("-m " + kModel + " --beam-size 17"), HasSubstr("at most --beam-size 16"));
  EXPECT_THAT(said("-m " + kModel + " --certificate " + kModel), HasSubstr("both"));
  EXPECT_THAT(said("-m " + kModel + " --certificate " + kModel + " --key " + kModel), HasSubstr("PEM"));
  EXPECT_THAT(said("-m " + kModel + " --host 203.0.113.1"), HasSubstr("cannot listen at 203.0.113.1"));
  EXPECT_THAT(said("-m " + kModel + " --api-keys /nonexistent"), HasSubstr("/nonexistent"));
  EXPECT_THAT(said("-m " + kModel + " --runs /nonexistent"), HasSubstr("--runs /nonexistent"));
  EXPECT_THAT(said("-m " + kModel + " --memory 1"), HasSubstr("--memory"));
  EXPECT_THAT(said("-m " + kModel + " --trusted-proxies localhost"), HasSubstr("--trusted-proxies localhost"));
}

// Nobody reads its log: requests are answered nevertheless, and SIGTERM ends it.
TEST_F(ServeCommand, WaitsForNoReaderOfItsLog) {
  ASSERT_EQ(mkfifo(at("errors").c_str(), 0600), 0);
  const int log = open(at("errors").c_str(), O_RDWR);
  start(cat("-m en-de=", kModel, " --port 0"));
  std::string said;
  while (said.find("serving at") == said.npos || !said.ends_with('\n')) {
    char some = 0;
    ASSERT_EQ(read(log, &some, 1), 1);
    said += some;
  }
  const std::size_t at_port = said.rfind(':');
  Client c(static_cast<std::uint16_t>(std::stoi(said.substr(at_port + 1))));
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(c.get("/health").status, 200) << i;
  EXPECT_EQ(end(SIGTERM), 0);
  close(log);
}

TEST_F(ServeCommand, SpeaksTls) {
  if (std::system("command -v openssl > /dev/null && command -v curl > /dev/null") != 0)
    GTEST_SKIP() << "there is no openssl or no curl";
  get(
      cat("openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 "
          "-keyout ",
          at("key"), " -out ", at("certificate")));
  start(cat("-m en-de=", kModel, " --port 0 --certificate ", at("certificate"), " --key ", at("key")));
  const std::string url = cat("https://127.0.0.1:", port());
  EXPECT_EQ(get(cat("curl -sS --cacert ", at("certificate"), " ", url, "/health")), "{\"status\":\"ok\"}");
  EXPECT_NE(std::system(cat("curl -sS ", url, "/health > /dev/null 2>&1").c_str()), 0)
      << "a certificate that nobody vouches for";
  for (const auto& [cipher, offered] : {std::pair{"ECDHE-RSA-AES256-GCM-SHA384", true},
                                        {"ECDHE-RSA-CHACHA20-POLY1305", true},
                                        {"AES256-GCM-SHA384", false},  // by exchange of keys with RSA
                                        {"AES128-SHA", false}})
    EXPECT_EQ(std::system(cat("curl -sS --tls-max 1.2 --ciphers ", cipher, " --cacert ", at("certificate"), " ", url,
                              "/health > /dev/null 2>&1")
                              .c_str()) == 0,
              offered)
        << cipher;
  Client plain(port());
  plain.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  plain.receive();
  EXPECT_EQ(get(cat("curl -sS --cacert ", at("certificate"), " ", url,
                    "/translate -d q='a b c' -d source=en -d target=de | head -c 19")),
            "{\"translatedText\":\"");
  EXPECT_EQ(end(SIGTERM), 0);
}

TEST_F(ServeCommand, ServesClientsOfOthers) {
  const char* python = environment("HEXAPLA_HTTP_CLIENTS");
  if (python == nullptr) GTEST_SKIP() << "HEXAPLA_HTTP_CLIENTS names no Python with clients";
  start(cat("-m en-de=", kModel, " --port 0"));
  std::string translation = translated("a b c\n");
  translation.pop_back();
  get(cat(python, " ", source_path("tests/clients/http_clients.py"), " http://127.0.0.1:", port(), " 'a b c' '",
          translation, "'"));
}

TEST_F(ServeCommand, ServesDialect) {
  const char* folder = environment("HEXAPLA_DIALECT");
  if (folder == nullptr) GTEST_SKIP() << "HEXAPLA_DIALECT does not name Dialect's folder";
  start(cat("-m en-de=", kModel, " --port 0 --spec-title LibreTranslate"));
  std::string translation = translated("a b c\n");
  translation.pop_back();
  get(cat("/usr/bin/python3 ", source_path("tests/clients/dialect_client.py"), " ", folder, " ", port(), " 'a b c' '",
          translation, "'"));
}

// Valid and invalid requests generated from the interface's description.
TEST_F(ServeCommand, IsAsItsDescriptionSays) {
  const char* schemathesis = environment("HEXAPLA_SCHEMATHESIS");
  if (schemathesis == nullptr) GTEST_SKIP() << "HEXAPLA_SCHEMATHESIS names no such program";
  start(cat("-m en-de=", kModel, " --port 0 --extra-length 5"));
  get(cat("cd ", at(""), " && ", schemathesis, " --config-file ", source_path("tests/clients/schemathesis.toml"),
          " run http://127.0.0.1:", port(), "/spec --max-examples 10 --seed 1"));
}

}  // namespace
}  // namespace hexapla
