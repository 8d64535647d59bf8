import { fold } from "#scan/fold/normalize";
import { once } from "#scan/fold/once";

/**
 * Words that announce a telephone number, and the countries whose national forms they may lead to: in one language a
 * number of ten digits is a telephone's, in another an order's.
 */
const ANNOUNCED: readonly (readonly [words: string, regions: string])[] = [
  [
    "durchwahl|festnetz|rufnummer|erreichen (?:sie )?(?:mich|uns) unter|erreichbar unter|ruf(?:en sie)? mich an|anrufen unter",
    "DE AT CH",
  ],
  ["joindre au|joignable au|appelez|appeler au|appelle[- ]moi|fixe|gsm|tel", "FR BE CH LU"],
  ["llama(?:me|dme|nos|r) al|llame al|llamenos|fijo|movil", "ES MX AR CO CL PE"],
  ["chiama(?:mi|teci|re) al|recapito|cellulare|fisso", "IT CH"],
  ["telemovel|telefone|ligue para|ligar para|liga-me|celular|contacto", "PT BR"],
  ["telefoon|mobiel|bel (?:me|mij|ons)(?: op)?|gsm", "NL BE"],
  ["komork[aie]|tel\\. ?kom|zadzwon(?: do mnie)?|dzwonic", "PL"],
  ["телефон|тел|моб|мобильный|сотовый|звоните|позвоните", "RU KZ UA BY"],
  ["座机|座機|手机|手機|微信同号|热线|电话|電話", "CN TW HK"],
  ["連絡先|携帯|電話", "JP"],
  ["핸드폰|휴대폰|연락처|전화", "KR"],
  ["τηλ|τηλέφωνο|κινητό", "GR CY"],
  ["telefonu?|cep tel(?:efonu)?", "TR"],
];

const LATIN = /^[\p{ASCII}]+$/u;

/** The text before a number is folded, so the words are, too. */
const compiled = once(() => {
  const each = ANNOUNCED.map(([words, regions]) => {
    // Scripts without capitals of ASCII have no `\b` of their own.
    const source = LATIN.test(words)
      ? `\\b(?:${fold(words).text})\\b`
      : `(?:${fold(words).text}|${fold(words.toUpperCase()).text})`;
    return { source, words: new RegExp(source, "i"), regions: regions.split(" ") };
  });
  return { each, all: new RegExp(each.map(({ source }) => source).join("|"), "i") };
});

/** The countries whose words for a telephone stand in the text before a number. Most numbers have none there. */
export function regionsAnnounced(before: string): readonly string[] {
  const { each, all } = compiled();
  return all.test(before) ? each.flatMap(({ words, regions }) => (words.test(before) ? regions : [])) : [];
}
