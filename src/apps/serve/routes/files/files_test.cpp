// Tests of file upload, translation and download.
#include <gmock/gmock.h>

#include "serve/routes/test_service.h"

namespace hexapla::serve {
namespace {

using namespace test;  // shared by tests of this folder

struct FileRoutes : WithService {
  static std::string form(const std::string& file_name, const std::string& content, const std::string& target = "de") {
    const std::string part = "--b\r\nContent-Disposition: form-data; name=";
    return part + "\"file\"; filename=\"" + file_name + "\"\r\nContent-Type: text/plain\r\n\r\n" + content + "\r\n" +
           part + "source\r\n\r\nen\r\n" + part + "target\r\n\r\n" + target + "\r\n--b--\r\n";
  }
  static Received send(const std::string& body, RunningService& to = *server, const std::string& more = "") {
    return to.ask("POST", "/translate_file", body, "multipart/form-data; boundary=b", more);
  }
  static std::string path_in(const Received& sent) {
    const std::string url = sent.json().value("translatedFileUrl", sent.body), host = "http://x";
    EXPECT_THAT(url, testing::StartsWith(host + "/download_file/"));
    return url.substr(std::min(url.size(), host.size()));
  }
  static std::string translated(const std::string& line) {
    return server->post("/translate", {{"q", line}, {"source", "en"}, {"target", "de"}}).json()["translatedText"];
  }
};

TEST_F(FileRoutes, TranslateTextAndSubtitles) {
  const std::string path = path_in(send(form("two lines.txt", "a dog\r\n\r\na cat\r\n")));
  Received got = server->get(path);
  EXPECT_EQ(got.body, translated("a dog") + "\r\n\r\n" + translated("a cat") + "\r\n");
  EXPECT_EQ(got.headers["content-type"], "text/plain; charset=utf-8");
  EXPECT_EQ(got.headers["content-disposition"], "attachment; filename*=UTF-8''two_lines_de.txt");
  EXPECT_EQ(server->get(path).body, got.body);  // may be repeated

  const std::string cue = "1\n00:00:01,000 --> 00:00:02,000\n";
  EXPECT_EQ(server->get(path_in(send(form("film.SRT", cue + "a dog\n")))).body, cue + translated("a dog") + "\n");
}

TEST_F(FileRoutes, TranslateAttributesOnRequest) {
  const auto sent = [](const std::string& name, const std::string& content, const std::string& attributes) {
    const std::string part = "--b\r\nContent-Disposition: form-data; name=", body = form(name, content);
    return send(part + "attributes\r\n\r\n" + attributes + "\r\n" + body);
  };
  const std::string page = "<img alt=\"a dog\"><p>a cat";
  EXPECT_EQ(server->get(path_in(sent("a.html", page, "true"))).body,
            "<img alt=\"" + translated("a dog") + "\"><p>" + translated("a cat"));
  EXPECT_EQ(server->get(path_in(sent("a.html", page, "false"))).body, "<img alt=\"a dog\"><p>" + translated("a cat"));
  EXPECT_EQ(sent("a.html", page, "yes").status, 400);
  const Received refused = sent("a.txt", "a dog", "true");
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, testing::HasSubstr("not .txt"));
}

TEST_F(FileRoutes, KeepNamesInAnyScript) {
  const std::string path = path_in(send(form("\xE7\x8B\x97/../a%.html", "<p>a dog</p>", "en")));
  EXPECT_THAT(path, testing::EndsWith(".%E7%8B%97_.._a__en.html"));
  EXPECT_EQ(server->get(path).body, "<p>a dog</p>");  // English to English
}

TEST_F(FileRoutes, SayTheAddressThatTheClientUses) {
  ServerOptions http;
  http.trusted_proxies = {"127.0.0.1"};
  RunningService after_a_proxy(small_service(), http);
  const auto url = [](RunningService& s) {
    return send(form("a.txt", "a dog"), s, "X-Forwarded-Proto: https\r\n").json().value("translatedFileUrl", "");
  };
  EXPECT_THAT(url(after_a_proxy), testing::StartsWith("https://x/download_file/"));
  EXPECT_THAT(url(*server), testing::StartsWith("http://x/download_file/")) << "anybody may write such a header";
}

TEST_F(FileRoutes, OfMultilingualModelsAreInTheLanguageAskedFor) {
  const std::string file = api::test::multilingual_file();
  ServiceOptions o = small_service();
  o.models = {{file, "en", "fr"}, {file, "", ""}};
  RunningService many(o);
  EXPECT_EQ(many.get("/languages").json()[0]["targets"], (Json{"fr", "de", "en"}));
  for (const auto& [code, spelled] : {std::pair{"fr", "fr_XX"}, {"de", "de"}}) {
    ModelOptions how;
    how.source_language = "en", how.target_language = spelled;
    const std::string line = hexapla::Translator(file, how).translate("a dog", small_search());
    EXPECT_EQ(many.get(path_in(send(form("a.txt", "a dog", code), many))).body, line);
    EXPECT_EQ(many.post("/v2/translate", {{"text", "a dog"}, {"source_lang", "en"}, {"target_lang", code}})
                  .json()["translations"][0]["text"],
              line);
  }
  EXPECT_EQ(send(form("a.txt", "a dog", "es"), many).status, 400);
}

TEST_F(FileRoutes, SayWhatIsWrong) {
  const auto refused = [](const std::string& body) {
    const Received r = send(body);
    return std::to_string(r.status) + " " + error(r);
  };
  EXPECT_THAT(refused(form("a.pdf", "x")),
              testing::MatchesRegex("400 Invalid request: file format not supported; .*pdftotext"));
  EXPECT_THAT(refused(form("a.txt", "PK\x03\x04")), testing::HasSubstr("400 the file is a ZIP archive"));
  EXPECT_EQ(refused(form("a.txt", "")), "400 Invalid request: empty file");
  EXPECT_EQ(refused("--b\r\nContent-Disposition: form-data; name=file\r\n\r\nx\r\n--b--\r\n"),
            "400 Invalid request: missing file parameter");
  EXPECT_EQ(refused(form("a.txt", "a dog", "zz")), "400 zz is not supported");
  EXPECT_EQ(
      refused(form("a.txt", "\xFF\xFEo")),
      "400 the file begins as UTF-16 does, but byte 2 belongs to no character of it: save the file again, in UTF-8");
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<b>";
  EXPECT_THAT(refused(form("a.html", deep)), testing::HasSubstr("at most 1000 may be nested"));
  EXPECT_THAT(refused(form("a.txt", "K\xFChe")), testing::StartsWith("400 the file is not UTF-8; it looks like "));
  EXPECT_EQ(server->get("/download_file/0123.a.txt").status, 404);
}

TEST_F(FileRoutes, AreClosedOnAServerThatKeepsNone) {
  ServiceOptions o = small_service();
  o.files = 0;
  RunningService without(o);
  EXPECT_EQ(send(form("a.txt", "a dog"), without).status, 403);
  EXPECT_EQ(without.get("/frontend/settings").json()["supportedFilesFormat"], Json::array());
  EXPECT_THAT(server->get("/frontend/settings").json()["supportedFilesFormat"],
              testing::IsSupersetOf({Json(".txt"), Json(".srt"), Json(".docx")}));
}

TEST(FileShelf, TheOldestMakeRoom) {
  const std::size_t bytes = FileShelf::bytes_of("a.txt", "12345");
  FileShelf shelf(2 * bytes);
  const auto first = shelf.put("a.txt", "12345"), second = shelf.put("a.txt", "67890");
  ASSERT_TRUE(first && second);
  EXPECT_NE(*first, *second);
  EXPECT_EQ(shelf.get(*first), "12345");
  const auto third = shelf.put("b.txt", "x");
  EXPECT_EQ(shelf.get(*first), std::nullopt);
  EXPECT_EQ(shelf.get(*second), "67890");
  EXPECT_EQ(shelf.get(*third), "x");
  EXPECT_EQ(shelf.put("large.txt", std::string(2 * bytes, 'x')), std::nullopt);
  EXPECT_EQ(shelf.get(*third), "x");
}

TEST(FileShelf, CountsNamesAndWhatAFileTakesBesideItsContent) {
  FileShelf shelf(10'000);
  const auto first = shelf.put("a.txt", "x");
  for (int i = 0; i < 100; ++i) shelf.put("a.txt", "x");
  EXPECT_EQ(shelf.get(*first), std::nullopt);
  EXPECT_EQ(shelf.put(std::string(10'000, 'a'), "x"), std::nullopt);
}

TEST(FileShelf, FilesStayForAWhile) {
  FileShelf shelf(1000, std::chrono::nanoseconds(0));
  EXPECT_EQ(shelf.get(*shelf.put("a.txt", "x")), std::nullopt);
}

}  // namespace
}  // namespace hexapla::serve
