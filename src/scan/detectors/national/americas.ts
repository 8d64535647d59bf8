import { luhn } from "#core/checksums";
import { both, complement11, dated, valueAt, weighted, weightedSum } from "#scan/check-digits";
import { document, type IdDocument } from "./document";

const DIGITS = /^\d+$/;
const low = (rest: number): number => (rest < 2 ? 0 : 11 - rest);

const cpf = both(
  weighted([10, 9, 8, 7, 6, 5, 4, 3, 2], 11, low),
  weighted([11, 10, 9, 8, 7, 6, 5, 4, 3, 2], 11, low),
  (text) => new Set(text).size > 1,
);
/** Since 2026 with letters, which count by their places in ASCII: 17 for A, seven more than in base 36. */
function cnpj(text: string): boolean {
  const letters = (weights: readonly number[]): number =>
    weights.reduce((sum, weight, i) => sum + (text.charAt(i) > "9" ? 7 * weight : 0), 0);
  return [
    [5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2],
    [6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2],
  ].every((weights) => low((weightedSum(text, weights) + letters(weights)) % 11) === valueAt(text, weights.length));
}

function chilean(text: string): boolean {
  const body = text.slice(0, -1).padStart(8, "0");
  const check = (11 - (weightedSum(body, [3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 11;
  return "0123456789K".charAt(check) === text.slice(-1);
}

/** Mexico's check digit: its own alphabet, with the letter Ñ between N and O. */
export function curp(text: string): boolean {
  let sum = 0;
  for (let i = 0; i < 17; i++) sum += "0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ".indexOf(text.charAt(i)) * (18 - i);
  return (10 - (sum % 10)) % 10 === valueAt(text, 17);
}

const uruguayan = (text: string): boolean => weightedSum(text, [2, 9, 8, 7, 6, 3, 4, 1]) % 10 === 0;

function colombian(text: string): boolean {
  const body = text.slice(0, -1).padStart(15, "0");
  const rest = weightedSum(body, [71, 67, 59, 53, 47, 43, 41, 37, 29, 23, 19, 17, 13, 7, 3]) % 11;
  return (rest > 1 ? 11 - rest : rest) === Number(text.slice(-1));
}

/** Mexico's bank accounts: each product counts by its last digit, which a sum by 10 gives all the same. */
function clabe(text: string): boolean {
  const sum = weightedSum(text, [3, 7, 1, 3, 7, 1, 3, 7, 1, 3, 7, 1, 3, 7, 1, 3, 7]);
  return (sum + valueAt(text, 17)) % 10 === 0;
}

/** Identity numbers of the Americas. Sources: the offices that give them out. */
export const AMERICAS: readonly IdDocument[] = [
  document("tax_id.ar", "cuit|cuil", 11, DIGITS, weighted([5, 4, 3, 2, 7, 6, 5, 4, 3, 2], 11, complement11(9))),
  document("national_id.ar", "dni|documento nacional de identidad", [7, 8], DIGITS),
  document("national_id.bo", "ci|cedula", [7, 8, 9, 10, 11], /^\d{7,8}[A-Z]{2}\d?$|^\d{7,8}$/),
  document("national_id.br", "cpf|cadastro de pessoas", 11, DIGITS, cpf),
  document("tax_id.br", "cnpj|cadastro nacional", 14, /^[A-Z\d]{12}\d\d$/, cnpj),
  document("national_id.br", "rg|registro geral", [8, 9], /^\d{7,8}[\dX]$/),
  document("national_id.ca", "sin|social insurance|nas|numéro d'assurance sociale", 9, DIGITS, luhn),
  document("health_id.ca", "bhn|bc bhn|bc_bhn|phn|ohip|health card", [9, 10, 12], /^\d{9,10}[A-Z]{0,2}$/),
  document("national_id.cl", "rut|run|rol unico", [8, 9], /^\d{7,8}[\dK]$/, chilean),
  document("national_id.co", "cédula|cc|cédula de ciudadanía", [6, 7, 8, 10], DIGITS),
  document("tax_id.co", "nit", [8, 9, 10, 11], DIGITS, colombian),
  document("national_id.cr", "cpf|cédula|cr|dimex", [9, 10, 11, 12], DIGITS),
  document("national_id.cu", "ni|carné de identidad", 11, DIGITS, dated(0, "ymd")),
  document("national_id.do", "cédula|cedula", 11, DIGITS, luhn),
  document("tax_id.do", "rnc", 9, DIGITS),
  document("national_id.ec", "cédula|ci", 10, DIGITS, luhn),
  document("tax_id.ec", "ruc", 13, /^\d{10}\d{3}$/),
  document(
    "national_id.gt",
    "cui|dpi",
    13,
    DIGITS,
    (text) => (weightedSum(text, [2, 3, 4, 5, 6, 7, 8, 9]) % 11) % 10 === valueAt(text, 8) % 10,
  ),
  document("tax_id.gt", "nit", [6, 7, 8, 9, 10, 11, 12], /^\d+[\dK]$/),
  document("national_id.mx", "curp|clave única", 18, /^[A-Z]{4}\d{6}[HMX][A-Z]{5}[A-Z\d]\d$/, curp),
  document("tax_id.mx", "rfc", [9, 10, 12, 13], /^[A-ZÑ&]{3,4}\d{6}([A-Z\d]{3})?$/),
  document("national_id.mx", "nss|imss", 11, DIGITS, luhn),
  document("national_id.pe", "dni|cui|ce", [8, 9], /^\d{8}[\dA-K]?$/),
  document(
    "tax_id.pe",
    "ruc",
    11,
    /^[12]\d+$/,
    weighted([5, 4, 3, 2, 7, 6, 5, 4, 3, 2], 11, (rest) => (11 - rest) % 10),
  ),
  document("national_id.py", "cédula|ci", [5, 6, 7, 8], DIGITS),
  document("tax_id.py", "ruc", [5, 6, 7, 8, 9], DIGITS),
  document("tax_id.sv", "nit", 14, DIGITS),
  document("national_id.sv", "dui", 9, DIGITS),
  document("tax_id.bz", "tin", [6, 8], DIGITS),
  document("tax_id.us", "itin|individual taxpayer", 9, /^9\d\d(5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])\d{4}$/),
  document(
    "tax_id.us",
    "ein|fein|employer identification",
    9,
    /^(?!00|07|08|09|17|18|19|28|29|49|69|70|78|79|89|96|97)\d{9}$/,
  ),
  document("health_id.npi", "npi|national provider", 10, /^[12]\d{9}$/, (text) => luhn(`80840${text}`)),
  document(
    "health_id.dea",
    "dea",
    9,
    /^[A-Z][A-Z9]\d{7}$/,
    (text) => weightedSum(text.slice(2), [1, 2, 1, 2, 1, 2]) % 10 === valueAt(text, 8),
  ),
  document(
    "health_id.mbi",
    "mbi|medicare|medicare beneficiary",
    11,
    /^[1-9][AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y\d]\d[AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y\d]\d[AC-HJKMNP-RT-Y]{2}\d{2}$/,
  ),
  document(
    "bank_account.us",
    "aba|aba number|routing|rtn|routing transit",
    9,
    /^(?:0\d|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)\d{7}$/,
    (text) => weightedSum(text, [3, 7, 1, 3, 7, 1, 3, 7, 1]) % 10 === 0,
  ),
  document("bank_account.mx", "clabe", 18, DIGITS, (text) => clabe(text)),
  document("national_id.uy", "cédula|cedula|ci", 8, DIGITS, uruguayan),
  document("national_id.uy", "nie", 9, DIGITS),
  document("national_id.ve", "rif|cédula", [8, 9, 10], /^[VEJPG]\d{7,9}$/),
  document("national_id.hn", "dni|rtn", [13, 14], DIGITS),
  document("national_id.ni", "cédula", 14, /^\d{13}[A-Z]$/),
  document("national_id.pa", "cédula|cip", [6, 7, 8, 9, 10], /^(?:PE|E|N|\d{1,2})\d{4,9}$/),
  document("tax_id.jm", "trn", 9, DIGITS),
  document("national_id.br", "cnh|carteira de motorista", 11, DIGITS),
  document(
    "national_id.br",
    "pis|pasep|nit|nis",
    11,
    DIGITS,
    weighted([3, 2, 9, 8, 7, 6, 5, 4, 3, 2], 11, complement11(0)),
  ),
  document("national_id.br", "título de eleitor|titulo eleitoral", 12, DIGITS),
  document(
    "health_id.br",
    "cns|cartão nacional de saúde|cartão sus",
    15,
    /^[12789]/,
    (text) => weightedSum(text, [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
  ),
  document("tax_id.us", "ptin", 9, /^P\d{8}$/),
];
