/** What a cue that names no country leads to: the shape any country's number has, and what it is called. */
export type IdFamily = {
  readonly type: string;
  readonly cues: readonly string[];
  readonly shape: RegExp;
  readonly score: number;
  /** Whether every country's documents are tried before the shape. */
  readonly worldwide: boolean;
};

/** Six to twenty capitals and digits, at least five of them digits. */
const NUMBER = /^(?=(?:[A-Z]*\d){5})[A-Z\d]{6,20}$/;

export const FAMILIES: readonly IdFamily[] = [
  {
    type: "pii.national_id",
    cues: (
      "national number|national identifier|national id|national identity|national registration|identity card|identity number|" +
      "identity code|identity no|identity document|identification number|identification code|identification card|" +
      "identificatio number|identification document|personal number|personal code|personal id|personal identity|" +
      "personal identification|social security|social insurance|insurance number|birth number|citizen number|citizen id|" +
      "citizen identification|master citizen|citizenship number|resident id|residence permit|number for foreigners|" +
      "id card|id number|id no|id document|government id|sozialversicherung|carte d'identite|cni|documento de identidad|" +
      "numero de identidad|documento identidad|cedula|cedula de identidad|identiteitskaart|identitetsnummer|ssn|" +
      "identity document number|identification no|national insurance|national identification|national registry|" +
      "carte nationale|carta de identidad|carteira de identidade|documento de identidade|numero de identificacion|" +
      "numero de documento|numero de identidade|identite nationale|numero d'identite|numero de securite|seguro social|" +
      "seguridad social|previdencia social|sozialversicherungs|personennummer|persoonsnummer|henkilonumero|" +
      "nomor identitas|удостоверение личности|номер удостоверения|документ удостоверяющий|身份证号|身份證字號|주민번호|" +
      "رقم الهوية|رقم البطاقة|पहचान पत्र"
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
      "codice fiscale|partita iva|btw-nummer|ust-id|ust-idnr|umsatzsteuer|employer id|tax register|tax account|taxation number|" +
      "taxpayer id|vat registration|vat identification|value added tax|numero de tva|n° tva|vat reg no|numero de iva|" +
      "numero de contribuyente|numero de contribuinte|identificacion fiscal|identificacao fiscal|numero tributario|" +
      "identificacion tributaria|steuernummer|steuerliche|налоговый номер|идентификационный номер|税号|纳税人识别号"
    ).split("|"),
    shape: NUMBER,
    score: 0.6,
    worldwide: true,
  },
  {
    type: "pii.passport",
    cues: (
      "passport|passports|passport number|passport no|passeport|reisepass|reisepassnummer|pasaporte|passaporto|passaporte|" +
      "paspoort|паспорт|护照|護照|パスポート|pasaport|paszport|travel document|passport card|passport id|ppt no|pass-nr|passnummer|" +
      "passnr|paspor|putovnica|pasos|cestovni pas|utlevel|여권|جواز السفر|דרכון|hộ chiếu|หนังสือเดินทาง|διαβατηριο"
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
      "licencia de conducir|patente di guida|rijbewijs|driver's permit|driver id|driver's lic|drivers lic|driver lic|driving permit|driver license number|dl|dln|license id|" +
      "licence id|driver's id|carteira de motorista|carta de conducao|permiso de conducir|brevete|prawo jazdy|korkort|" +
      "forerkort|ajokortti|ridicsky prukaz|vezetoi engedely|ehliyet|surat izin mengemudi|водительское|驾驶证|駕照|運転免許|운전면허|" +
      "رخصة القيادة|ใบขับขี่"
    ).split("|"),
    shape: /^(?=(?:[A-Z]*\d){4})[A-Z\d]{5,19}$/,
    score: 0.6,
    worldwide: false,
  },
  {
    type: "pii.health_id",
    cues: (
      "medical record|mrn|health insurance|health plan|health id|health number|health card|patient id|patient number|" +
      "member id|beneficiary number|medicare number|medicaid|nhs number|krankenversicherung|medical license|" +
      "beneficiary id|insurance id|insurance member|subscriber id|patient no|patient's id|hospital number|hospital no|" +
      "medical id|medicare id|medicare no|medicare card|ehic|healthcare number|health service number|health identifier|" +
      "health care number|numero de historia clinica|tarjeta sanitaria|versichertennummer|physician id|provider number|" +
      "provider identifier|hicn"
    ).split("|"),
    shape: NUMBER,
    score: 0.55,
    worldwide: true,
  },
  {
    // Never by another country's check digits: these numbers are only noted.
    type: "pii.health_id",
    cues: (
      "chart number|patientennummer|patienten-nr|versichertennr|krankenkassennummer|" +
      "gesundheitskarte|numero de patient|numero d'adherent|numero d'assure|carte vitale|numero de paciente|" +
      "numero de afiliado|numero de asegurado|codice paziente|numero paziente|cartella clinica|numero de utente|" +
      "numero do paciente|prontuario|patientnummer|zorgverzekeringsnummer|numer pacjenta|numer ubezpieczenia|" +
      "номер пациента|номер полиса|полис омс|полиса омс|病历号|医保号|医保卡号|患者番号|診察券番号|被保険者番号|" +
      "保険者番号|환자번호|건강보험번호"
    ).split("|"),
    shape: NUMBER,
    score: 0.55,
    worldwide: false,
  },
  {
    type: "pii.bank_account",
    cues: (
      "account number|account no|acct no|acct number|acct|bank account|kontonummer|konto-nr|numero de cuenta|compte bancaire|" +
      "numero de compte|bankrekening|conto corrente|bban|sort code|banking code|account #|a/c no|a/c number|checking account|savings account|" +
      "numero de conta|conta corrente|rekeningnummer|numer konta|номер счета|расчетный счет|银行账号|银行卡号|口座番号|계좌번호|" +
      "bank routing"
    ).split("|"),
    shape: /^\d{6,18}$/,
    score: 0.45,
    worldwide: false,
  },
  {
    type: "pii.company_id",
    cues: (
      "company number|company identifier|company id|company no|company register|company registration|business number|" +
      "business identifier|business id|business registration|businessid|organization number|organisation number|" +
      "organization id|organisation registration|enterprise number|enterprise id|corporate number|corporation number|" +
      "legal person|establishment identif|statistical identif|registry code|commercial register|trade register|unique entity|" +
      "handelsregister|firmenbuch|registro mercantil|partita iva|numero d'entreprise|business administration number|" +
      "memorandum of association|registration code|entity number|receipt number|taxable person|abn|acn|siren|siret|vat|" +
      "cui|ičo|dič|cvr|kvk"
    ).split("|"),
    shape: NUMBER,
    score: 0.45,
    worldwide: false,
  },
];
