import { luhn } from "#core/checksums";
import { both, dated, isDate, mod11And2, twoRows, valueAt, verhoeff, weighted, weightedSum } from "#scan/check-digits";
import { document, type IdDocument } from "./document";

const DIGITS = /^\d+$/;

export function chinese(text: string): boolean {
  return isDate(Number(text.slice(6, 10)), Number(text.slice(10, 12)), Number(text.slice(12, 14))) && mod11And2(text);
}

/** Taiwan: the letter stands for two digits, in an order of its own. */
function taiwanese(text: string): boolean {
  const region = "ABCDEFGHJKLMNPQRSTUVXYWZIO".indexOf(text.charAt(0)) + 10;
  const digits = `${region}${text.slice(1).replace(/^[A-D]/, (letter) => `${letter.charCodeAt(0) - 65}`)}`;
  return weightedSum(digits, [1, 9, 8, 7, 6, 5, 4, 3, 2, 1, 1]) % 10 === 0;
}

/** Hong Kong: letters count 10 to 35, a missing first letter 36. */
function hongKong(text: string): boolean {
  const padded = text.length === 8 ? 36 * 9 : valueAt(text, 0) * 9;
  const rest = text.slice(-8);
  const last = rest.endsWith("A") ? 10 : valueAt(rest, 7);
  return (padded + weightedSum(rest, [8, 7, 6, 5, 4, 3, 2]) + last) % 11 === 0;
}

const SINGAPORE: ReadonlyMap<string, readonly [number, string]> = new Map([
  ["S", [0, "JZIHGFEDCBA"]],
  ["T", [4, "JZIHGFEDCBA"]],
  ["F", [0, "XWUTRQPNMLK"]],
  ["G", [4, "XWUTRQPNMLK"]],
  ["M", [3, "KLJNPQRTUWX"]],
]);

function singaporean(text: string): boolean {
  const [offset, letters] = SINGAPORE.get(text.charAt(0)) ?? [0, ""];
  const rest = (weightedSum(text.slice(1), [2, 7, 6, 5, 4, 3, 2]) + offset) % 11;
  return letters.charAt(text.startsWith("M") ? 10 - rest : rest) === text.slice(-1);
}

const korean = weighted([2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5], 11, (rest) => (11 - rest) % 10);
const thai = weighted([13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2], 11, (rest) => (11 - rest) % 10);

/** Japan's number for each resident: weights 2 to 7 from the right. */
const japanese = weighted([6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2], 11, (rest) => (rest < 2 ? 0 : 11 - rest));

const australianTax = (text: string): boolean => weightedSum(text, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0;

function australianBusiness(text: string): boolean {
  return (weightedSum(text, [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) - 10) % 89 === 0;
}

function newZealand(text: string): boolean {
  const padded = text.padStart(9, "0");
  const first = weightedSum(padded, [3, 2, 7, 6, 5, 4, 3, 2]) % 11;
  const rest = first === 1 ? weightedSum(padded, [7, 4, 3, 2, 5, 2, 7, 6]) % 11 : first;
  return (rest === 0 ? 0 : 11 - rest) === valueAt(padded, 8);
}

const yearFirst = dated(0, "ymd");

const kazakh = both(yearFirst, twoRows([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], [3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2]));
const iranian = weighted([10, 9, 8, 7, 6, 5, 4, 3, 2], 11, (rest) => (rest < 2 ? rest : 11 - rest));
const kuwaiti = weighted([2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2], 11, (rest) => 11 - rest);

/** Identity numbers of Asia, Africa and Oceania. Sources: the offices that give them out. */
export const ASIA_AFRICA_OCEANIA: readonly IdDocument[] = [
  document("national_id.ae", "emirates id|eid", 15, /^784/, luhn),
  document("tax_id.au", "tfn|tax file", 9, DIGITS, australianTax),
  document("tax_id.au", "abn|australian business", 11, DIGITS, australianBusiness),
  document(
    "tax_id.au",
    "acn",
    9,
    DIGITS,
    weighted([8, 7, 6, 5, 4, 3, 2, 1], 10, (rest) => (10 - rest) % 10),
  ),
  document(
    "health_id.au",
    "medicare|ihi",
    [10, 11],
    /^[2-6]/,
    weighted([1, 3, 7, 9, 1, 3, 7, 9], 10, (rest) => rest),
  ),
  document("national_id.ao", "bi|nif", 14, /^\d{9}[A-Z]{2}\d{3}$/),
  document("national_id.cn", "ric|身份证|身分证|居民身份证|resident identity", 18, /^[1-9]\d{16}[\dX]$/, chinese),
  document("national_id.eg", "الرقم القومي|national id egypt", 14, /^[23]\d{13}$/, (text) => yearFirst(text.slice(1))),
  document("national_id.gh", "ghana card|tin", [11, 13], /^[PCGQV]\d{10}$|^GHA\d{10}$/),
  document("national_id.hk", "hkid|身份證", [8, 9], /^[A-Z]{1,2}\d{6}[\dA]$/, hongKong),
  document("national_id.id", "nik|ktp", 16, /^\d{6}[0-7]\d[01]\d{7}$/),
  document("tax_id.id", "npwp", [15, 16], DIGITS),
  document("national_id.il", "teudat zehut|idnr|תעודת זהות|מספר זהות", [8, 9], DIGITS, luhn),
  document("national_id.in", "aadhaar|aadhar|uidai|uid", 12, /^[2-9]/, verhoeff),
  document("national_id.in", "vid", 16, /^[2-9]/, verhoeff),
  document("tax_id.in", "pan|permanent account", 10, /^[A-Z]{3}[ABCFGHJLPT][A-Z]\d{4}[A-Z]$/),
  document("tax_id.in", "gstin|gst", 15, /^\d{2}[A-Z]{5}\d{4}[A-Z][A-Z\d]Z[A-Z\d]$/),
  document("national_id.in", "epic|voter id|voter", 10, /^[A-Z]{3}\d{7}$/),
  document("national_id.jp", "my number|マイナンバー|個人番号", 12, DIGITS, japanese),
  document("tax_id.ke", "kra|kra pin", 11, /^[AP]\d{9}[A-Z]$/),
  document("national_id.kr", "rrn|주민등록번호|resident registration", 13, /^\d{6}[0-9]/, korean),
  document("national_id.mu", "nid", 14, /^[A-Z]\d{12}[A-Z\d]$/),
  document("national_id.my", "nric|mykad|kad pengenalan", 12, DIGITS, yearFirst),
  document("national_id.mz", "bi|bilhete de identidade", 13, /^\d{12}[A-Z]$/),
  document("tax_id.mz", "nuit", 9, DIGITS),
  document("national_id.ng", "nin|bvn", 11, DIGITS),
  document("tax_id.nz", "ird|inland revenue", [8, 9], DIGITS, newZealand),
  document("health_id.nz", "nhi", 7, /^[A-HJ-NP-Z]{3}\d{2}[A-Z\d]{2}$/),
  document("national_id.ph", "philsys|psn|sss", [10, 12, 16], DIGITS),
  document("tax_id.ph", "tin", [9, 12], DIGITS),
  document("national_id.pk", "cnic|nicop", 13, /^[1-7]/),
  document("national_id.sa", "iqama|رقم الهوية", 10, /^[12]/, luhn),
  document("national_id.sg", "nric|fin", 9, /^[STFGM]\d{7}[A-Z]$/, singaporean),
  document("tax_id.sg", "uen", [9, 10], /^(?:\d{8,9}|[TSR]\d{2}[A-Z]{2}\d{4})[A-Z]$/),
  document("national_id.th", "idnr|tin|moa|บัตรประชาชน", 13, /^[0-8]/, thai),
  document("national_id.tw", "natid|ui|身分證|統一證號", 10, /^[A-Z][A-D1289]\d{8}$/, taiwanese),
  document("national_id.vn", "cccd|cmnd|can cuoc", [9, 12], DIGITS),
  document("tax_id.vn", "mst|mã số thuế", [10, 13], DIGITS),
  document("national_id.za", "idnr|rsa id|sa id|south african id", 13, DIGITS, (text) => yearFirst(text) && luhn(text)),
  document("national_id.am", "hvhh|հծհ|psn", [8, 10], DIGITS),
  document("national_id.az", "fin kod|fi̇n|fin", 7, /^(?=[A-Z]*\d)[A-HJ-NP-Z\d]{7}$/),
  document("tax_id.az", "vöen|voen", 10, /^\d{9}[12]$/),
  document("national_id.bd", "nid|জাতীয় পরিচয়পত্র", [10, 13, 17], DIGITS),
  document("national_id.bh", "cpr", 9, DIGITS),
  document("national_id.bw", "omang", 9, DIGITS),
  document("national_id.dz", "nin|numéro d'identification national", 18, DIGITS),
  document("national_id.et", "fayda|fcn", [12, 16], DIGITS),
  document("national_id.ir", "کد ملی|code melli|national code|shomare melli", 10, DIGITS, iranian),
  document("national_id.ke", "huduma|maisha", [7, 8], DIGITS),
  document("tax_id.ke", "pin", 11, /^[AP]\d{9}[A-Z]$/),
  document("national_id.kg", "инн|пин", 14, /^[12]\d{13}$/),
  document("national_id.kw", "civil id|الرقم المدني", 12, /^[23]/, kuwaiti),
  document("national_id.kz", "иин|iin|жсн|бин", 12, DIGITS, kazakh),
  document("national_id.lk", "nic|nic no|ජාතික හැඳුනුම්පත", [10, 12], /^\d{9}[VX]$|^[12]\d{11}$/),
  document("national_id.ma", "cin|cnie|رقم البطاقة الوطنية", [6, 7, 8], /^[A-Z]{1,2}\d{5,6}$/),
  document("national_id.om", "civil number|civil no", [7, 8, 9], DIGITS),
  document("national_id.qa", "qid|qatar id", 11, /^[23]\d{10}$/),
  document("national_id.rw", "indangamuntu|national id rwanda", 16, /^[1-3]\d{15}$/),
  document("national_id.tn", "cin|بطاقة التعريف", 8, DIGITS),
  document("national_id.tz", "nida", 20, /^[12]\d{19}$/),
  document("national_id.ug", "nin", 14, /^[CA][MF][A-Z\d]{12}$/),
  document("national_id.uz", "pinfl|jshshir|пинфл|жшшир", 14, DIGITS),
  document("national_id.zm", "nrc", 9, DIGITS),
  document("national_id.zw", "zim id|national registration", [10, 11, 12], /^\d{8,9}[A-Z]\d{2}$/),
  document("tax_id.gh", "tin", 11, /^[PCGQV]\d{10}$/),
  document("tax_id.za", "tin|sars", 10, /^[01239]/, luhn),
  document("tax_id.th", "tin|เลขประจำตัวผู้เสียภาษี", 13, /^\d/, thai),
  document("health_id.au", "crn|centrelink", 10, /^\d{9}[A-Z]$/),
  document("health_id.ph", "philhealth|pag-ibig|umid", 12, DIGITS),
];
