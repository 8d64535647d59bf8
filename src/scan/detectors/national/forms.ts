import { charSet, inSet } from "#scan/char-set";
import { dated } from "#scan/check-digits";
import { DOCUMENTS } from "./cues";
import type { IdDocument } from "./document";

/** A number that needs no word before it: how it is written, which document it is, and how sure that is. */
export type Form = {
  readonly type: string;
  /** As it stands in the text, from its first character on. */
  readonly written: RegExp;
  /** What its letters and digits, in capitals, have to pass beside the document's check digits. */
  readonly also?: (compact: string) => boolean;
  readonly score: number;
};

/** Only noted: of harmless texts of that form one in ten or twenty passes the check. */
const NOTED = 0.45;
/** The form is nobody else's, or the check lets fewer than one in a hundred pass. */
const SURE = 0.85;

const yearFirst = dated(0, "ymd");

/** French departments, the territories and those born abroad; months may be unknown. */
const FRENCH = /^[12]\d\d(?:0[1-9]|1[0-2]|[2-9]\d)(?:0[1-9]|[1-8]\d|9[0-9]|2[AB])\d{8}$/;

const chineseBirth = (text: string): boolean => /^(?:19|20)/.test(text.slice(6)) && Number(text.slice(6, 10)) < 2030;

type Row = readonly [key: string, type: string, written: RegExp, score: number, also?: Form["also"]];

/** The key: how many letters stand before the first digit, how many digits in a row follow, and the sign behind. */
const ROWS: readonly Row[] = [
  ["0/18", "national_id.cn", /^(?:1[1-5]|2[1-3]|3[1-7]|4[1-6]|5[0-4]|6[1-5]|8[1-3])\d{16}/, SURE, chineseBirth],
  ["0/17", "national_id.cn", /^(?:1[1-5]|2[1-3]|3[1-7]|4[1-6]|5[0-4]|6[1-5]|8[1-3])\d{15}[Xx]/, SURE, chineseBirth],
  ["0/8", "national_id.es", /^\d{8}[A-HJ-NP-TV-Z]/, NOTED],
  ["0/8-", "national_id.es", /^\d{8}-[A-HJ-NP-TV-Z]/, NOTED],
  ["0/3.", "national_id.br", /^\d{3}\.\d{3}\.\d{3}-\d\d/, SURE],
  ["0/3.", "national_id.ch", /^756\.\d{4}\.\d{4}\.\d\d/, SURE],
  ["0/13", "national_id.ch", /^756\d{10}/, NOTED],
  ["0/3-", "national_id.ae", /^784-(?:19|20)\d\d-\d{7}-\d/, SURE],
  ["0/15", "national_id.ae", /^784(?:19|20)\d{10}/, NOTED],
  ["0/3-", "national_id.do", /^\d{3}-\d{7}-\d/, NOTED],
  ["0/3-", "tax_id.us", /^9\d\d-(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])-\d{4}/, 0.6],
  ["0/2.", "tax_id.br", /^\d\d\.\d{3}\.\d{3}\/\d{4}-\d\d/, SURE],
  ["0/2-", "tax_id.ar", /^(?:20|2[3-7]|3[034])-\d{8}-\d/, 0.6],
  ["0/2.", "national_id.cl", /^\d\d\.\d{3}\.\d{3}-[\dKk]/, 0.6],
  ["0/1.", "national_id.cl", /^\d\.\d{3}\.\d{3}-[\dKk]/, 0.6],
  ["0/2.", "national_id.be", /^\d\d\.\d\d\.\d\d-\d{3}\.\d\d/, SURE],
  ["0/1 ", "national_id.fr", /^[12] \d\d \d\d (?:\d\d|2[AB]) \d{3} \d{3} \d\d/, SURE, (text) => FRENCH.test(text)],
  ["0/15", "national_id.fr", /^[12]\d{14}/, NOTED, (text) => FRENCH.test(text)],
  ["0/1", "health_id.mbi", /^[1-9][A-Z][A-Z\d]\d-[A-Z][A-Z\d]\d-[A-Z]{2}\d\d/, SURE],
  ["0/6-", "national_id.kr", /^\d{6}-[1-8]\d{6}/, 0.6, yearFirst],
  ["0/6-", "national_id.fi", /^\d{6}-\d{3}[0-9A-FHJ-NPR-Y]/, SURE, dated(0, "dmy")],
  ["0/6", "national_id.fi", /^\d{6}[A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]/, SURE, dated(0, "dmy")],
  ["0/6-", "national_id.se", /^\d{6}-\d{4}/, NOTED, yearFirst],
  // From 2013 on `20250110-1234` is the number of a build rather than a grown-up's.
  ["0/8-", "national_id.se", /^(?:19\d\d|200\d|201[0-2])\d{4}-\d{4}/, 0.6, (text) => yearFirst(text.slice(2))],
  ["0/8-", "national_id.se", /^20\d{6}-\d{4}/, NOTED, (text) => yearFirst(text.slice(2))],
  ["0/6/", "national_id.cz", /^\d{6}\/\d{4}/, 0.6],
  // Those of before 1954 have no check digit.
  ["0/6/", "national_id.cz", /^\d{6}\/\d{3}/, NOTED],
  ["0/6-", "national_id.my", /^\d{6}-(?:0[1-9]|[1-5]\d|8[2-9]|9[0-9]|7[1-9]|6[0-8])-\d{4}/, NOTED, yearFirst],
  ["0/5-", "national_id.pk", /^[1-7]\d{4}-\d{7}-[1-9]/, NOTED],
  ["0/13", "national_id.za", /^\d{10}[01][89]\d/, NOTED, yearFirst],
  ["1/7", "national_id.sg", /^[STFGM]\d{7}[A-Z]/, NOTED],
  ["1/7", "national_id.es", /^[XYZ]\d{7}[A-Z]/, NOTED],
  ["1/7-", "national_id.es", /^[XYZ]\d{7}-[A-Z]/, NOTED],
  ["1/6(", "national_id.hk", /^[A-Z]\d{6}\([\dA]\)/, 0.6],
  ["2/6(", "national_id.hk", /^[A-Z]{2}\d{6}\([\dA]\)/, 0.6],
  ["1/9", "national_id.tw", /^[A-Z][1289]\d{8}/, NOTED],
  ["2/6", "national_id.gb", /^[A-Z]{2}\d{6}[A-D]/, NOTED],
  ["0/2 ", "national_id.gb", /^[A-Z]{2} \d\d \d\d \d\d [A-D]/, 0.6],
  ["4/6", "national_id.mx", /^[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z\d]\d/, SURE, (text) => yearFirst(text.slice(4))],
  ["5/4", "tax_id.in", /^[A-Z]{3}[PCHABGJLFT][A-Z]\d{4}[A-Z]/, NOTED],
  ["6/2", "national_id.it", /^[A-Z]{6}\d\d[A-EHLMPRST](?:[04][1-9]|[1256]\d|[37][01])[A-Z]\d{3}[A-Z]/, SURE],
];

/** A key as a number, which costs no string for each digit of a text. */
export function formKey(letters: number, width: number, behind = 0): number {
  return (letters * 32 + width) * 128 + (inSet(SIGN, behind) ? behind : 0);
}

/** Whether the sign that a key asks for is this one. */
export const keyedBy = (key: number, sign: number): boolean => key % 128 === sign;

const SIGN = charSet(" ./(-");

const BY_KEY: ReadonlyMap<number, readonly Form[]> = Map.groupBy(
  ROWS.map(([, type, written, score, also]) => ({ type: `pii.${type}`, written, score, ...(also && { also }) })),
  (_, i) => keyOf(ROWS[i]?.[0] ?? ""),
);
/** 1: there are forms of that key. Asked at each number of a text, most of which have a key that no form has. */
const HAS_FORMS = new Uint8Array(Math.max(...BY_KEY.keys()) + 1);
for (const key of BY_KEY.keys()) HAS_FORMS[key] = 1;

/** The written forms of a key. */
export const formsOf = (key: number): readonly Form[] | undefined =>
  HAS_FORMS[key] === 1 ? BY_KEY.get(key) : undefined;

/** `0/3.` is three digits and a dot. */
function keyOf(written: string): number {
  const [letters = "", digits = ""] = written.split("/");
  const sign = written.replace(/^\d\/\d+/, "");
  return formKey(Number(letters), Number.parseInt(digits, 10), sign === "" ? 0 : sign.charCodeAt(0));
}

/** The documents of each form by the length of a number: those with check digits, if some have any. */
const DOCUMENTS_OF = new WeakMap<Form, Map<number, readonly IdDocument[]>>();

function documentsOf(form: Form, length: number): readonly IdDocument[] {
  const known = DOCUMENTS_OF.get(form) ?? new Map<number, readonly IdDocument[]>();
  const documents = known.get(length) ?? checkedOnes(form.type, length);
  DOCUMENTS_OF.set(form, known.set(length, documents));
  return documents;
}

function checkedOnes(type: string, length: number): readonly IdDocument[] {
  const documents = DOCUMENTS.filter((one) => one.type === type && one.lengths.includes(length));
  const checked = documents.filter(({ check }) => check !== undefined);
  return checked.length > 0 ? checked : documents;
}

/** Whether letters and digits are a number of this form, check digits and all. */
export function fits(form: Form, compact: string): boolean {
  if (form.also && !form.also(compact)) return false;
  return documentsOf(form, compact.length).some(
    ({ shape, check }) => shape.test(compact) && (check?.(compact) ?? true),
  );
}
