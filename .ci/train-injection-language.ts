import { fold } from "#scan/fold/normalize";

const SCRIPTS: readonly (readonly [string, RegExp])[] = [
  ["ja", /[\u3040-\u30ff]/g],
  ["ko", /[\uac00-\ud7a3]/g],
  ["zh", /[\u4e00-\u9fff]/g],
  ["ru", /[\u0400-\u04ff]/g],
  ["ar", /[\u0600-\u06ff]/g],
];
/** Share of a text's units that a script needs to decide. */
const SCRIPT_SHARE = 0.2;

/** Common words that a text needs, and their share of it: less says nothing, as in disguised texts. */
const LEAST_WORDS = 2;
const WORD_SHARE = 0.15;

/** Short words of which each language is full and the others are not. Accents folded away. */
const COMMON: readonly (readonly [string, string])[] = [
  ["en", "the of to and is you your that for with are what how this from have not can my in as me it on"],
  ["de", "der die das und ist du ich nicht ein eine wie mit auf fur von zu den dein deine dir im sie mir sich uber"],
  ["fr", "le la les des est et vous tu une pour dans je que qui tes vos sur pas avec mes moi quel ton d'un en du"],
  ["es", "el los las una es y que de por para con tu mi como del se lo sus tus mis me en al no cual"],
  ["it", "il gli una e di che per con del non tuo tua le un sono come mi della tue dei su in mia mio i questo"],
  ["pt", "o os as uma e de que para com voce do da em seu sua nao um meu minha por no na seus suas teu tuas ao"],
  ["nl", "de het een en van is je dat niet met voor op ik wat hoe zijn te jouw mijn er aan"],
  ["pl", "i w nie na jest sie z do to jak co moj swoje twoje czy o mi jesli wszystkie"],
  ["tr", "bir ve bu ne icin ile mi da de nasil bana var ben sen"],
  ["sv", "och att det som en jag du ar inte pa med av min ditt"],
];
const WORDS = COMMON.map(([language, list]) => [language, new Set(list.split(" "))] as const);

/** The language of a text by its script and its short words; "other" where these say too little. */
export function languageOf(text: string): string {
  // Folded, since attacks are disguised by look-alikes of other scripts.
  const start = fold(text.slice(0, 2000)).text;
  const letters = start.replaceAll(/[\s\d\p{P}]/gu, "").length;
  for (const [language, letter] of SCRIPTS) {
    if ((start.match(letter)?.length ?? 0) > letters * SCRIPT_SHARE) return language;
  }
  const words = start.toLowerCase().split(/[^\p{L}']+/u);
  let best = { language: "other", count: 0 };
  for (const [language, common] of WORDS) {
    const count = words.filter((word) => common.has(word)).length;
    if (count > best.count) best = { language, count };
  }
  return best.count >= LEAST_WORDS && best.count > words.length * WORD_SHARE ? best.language : "other";
}
