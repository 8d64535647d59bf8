import { charSet, DIGIT, inSet, WORD } from "#scan/char-set";
import type { Detector, Match } from "#scan/detector";
import type { View } from "#scan/view";
import { columnHead, ofNames, TABLE } from "./national/table";
import { regionsAnnounced } from "./phone-cues";
import { isValidAbroad, isValidAtHome } from "./phone-plan";

const MIN_DIGITS = 6;
const MAX_DIGITS = 15;
const BETWEEN = charSet(" .()/-");
const DIGIT_OR_BETWEEN = charSet("0-9 .()/-");
const NOT_BEFORE = charSet("A-Za-z0-9_+.#$%/-");
const EXTENDING = charSet("A-Za-z0-9 .,;=");
const MAX_BETWEEN = 3;
const MAX_LENGTH = 40;
const CUE_DISTANCE = 40;
const AFTER_SEEN = 30;
const CUE =
  /phone|\btele?\b|\btelp|\bmobile|\bmob\b|\bcell\b|\bcall(?:ed|ing)?\b|\bfax\b|whats ?app|\bsms\b|\btext me\b|contact|kontakt|contat|\bring\b|\bdial\b|\breach\b|answering at|hotline|telefon|handy|\bmobil|movil|celular|cellular|portable ?:|puhelin|\btl?fn?o?\b|dien thoai|\bsdt\b|телефон|\bтел|\bмоб|電話|电话|手机|手機|携帯|전화|휴대폰|هاتف|جوال|موبايل|फोन|मोबाइल|โทร|τηλ|טלפון|נייד/i;
/** Words for any number, an order's or a ticket's too: behind them digits count that are written as a phone number is. */
const NUMBER_CUE = /nummer|numero|\bnomor\b/i;
/** The number of something else, named right before the digits: an order's, an account's, a person's with an authority. */
const OTHER_NUMBER =
  /(?:\b(?!(?:ruf|notruf|durchwahl|tele\w*|handy|mobil\w*|mobiel|fax|festnetz|kontakt|privat|dienst|firmen|buro|haus|gsm|whats\w*|hotline|service)-?nummer)[a-z]{2,30}-?nummer|\bnumero (?:d'|(?:(?:de|du|des|di|do|da|del|della) )?(?:la |l')?)(?:pedido|commande|cliente?|dossier|expediente|securite|seguridad|seguranca|factura|fattura|facture|fatura|contrat\w?|conto|cuenta|compte|conta|process?o|proceso|ordine|passeport|pasaporte|passaport\w|serie|suivi|seguimiento|spedizione|identi\w{2,8}|tarjeta|carte|carta|cartao|matricule|adherent|assure|socio|tessera|pratica|protocollo|poliza|polizza|police|referencia|reference|siniestro|sinistre|reserv\w{1,6}|prenotazione|billet|inscri\w{3,6}|registr\w{1,4}|paziente|paciente|patient|utente|fiscale?|siret|siren|vol)(?: [a-z]{4,12})?|\b(?:account|order|ticket|tracking|case|invoice|reference|serial|part|policy|member(?:ship)?|customer|patient|nhs|medicare|medical record|insurance|licen[cs]e|passport|tax|routing|id|registration|card|booking|claim|employee|student|file|batch) (?:number|no\.?|num)|\bnomor (?:pesanan|tiket|resi|rekening|pelanggan|faktur|polis|paspor|ktp|seri|antrian|kartu|anggota|induk|pendaftaran|transaksi|pasien))["':.=#( ]{1,4}(?:\d{1,5}[ ./-]){0,4}$/i;
/** With a trunk's zero, or in groups. */
const AS_DIALLED = /^\(?0|\d[ ./-]\d/;
/** Right before a number these leave no doubt, even for a plan that libphonenumber does not know. */
const STRONG_CUE =
  /(?:phone|\btel|\bmobile|\bcell|\bfax|whats ?app|telefon|telephone|movil|celular|kontakt|contact|(?:call|text|ring|reach) (?:me|us|him|her|them|our office) (?:at|on)|you can call|answering at|numero est le)(?:[ _]?(?:number|no|nr|num))?[\s"'.:=(#|>]{1,4}(?:is )?$/i;
/** Letters that stand for a word: `T: 030 …`, `Ph. 98765 …`. */
const SHORT_CUE = /(?:^|[\s,;|(])(?:[Pp]h|[Mm]ob|[TMP])\.?[:.] ?$/;
const CUE_AFTER =
  /^ ?[-,(]? ?(?:office|offi|fax|mobi|cell|home|work)|^ (?:is|was) (?:my|his|her|their|our|the) (?:(?:new|home|work|direct|private|cell|mobile|phone|contact) )?(?:phone|number|cell|mobile|tel)/i;
/**
 * How any word before a number begins that one of these, or of other languages', needs. Most numbers have none before
 * them, which this tells in a fraction of the time that all of them take.
 */
const CUE_STARTS = (
  "anr|answ|appel|bel |call|cel|chiam|conta|dial|dien |durch|dzwon|errei|fax|festn|fijo|fisso|fixe|gsm|handy|hotl|joig|joind|" +
  "kinh|komork|konta|liga|ligu|llam|mob|movil|nomor|nume|numm|phone|portab|puhel|reach|recap|ring|ruf|sdt|sms|tel|text me|" +
  "tf|tlf|whats|zadzw"
).split("|");
const ANY_CUE = new RegExp(`${CUE_STARTS.join("|")}|[^\\0-\\x7f]|(?:ph|mob|[tmp])\\.?[:.] ?$`, "i");
/** Whether three letters, or two and anything, begin one of them. */
const CUE_LETTERS = new Uint8Array(1 << 15);
for (const start of CUE_STARTS) {
  const [one, other, third] = Array.from(start, (letter) => letter.charCodeAt(0) & 31);
  const thirds = third === undefined ? Array.from({ length: 32 }, (_, letter) => letter) : [third];
  for (const letter of thirds) CUE_LETTERS[((one ?? 0) << 10) | ((other ?? 0) << 5) | letter] = 1;
}
/** An extension is part of the number, and tells that it is one. */
const EXTENSION = /^(?: ?x ?|,? ?ext(?:ension)?\.? ?|;ext=)\d{1,6}(?!\d)/i;
const MAX_EXTENSION_LENGTH = 18;
/** Where a national number is tried when a cue says that it is one. */
const REGIONS = ["US", "GB", "DE", "FR", "ES", "IT", "NL", "IN", "AU", "BR", "CH", "AT", "PL", "SE", "JP", "CN"];
const DATE =
  /^(?:(?:19|20)\d\d([-./ ])(?:0?[1-9]|1[0-2])\1(?:0?[1-9]|[12]\d|3[01])|(?:[0-2]?\d|3[01])([-./ ])(?:[0-2]?\d|3[01])\2(?:19|20)\d\d)(?![-./]?\d)/;
/** As numbers are written that no plan has: of North America with its signs, or with a country's code and groups. */
const AS_IN_AMERICA = /^(?:(?:001|1)[ .-])?(?:\(\d{3}\) ?\d{3}[ .-]|\d{3}([.-])\d{3}\1)\d{4}$/;
const AS_ABROAD = /^\+\d{1,3}(?:[ .-]\(?\d{2,4}\)?){2,5}$/;
/** With a trunk's zero, or in three groups and more. */
const AS_AT_HOME = /^(?:\(?0\d{1,4}\)?[ ./-]?[\d ./-]{6,12}|\(?\d{2,5}\)?(?:[ .-]\d{2,4}){2,4})$/;

type Piece = { readonly end: number; readonly digits: number };

/**
 * Phone numbers: with a country code anywhere, in the written form of North America anywhere, in
 * other national forms behind a cue. What is a valid number is libphonenumber's to say.
 */
export const phone: Detector = {
  id: "pii.phone",
  category: "pii",
  severity: "medium",
  reach: MAX_LENGTH + 4 + AFTER_SEEN,
  behind: TABLE,
  keywords: ["+", "("],
  anchorDigits: true,
  boundary: NOT_BEFORE,
  digitBehind: DIGIT_OR_BETWEEN,
  digitWidths: Array.from({ length: MAX_DIGITS }, (_, before) => before + 1),
  read(view, at) {
    const before = view.code(at - 1);
    if (inSet(NOT_BEFORE, before) || (before === 0x3a && view.is(at - 2, DIGIT))) return null;
    const international = view.code(at) === 0x2b;
    if (hasFewDigits(view.text, international ? at + 1 : at)) return null;
    const pieces = piecesFrom(view, international ? at + 1 : at);
    if (view.short) return null;
    const last = pieces[pieces.length - 1];
    if (!last || last.digits < MIN_DIGITS || last.digits > MAX_DIGITS) return null;
    const found = international ? readInternational(view, at, pieces) : readNational(view, at, pieces);
    return found && { ...found, end: found.end + extensionAt(view, found.end) };
  },
};

/** Whether something else stands before as many digits as a number has: so most numbers end, and nothing is made for them. */
function hasFewDigits(text: string, at: number): boolean {
  let digits = 0;
  let between = 0;
  for (let i = at; i < text.length && digits < MIN_DIGITS; i++) {
    const code = text.charCodeAt(i);
    if (inSet(DIGIT, code)) {
      digits++;
      between = 0;
    } else if (!inSet(BETWEEN, code) || ++between > MAX_BETWEEN) return true;
  }
  return false;
}

/** Ends of the groups of digits from `at` on, with the number of digits up to each. */
function piecesFrom(view: View, at: number): Piece[] {
  const pieces: Piece[] = [];
  let i = at;
  let digits = 0;
  let opened = false;
  while (i - at < MAX_LENGTH && digits <= MAX_DIGITS) {
    const between = view.run(i, BETWEEN, MAX_BETWEEN);
    if (view.short || (pieces.length === 0 && between > 1)) break;
    const [open, close] = bracketsIn(view.text, i, i + between);
    if (close > 0 && !opened && open === 0) break;
    if (open + close > 0) opened = open > close;
    const width = view.run(i + between, DIGIT, MAX_DIGITS + 1 - digits);
    i += between + width;
    digits += width;
    if (width === 0 || isInWord(view, i)) break;
    pieces.push({ end: i, digits });
  }
  return pieces;
}

/** Where the last brackets stand, counted from one; 0 for none. */
function bracketsIn(text: string, from: number, to: number): readonly [open: number, close: number] {
  let [open, close] = [0, 0];
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x28) open = i - from + 1;
    else if (code === 0x29) close = i - from + 1;
  }
  return [open, close];
}

/** Letters go on where digits end, and are not an extension's `x` with a digit behind it. */
function isInWord(view: View, i: number): boolean {
  const code = view.code(i);
  return inSet(WORD, code) && !inSet(DIGIT, code) && !((code | 0x20) === 0x78 && view.is(i + 1, DIGIT));
}

/** How long the extension behind a number is. It is read only as far as one goes on. */
function extensionAt(view: View, end: number): number {
  const width = view.run(end, EXTENDING, MAX_EXTENSION_LENGTH);
  return EXTENSION.exec(view.slice(end, end + width))?.[0].length ?? 0;
}

function readInternational(view: View, at: number, pieces: readonly Piece[]): Match | null {
  const found = longestValid(view, at, pieces, isValidAbroad, 0.95);
  if (found) return found;
  const last = pieces[pieces.length - 1];
  const text = view.before(last?.end ?? at, (last?.end ?? at) - at);
  return last && last.digits >= 10 && AS_ABROAD.test(text) ? { start: at, end: last.end, score: 0.45 } : null;
}

function readNational(view: View, at: number, pieces: readonly Piece[]): Match | null {
  const end = pieces[pieces.length - 1]?.end ?? at;
  // As nearly all numbers are: without signs, and nothing about them says more.
  if (end - at === pieces[0]?.digits && !mayBeAnnounced(view, at, end)) return readInColumn(view, at, pieces);
  const text = view.before(end, end - at);
  const found = DATE.test(text) ? null : readWritten(view, at, pieces, text);
  return found && isOther(view, at) ? null : found;
}

const isOther = (view: View, at: number): boolean => OTHER_NUMBER.test(view.before(at, CUE_DISTANCE));

/** Whether a word may stand before or behind a number that says that it is one; false for most. */
function mayBeAnnounced(view: View, at: number, end: number): boolean {
  if (mayHaveCue(view, at)) return true;
  let next = end + Number(view.code(end) === BLANK);
  const isBlank = next > end;
  if (view.is(next, OPENING)) next++;
  if (view.code(next) === BLANK) next++;
  const letter = view.code(next) | 0x20;
  return inSet(AFTER, letter) || (isBlank && letter === SMALL_I);
}
const BLANK = 0x20;
const SMALL_I = 0x69;
const OPENING = charSet(",(-");
/** How the words of `CUE_AFTER` begin. */
const AFTER = charSet("ofmchw");

/** Whether `ANY_CUE` may be in the text before a number. */
function mayHaveCue(view: View, at: number): boolean {
  const { text } = view;
  const from = Math.max(0, at - CUE_DISTANCE - 1);
  let [one, other] = [0, 0];
  for (let i = from; i < at; i++) {
    const unit = text.charCodeAt(i);
    if (unit > 0x7f || CUE_LETTERS[((one & 31) << 10) | ((other & 31) << 5) | (unit & 31)] === 1) return true;
    one = other;
    other = unit;
  }
  if (CUE_LETTERS[((one & 31) << 10) | ((other & 31) << 5)] === 1) return true;
  return isBehindInitial(text, other === BLANK ? at - 2 : at - 1);
}

const hasAnyCue = (view: View, at: number, before: string): boolean => mayHaveCue(view, at) && ANY_CUE.test(before);

/** `T: `, `Ph.`: whether a sign stands at `i`, and before it a letter that may end such a word. */
function isBehindInitial(text: string, i: number): boolean {
  const sign = text.charCodeAt(i);
  if (sign !== COLON && sign !== DOT) return false;
  const letter = text.charCodeAt(text.charCodeAt(i - 1) === DOT ? i - 2 : i - 1) | 0x20;
  return inSet(INITIAL_ENDS, letter);
}
const COLON = 0x3a;
const DOT = 0x2e;
const INITIAL_ENDS = charSet("tmphb");

function readWritten(view: View, at: number, pieces: readonly Piece[], text: string): Match | null {
  const end = at + text.length;
  const written = /^(?:1[ .-])?(?:\([2-9]\d\d\) ?|[2-9]\d\d([ .-]))[2-9]\d\d[ .-]\d{4}(?!\d)/.exec(text)?.[0];
  if (written !== undefined && isValidAtHome(digitsOf(written), "US"))
    return { start: at, end: at + written.length, score: 0.85 };
  if (/^00\d*[ .()/-]/.test(text)) {
    const found = longestValid(view, at, pieces, (digits) => isValidAbroad(digits.slice(2)), 0.75);
    if (found) return found;
  }
  return readCued(view, at, pieces, text) ?? readForm(view, at, end, text);
}

/** Other national forms need a word that says so. */
function readCued(view: View, at: number, pieces: readonly Piece[], text: string): Match | null {
  const end = at + text.length;
  const seen = view.before(at, CUE_DISTANCE + 1);
  // Half a word at the beginning is none.
  const before = seen.length > CUE_DISTANCE ? seen.replace(/^\w+/, "") : seen;
  const hasCue = hasAnyCue(view, at, before);
  const strong =
    (hasCue && (STRONG_CUE.test(before) || SHORT_CUE.test(before))) ||
    CUE_AFTER.test(view.slice(end, end + AFTER_SEEN));
  if (!strong && !hasCue) return readInColumn(view, at, pieces);
  if (!strong && !CUE.test(before) && !(AS_DIALLED.test(text) && NUMBER_CUE.test(before))) {
    return readAnnounced(view, at, pieces, before);
  }
  const found = longestValid(view, at, pieces, text.startsWith("00") ? isValidDialled : isValidSomewhere, 0.75);
  if (found) return found;
  const announced = readAnnounced(view, at, pieces, before);
  if (announced) return announced;
  if (strong) return { start: at, end, score: 0.55 };
  return AS_AT_HOME.test(text) && text.replace(/\D/g, "").length >= 8 ? { start: at, end, score: 0.4 } : null;
}

const isPhones = ofNames((head) => CUE.test(head));

/** In a table whose head says that the column holds such numbers. */
function readInColumn(view: View, at: number, pieces: readonly Piece[]): Match | null {
  const head = columnHead(view, at, pieces[pieces.length - 1]?.end ?? at);
  if (head === undefined || !isPhones(head) || isOther(view, at)) return null;
  return longestValid(view, at, pieces, isValidSomewhere, 0.75);
}

/** Behind the words of a language: numbers of the countries that speak it. */
function readAnnounced(view: View, at: number, pieces: readonly Piece[], before: string): Match | null {
  const regions = regionsAnnounced(before);
  if (regions.length === 0) return null;
  return longestValid(view, at, pieces, (digits) => regions.some((region) => isValidAtHome(digits, region)), 0.7);
}

/** The signs alone, where no plan has the number: it may be made up or mistyped. */
function readForm(view: View, at: number, end: number, text: string): Match | null {
  if (!AS_IN_AMERICA.test(text)) return null;
  const sure = text.includes("(") || extensionAt(view, end) > 0;
  return sure ? { start: at, end, score: 0.45 } : null;
}

/** The most groups that make a valid number; behind a number may stand another one. */
function longestValid(
  view: View,
  at: number,
  pieces: readonly Piece[],
  isValid: (digits: string) => boolean,
  score: number,
): Match | null {
  for (const { end, digits } of pieces.toReversed().slice(0, 4)) {
    if (digits >= 7 && isValid(digitsOf(view.before(end, end - at)))) return { start: at, end, score };
  }
  return null;
}

const digitsOf = (text: string): string => text.replace(/\D+/g, "");
const isValidSomewhere = (digits: string): boolean => REGIONS.some((region) => isValidAtHome(digits, region));
const isValidDialled = (digits: string): boolean => isValidAbroad(digits.slice(2)) || isValidSomewhere(digits);
