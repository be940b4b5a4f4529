# Writes N made-up pairs, source TAB target: numbers in English and German words, where the ones come before the tens.
# Usage: awk -v n=N -f numbers.awk
function draw(limit) { x = (x * 16807) % 2147483647; return x % limit + 1 }

BEGIN {
  split("one two three four five six seven eight nine", ones)
  split("ein zwei drei vier fünf sechs sieben acht neun", eins)
  split("twenty thirty forty fifty sixty seventy eighty ninety", tens)
  split("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig", zehner)
  for (x = 1; n > 0; --n) {
    thousands = draw(9); hundreds = draw(9); ten = draw(8); one = draw(9)
    print ones[thousands] " thousand " ones[hundreds] " hundred and " tens[ten] "-" ones[one] "\t" \
      eins[thousands] " tausend " eins[hundreds] " hundert " eins[one] " und " zehner[ten]
  }
}
