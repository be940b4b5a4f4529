"""Tests of translating as people expect it: languages, long texts, files; against the program's own output."""
import json
import pathlib
import subprocess
import urllib.request

from browser import Visit, expect, serving

LINES = ["1 may", "7 march 1985", "", "friday, the 28th of august 2026", "may 3, 1999", "2 june 2001", "", "12 july", "monday, the 4th of may 2020",
         "30 december 1970", "9 april 2011", "5 october 1999. May 3, 2003."]
TEXT = "\n".join(LINES)
ARABIC, CHINESE, THAI = "رجل يرتدي قميصا أزرق. كلب يركض على الشاطئ.", "一个男人在擦窗户。一只狗在追球。", "สุนัขวิ่งบนชายหาด เด็กสองคนกำลังเล่น"


def translated(program, model, lines):
    """The program's translations; a document's blank lines stay blank."""
    text = "\n".join(lines) + "\n"
    found = subprocess.run([program, "translate", "-m", model, "--quiet"], input=text, capture_output=True, text=True, check=True).stdout
    return [own if line.strip() else "" for line, own in zip(lines, found.split("\n"))]


def post(url, path, body):
    request = urllib.request.Request(url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request, timeout=60))


def sides(visit):
    visit.tab.wait_for_function("() => !document.querySelector('.doc-progress progress') && document.querySelector('#document-status')")
    return (visit.tab.locator(".doc-source").all_text_contents(), visit.tab.locator(".doc-target").all_text_contents())


def sent_by(visit):
    """The texts of requests for a document, as they are sent."""
    sent = []
    visit.tab.on("request", lambda r: r.url.endswith("/v1/translate") and sent.append(r.post_data_json["q"]))
    return sent


def opened(visit, text=TEXT):
    visit.open().translated()
    visit.tab.fill("#source", text)
    visit.tab.wait_for_selector("#document .doc-row")
    return sides(visit)


def paste(visit, text):
    visit.tab.evaluate("text => navigator.clipboard.writeText(text)", text)
    visit.tab.keyboard.press("Control+v")


def a_long_text_is_a_document(browser, url, program, model):
    visit = Visit(browser, url, permissions=["clipboard-read", "clipboard-write"]).open()
    visit.translated()
    visit.tab.fill("#source", "")
    visit.tab.focus("#source")
    paste(visit, TEXT.replace("\n", "\r\n"))
    sources, targets = sides(visit)
    expect(sources == LINES, "the document has", sources)
    wanted = translated(program, model, LINES)
    expect(targets == wanted, "the document is translated as", targets, "but by the program as", wanted)
    expect(visit.text("#document-status").startswith("10 of 10 lines translated"), "the progress reads", visit.text("#document-status"))
    for i, box in enumerate(visit.tab.locator(".doc-row").all()):
        places = [box.locator(side).bounding_box() for side in (".doc-source", ".doc-target")]
        expect(places[0]["y"] == places[1]["y"] and places[0]["x"] < places[1]["x"], "line", i, "is not beside its translation", places)
    visit.tab.click("#copy")
    visit.tab.locator("#files-said", has_text="copied").wait_for()
    expect(visit.tab.evaluate("navigator.clipboard.readText()") == "\n".join(wanted), "something else is copied")
    lines_are_edited(visit, program, model)
    visit.tab.click("#clear")
    expect(visit.tab.locator(".doc-row").count() == 0 and visit.tab.input_value("#source") == "", "clearing leaves a text")
    expect(visit.tab.evaluate("document.activeElement.id") == "source", "clearing leaves the text box")
    visit.tab.click("#copy")
    expect("no translation yet" in visit.text("#files-said"), "without a translation, copying says", visit.text("#files-said"))
    expect(not visit.complaints, visit.complaints)
    visit.close()


def lines_are_edited(visit, program, model):
    sent = sent_by(visit)
    visit.tab.locator(".doc-source").nth(1).click()
    visit.tab.keyboard.press("End")
    visit.tab.keyboard.type("6", delay=20)
    check_lines(visit, program, model, LINES[:1] + ["7 march 19856"] + LINES[2:])
    expect(sent == ["7 march 19856"], "an edited line sends", sent)
    visit.tab.keyboard.press("Backspace")  # the line as it was: known already
    check_lines(visit, program, model, LINES)
    for _ in range(5):
        visit.tab.keyboard.press("ArrowLeft")
    visit.tab.keyboard.press("Enter")
    check_lines(visit, program, model, LINES[:1] + ["7 march", " 1985"] + LINES[2:])
    expect(set("\n".join(sent[1:]).split("\n")) == {"7 march", " 1985"}, "a divided line sends", sent)
    visit.tab.keyboard.press("Backspace")
    check_lines(visit, program, model, LINES)
    paste(visit, "x\ny ")
    check_lines(visit, program, model, LINES[:1] + ["7 marchx", "y  1985"] + LINES[2:])
    visit.tab.keyboard.press("Home")
    visit.tab.keyboard.press("ArrowUp")
    expect(visit.tab.evaluate("document.activeElement.textContent") == "7 marchx", "the caret does not go up")
    visit.tab.keyboard.press("Delete")
    visit.tab.keyboard.press("Backspace")
    check_lines(visit, program, model, LINES[:1] + ["7 marchy  1985"] + LINES[2:])


def check_lines(visit, program, model, wanted):
    visit.tab.wait_for_function("all => JSON.stringify([...document.querySelectorAll('.doc-source')].map(e => e.textContent)) === all", arg=json.dumps(wanted, ensure_ascii=False, separators=(",", ":")))
    lines = sum(bool(line.strip()) for line in wanted)
    visit.tab.locator("#document-status", has_text=f"{lines} of {lines} lines").wait_for()
    targets = sides(visit)[1]
    expect(targets == translated(program, model, wanted), "after editing there is", targets, "not", translated(program, model, wanted))


def marked(visit, name):
    return visit.tab.evaluate("name => [...CSS.highlights.get(name) ?? []].map(String)", name)


def sentences_are_pointed_at(browser, url):
    visit = Visit(browser, url)
    sources, targets = opened(visit)
    two = visit.tab.locator(".doc-source").last
    box = two.bounding_box()
    visit.tab.mouse.move(box["x"] + 12, box["y"] + 8)
    first, *translation = marked(visit, "pointed")
    expect(first == "5 october 1999.", "the sentence pointed at is", first)
    expect(all(text in targets[-1] for text in translation), translation, "is not in", targets[-1])
    alignment = post(url, "/v1/translate", {"q": sources[-1], "options": {"alignment": "words"}})["translations"][0][0]["alignment"]
    own = {alignment["target_words"][t] for s, t in alignment["links"] if s < len(alignment["source_words"]) // 2}
    expect(not translation or any(word in " ".join(translation) for word in own), translation, "has none of", own)
    visit.tab.mouse.move(2, 2)
    expect(marked(visit, "pointed") == [], "the pointer has left, but a sentence is marked")
    single = visit.tab.locator(".doc-target").nth(3).bounding_box()
    visit.tab.mouse.move(single["x"] + 12, single["y"] + 8)
    expect(marked(visit, "pointed") == [LINES[3], targets[3]], "the translation's sentence marks", marked(visit, "pointed"))
    two.click(position={"x": 12, "y": 8})
    visit.tab.keyboard.press("End")
    visit.tab.wait_for_function("() => [...CSS.highlights.get('current')][0].toString() === 'May 3, 2003.'")
    expect(visit.text("#document-readout").startswith("May 3, 2003. → "), "it reads", visit.text("#document-readout"))
    visit.tab.wait_for_function("() => location.hash.includes('q=May+3%2C+2003.')")
    best = post(url, "/v1/translate", {"q": "May 3, 2003."})["translations"][0][0]["text"]
    visit.tab.locator("#alternatives .alternative", has_text=best).first.wait_for()
    expect(not visit.complaints, visit.complaints)
    visit.close()


def downloaded(visit, act):
    with visit.tab.expect_download() as download:
        act()
    return download.value.suggested_filename, pathlib.Path(download.value.path()).read_text(encoding="utf-8")


def files_come_and_go(browser, url, program, model, work):
    folder = pathlib.Path(work) / "files"
    folder.mkdir()
    files = {name: folder / name for name in ("story.txt", "wide.txt", "page.html", "broken.txt", "paper.pdf", "broken.docx")}
    files["story.txt"].write_bytes(("\n".join(LINES[:3]) + "\n").encode())
    files["wide.txt"].write_bytes("1 may\r\n2 june 2001\r\n".encode("utf-16"))
    files["page.html"].write_text("<p>1 may</p><p>7 march 1985</p>", encoding="utf-8")
    files["broken.txt"].write_bytes(b"K\xfcche")
    files["paper.pdf"].write_bytes(b"%PDF")
    files["broken.docx"].write_bytes(b"no ZIP")
    visit = Visit(browser, url).open()
    visit.translated()
    formats = json.load(urllib.request.urlopen(url + "/frontend/settings"))["supportedFilesFormat"]
    expect(visit.tab.get_attribute("#file", "accept").split(",") == [".txt", *[f for f in formats if f != ".txt"]], "the page accepts", visit.tab.get_attribute("#file", "accept"))
    expect(all(f in visit.tab.get_attribute("#open-file", "title") for f in formats), "not every format is listed")
    visit.tab.set_input_files("#file", files["story.txt"])
    visit.tab.wait_for_selector("#document .doc-row")
    sources, targets = sides(visit)
    expect(sources == LINES[:2] + [""] or sources == LINES[:3], "the file has the lines", sources)
    wanted = translated(program, model, sources)
    expect(targets == wanted, "the file is translated as", targets)
    target = json.load(urllib.request.urlopen(url + "/v1/models"))["models"][0]["target"]
    stem = "story" if target == "und" else f"story_{target}"
    expect(downloaded(visit, lambda: visit.tab.click("#save-txt")) == (f"{stem}.txt", "\n".join(wanted) + "\n"), "another text is saved")
    expect(downloaded(visit, lambda: visit.tab.click("#save-tsv")) == (f"{stem}.tsv", "".join(f"{s}\t{t}\n" for s, t in zip(sources, wanted))), "another table is saved")
    drop(visit, "wide.txt", files["wide.txt"].read_bytes())
    visit.tab.locator(".doc-source", has_text="2 june 2001").wait_for()
    expect(sides(visit)[0] == ["1 may", "2 june 2001"], "UTF-16 is read as", sides(visit)[0])
    one, two = translated(program, model, ["1 may", "7 march 1985"])
    name, content = downloaded(visit, lambda: visit.tab.set_input_files("#file", files["page.html"]))
    expect((name, content) == (f"page_{target}.html", f"<p>{one}</p><p>{two}</p>"), "the page comes back as", name, content)
    expect(visit.text("#file-done") == name, "the link reads", visit.text("#file-done"))
    visit.complaints.clear()
    for bad, words in [("broken.txt", "UTF-8"), ("paper.pdf", ".docx"), ("broken.docx", "ZIP")]:
        visit.tab.set_input_files("#file", files[bad])
        visit.tab.locator("#files-said .error", has_text=words).wait_for()
    visit.close()


def drop(visit, name, content):
    visit.tab.evaluate("""([name, bytes]) => { const data = new DataTransfer(); data.items.add(new File([new Uint8Array(bytes)], name));
        for (const type of ["dragover", "drop"]) document.querySelector(".sentence").dispatchEvent(new DragEvent(type, {dataTransfer: data, bubbles: true, cancelable: true})); }""", [name, list(content)])


def options_of(visit, control):
    return visit.tab.eval_on_selector_all(f"#{control} option", "all => all.map(o => o.value)")


def languages_are_chosen(browser, program, model, runs):
    with serving(program, f"en-de={model}", f"de-en={model}", f"en-fr={model}", f"en-de={model}", runs=runs) as url:
        visit = Visit(browser, url).open()
        visit.translated()
        expect(options_of(visit, "from") == ["auto", "en", "de"] and options_of(visit, "to") == ["de", "fr"], "languages:", options_of(visit, "from"), options_of(visit, "to"))
        expect(options_of(visit, "model") == ["en-de", "en-de-2"] and visit.tab.is_visible("#model"), "models of the pair:", options_of(visit, "model"))
        visit.type("1 may")
        translation = visit.text("#target-words")
        visit.tab.click("#swap")
        visit.translated()
        expect(visit.tab.input_value("#source") == translation and visit.tab.input_value("#from") == "de" and visit.tab.input_value("#to") == "en", "the languages are not exchanged")
        expect(visit.tab.evaluate("document.activeElement.id") == "swap", "the button loses the focus")
        expect(options_of(visit, "to") == ["en", "fr"] and not visit.tab.is_visible("#model"), "German goes to", options_of(visit, "to"))  # to fr by way of en
        visit.choose("from", "en")
        visit.choose("to", "fr")
        expect(visit.tab.get_attribute("#swap", "aria-disabled") == "true" and "-m fr-en=MODEL" in visit.tab.get_attribute("#swap", "title"), "a pair without a reverse is exchanged")
        visit.tab.press("#swap", "Enter")
        expect("No model here translates from French to English" in visit.text("#languages-said"), "no reason is given:", visit.text("#languages-said"))
        languages_are_detected(visit)
        expect(not visit.complaints, visit.complaints)
        visit.close()
    a_language_without_a_model(browser, program, model, runs)


def languages_are_detected(visit):
    german, english = "Ein alter Mann sitzt auf einer Bank und füttert die Vögel.", "An old man sits on a bench and feeds the birds."
    visit.choose("from", "auto")
    for text, language, others in [(german, "German", ("de", "fr")), (english, "English", ("en", "fr")), (german, "German", ("de", "fr"))]:
        visit.tab.fill("#source", text)
        best = post(visit.url, "/detect", {"q": text})[0]
        visit.tab.locator("#languages-said", has_text=f"Detected: {language}, {round(best['confidence'])} %").wait_for()
        visit.translated()
        expect(visit.tab.input_value("#from") == "auto" and visit.tab.input_value("#to") == others[1], "it translates to", visit.tab.input_value("#to"))
        pair = visit.tab.evaluate("import('/assets/sentence.js').then(({model}) => [model().source, model().target])")
        expect(pair == list(others), text, "is translated by", pair)
    visit.choose("to", "en")  # not from English: another target is taken
    visit.tab.fill("#source", english)
    visit.tab.wait_for_function("() => document.querySelector('#to').value === 'de'")
    visit.translated()
    visit.tab.fill("#source", "12 34")
    visit.tab.locator("#languages-said", has_text="Not recognized").wait_for()
    visit.tab.fill("#source", "\n".join(["Ein Hund läuft am Strand einem Ball hinterher."] * 12))
    visit.tab.locator("#languages-said", has_text="Detected: German").wait_for()
    sides(visit)
    visit.tab.click("#swap")
    visit.tab.wait_for_function("() => document.querySelector('#from').value !== 'auto'")
    sides(visit)


def a_language_without_a_model(browser, program, model, runs):
    with serving(program, f"en-de={model}", f"fr-de={model}", runs=runs) as url:
        visit = Visit(browser, url).open()
        visit.choose("from", "auto")
        visit.tab.fill("#source", "Ein alter Mann sitzt auf einer Bank und füttert die Vögel.")
        visit.tab.locator("#status.error", has_text="No model here reads this language").wait_for()
        expect("-m de-" in visit.text("#status"), "there is no remedy:", visit.text("#status"))
        visit.tab.fill("#source", "")
        visit.tab.fill("#source", "An old man sits on a bench and feeds the birds.")
        visit.translated()
        visit.close()


def limits_are_told(browser, program, model, work, runs):
    keys = pathlib.Path(work) / "keys"
    keys.write_text("secret 1000\n", encoding="utf-8")
    long = "1 may and 7 march 1985 and 2 june 2001 and 12 july"
    with serving(program, model, runs=runs, options=["--char-limit", "40", "--api-keys", str(keys)]) as url:
        visit = Visit(browser, url).open("#q=1+may")
        visit.tab.wait_for_selector("#key")
        visit.tab.fill("#key", "secret")
        visit.tab.keyboard.press("Tab")
        visit.translated()
        visit.tab.fill("#source", long)
        visit.tab.locator("#status.error").wait_for()
        expect("50 characters" in visit.text("#status") and "40" in visit.text("#status"), "the limit reads", visit.text("#status"))
        sent = sent_by(visit)
        visit.tab.fill("#source", "\n".join([long, *LINES]))
        visit.tab.wait_for_selector("#document .doc-row")
        sources, targets = sides(visit)
        expect(long not in "\n".join(sent) and targets[0] == "" and all(t for s, t in zip(sources, targets) if s and s != long), "sent:", sent, targets)
        note = visit.tab.locator(".doc-row").first.locator(".note").inner_text()
        expect("50 characters" in note and "accepts 40" in note, "the note reads", note)
        expect(visit.text("#document-status") == "10 of 11 lines translated", "the progress reads", visit.text("#document-status"))
        visit.tab.set_input_files("#file", {"name": "a.html", "mimeType": "text/html", "buffer": b"<p>1 may</p>"})
        visit.tab.wait_for_selector("#file-done")
        visit.close()


def warnings_are_at_their_line(browser, url):
    lines = [*LINES[:8], "Ein Хороший день господа", "2 june 2001"]
    warned = post(url, "/v1/translate", {"q": "\n".join(lines)}).get("warnings", [])
    expect([w["line"] for w in warned] == [9], "the server warns", warned)
    visit = Visit(browser, url)
    opened(visit, "\n".join(lines))
    notes = [row.locator(".note").all_inner_texts() for row in visit.tab.locator(".doc-row").all()]
    expect(notes == [[warned[0]["what"]] if i == 8 else [] for i in range(len(lines))], "the notes are", notes)
    visit.tab.click("#clear")
    visit.type(lines[8])
    expect(visit.tab.locator("#target .note").all_inner_texts() == [warned[0]["what"]], "the sentence has no note")
    visit.close()


def a_server_stops(browser, url, program, model):
    visit = Visit(browser, url)
    visit.open().translated()
    visit.tab.route("**/v1/translate", lambda route: route.abort())
    visit.tab.fill("#source", TEXT)
    visit.tab.locator(".doc-progress [role=alert]", has_text="The server does not answer").wait_for()
    visit.tab.unroute("**/v1/translate")
    visit.tab.click("#try-again")
    visit.tab.locator("#document-status", has_text="10 of 10").wait_for()
    expect(sides(visit)[1] == translated(program, model, LINES), "after a fault there is", sides(visit)[1])
    visit.close()


def every_script_and_look(browser, program, model, runs):
    looks = {"wide": {}, "dark": {"color_scheme": "dark"}, "phone": {"viewport": {"width": 320, "height": 700}}, "chinese": {"locale": "zh-CN"}}
    with serving(program, f"ar-en={model}", f"en-ar={model}", f"th-zh={model}", f"zh-th={model}", runs=runs) as url:
        for look, context in looks.items():
            visit = Visit(browser, url, **context)
            for name, text in [("ar-en", ARABIC), ("zh-Hans-th", CHINESE), ("th-zh-Hans", THAI), ("en-ar", TEXT)]:
                visit.open(f"?{name}#model={name}").tab.fill("#source", "\n".join([text] * 9))
                visit.tab.wait_for_selector("#document .doc-row")
                sides(visit)
                source, target = visit.tab.locator(".doc-source").first, visit.tab.locator(".doc-target").first
                expect([e.get_attribute("dir") for e in (source, target)] == ["rtl" if code == "ar" else "ltr" for code in name.split("-", 1)], name, "has other directions")
                source.click(position={"x": 20, "y": 10})
                expect(visit.tab.evaluate("[...CSS.highlights.get('current')].length") > 0, name, "marks nothing")
                if name == "zh-Hans-th":
                    visit.tab.keyboard.press("Home")
                    visit.tab.wait_for_function("() => String([...CSS.highlights.get('current')][0]) === '一个男人在擦窗户。'")
                wide = visit.tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                expect(wide <= 0, look, name, "is wider than the window by", wide)
                visit.picture(f"document-{look}-{name}")
                problems = visit.accessible()
                expect(not problems, look, name, "\n".join(problems))
            expect(not visit.complaints, look, visit.complaints)
            visit.close()


def people_translate(browser, program, model, work):
    runs = str(pathlib.Path(work) / "runs")
    with serving(program, model, runs=runs) as url:
        a_long_text_is_a_document(browser, url, program, model)
        sentences_are_pointed_at(browser, url)
        files_come_and_go(browser, url, program, model, work)
        warnings_are_at_their_line(browser, url)
        a_server_stops(browser, url, program, model)
    languages_are_chosen(browser, program, model, runs)
    limits_are_told(browser, program, model, work, runs)
    every_script_and_look(browser, program, model, runs)
