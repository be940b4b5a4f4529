// Sentences to begin with, in the languages that a model may read.
import { is_known } from "../dom.js";

const SENTENCES = {
  en: ["A man in a blue shirt is standing on a ladder cleaning a window.", "An old man sits on a bench and feeds the birds.",
    "A dog runs after a ball on the beach.", "Two children are playing because the sun is shining."],
  de: ["Ein Mann in einem blauen Hemd steht auf einer Leiter und putzt ein Fenster.", "Ein alter Mann sitzt auf einer Bank und füttert die Vögel.",
    "Ein Hund läuft am Strand einem Ball hinterher.", "Zwei Kinder spielen, weil die Sonne scheint."],
  fr: ["Un homme en chemise bleue nettoie une fenêtre.", "Un vieil homme est assis sur un banc et nourrit les oiseaux.",
    "Un chien court après une balle sur la plage.", "Deux enfants jouent parce que le soleil brille."],
  es: ["Un hombre con una camisa azul limpia una ventana.", "Un anciano está sentado en un banco y da de comer a los pájaros.",
    "Un perro corre tras una pelota en la playa.", "Dos niños juegan porque brilla el sol."],
  it: ["Un uomo con una camicia blu pulisce una finestra.", "Un vecchio siede su una panchina e dà da mangiare agli uccelli.",
    "Un cane corre dietro a una palla sulla spiaggia.", "Due bambini giocano perché splende il sole."],
  pt: ["Um homem de camisa azul limpa uma janela.", "Um velho está sentado num banco e alimenta os pássaros.",
    "Um cão corre atrás de uma bola na praia.", "Duas crianças brincam porque o sol brilha."],
  nl: ["Een man in een blauw overhemd maakt een raam schoon.", "Een oude man zit op een bank en voert de vogels.",
    "Een hond rent op het strand achter een bal aan.", "Twee kinderen spelen omdat de zon schijnt."],
  cs: ["Muž v modré košili myje okno.", "Starý muž sedí na lavičce a krmí ptáky.", "Pes běží po pláži za míčem.", "Dvě děti si hrají, protože svítí slunce."],
  pl: ["Mężczyzna w niebieskiej koszuli myje okno.", "Stary człowiek siedzi na ławce i karmi ptaki.", "Pies biegnie za piłką po plaży.", "Dwoje dzieci bawi się, bo świeci słońce."],
  ru: ["Мужчина в синей рубашке моет окно.", "Старик сидит на скамейке и кормит птиц.", "Собака бежит за мячом по пляжу.", "Двое детей играют, потому что светит солнце."],
  zh: ["一个穿蓝衬衫的男人站在梯子上擦窗户。", "一位老人坐在长椅上喂鸟。", "一只狗在沙滩上追球。", "因为出太阳了，两个孩子在玩耍。"],
  ja: ["青いシャツを着た男性が窓を拭いています。", "老人がベンチに座って鳥に餌をやっています。", "犬が浜辺でボールを追いかけています。", "天気がいいので、子供が二人遊んでいます。"],
  ar: ["رجل يرتدي قميصا أزرق ينظف نافذة.", "رجل عجوز يجلس على مقعد ويطعم الطيور.", "كلب يركض خلف كرة على الشاطئ.", "يلعب طفلان لأن الشمس مشرقة."],
};
const DATES = ["friday, the 28th of august 2026", "may 3, 1999"];  // which the model of `hexapla demo` translates

// Four sentences; none for a language without examples.
export function examples_of(language) {
  if (!is_known(language)) return [DATES[0], SENTENCES.en[0], DATES[1], SENTENCES.en[1]];
  const code = language.split(/[-_]/)[0].toLowerCase();
  return Object.hasOwn(SENTENCES, code) ? SENTENCES[code] : [];
}
