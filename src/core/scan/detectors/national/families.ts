/** What a cue that names no country leads to: the shape any country's number has, and what it is called. */
export type Family = {
  readonly type: string;
  readonly cues: readonly string[];
  readonly shape: RegExp;
  readonly score: number;
  /** Whether every country's documents are tried before the shape. */
  readonly worldwide: boolean;
};

/** Six to twenty capitals and digits, at least five of them digits. */
const NUMBER = /^(?=(?:[A-Z]*\d){5})[A-Z\d]{6,20}$/;

export const FAMILIES: readonly Family[] = [
  {
    type: "pii.national_id",
    cues: (
      "national number|national identifier|national id|national identity|national registration|identity card|identity number|" +
      "identity code|identity no|identity document|identification number|identification code|identification card|" +
      "identificatio number|identification document|personal number|personal code|personal id|personal identity|" +
      "personal identification|social security|social insurance|insurance number|birth number|citizen number|citizen id|" +
      "citizen identification|master citizen|citizenship number|resident id|residence permit|number for foreigners|" +
      "id card|id number|id no|id document|government id|sozialversicherung|carte d'identite|cni|documento de identidad|" +
      "numero de identidad|documento identidad|cedula|cedula de identidad|identiteitskaart|identitetsnummer|ssn"
    ).split("|"),
    shape: NUMBER,
    score: 0.6,
    worldwide: true,
  },
  {
    type: "pii.tax_id",
    cues: (
      "tax number|tax id|tax identif|tax identification|tax identifier|tax code|tax no|tax reference|tax file number|taxpayer|" +
      "tax registration|tin|vat number|vat id|vat no|vat reg|numero fiscal|identification fiscale|codigo fiscal|" +
      "codice fiscale|partita iva|btw-nummer|ust-id|ust-idnr|umsatzsteuer|employer id"
    ).split("|"),
    shape: NUMBER,
    score: 0.6,
    worldwide: true,
  },
  {
    type: "pii.passport",
    cues: (
      "passport|passports|passport number|passport no|passeport|reisepass|reisepassnummer|pasaporte|passaporto|passaporte|" +
      "paspoort|паспорт|护照|パスポート|pasaport|paszport"
    ).split("|"),
    shape: /^[A-Z]{0,3}\d{5,9}[A-Z\d]{0,2}$|^(?=(?:[A-Z]*\d){3})[CFGHJKLMNPRTVWXYZ\d]{9,10}$/,
    score: 0.6,
    worldwide: false,
  },
  {
    type: "pii.driver_license",
    cues: (
      "driver's license|drivers license|driver license|driver's licence|driver licence|driving licence|driving license|" +
      "dl number|dl no|license number|licence number|license no|fuhrerschein|permis de conduire|carnet de conducir|" +
      "licencia de conducir|patente di guida|rijbewijs|driver's permit|driver id"
    ).split("|"),
    shape: /^(?=(?:[A-Z]*\d){4})[A-Z\d]{5,19}$/,
    score: 0.6,
    worldwide: false,
  },
  {
    type: "pii.health_id",
    cues: (
      "medical record|mrn|health insurance|health plan|health id|health number|health card|patient id|patient number|" +
      "member id|beneficiary number|medicare number|medicaid|nhs number|krankenversicherung|medical license"
    ).split("|"),
    shape: NUMBER,
    score: 0.55,
    worldwide: true,
  },
  {
    type: "pii.bank_account",
    cues: (
      "account number|account no|acct no|acct number|acct|bank account|kontonummer|konto-nr|numero de cuenta|compte bancaire|" +
      "numero de compte|bankrekening|conto corrente|bban|sort code"
    ).split("|"),
    shape: /^\d{6,18}$/,
    score: 0.45,
    worldwide: false,
  },
];
