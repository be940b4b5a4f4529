"""Trains a model on lists of sentences, and shows its BLEU and a picture of its attention.

    python train_and_translate.py [FOLDER]

The sentences are generated: numbers in English and German, where the ones come before the tens ("forty-two" is
"zweiundvierzig"), so that the attention shows reordering. It takes less than a minute on two cores.
"""

from __future__ import annotations

import pathlib
import random
import sys
import tempfile

import hexapla

ONES = {1: ("one", "ein"), 2: ("two", "zwei"), 3: ("three", "drei"), 4: ("four", "vier"), 5: ("five", "fünf"),
        6: ("six", "sechs"), 7: ("seven", "sieben"), 8: ("eight", "acht"), 9: ("nine", "neun")}
TENS = {2: ("twenty", "zwanzig"), 3: ("thirty", "dreißig"), 4: ("forty", "vierzig"), 5: ("fifty", "fünfzig"),
        6: ("sixty", "sechzig"), 7: ("seventy", "siebzig"), 8: ("eighty", "achtzig"), 9: ("ninety", "neunzig")}


def below_hundred(n: int) -> tuple[str, str]:
    """English and German words for regular numbers: 1 to 9, and 20 to 99."""
    tens, ones = divmod(n, 10)
    if tens == 0:
        return ONES[ones]
    if ones == 0:
        return TENS[tens]
    return f"{TENS[tens][0]}-{ONES[ones][0]}", f"{ONES[ones][1]} und {TENS[tens][1]}"


def number(draw: random.Random) -> tuple[str, str]:
    """A random number up to 999,999 in words."""
    parts = [below_hundred(draw.choice([*range(1, 10), *range(20, 100)])) for _ in range(3)]
    hundreds = ONES[draw.randint(1, 9)]
    english = f"{parts[0][0]} thousand {hundreds[0]} hundred and {parts[1][0]}"
    german = f"{parts[0][1]} tausend {hundreds[1]} hundert {parts[1][1]}"
    return english, german


def main() -> None:
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
    draw = random.Random(1)
    pairs = sorted({number(draw) for _ in range(4000)})
    draw.shuffle(pairs)
    training, validation, test = pairs[400:], pairs[:200], pairs[200:400]

    trainer = hexapla.Trainer(model=folder / "run", preset="tiny", enc_layers=2, dec_layers=2, dim_model=64,
                              dim_ff=128, heads=2, vocab_size=90, batch_tokens=2000, lr=0.004, warmup=100,
                              dropout=0.0, max_updates=300, report_every=100, valid_every=150)
    trainer.train(training, validation,
                  on_report=lambda r: print(f"update {r.update}: loss {r.loss:.2f}, "
                                            f"{r.tokens_per_second:,.0f} tokens a second"),
                  on_validation=lambda v: print(f"validation: BLEU {v.bleu:.1f}"))

    translator = hexapla.Translator(folder / "run")
    sources, references = [english for english, _ in test], [german for _, german in test]
    translations = translator.translate(sources)
    for source, translation in list(zip(sources, translations))[:3]:
        print(f"{source} -> {translation}")
    print(hexapla.evaluate(translations, references, ["bleu"])["bleu"])

    picture = hexapla.Inspector(folder / "run").inspect(sources[0]).attention()
    picture.save(folder / "attention.svg")
    print(f"the attention is drawn in {folder / 'attention.svg'}")


if __name__ == "__main__":
    main()
