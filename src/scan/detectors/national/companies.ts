import { luhn } from "#core/checksums";
import { complement11, mod11And10, remainder, twoRows, valueAt, weighted, weightedSum } from "#scan/check-digits";
import { document, type IdDocument } from "./document";

const DIGITS = /^\d+$/;
const divides = (weights: readonly number[], modulus: number) => (text: string) =>
  weightedSum(text, weights) % modulus === 0;

/** Luhn's sum and four more; the check digit stands before the rest so that it is not doubled. */
const austrian = (text: string): boolean => luhn(`${(valueAt(text, 8) + 4) % 10}0${text.slice(1, 8)}`);

function belgian(text: string): boolean {
  const padded = text.padStart(10, "0");
  return 97 - remainder(padded.slice(0, 8), 97) === Number(padded.slice(8));
}

const CYPRIOT_ODD = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21];

function cypriot(text: string): boolean {
  let sum = 0;
  for (let i = 0; i < 8; i++) sum += i % 2 === 0 ? (CYPRIOT_ODD[valueAt(text, i)] ?? 0) : valueAt(text, i);
  return sum % 26 === valueAt(text, 8) - 10;
}

const czech = weighted([8, 7, 6, 5, 4, 3, 2], 11, (rest) => (11 - rest) % 10);

function french(text: string): boolean {
  const [key, siren] = [text.slice(0, 2), text.slice(2)];
  return !DIGITS.test(key) || remainder(`${siren}12`, 97) === Number(key);
}

/** 55 is added to those given out since 2009. */
function british(text: string): boolean {
  const sum = weightedSum(text, [8, 7, 6, 5, 4, 3, 2, 10, 1]);
  return [0, 42, 55].includes(sum % 97);
}

/** Sole traders have numbers of their own, which all of the text's 14 characters check. */
function dutch(text: string): boolean {
  const whole = [...`NL${text}`].map((char) => valueAt(char, 0)).join("");
  return weightedSum(text, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0 || remainder(whole, 97) === 1;
}

const lithuanian = twoRows([1, 2, 3, 4, 5, 6, 7, 8], [3, 4, 5, 6, 7, 8, 9, 1]);
const norwegian = weighted([3, 2, 7, 6, 5, 4, 3, 2], 11, complement11(-1));
const swiss = (text: string): boolean => weighted([5, 4, 3, 2, 7, 6, 5, 4], 11, complement11(-1))(text.slice(3));

/** Numbers from thirty to sixty millions have their weights in another order. */
function ukrainian(text: string): boolean {
  const first = [1, 2, 3, 4, 5, 6, 7];
  const weights = text >= "30000000" && text <= "60000000" ? [7, 1, 2, 3, 4, 5, 6] : first;
  return twoRows(
    weights,
    weights.map((weight) => weight + 2),
  )(text);
}

const CHINESE = "0123456789ABCDEFGHJKLMNPQRTUWXY";

function chinese(text: string): boolean {
  let sum = 0;
  let weight = 1;
  for (const char of text.slice(0, 17)) {
    sum += CHINESE.indexOf(char) * weight;
    weight = (weight * 3) % 31;
  }
  return (31 - (sum % 31)) % 31 === CHINESE.indexOf(text.charAt(17));
}

function japanese(text: string): boolean {
  return 9 - (weightedSum(text, [0, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1]) % 9) === valueAt(text, 0);
}

function korean(text: string): boolean {
  const sum = weightedSum(text, [1, 3, 7, 1, 3, 7, 1, 3, 5]) + Math.floor((valueAt(text, 8) * 5) / 10);
  return (10 - (sum % 10)) % 10 === valueAt(text, 9);
}

const uruguayan = weighted([4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2], 11, complement11(-1));
const moldovan = weighted([7, 3, 1, 7, 3, 1, 7, 3, 1, 7, 3, 1], 10, (rest) => rest);

/** Numbers of companies and of their value-added tax. Sources: the registers, and the EU's VIES. */
export const COMPANIES: readonly IdDocument[] = [
  document("company_id.ad", "nrt|registre tributari", 8, /^[ACDEFGLOPU]\d{6}[A-Z]$/),
  document("company_id.at", "uid|ust-id|ustid|atu", 9, /^U\d{8}$/, austrian),
  document("company_id.at", "firmenbuchnummer|firmenbuch|fn", [6, 7, 8, 9], /^(?:FN)?\d{5,6}[A-Z]$/),
  document("company_id.be", "btw|ondernemingsnummer|kbo|bce|numéro d'entreprise", [9, 10], DIGITS, belgian),
  document("company_id.bg", "ддс|еик|булстат|eik|bulstat", [9, 13], DIGITS, twoRows([1, 2, 3, 4, 5, 6, 7, 8])),
  document("company_id.ca", "bn|gst|hst", [9, 15], /^\d{9}(?:R[CMPTZ]\d{4})?$/, (text) => luhn(text.slice(0, 9))),
  document("company_id.ca", "qst|tvq", [10, 16], /^\d{10}(?:TQ\d{4})?$/),
  document("company_id.ch", "uid|mwst|mwst-nr", [12, 15, 16], /^CHE\d{9}(?:MWST|TVA|IVA)?$/, swiss),
  document(
    "company_id.cn",
    "统一社会信用代码|信用代码|uscc",
    18,
    /^[\dA-HJ-NP-RTUWXY]{2}\d{6}[\dA-HJ-NP-RTUWXY]{10}$/,
    chinese,
  ),
  document("company_id.cr", "cpj|cédula jurídica", 10, /^[2-5]\d{9}$/),
  document("company_id.cy", "φπα|αριθμός εγγραφής φπα", 9, /^\d{8}[A-Z]$/, cypriot),
  document("company_id.cz", "ičo|dič|ič|identifikační číslo", 8, DIGITS, czech),
  document(
    "company_id.de",
    "ust-id|ust-idnr|ust id|ust-id-nr|umsatzsteuer-identifikationsnummer|vat",
    9,
    DIGITS,
    mod11And10,
  ),
  document("company_id.de", "handelsregister|hrb|hra", [6, 7, 8, 9], /^HR[AB]\d{3,6}[A-Z]?$/),
  document("company_id.dk", "cvr|cvr-nr|se-nr|momsnr", 8, DIGITS, divides([2, 7, 6, 5, 4, 3, 2, 1], 11)),
  document("tax_id.dz", "nif", [15, 20], DIGITS),
  document("company_id.ee", "kmkr|käibemaksukohustuslase", 9, DIGITS, divides([3, 7, 1, 3, 7, 1, 3, 7, 1], 10)),
  document("company_id.ee", "registrikood", 8, DIGITS, twoRows([1, 2, 3, 4, 5, 6, 7])),
  document("tax_id.eg", "tn|الرقم الضريبي", 9, DIGITS),
  document("company_id.fi", "y-tunnus|alv|alv-numero|fo-nummer", 8, DIGITS, divides([7, 9, 10, 5, 8, 4, 2, 1], 11)),
  document("company_id.fo", "vinnutal|vn|v-tal", 6, DIGITS),
  document("company_id.fr", "siren", 9, DIGITS, luhn),
  document("company_id.fr", "siret", 14, DIGITS, (text) => luhn(text) || text.startsWith("356000000")),
  document(
    "company_id.fr",
    "tva|n° tva|n°tva|numéro de tva|tva intracommunautaire",
    11,
    /^[A-HJ-NP-Z\d]{2}\d{9}$/,
    french,
  ),
  document("company_id.gb", "vat|vat reg", [9, 12], DIGITS, british),
  document("company_id.gb", "company number|companies house|crn", 8, /^(?:[A-Z]{2}\d{6}|\d{8})$/),
  document("tax_id.gn", "nifp", 9, DIGITS, luhn),
  document(
    "company_id.hu",
    "adószám|cégjegyzékszám|közösségi adószám",
    [8, 11],
    DIGITS,
    divides([9, 7, 3, 1, 9, 7, 3, 1], 10),
  ),
  document("company_id.ie", "cbl|vat", [8, 9], /^\d[A-Z\d+*]\d{5}[A-W][A-I]?$/),
  document("company_id.il", "ח.פ|חפ|עוסק מורשה|מספר חברה", 9, /^5\d+$/, luhn),
  document("company_id.is", "vsk|vsk-númer", [5, 6], DIGITS),
  document("company_id.it", "rea", [8, 9], /^[A-Z]{2}\d{6,7}$/),
  document("company_id.jp", "法人番号|houjin bangou|corporate number|cn", 13, /^[1-9]\d+$/, japanese),
  document("company_id.kr", "brn|사업자등록번호|사업자 등록 번호", 10, DIGITS, korean),
  document("company_id.lt", "pvm|pvm kodas|įmonės kodas", 9, DIGITS, lithuanian),
  document(
    "company_id.lt",
    "pvm|pvm kodas",
    12,
    DIGITS,
    twoRows([1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2], [3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4]),
  ),
  document(
    "company_id.lu",
    "tva|n° tva|numéro de tva",
    8,
    DIGITS,
    (text) => Number(text.slice(0, 6)) % 89 === Number(text.slice(6)),
  ),
  document("company_id.ma", "ice|identifiant commun", [9, 15], DIGITS),
  document("company_id.md", "idno", 13, DIGITS, moldovan),
  document("company_id.me", "pib|пиб", 8, DIGITS, weighted([8, 7, 6, 5, 4, 3, 2], 11, complement11(0))),
  document("company_id.mk", "edb|едб", 13, DIGITS, weighted([7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2], 11, complement11(0))),
  document("company_id.mt", "vat", 8, DIGITS, divides([3, 4, 6, 7, 8, 9, 10, 1], 37)),
  document("company_id.nl", "btw|btw-nr|btw-nummer|omzetbelastingnummer", 12, /^\d{9}B\d\d$/, dutch),
  document("company_id.nl", "kvk|kvk-nummer|kamer van koophandel", [8, 12], DIGITS),
  document("company_id.no", "orgnr|organisasjonsnummer|mva", [9, 12], /^\d{9}(?:MVA)?$/, norwegian),
  document("tax_id.pk", "ntn", [7, 8], DIGITS),
  document("company_id.pl", "krs|regon", [10, 14], DIGITS),
  document("company_id.ro", "nrc|onrc|registrul comerţului", [8, 9, 10, 11, 12, 13, 14, 15], /^[JFC]\d{7,14}$/),
  document("company_id.rs", "pib|пиб", 9, DIGITS, mod11And10),
  document(
    "company_id.ru",
    "огрн|ogrn",
    13,
    DIGITS,
    (text) => (Number(text.slice(0, 12)) % 11) % 10 === valueAt(text, 12),
  ),
  document(
    "company_id.ru",
    "огрнип|ogrnip",
    15,
    DIGITS,
    (text) => (Number(text.slice(0, 14)) % 13) % 10 === valueAt(text, 14),
  ),
  document("company_id.se", "orgnr|organisationsnummer|org nr", 10, DIGITS, luhn),
  document("company_id.se", "momsnr|momsregistreringsnummer|moms", 12, /^\d{10}01$/, (text) => luhn(text.slice(0, 10))),
  document("company_id.si", "ddv|id za ddv", 8, DIGITS, weighted([8, 7, 6, 5, 4, 3, 2], 11, complement11(0))),
  document("company_id.sk", "ič dph|dph|ičo|dič", [8, 10], DIGITS, (text) =>
    text.length === 10 ? remainder(text, 11) === 0 : czech(text),
  ),
  document("company_id.sm", "coe", [5, 6], DIGITS),
  document("company_id.tn", "mf|matricule fiscal", [8, 13], /^\d{7}[A-Z](?:[A-Z]{2}\d{3})?$/),
  document("company_id.tw", "ubn|ban|統一編號|統編", 8, DIGITS),
  document("company_id.ua", "єдрпоу|edrpou|ідентифікаційний код", 8, DIGITS, ukrainian),
  document("company_id.uy", "rut", 12, DIGITS, uruguayan),
  document("company_id.za", "vat", 10, /^4\d+$/),
  document("bank_account.ar", "cbu|cvu|clave bancaria", 22, DIGITS),
  document(
    "bank_account.no",
    "kontonr|kontonummer",
    11,
    DIGITS,
    weighted([5, 4, 3, 2, 7, 6, 5, 4, 3, 2], 11, complement11(-1)),
  ),
  document("bank_account.nz", "bank account|bank account number", [15, 16], DIGITS),
  document("bank_account.au", "bsb", [6, 14, 15], DIGITS),
  document("bank_account.in", "ifsc|ifsc code", 11, /^[A-Z]{4}0[A-Z\d]{6}$/),
  document("vehicle_id", "vin|vehicle identification|chassis number|fahrgestellnummer", 17, /^[A-HJ-NPR-Z\d]{17}$/),
  document(
    "company_id.lei",
    "lei|legal entity identifier",
    20,
    /^[A-Z\d]{18}\d\d$/,
    (text) => remainder([...text].map((char) => valueAt(char, 0)).join(""), 97) === 1,
  ),
  document("device_id", "imei", 15, DIGITS, luhn),
];
