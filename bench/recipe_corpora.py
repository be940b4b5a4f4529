#!/usr/bin/env python3
"""Writes small parallel corpora by rule, to compare training recipes on: numbers in words, dates, transliteration.

bench/recipe_corpora.py FOLDER [NAME...]: FOLDER/NAME/{train,valid,test}.{src,tgt}; test lines are in no other set.
"""
import datetime
import random
import sys
from pathlib import Path

SEED = 20260101

CHINESE = "零一二三四五六七八九"
THAI = ["ศูนย์", "หนึ่ง", "สอง", "สาม", "สี่", "ห้า", "หก", "เจ็ด", "แปด", "เก้า"]
THAI_PLACES = ["", "สิบ", "ร้อย", "พัน", "หมื่น", "แสน", "ล้าน"]
GERMAN = ["null", "ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf",
          "dreizehn", "vierzehn", "fünfzehn", "sechzehn", "siebzehn", "achtzehn", "neunzehn"]
GERMAN_TENS = ["", "", "zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"]
ARABIC = ["صفر", "واحد", "اثنان", "ثلاثة", "أربعة", "خمسة", "ستة", "سبعة", "ثمانية", "تسعة", "عشرة", "أحد عشر",
          "اثنا عشر", "ثلاثة عشر", "أربعة عشر", "خمسة عشر", "ستة عشر", "سبعة عشر", "ثمانية عشر", "تسعة عشر"]
ARABIC_TENS = ["", "", "عشرون", "ثلاثون", "أربعون", "خمسون", "ستون", "سبعون", "ثمانون", "تسعون"]
ARABIC_HUNDREDS = ["", "مئة", "مئتان", "ثلاثمئة", "أربعمئة", "خمسمئة", "ستمئة", "سبعمئة", "ثمانمئة", "تسعمئة"]
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
          "December"]
SYLLABLES = {"ka": "か", "ki": "き", "ku": "く", "ke": "け", "ko": "こ", "sa": "さ", "shi": "し", "su": "す", "se": "せ",
             "so": "そ", "ta": "た", "chi": "ち", "tsu": "つ", "te": "て", "to": "と", "na": "な", "ni": "に", "nu": "ぬ",
             "ne": "ね", "no": "の", "ha": "は", "hi": "ひ", "fu": "ふ", "he": "へ", "ho": "ほ", "ma": "ま", "mi": "み",
             "mu": "む", "me": "め", "mo": "も", "ya": "や", "yu": "ゆ", "yo": "よ", "ra": "ら", "ri": "り", "ru": "る",
             "re": "れ", "ro": "ろ", "wa": "わ", "n": "ん", "a": "あ", "i": "い", "u": "う", "e": "え", "o": "お"}


def chinese(n):
    if n >= 10_000:
        rest = n % 10_000
        return chinese(n // 10_000) + "万" + (("零" if rest < 1000 else "") + chinese(rest) if rest else "")
    text, gap = "", False
    for digit, place in zip(str(n).zfill(4), ["千", "百", "十", ""]):
        if digit == "0":
            gap = bool(text)
        else:
            text += ("零" if gap else "") + CHINESE[int(digit)] + place
            gap = False
    return text or "零"


def thai(n):
    digits = str(n)
    text = ""
    for i, digit in enumerate(map(int, digits)):
        place = len(digits) - 1 - i
        if digit == 0:
            continue
        if place == 0 and digit == 1 and n > 10:
            text += "เอ็ด"
        elif place == 1 and digit == 1:
            text += "สิบ"
        elif place == 1 and digit == 2:
            text += "ยี่สิบ"
        else:
            text += THAI[digit] + THAI_PLACES[place]
    return text or THAI[0]


def german(n, end="s"):
    if n >= 1000:
        return german(n // 1000, "") + "tausend" + (german(n % 1000) if n % 1000 else "")
    if n >= 100:
        return german(n // 100, "") + "hundert" + (german(n % 100) if n % 100 else "")
    if n == 1:
        return "ein" + end
    if n < 20:
        return GERMAN[n]
    return (GERMAN[n % 10] + "und" if n % 10 else "") + GERMAN_TENS[n // 10]


def arabic(n):
    parts = []
    if n >= 1000:
        thousands = n // 1000
        parts.append("ألف" if thousands == 1 else "ألفان" if thousands == 2
                     else arabic(thousands) + (" آلاف" if thousands <= 10 else " ألف"))
    if n % 1000 >= 100:
        parts.append(ARABIC_HUNDREDS[n % 1000 // 100])
    rest = n % 100
    if rest >= 20:
        if rest % 10:
            parts.append(ARABIC[rest % 10])
        parts.append(ARABIC_TENS[rest // 10])
    elif rest or n == 0:
        parts.append(ARABIC[rest])
    return " و".join(parts)


def number(write):
    return lambda r: (lambda n: (str(n), write(n)))(int(10 ** r.uniform(0, 6)) if r.random() < 0.5 else r.randrange(1_000_000))


def date(r):
    day = datetime.date(1900, 1, 1) + datetime.timedelta(days=r.randrange(54_000))
    month = MONTHS[day.month - 1]
    shapes = [f"{month} {day.day}, {day.year}", f"{day.day} {month[:3]} {day.year}", f"{day.month}/{day.day}/{day.year}",
              f"{day:%A}, the {day.day} of {month} {day.year}", f"{day.day}.{day.month}.{day.year % 100:02d}"]
    if day.year % 100 >= 50 and day.year >= 2000:
        shapes.pop()
    return r.choice(shapes[:4]), day.isoformat()


def transliteration(r):
    words = ["".join(r.choices(list(SYLLABLES), k=r.randint(2, 5))) for _ in range(r.randint(1, 4))]
    kana = []
    for word in words:
        rest, text = word, ""
        while rest:
            size = next(k for k in (3, 2, 1) if rest[:k] in SYLLABLES)
            text, rest = text + SYLLABLES[rest[:size]], rest[size:]
        kana.append(text)
    return " ".join(words), "".join(kana)


CORPORA = {
    "thai-2000": (number(thai), 2000), "chinese-2000": (number(chinese), 2000),
    "arabic-20000": (number(arabic), 20_000), "german-200": (number(german), 200),
    "german-2000": (number(german), 2000), "dates-2000": (date, 2000),
    "transliteration-200": (transliteration, 200), "transliteration-20000": (transliteration, 20_000),
    "mixed-1000000": (lambda r: r.choice([date, transliteration])(r), 1_000_000),
}


def write(folder, make, pairs):
    r = random.Random(SEED)
    unique = {}
    for _ in range(20 * (pairs + 600)):
        source, target = make(r)
        unique.setdefault(source, target)
        if len(unique) == pairs + 600:
            break
    lines = list(unique.items())
    r.shuffle(lines)
    folder.mkdir(parents=True, exist_ok=True)
    for name, part in (("test", lines[:300]), ("valid", lines[300:600]), ("train", lines[600:])):
        for side, end in ((0, "src"), (1, "tgt")):
            (folder / f"{name}.{end}").write_text("".join(pair[side] + "\n" for pair in part), encoding="utf8")


def main():
    folder = Path(sys.argv[1])
    for name in sys.argv[2:] or CORPORA:
        write(folder / name, *CORPORA[name])
        print(folder / name)


if __name__ == "__main__":
    main()
