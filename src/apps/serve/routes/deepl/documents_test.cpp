// Tests of document upload, polling and download by DeepL's clients.
#include <gmock/gmock.h>

#include <fstream>
#include <thread>

#include "base/files/test_folder.h"
#include "serve/routes/test_service.h"

namespace hexapla::serve {
namespace {

using namespace test;  // shared by tests of this folder

struct DocumentRoutes : WithService {
  static Received send(const std::string& name, const std::string& content, const std::string& target = "DE",
                       const std::string& more = "") {
    const std::string part = "--b\r\nContent-Disposition: form-data; name=";
    const std::string body = part + "\"file\"; filename=\"" + name + "\"\r\n\r\n" + content + "\r\n" + part +
                             "source_lang\r\n\r\nEN\r\n" + part + "target_lang\r\n\r\n" + target + "\r\n" + more +
                             "--b--\r\n";
    return server->ask("POST", "/v2/document", body, "multipart/form-data; boundary=b");
  }
  static Json done(const std::string& id, const std::string& key) {
    for (int i = 0; i < 500; ++i) {
      const Json state = server->post("/v2/document/" + id, {{"document_key", key}}).json();
      if (state.value("status", "") != "translating") return state;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return {};
  }
};

TEST_F(DocumentRoutes, AreTranslatedWhileTheClientAsks) {
  const Json sent = send("a b.html", "<p>a dog</p>\n<hr>").json();
  const std::string id = sent.value("document_id", ""), key = sent.value("document_key", "");
  ASSERT_FALSE(id.empty() || key.empty()) << sent;
  const Json state = done(id, key);
  EXPECT_EQ(state["status"], "done") << state;
  EXPECT_EQ(state["document_id"], id);
  EXPECT_EQ(state["billed_characters"], 6);  // includes the newline
  Received got = server->post("/v2/document/" + id + "/result", {{"document_key", key}});
  const Json line = server->post("/translate", {{"q", "a dog"}, {"source", "en"}, {"target", "de"}}).json();
  EXPECT_EQ(got.body, "<p>" + line.value("translatedText", "") + "</p>\n<hr>");
  EXPECT_EQ(got.headers["content-type"], "text/html; charset=utf-8");
  EXPECT_EQ(got.headers["content-disposition"], "attachment; filename*=UTF-8''a_b_de.html");
  EXPECT_EQ(server->post("/v2/document/" + id, {{"document_key", "x"}}).status, 404);
  EXPECT_EQ(server->post("/v2/document/x/result", {{"document_key", key}}).status, 404);
}

TEST_F(DocumentRoutes, WithNothingToTranslateStayAsTheyAre) {
  for (const auto& [content, target] : {std::pair{"<hr>", "DE"}, {"<p>a dog</p>", "EN"}}) {
    const Json sent = send("a.html", content, target).json();
    const std::string id = sent.value("document_id", ""), key = sent.value("document_key", "");
    EXPECT_EQ(done(id, key)["status"], "done");
    EXPECT_EQ(server->post("/v2/document/" + id + "/result", {{"document_key", key}}).body, content);
  }
}

// With another key nobody finds a document, even with its id and its own key.
using DocumentKeys = TestFolder;
TEST_F(DocumentKeys, AreThoseThatDocumentsBelongTo) {
  std::ofstream(at("keys")) << "alice\nbob\n";
  ServiceOptions o = small_service();
  o.api_keys = at("keys");
  RunningService s(o);
  const auto ask = [&](const std::string& path, const std::string& body, const std::string& type,
                       const std::string& key) {
    return s.ask("POST", path, body, type, "Authorization: DeepL-Auth-Key " + key + "\r\n");
  };
  const std::string part = "--b\r\nContent-Disposition: form-data; name=";
  const Json sent =
      ask("/v2/document", part + "file; filename=a.html\r\n\r\n<hr>\r\n" + part + "target_lang\r\n\r\nDE\r\n--b--\r\n",
          "multipart/form-data; boundary=b", "alice")
          .json();
  const std::string path = "/v2/document/" + sent.value("document_id", ""),
                    key = json_text(Json{{"document_key", sent.value("document_key", "")}});
  for (const char* end : {"", "/result"}) {
    EXPECT_EQ(ask(path + end, key, "application/json", "alice").status, 200) << end;
    EXPECT_EQ(ask(path + end, key, "application/json", "bob").status, 404) << end;
  }
}

TEST_F(DocumentRoutes, SayWhatIsWrong) {
  const auto message = [](const Received& r) { return std::to_string(r.status) + " " + r.json().value("message", ""); };
  EXPECT_THAT(message(send("a.xyz", "x")),
              testing::MatchesRegex("400 Invalid request: file format not supported; .*html.*"));
  EXPECT_EQ(message(send("a.txt", "")), "400 Invalid request: empty file");
  EXPECT_EQ(message(send("a.txt", "a dog", "ZZ")), "400 Value for 'target_lang' not supported.");
  EXPECT_THAT(message(send("a.txt", "a \xFF")), testing::StartsWith("400 the file is not UTF-8"));
  const std::string pdf = "--b\r\nContent-Disposition: form-data; name=output_format\r\n\r\npdf\r\n";
  EXPECT_EQ(message(send("a.txt", "a dog", "DE", pdf)), "400 Value for 'output_format' not supported.");
  const std::string formality = "--b\r\nContent-Disposition: form-data; name=formality\r\n\r\nmore\r\n";
  EXPECT_EQ(message(send("a.txt", "a dog", "DE", formality)),
            "400 'formality' is not supported for given 'target_lang'.");
  for (const std::string name : {"style_id", "enable_document_minification"}) {
    const std::string part = "--b\r\nContent-Disposition: form-data; name=" + name + "\r\n\r\ntrue\r\n";
    EXPECT_THAT(message(send("a.txt", "a dog", "DE", part)),
                testing::StartsWith("400 Parameter '" + name + "' is not supported here"));
  }
}

}  // namespace
}  // namespace hexapla::serve
