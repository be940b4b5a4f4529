"""Uses a server through unchanged third-party clients that know nothing of hexapla but its address.
Usage: http_clients.py URL LINE TRANSLATION (from English to German); ends with an error if one of them fails."""
import io
import sys
import urllib.error
import urllib.request

import deepl
from deep_translator import LibreTranslator
from libretranslate_aio import LibreTranslate
from libretranslatepy import LibreTranslateAPI
from prometheus_client.parser import text_string_to_metric_families

url, line, translation = sys.argv[1].rstrip("/"), sys.argv[2], sys.argv[3]


def expect(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {found!r}, not {expected!r}")
    print(f"{what}: ok")


libre = LibreTranslateAPI(url + "/")
expect("libretranslatepy translate", libre.translate(line, "en", "de"), translation)
expect("libretranslatepy languages", [l["code"] for l in libre.languages()], ["en", "de"])
expect("libretranslatepy detect", libre.detect("This is a sentence in English.")[0]["language"], "en")
try:
    libre.translate(line, "en", "zz")
    sys.exit("libretranslatepy: an unknown language was translated into")
except urllib.error.HTTPError as e:
    expect("libretranslatepy error", e.code, 400)

with LibreTranslate(url) as aio:
    expect("libretranslate-aio translate", aio.translate(line, "en", "de").translated_text, translation)
    expect("libretranslate-aio list", aio.translate([line, line], "en", "de").translated_text, [translation] * 2)
    expect("libretranslate-aio detect", aio.detect("This is a sentence in English.")[0].language, "en")
    expect("libretranslate-aio languages", [l.code for l in aio.languages()], ["en", "de"])
    expect("libretranslate-aio settings", ".srt" in aio.frontend_settings().supported_files_format, True)
    expect("libretranslate-aio health", aio.health(), True)
    file = io.BytesIO((line + "\n").encode())
    file.name = "text.txt"
    where = aio.translate_file(file, "en", "de").translated_file_url
    expect("libretranslate-aio file", urllib.request.urlopen(where).read().decode(), translation + "\n")

expect("deep-translator", LibreTranslator(source="en", target="de", base_url=url + "/", custom_url=url + "/", api_key="any").translate(line), translation)

client = deepl.Translator("any", server_url=url)
expect("deepl", client.translate_text(line, source_lang="EN", target_lang="DE").text, translation)
expect("deepl list", [r.text for r in client.translate_text([line, line], source_lang="EN", target_lang="DE")], [translation] * 2)
for tags in "xml", "html":
    expect(f"deepl {tags}", client.translate_text(f"<p>{line}</p>", source_lang="EN", target_lang="DE", tag_handling=tags).text, f"<p>{translation}</p>")
    expect(f"deepl {tags} lists", client.translate_text(f"<keep>{line}</keep><s/>{line}", source_lang="EN", target_lang="DE", tag_handling=tags, ignore_tags="keep",
                                                        splitting_tags=["s"], outline_detection=False).text, f"<keep>{line}</keep><s/>{translation}")
expect("deepl languages", [l.code for l in client.get_target_languages()], ["DE"])
expect("deepl usage", client.get_usage().any_limit_reached, False)
try:
    client.translate_text(line, target_lang="JA")
    sys.exit("deepl: an unknown language was translated into")
except deepl.DeepLException as e:
    expect("deepl error", "target_lang" in str(e), True)

metrics = urllib.request.urlopen(url + "/metrics").read().decode()
names = {family.name for family in text_string_to_metric_families(metrics)}
expect("prometheus_client", "hexapla_requests" in names and "hexapla_request_duration_seconds" in names, True)
