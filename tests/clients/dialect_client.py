"""Uses a server like Dialect, a translation program for GNOME: by Dialect's own unchanged module and its HTTP library.
Usage: dialect_client.py FOLDER PORT LINE TRANSLATION, with Dialect's folder (/usr/share/dialect) and a server at
localhost; ends with an error if a request fails. Needs gi and libsoup 3."""
import sys

folder, port, line, translation = sys.argv[1:5]
sys.path.insert(0, folder)

import gi

gi.require_version("Soup", "3.0")
from gi.repository import GLib

from dialect.session import Session
from dialect.translators.basetrans import InvalidLangCode
from dialect.translators.libretrans import Translator

address, loop = "localhost:" + port, GLib.MainLoop()


def expect(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: {found!r}, not {expected!r}")
    print(f"{what}: ok")


def received(message):
    """Sends a message and reads the answer as Dialect's session does."""
    found = []

    def on_response(session, result):
        found.append(Session.get_response(session, result))
        loop.quit()
    Session.get().send_and_read_async(message, 0, None, on_response)
    loop.run()
    return found[0]


spec = received(Session.create_message("GET", Translator.format_url(address, Translator.validation_path)))
expect("validate_instance", Translator.validate_instance(spec), True)

loaded = []


def on_loaded(*what):
    loaded.extend(what)
    loop.quit()


GLib.timeout_add_seconds(60, lambda: sys.exit("Dialect's module heard nothing for a minute"))
translator = Translator(on_loaded, base_url=address)
loop.run()
expect("languages and settings", loaded, [True, "", False])
expect("languages", translator.languages, ["en", "de"])


def translated(target):
    method, data, headers, form = translator.format_translation(line, "en", target)
    return translator.get_translation(
        received(Session.create_message(method, translator.translate_url, data, headers, form)))[0].text


expect("translate", translated("de"), translation)
try:
    translated("zz")
    sys.exit("an unknown language was translated into")
except InvalidLangCode:
    print("error: ok")
