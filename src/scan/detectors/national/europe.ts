import { luhn } from "#core/checksums";
import {
  both,
  complement11,
  dated,
  ean,
  isDate,
  mod11And10,
  remainder,
  valueAt,
  verhoeff,
  weighted,
  weightedSum,
} from "#scan/check-digits";
import { document, type IdDocument } from "./document";

const same = (rest: number): number => rest % 10;

/** Yugoslavia's number, which its successor states kept. */
const jmbg = weighted([7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2], 11, complement11(0));

/** Estonia and Lithuania: a second row of weights where the first leaves 10. */
function baltic(text: string): boolean {
  const first = weightedSum(text, [1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11;
  const rest = first < 10 ? first : (weightedSum(text, [3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 11) % 10;
  return rest === valueAt(text, 10);
}

function belgian(text: string): boolean {
  const check = Number(text.slice(9));
  return [text.slice(0, 9), `2${text.slice(0, 9)}`].some((digits) => 97 - remainder(digits, 97) === check);
}

function czech(text: string): boolean {
  if (!isDate(4, (Number(text.slice(2, 4)) % 50) % 20, Number(text.slice(4, 6)))) return false;
  return (
    text.length === 9 || remainder(text, 11) === 0 || (remainder(text.slice(0, 9), 11) === 10 && text.endsWith("0"))
  );
}

/** The letter, its place in the alphabet as two digits, counts like the digits around it. */
function germanPension(text: string): boolean {
  const letter = `${text.charCodeAt(8) - 64}`.padStart(2, "0");
  const digits = text.slice(0, 8) + letter + text.slice(9, 11);
  const weights = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1];
  const sum = weights.reduce((all, weight, i) => {
    const product = weight * valueAt(digits, i);
    return all + Math.floor(product / 10) + (product % 10);
  }, 0);
  return sum % 10 === valueAt(text, 11);
}

/** A letter as two digits, then Luhn's weights from the left. */
function germanInsured(text: string): boolean {
  const digits = `${text.charCodeAt(0) - 64}`.padStart(2, "0") + text.slice(1, 9);
  const sum = [...digits].reduce((all, digit, i) => {
    const product = Number(digit) * (i % 2 === 0 ? 1 : 2);
    return all + (product > 9 ? product - 9 : product);
  }, 0);
  return sum % 10 === valueAt(text, 9);
}

function spanish(text: string): boolean {
  const digits = text.replace(/^[XYZ]/, (letter) => `${"XYZ".indexOf(letter)}`).replace(/^[KLM]/, "");
  return "TRWAGMYFPDXBNJZSQVHLCKE".charAt(Number(digits.slice(0, -1)) % 23) === text.slice(-1);
}

function spanishCompany(text: string): boolean {
  let sum = 0;
  for (let i = 1; i < 8; i++) {
    const value = valueAt(text, i) * (i % 2 === 1 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  const check = (10 - (sum % 10)) % 10;
  return text.endsWith(`${check}`) || text.endsWith("JABCDEFGHI".charAt(check));
}

function finnish(text: string): boolean {
  const digits = text.slice(0, 6) + text.slice(-4, -1);
  return "0123456789ABCDEFHJKLMNPRSTUVWXY".charAt(Number(digits) % 31) === text.slice(-1);
}

function french(text: string): boolean {
  const number = text.replace("2A", "19").replace("2B", "18");
  return 97 - remainder(number.slice(0, 13), 97) === Number(number.slice(13));
}

function irish(text: string): boolean {
  const extra = text.length > 8 ? text.charCodeAt(8) - 64 : 0;
  const sum = weightedSum(text, [8, 7, 6, 5, 4, 3, 2]) + 9 * (extra === 23 ? 0 : extra);
  return "WABCDEFGHIJKLMNOPQRSTUV".charAt(sum % 23) === text.charAt(7);
}

const ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

export function italian(text: string): boolean {
  let sum = 0;
  for (let i = 0; i < 15; i++) {
    const value = valueAt(text, i) % 10;
    const place = valueAt(text, i) < 10 ? value : text.charCodeAt(i) - 65;
    sum += i % 2 === 0 ? (ODD[place] ?? 0) : place;
  }
  return sum % 26 === text.charCodeAt(15) - 65;
}

const dutch = (text: string): boolean => weightedSum(text, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0;

const norwegian = both(
  weighted([3, 7, 6, 1, 8, 9, 4, 5, 2], 11, complement11(-1)),
  weighted([5, 4, 3, 2, 7, 6, 5, 4, 3, 2], 11, complement11(-1)),
);

/** Letters count 10 to 35, every second from the right is doubled. */
function portugueseCard(text: string): boolean {
  let sum = 0;
  for (let i = 0; i < 12; i++) {
    const value = valueAt(text, i) * (i % 2 === 0 ? 2 : 1);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}

const russian = both(
  weighted([7, 2, 4, 10, 3, 5, 9, 4, 6, 8], 11, same),
  weighted([3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8], 11, same),
);

function turkish(text: string): boolean {
  const odd = weightedSum(text, [1, 0, 1, 0, 1, 0, 1, 0, 1]);
  const even = weightedSum(text, [0, 1, 0, 1, 0, 1, 0, 1]);
  const tenth = (((odd * 7 - even) % 10) + 10) % 10;
  return valueAt(text, 9) === tenth && valueAt(text, 10) === (odd + even + tenth) % 10;
}

function greekTax(text: string): boolean {
  return (weightedSum(text, [256, 128, 64, 32, 16, 8, 4, 2]) % 11) % 10 === valueAt(text, 8);
}

const DIGITS = /^\d+$/;

/** Identity numbers of Europe. Sources: the offices that give them out, and the EU's TIN portal. */
export const EUROPE: readonly IdDocument[] = [
  document("national_id.al", "nipt|nid shqiptar", 10, /^[A-M0-9]\d{8}[A-W]$/),
  document("national_id.at", "vsnr|svnr|vnr|sozialversicherungsnummer|sv-nummer", 10, DIGITS, (text) => {
    const rest = weightedSum(text, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11;
    return rest === valueAt(text, 3);
  }),
  document("tax_id.at", "abgabenkontonummer|steuernummer", 9, DIGITS),
  document("national_id.ba", "jmbg|matični broj|матични број", 13, DIGITS, jmbg),
  document(
    "national_id.be",
    "insz|niss|rijksregisternummer|registre national|numéro national|nn|bis",
    11,
    DIGITS,
    belgian,
  ),
  document(
    "national_id.bg",
    "egn|егн|единен граждански номер",
    10,
    DIGITS,
    weighted([2, 4, 8, 5, 10, 9, 7, 3, 6], 11, same),
  ),
  document("national_id.bg", "pnf|lnch|лнч", 10, DIGITS, weighted([21, 19, 17, 13, 11, 9, 7, 3, 1], 10, same)),
  document("tax_id.by", "unp|унп", 9, /^[A-Z]{0,2}\d{7,9}$/),
  document("national_id.ch", "ahv|avs|ahv-nummer|ssn|navs|numero avs", 13, /^756/, ean),
  document("national_id.cz", "rodné číslo|rodne cislo|rč|rc", [9, 10], DIGITS, czech),
  document(
    "tax_id.de",
    "idnr|steuer-id|steuer-idnr|steueridentifikationsnummer|steuerliche identifikationsnummer|steuer-identifikationsnummer",
    11,
    /^[1-9]/,
    mod11And10,
  ),
  document("tax_id.de", "steuernummer|steuer-nr|stnr|st.-nr|st-nr|str.-nr", [10, 11, 12, 13], DIGITS),
  document(
    "national_id.de",
    "svnr|rvnr|sozialversicherungsnummer|rentenversicherungsnummer|versicherungsnummer",
    12,
    /^\d{8}[A-Z]\d{3}$/,
    germanPension,
  ),
  document(
    "national_id.de",
    "personalausweis|personalausweisnummer|ausweisnummer|ausweis-nr|pwnr",
    [9, 10, 11, 24, 25, 26, 27],
    /^[CFGHJKLMNPRTVWXYZ\d]{9}(?:\d?D?|\d?D?\d{14}D?\d?)$/,
  ),
  document("national_id.dk", "cpr|cpr-nummer|personnummer", 10, DIGITS, dated(0, "dmy")),
  document("national_id.ee", "isikukood|ik", 11, /^[1-8]/, baltic),
  document("national_id.es", "dni|nif|nie|documento nacional de identidad", 9, /^[\dXYZKLM]\d{7}[A-Z]$/, spanish),
  document("tax_id.es", "cif|nif|vat", 9, /^[ABCDEFGHJNPQRSUVW]\d{7}[0-9A-J]$/, spanishCompany),
  document(
    "national_id.es",
    "nuss|número de la seguridad social|numero de afiliacion|nss",
    [11, 12],
    DIGITS,
    (text) => {
      const body = text.slice(0, -2);
      return remainder(body, 97) === Number(text.slice(-2));
    },
  ),
  document("national_id.fi", "hetu|henkilötunnus|personbeteckning", [10, 11], /^\d{6}[A-FU-Y]?\d{3}[0-9A-Y]$/, finnish),
  document(
    "national_id.fr",
    "nir|insee|numéro de sécurité sociale|n° de sécu|sécurité sociale|carte vitale",
    15,
    /^[1-478]\d{5}[\dAB]\d{8}$/,
    french,
  ),
  document("national_id.fr", "nir", 13, /^[1-478]\d{5}[\dAB]\d{6}$/),
  document(
    "tax_id.fr",
    "nif|spi|numéro fiscal|numéro de référence fiscale",
    13,
    /^[0-3]/,
    (text) => Number(text.slice(0, 10)) % 511 === Number(text.slice(10)),
  ),
  document(
    "national_id.gb",
    "nino|national insurance|ni number|nat ins",
    [8, 9],
    /^(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]\d{6}[A-D]?$/,
  ),
  document(
    "tax_id.gb",
    "utr|unique taxpayer|self assessment",
    10,
    DIGITS,
    (text) => "21987654321".charAt(weightedSum(text, [0, 6, 7, 8, 9, 10, 5, 4, 3, 2]) % 11) === text.charAt(0),
  ),
  document(
    "health_id.gb",
    "nhs|nhs number|nhs no",
    10,
    DIGITS,
    weighted([10, 9, 8, 7, 6, 5, 4, 3, 2], 11, complement11(-1)),
  ),
  document("national_id.gr", "amka|αμκα", 11, DIGITS, luhn),
  document("national_id.gr", "αδτ|ταυτότητα|adt", 8, /^[A-ZΑ-Ω]{2}\d{6}$/),
  document("tax_id.gr", "afm|αφμ", 9, DIGITS, greekTax),
  document("national_id.hr", "oib", 11, DIGITS, mod11And10),
  document("tax_id.hu", "adóazonosító|adoazonosito jel|adószám|anum", [8, 10, 11], DIGITS),
  document("national_id.hu", "taj|taj szám|személyi szám|személyi igazolvány", [8, 9, 11], /^\d{6,}[A-Z]{0,2}$/),
  document("national_id.ie", "pps|ppsn|personal public service", [8, 9], /^\d{7}[A-W][A-IW]?$/, irish),
  document("national_id.is", "kennitala|kt", 10, DIGITS, weighted([3, 2, 7, 6, 5, 4, 3, 2], 11, complement11(-1))),
  document(
    "national_id.it",
    "codice fiscale|cf|c.f.|cod. fisc",
    16,
    /^[A-Z]{6}[\dL-V]{2}[A-EHLMPRST][\dL-V]{2}[A-Z][\dL-V]{3}[A-Z]$/,
    italian,
  ),
  document("tax_id.it", "partita iva|p. iva|p.iva|iva", 11, DIGITS, luhn),
  document(
    "national_id.it",
    "carta d'identità|carta d'identita|carta identità",
    9,
    /^[A-Z]{2}\d{5}[A-Z]{2}$|^[A-Z]{2}\d{7}$/,
  ),
  document("tax_id.li", "peid", [11, 12], DIGITS),
  document("national_id.lt", "asmens|asmens kodas", 11, /^[1-8]/, baltic),
  document(
    "national_id.lu",
    "matricule|numéro d'identification national",
    13,
    DIGITS,
    (text) => luhn(text.slice(0, 12)) && verhoeff(text.slice(0, 11) + text.slice(12)),
  ),
  document("national_id.lv", "personas kods|pvn|personas kodas", 11, DIGITS),
  document("national_id.mk", "embg|ембг|единствен матичен", 13, DIGITS, jmbg),
  document("national_id.mt", "karta tal-identità|id card malta", 8, /^\d{3,7}[MGAPLHBZ]$/),
  document("national_id.nl", "bsn|burgerservicenummer|sofinummer|sofi-nummer|onderwijsnummer", 9, DIGITS, dutch),
  document("national_id.no", "fødselsnummer|fodselsnummer|fnr|d-nummer|personnummer", 11, DIGITS, norwegian),
  document("national_id.pl", "pesel|nr pesel", 11, DIGITS, weighted([9, 7, 3, 1, 9, 7, 3, 1, 9, 7], 10, same)),
  document(
    "tax_id.pl",
    "nip",
    10,
    DIGITS,
    weighted([6, 5, 7, 2, 3, 4, 5, 6, 7], 11, (rest) => rest),
  ),
  document("tax_id.pl", "regon", 9, DIGITS, weighted([8, 9, 2, 3, 4, 5, 6, 7], 11, same)),
  document(
    "national_id.pl",
    "dowód osobisty|nr dowodu|numer dowodu",
    9,
    /^[A-Z]{3}\d{6}$/,
    (text) => weightedSum(text, [7, 3, 1, 9, 7, 3, 1, 7, 3]) % 10 === 0,
  ),
  document("national_id.pt", "cc|cartão de cidadão|bilhete de identidade", 12, /^\d{9}[A-Z\d]{2}\d$/, portugueseCard),
  document(
    "tax_id.pt",
    "nif|contribuinte|nipc",
    9,
    DIGITS,
    weighted([9, 8, 7, 6, 5, 4, 3, 2], 11, (rest) => (rest < 2 ? 0 : 11 - rest)),
  ),
  document(
    "national_id.ro",
    "cnp|cif|cod numeric personal",
    13,
    /^[1-9]/,
    weighted([2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9], 11, (rest) => (rest === 10 ? 1 : rest)),
  ),
  document(
    "tax_id.ro",
    "cui|cif|cod fiscal",
    [6, 7, 8, 9, 10],
    DIGITS,
    (text) =>
      ((weightedSum(text.padStart(10, "0"), [7, 5, 3, 2, 1, 7, 5, 3, 2]) * 10) % 11) % 10 === Number(text.slice(-1)),
  ),
  document("national_id.rs", "jmbg|јмбг|матични број", 13, DIGITS, jmbg),
  document("tax_id.ru", "inn|инн", 12, DIGITS, russian),
  document("tax_id.ru", "inn|инн", 10, DIGITS, weighted([2, 4, 10, 3, 5, 9, 4, 6, 8], 11, same)),
  document(
    "national_id.ru",
    "snils|снилс",
    11,
    DIGITS,
    (text) => (weightedSum(text, [9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101) % 100 === Number(text.slice(9)),
  ),
  document("national_id.se", "personnummer|samordningsnummer|pnr|personnr", [10, 12], DIGITS, (text) =>
    luhn(text.slice(-10)),
  ),
  document("national_id.si", "emšo|emso", 13, DIGITS, jmbg),
  document("tax_id.si", "davčna|davčna številka", 8, DIGITS, weighted([8, 7, 6, 5, 4, 3, 2], 11, complement11(0))),
  document("national_id.sk", "rodné číslo|rodne cislo", [9, 10], DIGITS, czech),
  document("national_id.tr", "tckn|tckimlik|kimlik|kimlik no|t.c. kimlik|tc no|vatandaşlık", 11, /^[1-9]/, turkish),
  document("tax_id.tr", "vkn|vergi|vergi no|vergi kimlik", 10, DIGITS),
  document(
    "tax_id.ua",
    "rntrc|рнокпп|іпн|ідентифікаційний код",
    10,
    DIGITS,
    (text) => (((weightedSum(text, [-1, 5, 7, 9, 4, 6, 10, 5, 7]) % 11) + 11) % 11) % 10 === valueAt(text, 9),
  ),
  document(
    "health_id.de",
    "kvnr|krankenversichertennummer|krankenversichertennr|versichertennummer",
    10,
    /^[A-Z]\d{9}$/,
    germanInsured,
  ),
  document("national_id.md", "idnp", 13, /^[0-2]/, weighted([7, 3, 1, 7, 3, 1, 7, 3, 1, 7, 3, 1], 10, same)),
  document("health_id.it", "tessera sanitaria|team", 20, /^80380\d+$/),
  document("health_id.es", "tarjeta sanitaria|cip|sip", [10, 14, 16], /^(?:[A-Z]{4})?\d{10,12}$/),
  document("national_id.cz", "občanský průkaz|číslo op", [8, 9], DIGITS),
];
