#!/usr/bin/env -S python3 -B
"""Tests that each check finds its faults, and nothing in a sound project."""
import hashlib
import pathlib
import re
import shutil
import sys
import tempfile
import unittest
from unittest import mock

import check_layers
import check_source
import command_pages
import course
import sbom

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "site"))
import check as site_check  # noqa: E402
import stage as site_stage  # noqa: E402

LAYERS = """
hexapla_root(core)
hexapla_layer(base     )
hexapla_layer(tensor   base)
hexapla_layer(tensor/x base tensor)
hexapla_root(apps core)
hexapla_layer(cli      base tensor)
"""
SOUND = {
    "cmake/layers.cmake": LAYERS,
    "src/core/base/a.h": "#pragma once\n// std::cout << is spoken of only\n",
    "src/core/tensor/t.cpp": '#include "base/a.h"\n#include <cmath>\nint f(int a, std::pair<int, int> b) {\n  return "}{"[a];\n}\n',
    "src/core/tensor/x/deep.cpp": '#include "tensor/t.h"\n',
    "src/apps/cli/main.cpp": '#include "base/a.h"\nint main() { std::cout << 1; std::exit(0); }\n',
    "src/core/base/a_test.cpp": '#include "tensor/t.h"\n',
    "README.md": "[layers](cmake/layers.cmake) and [outside](https://example.org/x)\n",
}


def problems(check, **changed):
    """-> findings of `check` for the sound project with the files of `changed` (path: text)"""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in {**SOUND, **changed.get("files", {})}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return check(root)


class Layers(unittest.TestCase):
    def finds(self, expected, files):
        found = problems(check_layers.check, files=files)
        self.assertEqual(len(found), 1, found)
        self.assertIn(expected, found[0])

    def test_sound(self):
        self.assertEqual(problems(check_layers.check), [])

    def test_upward_include(self):
        self.finds("src/core/base/b.cpp:2: base may not include tensor/u.h", {"src/core/base/b.cpp": '\n#include "tensor/u.h"\n'})

    def test_a_folder_inside_another_is_a_layer_of_its_own(self):
        found = problems(check_layers.check, files={"src/core/tensor/b.cpp": '#include "tensor/x/deep.h"\n'})
        self.assertEqual(found, ["src/core/tensor: the folders ., x include each other",
                                 "src/core/tensor/b.cpp:1: tensor may not include tensor/x/deep.h; see cmake/layers.cmake"])

    def test_two_types_of_one_name(self):
        text = "namespace hexapla {\n\nstruct Pair : Base {\n};\n\n}  // namespace hexapla\n"
        self.finds("src/core/tensor/t.cpp: hexapla::Pair is a type of src/core/base/p.h, too",
                   {"src/core/base/p.h": "#pragma once\n" + text, "src/core/tensor/t.cpp": text})
        hidden = text.replace("hexapla {\n", "hexapla {\nnamespace {\n").replace("};\n", "};\n}  // namespace\n")
        other = text.replace("Pair", "Pair::Impl")
        found = problems(check_layers.check, files={"src/core/base/p.h": "#pragma once\n" + text, "src/core/base/p.cpp": hidden,
                                                    "src/core/tensor/t.cpp": other})
        self.assertEqual(found, [])

    def test_folders_of_a_folder_are_a_staircase(self):
        up = {"src/core/base/low/a.h": "#pragma once\n", "src/core/base/high/b.cpp": '#include "base/low/a.h"\n',
              "src/core/base/high/b.h": "#pragma once\n"}
        self.assertEqual(problems(check_layers.check, files=up), [])
        found = problems(check_layers.check, files={**up, "src/core/base/low/c.cpp": '#include "base/high/b.h"\n'})
        self.assertEqual(found, ["src/core/base: the folders high, low include each other"])
        found = problems(check_layers.check, files={**up, "src/core/base/c.h": '#pragma once\n#include "base/high/b.h"\n',
                                                    "src/core/base/high/d.cpp": '#include "base/c.h"\n'})
        self.assertEqual(found, ["src/core/base: the folders ., high include each other"])

    def test_folders_of_src_are_a_staircase(self):
        """A layer inside a folder is a part of it."""
        found = problems(check_layers.check, files={
            "cmake/layers.cmake": LAYERS.replace("hexapla_root(apps", "hexapla_layer(base/y base tensor)\nhexapla_root(apps"),
            "src/core/tensor/t.h": '#pragma once\n#include "base/a.h"\n', "src/core/base/y/c.cpp": '#include "tensor/t.h"\n'})
        self.assertEqual(found, ["src/core: the folders base, tensor include each other"])

    def test_namespaces_follow_the_folders(self):
        def opening(space):
            return {"src/apps/cli/b.cpp": f"namespace {space} {{\n}}  // namespace {space}\n"}
        self.assertEqual(problems(check_layers.check, files=opening("hexapla::cli::terminal")), [])
        self.finds("src/apps/cli/b.cpp: opens the namespace hexapla::report, but its folder is cli", opening("hexapla::report"))

    def test_names_in_unnamed_namespaces(self):
        text = "namespace {\nusing A = int;\nconstexpr int kOne = 1, kTwo[] = {2};\nbool f(int x) {\n  g(kOne);\n}\n}  // namespace\n"
        found = problems(check_layers.check, files={f"src/core/{name}.cpp": text for name in ("base/p", "base/q", "tensor/q")})
        self.assertEqual([re.search(r"q.cpp: (\w+) is", one)[1] for one in found], ["kOne", "kTwo", "f"])
        own = "namespace {\nint f(std::string_view z) { return 1; }\nint g(A z) { return 1; }\n}  // namespace\n"
        self.finds("src/core/base/q.cpp: f takes the calls of that", {"src/core/base/q.cpp": own, "src/core/base/p.h":
                   "#pragma once\nint f(const std::string& x, int y = 2);\nint g(int x);\n"})

    def test_circles_of_includes(self):
        def ring(*units):
            following = units[1:] + units[:1]
            return {f"src/core/base/{u}.h": f'#pragma once\n#include "base/{v}.h"\n' for u, v in zip(units, following)}
        self.assertEqual(problems(check_layers.check, files=ring("p", "q")), [])
        self.finds("src: core/base/p, core/base/q, core/base/r include each other", ring("p", "q", "r"))
        through_source = {"src/core/base/p.h": "#pragma once\n", "src/core/base/p.cpp": '#include "base/q.h"\n',
                          "src/core/base/q.h": '#pragma once\n#include "base/r.h"\n',
                          "src/core/base/r.h": '#pragma once\n#include "base/p.h"\n'}
        self.finds("include each other", through_source)

    def test_circles_of_modules(self):
        def ring(*units):
            names, forms = [f"{u}.js" for u in units], ('import {{ a }} from "./{}";\n', 'import {{\n  a,\n  b,\n}} from "../page/{}";\n', 'import "./{}";\n')
            return {f"src/apps/cli/page/{name}": form.format(other)
                    for name, other, form in zip(names, names[1:] + names[:1], forms)}
        self.finds("src/apps/cli/page/p.js, src/apps/cli/page/q.js import each other", ring("p", "q"))
        self.finds("src/apps/cli/page/p.js, src/apps/cli/page/q.js, src/apps/cli/page/r.js import each other", ring("p", "q", "r"))
        self.assertEqual(problems(check_layers.check, files={**ring("p", "q"), "src/apps/cli/page/q.js": '// from "./p.js"\n'}), [])

    def test_files_of_a_folder(self):
        files = {f"src/core/base/many/f{i}.h": "#pragma once\n" for i in range(20)}
        self.assertEqual(problems(check_layers.check, files=files), [])
        self.finds("src/core/base/many: 21 files, more than 20", {**files, "src/core/base/many/one_more.h": "#pragma once\n"})

    def test_undeclared_folder(self):
        for name in ("src/new/b.cpp", "src/core/new/b.cpp", "src/apps/base/b.cpp", "src/b.cpp"):
            self.finds(f"{name}: belongs to no folder", {name: "\n"})

    def test_core_includes_no_other_folder_of_src(self):
        self.finds("base may not include cli/c.h", {"src/core/base/b.cpp": '#include "cli/c.h"\n'})
        for more, expected in (("root(core apps)", "core may include no other"), ("root(p)\nhexapla_layer(q cli)", "p may not include apps")):
            self.finds(expected, {"cmake/layers.cmake": f"{LAYERS}hexapla_{more}\n"})

    def test_one_name_for_a_file(self):
        for name in ("core/base/a.h", "base/../base/a.h"):
            self.finds(f"b.cpp:1: name {name} as others do", {"src/apps/cli/b.cpp": f'#include "{name}"\n'})

    def test_a_list_out_of_order(self):
        self.finds("base may include tensor, which is not declared above",
                   {"cmake/layers.cmake": LAYERS.replace("hexapla_layer(base     )", "hexapla_layer(base tensor)")})

    def test_one_file_per_big_header(self):
        text = "#include <oneapi/dnnl/dnnl.hpp>\n"
        self.finds("dnnl.hpp may be included by one file only", {"src/core/base/b.cpp": text, "src/core/base/c.cpp": text})


class Rules(unittest.TestCase):
    """The table of check_source.py."""

    def found(self, rule, files):
        return [p for p in problems(check_source.check, files=files) if p.endswith(f"[{rule}]")]

    def finds(self, rule, texts, *names, saying=""):
        """Each text has one fault, in line 2 of a file with any of these names."""
        for text in texts:
            for name in names or ["src/core/base/b.cpp"]:
                found = self.found(rule, {name: "\n" + text})
                self.assertEqual(len(found), 1, (text, found))
                self.assertTrue(found[0].startswith(f"{name}:2: ") and saying in found[0], found)

    def passes(self, rule, texts, *names):
        for text in texts:
            for name in names or ["src/core/base/b.cpp"]:
                self.assertEqual(self.found(rule, {name: "\n" + text}), [], text)

    def test_sound(self):
        self.assertEqual(problems(check_source.check), [])

    def test_json(self):
        self.finds("json", ("auto j = nlohmann::json::parse(text);", "Json::parse(text, nullptr, false);",
                            "json::from_cbor(a);", "ordered_json::parse(a);", "json::sax_parse(a, b, &c);"))
        self.passes("json", ("parse_json<Json>(text, name);", "json_or_null(line);", "Vocabulary::parse(a, b);",
                             "// json::parse(a)"))
        self.finds("json", ["json::parse(a);"], "src/plugins/convert/parsing/json_tree.cpp")
        self.passes("json", ["json::parse(a);"], "src/core/base/json_test.cpp")
        self.finds("json", ["auto s = j.dump(1);"])
        self.passes("json", ["// j.dump(1)"])
        self.passes("json", ["auto s = j.dump(1);"], "src/core/base/json.h")

    def test_locale(self):
        self.finds("locale", (
            "std::istringstream in(text);", "std::ofstream(path) << 1.5;", "x = std::strtod(text, nullptr);",
            "x = std::stod(s);", 'std::snprintf(to, 9, "%g", x);', 'sscanf(text, "%d", &x);', "s += std::to_string(x);",
            "if (std::isalpha(c)) g();", "c = tolower(c);", "std::setlocale(LC_ALL, name);", "s = strerror(errno);",
            "static const std::regex r(x);", "strftime(to, 9, x, &t);", "std::locale l;"),
            "src/core/base/b.cpp", "python/src/b.cpp", "include/hexapla/b.h")
        self.passes("locale", (
            "Classic<std::istringstream> in(text);", "x = std::stoi(digits);", "utf8proc_tolower(c); in_lower(c);",
            'text = "std::locale and strtod(x)";  // printf(x)', "std::fputs(text, stderr);"))
        self.passes("locale", ["std::stod(s);"], "src/core/base/b_test.cpp", "src/apps/cli/tests/b.h")

    def test_what_a_file_may_have(self):
        self.passes("locale", ["std::locale l;"], "src/core/base/classic.h")
        self.finds("locale", ["std::locale l; std::use_facet<F>(l);"], "src/core/base/classic.h", saying="std::use_facet")

    def test_an_exception_that_nobody_needs(self):
        found = problems(check_source.check, files={"src/core/base/scope.cpp": "int f();\n"})
        self.assertEqual(found, ["src/core/base/scope.cpp:1: what `locale` allows here is not used any more: remove it from "
                                 "check_source.py"])

    def test_long_file(self):
        self.passes("size", ["\n" * 499])
        self.assertIn("b.cpp:501: 501 lines", self.found("size", {"src/core/base/b.cpp": "\n" * 501})[0])

    def test_long_function(self):
        for check, lines in ((self.passes, 78), (self.finds, 79)):
            body = "  g();\n" * lines
            check("size", (f"void f(int a) {{\n{body}}}\n",
                           f"namespace n {{ class A {{ void f(int a) const {{\n{body}  }}\n}};\n}}\n"))
        one = "void f(int a) {\n" + "  if (a) { g(); }\n" * 60 + "}\n"
        self.passes("size", ["struct S {\n" + one * 3 + "};\n"])
        self.finds("size", ["def f():\n" + "    g()\n" * 80], "a.py")

    def test_parameters(self):
        for check, count in ((self.passes, 6), (self.finds, 7)):
            check("size", ["int f(" + ", ".join(f"std::map<int, int> p{i}" for i in range(count)) + ") {}\n"])

    def test_loops_over_parts_of_temporaries(self):
        parts = "struct Parts {\n  const std::vector<int>& all() const;\n  std::vector<int> copied() const;\n};\n" \
                "Parts parts();\nconst Parts& known();\n"
        for loop in ("int x : parts().all()", "int x : theirs.parse(text).pieces()", "auto& x : Parts(1).all()",
                     "int x : parts().all().first(2)", "int x : load()[0]", "int x : *load(path)",
                     "int x : read(a)->b()", "int x : theirs.parse(text).copied()",
                     "const auto& [a, x] : a.get<b>(c).items()", "int n = 0; int x : parts().all()"):
            found = self.found("range", {"src/core/base/p.h": parts,
                                         "src/core/base/b.cpp": f"void f() {{\n  for ({loop}) g(x);\n}}\n"})
            self.assertEqual(len(found), 1, (loop, found))
            self.assertIn("src/core/base/b.cpp:2: the loop walks part of a temporary", found[0])
        for loop in ("int x : numbers", "int x : parts().copied()", "int x : known().all()", "int x : read(a).lines",
                     "int x : a.b.all()", "int x : std::span(a).subspan(1)", "int x : rows.back().all()",
                     "int x : f(g(y))", "auto p = parts(); int x : p.all()", "int x = a ? b : c; x < n(y).size(); ++x",
                     "int x : {1, 2, h(3)}"):
            self.passes("range", [f"{parts}void f() {{\n  for ({loop}) g(x);\n}}\n"])

    def test_what_libraries_do_not_do(self):
        self.finds("print", ("std::cerr << 1;", 'printf("x");', "exit(1);", "std::abort();"))
        self.passes("print", ["// std::cout << 1", 'int x = a.exit(1) + fputs("exit(1)", f);'])
        self.passes("print", ["std::cout << 1; exit(1);"], "src/apps/cli/b.cpp", "src/core/base/b_test.cpp")

    def test_names_in_messages_of_a_library(self):
        self.finds("option", ['fail("--lr is 0");'])
        self.passes("option", ['fail("--lr is 0");'], "src/apps/cli/b.cpp", "src/core/base/b_test.cpp")
        self.finds("command", ('fail("use it: hexapla translate -m x");', 'fail("raise --beam-size");'))
        self.passes("command", ('fail("use it`{: hexapla translate -m "\n, path, "}`; then");',
                                '// as "hexapla translate" does', 'fail("raise `beam-size`");',
                                'fail("scripts/a.sh --all");'))
        self.passes("command", ['fail("raise --beam-size");'], "src/school/lab/b.cpp", "src/lib/program/b.cpp")
        self.finds("backtick", ['fail("`lr` is 0; `lr = 1` is better");'])
        self.passes("backtick", ['fail("`lr` is 0; `lr` is better");'])

    def test_guard(self):
        self.assertEqual(self.found("guard", {"src/core/base/b.h": "int x;\n"}),
                         ["src/core/base/b.h:1: a header begins with #pragma once [guard]"])

    def test_words(self):
        self.finds("word", ("see " + "/wo" + "rk/x", "in " + "/ho" + "me/ann/x", "at .." + "/shared",
                            "// TO" + "DO later", "<" * 7 + " ours"), "docs/a.md")
        self.passes("word", ["x=.." + "/shared/data\n"], ".ci/run")  # only CI may name the folder
        self.finds("link", ["[gone](nowhere.md)"], "docs/a.md")


class Translations(unittest.TestCase):
    ENGLISH = "# A model\n\n## Use\n\nIt takes `--lr` 0.5, $x + 1$ and [layers](../cmake/layers.cmake) of 29,000 kinds:\n\n" \
              "```sh\nhexapla info  # what it is\n```\n\n```text\n1  # of 2\n```\n"
    CHINESE = "# 模型\n\n[English](../a.md)\n\n## 用法\n\n共29,000种[层](../../cmake/layers.cmake)， $x + 1$，`--lr` 为0.5：\n\n" \
              "```sh\nhexapla info   # 说明\n```\n\n```text\n1  # of 2\n```\n"

    def found(self, translation):
        return [p for p in problems(check_source.check, files={"docs/a.md": self.ENGLISH, "docs/zh/a.md": translation})
                if p.endswith("[translation]")]

    def test_sound(self):
        self.assertEqual(self.found(self.CHINESE), [])
        beside = self.ENGLISH + "[中文](a.zh.md#x)\n", self.CHINESE.replace("../a", "a").replace("../..", "..")
        self.assertEqual(problems(check_source.check, files=dict(zip(("docs/a.md", "docs/a.zh.md"), beside))), [])

    def test_faults(self):
        for old, new, count, expected in (
                ("hexapla info", "hexapla inspect", 1, "9: this block differs"),
                ("1  # of 2", "1  # of 3", 1, "13: this block differs"),
                ("```text\n1  # of 2\n```\n", "", 1, "1: 1 blocks of code, 2 in docs/a.md"),
                ("## 用法", "# 用法", 1, "1: the headings"), ("29,000", "28,000", 2, "7: the number 28,000 is not in"),
                ("x + 1", "x", 2, "1: the formula x + 1 of docs/a.md is missing"),
                (" $x", "$x", 1, "7: a space is missing before $x + 1$"),
                ("--lr", "--warmup", 2, "1: the name --lr of docs/a.md is missing"),
                ("cmake/", "src/", 2, "7: the link src/layers.cmake is not in"),
                ("../a.md", "a.md", 1, "1: does not link to docs/a.md")):
            found = self.found(self.CHINESE.replace(old, new))
            self.assertEqual(len(found), count, (old, found))
            self.assertTrue(any(f.startswith(f"docs/zh/a.md:{expected}") for f in found), (expected, found))

    def test_without_original(self):
        found = problems(check_source.check, files={"docs/zh/b.md": "\n"})
        self.assertIn("docs/zh/b.md:1: translates docs/b.md, which is not there", found[0])


LESSON = """Text.

<!-- src/a.cpp: "int f(" to "}" -->
```cpp
int f() {
  return 1;
}
```

```sh
hexapla
```
```text
loss 0.500 of run
```
"""


class Course(unittest.TestCase):
    def treated(self, lesson, prints="loss 0.500 of run", write=False):
        """-> (faults of a lesson whose command prints this, the lesson afterwards)"""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "src").mkdir()
            (root / "kept").mkdir()
            (root / "src/a.cpp").write_text("int e() {\n}\n\nint f() {\n  return 1;\n}\n")
            program, text = root / "program", root / "1.md"
            program.write_text(f"#!/bin/sh\nmkdir -p run; printf '%010d' 0 > run/model.safetensors\necho '{prints}'\n")
            program.chmod(0o755)
            text.write_text(lesson)
            with mock.patch.multiple(course, ROOT=root, recorded_model=lambda: hashlib.sha256(b"").hexdigest()):
                faults = course.treat(text, course.Shell(program, root / "kept"), write)
            return faults, text.read_text()

    def test_sound(self):
        self.assertEqual(self.treated(LESSON), ([], LESSON))

    def test_another_number(self):
        faults, _ = self.treated(LESSON, prints="loss 0.520 of run")
        self.assertEqual(len(faults), 1)
        self.assertIn("loss 0.520 of run", faults[0])
        self.assertEqual(self.treated(LESSON, prints="loss 0.509 of run"), ([], LESSON))

    def test_another_word(self):
        self.assertEqual(len(self.treated(LESSON, prints="loss 0.500 of other")[0]), 1)

    def test_another_excerpt(self):
        faults, _ = self.treated(LESSON.replace("return 1", "return 2"))
        self.assertEqual(len(faults), 1)
        self.assertIn("an excerpt is not what the source has now", faults[0])

    def test_an_excerpt_that_is_not_there(self):
        with self.assertRaisesRegex(ValueError, "in 0 lines instead of in one"):
            self.treated(LESSON.replace('"int f("', '"int g("'))

    def test_a_command_that_fails(self):
        with self.assertRaisesRegex(RuntimeError, "exit code 3"):
            self.treated(LESSON.replace("hexapla\n", "hexapla; exit 3\n"))

    def test_the_same_blocks_run_once(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "kept").mkdir()
            (root / "program").write_text(f"#!/bin/sh\nmkdir -p run; printf '%010d' 0 > run/model.safetensors; echo $1 | tee -a {root}/ran\n")
            (root / "program").chmod(0o755)
            shell = course.Shell(root / "program", root / "kept")
            for scripts in (("hexapla a\n", "hexapla b\n"), ("hexapla a\n", "hexapla b\n"), ("hexapla a\n", "hexapla c\n")):
                self.assertEqual(shell.outputs(scripts), [script[len("hexapla "):] for script in scripts])
            self.assertEqual((root / "ran").read_text(), "a\nb\nc\n")

    def test_written_anew(self):
        changed = LESSON.replace("return 1", "return 2").replace("0.500", "0.700")
        self.assertEqual(self.treated(changed, write=True), ([], LESSON))

    def test_shades(self):
        self.assertTrue(course.same("a│░█ │", "a│▒▓ │"))
        self.assertFalse(course.same("a│░█ │", "a│▓█ │"))
        self.assertFalse(course.same("a│·█ │", "a│ █ │"))


class CommandPages(unittest.TestCase):
    MANUAL = ('.TH HEXAPLA-JOIN 1 "" "hexapla 1" "User Commands"\n.SH NAME\nhexapla-join \\- join the parts\n'
              ".SH SYNOPSIS\n\\fBhexapla join\\fR [\\fIOPTION\\fR]...\n.SH OPTIONS\n.TP\n"
              "\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIA|B\\fR\nfile\nwith <s>\n"
              ".SH NOTES AND EXAMPLES\n.nf\nDone.\nExamples:\n  hexapla join \\-o x\n.fi\n.SH EXIT STATUS\n0: done\n")
    PAGE = ("# hexapla join\n\nJoin the parts.\n\n`hexapla join [OPTION]...`\n\n## Options\n\n| name | meaning |\n|---|---|\n"
            "| `-o`, `--output A\\|B` | file with \\<s> |\n\n## Notes and examples\n\nDone.\n\nExamples:\n\n```\nhexapla join -o x\n```\n")

    def test_a_manual_page_becomes_markdown(self):
        self.assertEqual(command_pages.markdown(self.MANUAL), self.PAGE)

    def test_missing_changed_and_superfluous_pages_are_found(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(command_pages, "PAGES", pathlib.Path(folder)):
            command_pages.write({"join.md": self.PAGE, "old.md": ""})
            self.assertEqual(command_pages.check({"join.md": self.PAGE, "old.md": ""}), [])
            found = command_pages.check({"join.md": self.PAGE + "x", "new.md": ""})
            self.assertEqual([f.split()[0] for f in found], [f"docs/reference/{n}.md" for n in ("join", "new", "old")])


class Site(unittest.TestCase):
    """The pages of the documentation site: scripts/site."""

    def finds(self, expected, page, style=""):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for file, text in (("a.html", page), ("b.html", '<h2 id="there">B</h2>'), ("s.css", style)):
                (folder / file).write_text(text)
            self.assertEqual(site_check.check(folder), expected)

    def test_sound(self):
        self.finds([], '<a href="b.html#there">B</a><a href="https://example.org/">out</a><img src="data:image/png;base64,x">')

    def test_broken_links_and_anchors(self):
        self.finds(["a.html: links to c.html, which is not there"], '<a href="c.html">C</a>')
        self.finds(["a.html: links to b.html#here, which has no such anchor"], '<a href="b.html#here">B</a>')

    def test_what_would_be_loaded_from_elsewhere(self):
        self.finds(["a.html: loads https://example.org/x.js from elsewhere"], '<script src="https://example.org/x.js"></script>')
        self.finds(["s.css: loads //example.org/f.woff from elsewhere"], "", "@font-face { src: url(//example.org/f.woff) }")

    def test_the_text_of_a_header_is_shown_as_it_is(self):
        with tempfile.TemporaryDirectory() as name:
            (pathlib.Path(name) / "a.h").write_text("#pragma once\n// Ends lines by '\\n', a | <b> *c*. More.\n//\n//   code\n")
            (pathlib.Path(name) / "b.h").write_text("// Everything:\n//\n//   f('\\n');\n#pragma once\n")
            stage = site_stage.Stage.__new__(site_stage.Stage)
            stage.root = pathlib.Path(name)
            self.assertEqual(stage.first_sentence("a.h"), r"Ends lines by '\\n', a \| \<b> \*c\*.")
            self.assertEqual(stage.first_sentence("b.h"), "Everything.")


class SetUp(unittest.TestCase):
    """Newcomers find the two setup commands, and changes are tested with the same ones."""
    ROOT = pathlib.Path(__file__).resolve().parent.parent

    def test_the_quick_starts_name_both_commands(self):
        for page, heading in (("README.md", "## Quick start"), ("README.zh.md", "## 快速上手")):
            section = (self.ROOT / page).read_text().split(heading)[1].split("\n## ")[0]
            for command in ("scripts/demo.sh", "scripts/test.sh"):
                self.assertRegex(section, rf"(?m)^{command} +# .+", f"{page} says what {command} does")
                self.assertTrue((self.ROOT / command).is_file())

    def test_the_version_is_that_of_cmake_everywhere(self):
        """CMakeLists.txt has the version; files that cannot read it there must have the same."""
        major, minor, patch = re.search(r"project\(hexapla VERSION (\d+)\.(\d+)\.(\d+)",
                                        (self.ROOT / "CMakeLists.txt").read_text()).groups()
        self.assertRegex((self.ROOT / "debian/changelog").read_text().split("\n")[0], rf"^hexapla \({major}\.{minor}\.{patch}-")
        symbols, = (self.ROOT / "debian").glob("*.symbols")
        self.assertRegex(symbols.read_text(), rf"\(>= {major}.{minor}.{patch}\), \w+ \(<< {major}.{minor}.{int(patch) + 1}~\)")
        self.assertIn(f"\nversion: {major}.{minor}.{patch}\n", (self.ROOT / "CITATION.cff").read_text())
        self.assertIn(f"\n## {major}.{minor}.{patch} (", (self.ROOT / "CHANGELOG.md").read_text())

    def test_the_soname_is_that_of_cmake_everywhere(self):
        number = re.search(r"(?m)^set\(HEXAPLA_SOVERSION (\d+)\)", (self.ROOT / "CMakeLists.txt").read_text())[1]
        control = (self.ROOT / "debian/control").read_text()
        self.assertEqual(set(re.findall(r"libhexapla(\d+)", control)), {number})
        for name in ("install", "symbols"):
            self.assertEqual([path.name for path in (self.ROOT / "debian").glob(f"libhexapla[0-9]*.{name}")], [f"libhexapla{number}.{name}"])
        self.assertIn(f"libhexapla.so.{number} libhexapla{number} ", (self.ROOT / f"debian/libhexapla{number}.symbols").read_text())

    def test_the_description_of_the_wheel_leads_somewhere(self):
        page = re.search(r'(?m)^readme = "(.*?)"', (self.ROOT / "pyproject.toml").read_text())[1]
        links = re.findall(r"\]\(([^)]*)\)", (self.ROOT / page).read_text())
        self.assertTrue(links)
        self.assertEqual([link for link in links if not link.startswith("https://")], [])

    def test_ci_runs_the_command_of_the_readme(self):
        self.assertRegex((self.ROOT / ".ci/run").read_text(), r"(?m)^stage .* scripts/test\.sh$")


@unittest.skipUnless(shutil.which("dpkg-query") and shutil.which("readelf"), "needs dpkg and binutils")
class BillOfMaterials(unittest.TestCase):
    def bill(self, program, cache=""):
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder)
            (build / "CMakeCache.txt").write_text(cache)
            if program:
                shutil.copy(program, build / "hexapla")
            return sbom.bill(build)

    def test_names_what_the_program_links(self):
        parts = {part["name"]: part for part in self.bill(shutil.which("ls"))["components"]}
        self.assertEqual(parts["glibc"]["licenses"], [{"expression": "LGPL-2.1-or-later"}])
        self.assertTrue(parts["glibc"]["purl"].startswith("pkg:deb/debian/libc6@"))

    def test_a_library_of_no_package_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "/usr/no/such is of no Debian package"):
            self.bill(shutil.which("ls"), "x_DIR:PATH=/usr/no/such\n")

    def test_nothing_built_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "build hexapla_program first"):
            self.bill(None)


if __name__ == "__main__":
    unittest.main()
