// Tests the service with nginx as its proxy. The configuration is that of examples/serve, except
// for ports and folders.
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/test_paths.h"
#include "serve/routes/test_service.h"

namespace hexapla::serve {
namespace {

using namespace test;  // shared by tests of this folder
using testing::HasSubstr;

struct AfterNginx : TestFolder {
  static bool command(const std::string& words) { return std::system(("PATH=$PATH:/usr/sbin " + words).c_str()) == 0; }

  // Clients fake their address with X-Test-Client, which only nginx reads.
  void begin(std::uint16_t port) const {
    std::string site = read_file(source_path("examples/serve/nginx.conf"));
    const auto put = [&](const std::string& old, const std::string& replacement) {
      ASSERT_NE(site.find(old), std::string::npos) << old;
      site.replace(site.find(old), old.size(), replacement);
    };
    put("127.0.0.1:5000", cat("127.0.0.1:", port));
    put("listen 80;",
        cat("listen unix:", at("front"), ";\n  set_real_ip_from unix:;\n  real_ip_header X-Test-Client;"));
    std::ofstream conf(at("nginx.conf"));
    conf << (geteuid() == 0 ? "user root;\n" : "") << "worker_processes 1;\npid " << at("pid")
         << ";\nevents {}\nhttp {\n"
         << "access_log off;\n";
    for (const char* kind : {"client_body", "proxy", "fastcgi", "uwsgi", "scgi"})
      conf << kind << "_temp_path " << at(kind) << ";\n";
    conf << site << "}\n";
    conf.close();
    ASSERT_TRUE(command(cat("nginx -c ", at("nginx.conf"), " -e ", at("log"), " 2> ", at("said"))))
        << read_file(at("said"));
  }
  ~AfterNginx() override {
    if (std::filesystem::exists(at("pid")))
      command(cat("p=$(cat ", at("pid"),
                  "); kill $p; timeout 30 sh -c \"while kill -0 $p; do sleep 0.05; done 2> /dev/null\""));
  }
  Received ask(const std::string& client, const std::string& target, const std::string& body,
               const std::string& type = "application/json") const {
    return Client(at("front"))
        .ask("POST", target, body, type, cat("X-Test-Client: ", client, "\r\nX-Forwarded-For: 192.0.2.1\r\n"));
  }
};

TEST_F(AfterNginx, ClientsAreToldApartAndReachWhatTheyAreGiven) {
  if (!command("command -v nginx > /dev/null")) GTEST_SKIP() << "nginx is not installed";
  ServiceOptions o = small_service();
  ServerOptions http;
  std::string logged;
  std::mutex mutex;
  o.requests_per_minute = 2;
  o.log = [&](const std::string& line) {
    const std::lock_guard lock(mutex);
    logged += line;
  };
  http.trusted_proxies = {"127.0.0.1"};
  RunningService s(o, http);
  ASSERT_NO_FATAL_FAILURE(begin(s.port()));
  const std::string line = R"({"q":"a dog","source":"en","target":"de"})";
  for (const int status : {200, 200, 429}) EXPECT_EQ(ask("198.51.100.1", "/translate", line).status, status);
  EXPECT_EQ(ask("198.51.100.2", "/detect", json_text(Json{{"q", std::string(2 << 20, 'a')}})).status, 200) << "2 MB";
  const std::string next = "\r\n--b\r\nContent-Disposition: form-data; ";
  const Received file = ask("198.51.100.3", "/translate_file",
                            next.substr(2) + "name=\"file\"; filename=\"x.txt\"\r\n\r\na dog" + next +
                                "name=\"source\"\r\n\r\nen" + next + "name=\"target\"\r\n\r\nde\r\n--b--\r\n",
                            "multipart/form-data; boundary=b");
  const std::string url = file.json().value("translatedFileUrl", file.body), host = "http://x";
  ASSERT_THAT(url, testing::StartsWith(host + "/download_file/")) << "the host that the client named";
  EXPECT_EQ(Client(at("front")).get(url.substr(host.size())).status, 200);
  EXPECT_THAT(ask("198.51.100.4", "/v1/translate/stream", line).body, HasSubstr("event: done"));
  s.stop();
  EXPECT_THAT(logged, HasSubstr("\"peer\":\"198.51.100.1\""));
  EXPECT_THAT(logged, testing::Not(HasSubstr("192.0.2.1"))) << "an address that the client wrote itself";
}

}  // namespace
}  // namespace hexapla::serve
