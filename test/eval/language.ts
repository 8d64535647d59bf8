/** Languages told apart by their commonest words, in Latin script. A word of several counts for each. */
const WORDS: Readonly<Record<string, string>> = {
  en: "the and of to is in that for you with this it are what how your not be on from have i was at which please",
  de: "der die das und ist nicht ein eine einen zu mit auf für wie ich sie es den von im bitte des dem wird sind",
  fr: "le la les et est une un des que pour dans vous je qui sur pas avec ce du ne plus au ou cette comment",
  es: "el la los las y es una un que para en con por del se lo como su mi este cómo más qué al esta tu",
  it: "il lo gli e è una un che per di non con sono del della come mi questo più nel alla ho si le una dei",
  pt: "o os as e é uma um que para em com por não do da no na se como você mais dos das ao isso seu",
  nl: "de het een en is van niet dat voor op met te in zijn ik je aan hoe die er wat deze naar ook",
  pl: "i w nie na się jest z do to że jak co od po dla czy o ale przez ten który proszę mi jako",
  sv: "och att det är en som på för med inte av till den jag har ett om du kan hur från",
  da: "og at det er en som på for med ikke af til den jeg har et om du kan hvordan fra",
  tr: "ve bir bu için ile ne da de mi nasıl çok olarak daha var değil gibi ben sen bana şu",
  fi: "ja on ei että se joka kun mutta niin olen voit miten mitä ovat tämä kanssa tai mikä",
  cs: "a je se na v že to s z do jak ale pro co jsem by není aby které jako při",
  id: "yang dan di untuk dengan ini itu dari pada tidak saya adalah akan ke bagaimana apa anda dalam",
  vi: "và của là có một không cho với tôi được những các trong này người khi như để",
  ro: "și este de la un o care nu pe în cu pentru din ce mai sunt să cum",
};

/** Scripts that tell the language, or nearly; the first that holds a third of the letters counts. */
const SCRIPTS: readonly (readonly [lang: string, script: RegExp])[] = [
  ["ja", /[\u3040-\u30ff]/g],
  ["ko", /[\uac00-\ud7af\u1100-\u11ff]/g],
  ["zh", /[\u3400-\u9fff]/g],
  ["ru", /[\u0400-\u04ff]/g],
  ["ar", /[\u0600-\u06ff]/g],
  ["he", /[\u0590-\u05ff]/g],
  ["el", /[\u0370-\u03ff]/g],
  ["hi", /[\u0900-\u097f]/g],
  ["th", /[\u0e00-\u0e7f]/g],
];

/** Of Japanese, kana stand between Chinese characters: fewer of them tell. */
const KANA_SHARE = 0.1;
const SCRIPT_SHARE = 1 / 3;
/** Units of a text that are looked at. */
const MAX_LOOKED = 4_000;
/** Below these nothing is said: so many different common words, and their share of all words. A word of several languages is shared between them. */
const MIN_WORDS = 1.5;
const MIN_SHARE = 0.08;

/** The language was not told, or the text has none: code, keys, numbers. */
export const UNKNOWN_LANGUAGE = "–";

const COMMON: ReadonlyMap<string, readonly string[]> = languagesByWord();

function languagesByWord(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [lang, words] of Object.entries(WORDS)) {
    for (const word of words.split(" ").filter(({ length }) => length > 1))
      found.set(word, [...(found.get(word) ?? []), lang]);
  }
  return found;
}

/** A two-letter code by script and common words: right for most sentences, for no single word. */
export function languageOf(text: string): string {
  const looked = text.slice(0, MAX_LOOKED).toLowerCase();
  const letters = looked.match(/\p{L}/gu)?.length ?? 0;
  if (letters === 0) return UNKNOWN_LANGUAGE;
  for (const [lang, script] of SCRIPTS) {
    const own = looked.match(script)?.length ?? 0;
    if (own / letters > (lang === "ja" ? KANA_SHARE : SCRIPT_SHARE)) return lang;
  }
  return byWords(looked.match(/\p{L}+/gu) ?? []);
}

function byWords(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of new Set(words)) {
    const langs = COMMON.get(word) ?? [];
    for (const lang of langs) counts.set(lang, (counts.get(lang) ?? 0) + 1 / langs.length);
  }
  const [best, second] = [...counts].sort(([, one], [, other]) => other - one);
  if (!best || best[1] < MIN_WORDS || best[1] / new Set(words).size < MIN_SHARE) return UNKNOWN_LANGUAGE;
  return second && second[1] === best[1] ? UNKNOWN_LANGUAGE : best[0];
}
