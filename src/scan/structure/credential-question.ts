import { isRecord, type JsonRecord } from "#core/json/json";
import { isAbout, isOtherThing } from "#scan/detectors/secret-name";
import { fold } from "#scan/fold/normalize";
import { once } from "#scan/fold/once";

/**
 * Whether a form asks a person for what grants access or authorises a payment. Servers must not (MCP 2025-11-25 and
 * 2026-07-28, elicitation): the answer would go through client, model host and hub.
 */

/** One language's words. Each is a part of a regular expression over folded small letters, or over the text as it came. */
type Words = {
  /** ISO 639-1. */
  readonly language: string;
  /** What is asked for. */
  readonly credential: string;
  /** What asks for it. */
  readonly ask: string;
  readonly not: string;
  /** Written without blanks: no word ends where another begins. */
  readonly isJoined?: true;
};

const LANGUAGES: readonly Words[] = [
  {
    language: "en",
    credential:
      "pass ?words?|pass ?codes?|pass ?phrases?|(?:pin|p\\.i\\.n\\.)(?: code| number)?|(?:api|access|secret|private|signing|encryption|license|ssh|service account)[ -]?keys?|(?:api|access|auth|authentication|authorization|bearer|refresh|session|id|personal access|bot|oauth)[ -]?tokens?|client secrets?|shared secrets?|session cookies?|credentials?|login details|(?:seed|recovery|mnemonic|backup|secret) ?(?:phrases?|words|codes?)|mnemonic|[th]?otps?|(?:one[ -]?time|single[ -]?use|2fa|mfa|two[ -]factor|verification|security|confirmation|authenticator|auth|login|sms) ?(?:pass ?words?|pass ?codes?|codes?|pins?)|(?:code|pin) (?:sent|texted|mailed|emailed) to|cv[vc]2?|(?:credit |debit |bank )?card (?:numbers?|pins?|details)",
    ask: "enter|provide|type|give|supply|input|paste|tell|submit|fill in|confirm|specify|need|needs|require|requires|required|what is|what's|please|share your|send us|send me|log in with|sign in with|authenticate with",
    not: "not|don't|never|without|no need",
  },
  {
    language: "de",
    credential:
      "passw(?:ort|orter)|kennw(?:ort|orter)|passphrase|api-? ?schlussels?|(?:zugriffs|zugangs|access-?)token|privaten? schlussel|geheimen? schlussel|geheimzahl|zugangsdaten|anmeldedaten|zugangscode|pin(?:-?code|-?nummer)?|(?:ein|mal)?einmal(?:code|passwort|kennwort)|tan|(?:bestatigungs|sicherheits|wiederherstellungs|verifizierungs|anmelde)code|wiederherstellungsphrase|karten(?:nummer|prufnummer)|kreditkarten(?:nummer|daten)|prufziffer",
    ask: "gib|geben|eingeben|eintragen|nenne|nennen|teile|teilen|angeben|benotige|benotigt|benotigen|brauche|brauchen|wie lautet|tippe|tippen|bitte",
    not: "nicht|kein|keine|keinen|niemals|nie|ohne",
  },
  {
    language: "fr",
    credential:
      "mots? de passe|phrase (?:de passe|de recuperation|secrete)|cles? (?:d'api|api|privee|secrete|d'acces)|jetons? (?:d'acces|d'authentification|api)|identifiants de connexion|codes? (?:pin|secret|confidentiel|de verification|de securite|de confirmation|a usage unique|recu par sms)|cryptogramme|numero de (?:la |votre )?carte",
    ask: "entrez|entrer|entre|saisissez|saisir|saisis|donnez|donne|fournissez|fournir|indiquez|indique|tapez|communiquez|renseignez|quel est|veuillez",
    not: "ne|n'|pas|jamais|sans",
  },
  {
    language: "es",
    credential:
      "contrasenas?|claves? (?:de api|api|de la api|privada|secreta|de acceso)|(?:tu|su) clave|tokens? de acceso|credenciales|frase (?:semilla|de recuperacion|secreta)|codigos? (?:pin|de verificacion|de seguridad|de un solo uso|de confirmacion|de acceso|sms)|pin|numero de (?:la |tu |su )?tarjeta",
    ask: "introduce|introduzca|introducir|ingrese|ingresa|ingresar|proporcione|proporciona|escriba|escribe|indique|indica|digite|facilite|facilita|cual es|necesitamos|necesito",
    not: "no|nunca|sin|jamas",
  },
  {
    language: "pt",
    credential:
      "senhas?|palavras?-passe|chaves? (?:de api|da api|api|privada|secreta|de acesso)|tokens? de acesso|credenciais|frase (?:de recuperacao|semente|secreta)|codigos? (?:pin|de verificacao|de seguranca|de uso unico|de confirmacao|de acesso|sms)|pin|numero do (?:seu )?cartao",
    ask: "digite|insira|inserir|informe|forneca|introduza|indique|escreva|preencha|qual e|precisamos|preciso",
    not: "nao|nunca|sem|jamais",
  },
  {
    language: "it",
    credential:
      "password|parola d'ordine|parola chiave segreta|chiav[ei] (?:api|privat[ae]|segret[ae]|di accesso)|token di accesso|credenziali|frase (?:di recupero|seed|segreta)|codic[ei] (?:pin|di verifica|di sicurezza|di conferma|monouso|otp|sms)|pin|numero (?:della|di) (?:tua |sua )?carta",
    ask: "inserisci|inserire|inserisca|fornisci|fornire|fornisca|digita|digitare|indica|indichi|immetti|immettere|scrivi|qual e|serve|abbiamo bisogno",
    not: "non|mai|senza",
  },
  {
    language: "nl",
    credential:
      "wachtwoord(?:en)?|toegangscode|pincode|pin|api-? ?sleutels?|toegangstokens?|geheime sleutel|prive-? ?sleutel|inloggegevens|herstel(?:zin|code)|(?:verificatie|beveiligings|bevestigings)code|eenmalige (?:code|toegangscode)|kaartnummer",
    ask: "voer|vul|geef|typ|verstrek|deel|noem|wat is|nodig",
    not: "niet|geen|nooit|zonder",
  },
  {
    language: "pl",
    credential:
      "hasl[oaue]m?|klucz(?:a|e)? (?:api|prywatny|tajny|dostepu)|token(?:a)? dostepu|dane (?:logowania|uwierzytelniajace)|fraz[ae] (?:odzyskiwania|seed)|kod(?:u)? (?:pin|weryfikacyjny|sms|jednorazowy|bezpieczenstwa|potwierdzajacy)|pin|numer karty",
    ask: "podaj|podac|wpisz|wpisac|wprowadz|wprowadzic|prosze|jakie jest|jaki jest|potrzebujemy",
    not: "nie|nigdy|bez",
  },
  {
    language: "tr",
    credential:
      "sifre(?:niz|n)?(?:i|yi)?|parola(?:niz|n)?(?:i|yi)?|api anahtar\\p{L}*|erisim (?:anahtar|belirtec)\\p{L}*|gizli anahtar\\p{L}*|ozel anahtar\\p{L}*|dogrulama kod\\p{L}*|guvenlik kod\\p{L}*|tek kullanimlik (?:sifre|kod|parola)\\p{L}*|kurtarma (?:ifade|kod)\\p{L}*|kart numara\\p{L}*|pin kod\\p{L}*",
    ask: "girin|giriniz|gir|yazin|yaziniz|verin|veriniz|belirtin|paylasin|nedir|gerekli|lutfen",
    not: "girmeyin|yazmayin|vermeyin|paylasmayin|asla",
  },
  {
    language: "ru",
    credential:
      "парол\\p{L}*|кодов\\p{L}* слов\\p{L}*|(?:api|апи)[- ]ключ\\p{L}*|ключ\\p{L}* (?:api|доступа)|(?:секретн|приватн|закрыт)\\p{L}* ключ\\p{L}*|токен\\p{L}* доступа|(?:пин|pin)(?:[- ]?код\\p{L}*)?|код\\p{L}* (?:подтверждения|безопасности|из смс|из sms)|одноразов\\p{L}* (?:код|парол)\\p{L}*|(?:сид|seed)[- ]?фраз\\p{L}*|номер\\p{L}* карты|учетн\\p{L}* данн\\p{L}*",
    ask: "введите|введи|укажите|укажи|сообщите|сообщи|отправьте|напишите|назовите|предоставьте|какой|нужен|пожалуйста",
    not: "не|никогда|без",
  },
  {
    language: "zh",
    credential:
      "密码|密碼|口令|api ?(?:密钥|金鑰|key)|访问(?:令牌|密钥)|私钥|助记词|验证码|驗證碼|动态码|安全码|银行卡号|信用卡号|卡号|pin ?码",
    ask: "输入|輸入|提供|填写|填寫|告诉|发送|确认|请",
    not: "不要|请勿|切勿|不需要|无需",
    isJoined: true,
  },
  {
    language: "ja",
    credential:
      "パスワード|パスフレーズ|暗証番号|apiキー|アクセス(?:トークン|キー)|秘密鍵|シークレットキー|(?:認証|確認|セキュリティ|ワンタイム)(?:コード|番号)|ワンタイムパスワード|(?:リカバリー|シード)フレーズ|カード番号|ログイン情報",
    ask: "入力|教えて|提供|記入|送って|送信|ください",
    not: "ないで|しない|不要",
    isJoined: true,
  },
  {
    language: "ko",
    credential:
      "비밀번호|암호|패스워드|api ?키|액세스 ?(?:토큰|키)|개인 ?키|비밀 ?키|인증 ?(?:번호|코드)|일회용 ?(?:비밀번호|코드)|보안 ?코드|카드 ?번호|복구 ?(?:구문|문구|코드)|시드 ?구문",
    ask: "입력|알려|제공|적어|보내|주세요",
    not: "마세요|마십시오|필요 없",
    isJoined: true,
  },
];

/** What the word of a credential is followed by where the text is about something of it. */
const ABOUT =
  "(?![ -]?(?:manager|polic|reset|hint|length|strength|protect|expir|field|usage|limit|count|rotation|less\\b))";

const oneOfAll = (part: (words: Words) => string): string => LANGUAGES.map(part).join("|");
const whole = (pattern: string, { isJoined }: Words): string =>
  isJoined ? `(?:${pattern})` : `(?<![\\p{L}\\p{N}_])(?:${pattern})(?![\\p{L}\\p{N}_])`;

const CREDENTIAL = once(
  () =>
    new RegExp(
      oneOfAll((words) => whole(words.credential, words) + ABOUT),
      "u",
    ),
);
const ASKED = once(
  () =>
    new RegExp(
      oneOfAll((words) => whole(words.ask, words)),
      "u",
    ),
);
const NOT = once(
  () =>
    new RegExp(
      oneOfAll((words) => whole(words.not, words)),
      "u",
    ),
);
/** Who the credential is of, where a description names nothing else. */
const WHOSE =
  /(?<![\p{L}\p{N}])(?:your|the|my|user|user's|users|account|ihr|ihre|ihren|dein|deine|deinen|votre|vos|ton|tu|su|seu|sua|tua|tuo|suo|uw|je|jouw|twoje|twoj|ваш|твой|您的|你的|あなたの)(?![\p{L}\p{N}])/u;

/** Names of fields that say nothing else by themselves. */
const FIELD =
  /^(?:token|secret|pin|otp|totp|pass|pwd|passwd|passwort|kennwort|cvv|cvc|mnemonic|credentials?|auth|bearer|apikey|jwt|sig(?:nature)?_?key|ssn_?pin|tan|2fa|mfa|senha|contrasena|haslo|wachtwoord|sifre|parola|密码|パスワード|비밀번호|пароль)$/u;

/** A text in the two ways in which it is read: with look-alikes and accents taken off, and as it came (Cyrillic, kana). */
const readings = (text: string): readonly string[] => {
  const plain = text.normalize("NFKC").toLowerCase().replaceAll("ё", "е");
  const folded = fold(text).text.toLowerCase();
  return plain === folded ? [folded] : [folded, plain];
};

/** `apiKey`, `api_key` and `api-key` as words. */
const spaced = (name: string): string => name.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").replace(/[_.-]+/g, " ");

const nameAsks = (name: string): boolean => {
  return readings(spaced(name)).some((text) => {
    if (FIELD.test(text.replaceAll(" ", "_"))) return true;
    const found = CREDENTIAL().exec(text);
    if (found === null || isOtherThing(name)) return false;
    const rest = text.slice(found.index + found[0].length).trim();
    return rest === "" || !isAbout(rest);
  });
};

/** A short clause that names a credential and denies nothing, or one that asks for it. */
const MAX_BARE_WORDS = 7;

const proseAsks = (prose: string, isLabel: boolean): boolean =>
  readings(prose).some((text) =>
    text.split(/[.;!?\n()。！？；]+/u).some((sentence) => {
      if (!CREDENTIAL().test(sentence)) return false;
      const isDenied = NOT().test(sentence);
      return sentence.split(/[,:，、]/u).some((clause) => {
        if (!CREDENTIAL().test(clause)) return false;
        if (ASKED().test(clause) && !NOT().test(clause)) return true;
        if (isDenied) return false;
        const isBare = clause.trim().split(/\s+/).length <= MAX_BARE_WORDS;
        return isLabel ? isBare || WHOSE.test(clause) : isBare && WHOSE.test(clause);
      });
    }),
  );

/** What a person writes freely: a choice, or yes and no, is no credential. */
const isFree = (field: JsonRecord): boolean => {
  const { type } = field;
  if (type !== "string" && type !== "number" && type !== "integer" && type !== undefined) return false;
  return !("enum" in field) && !("oneOf" in field);
};

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** `params` of `elicitation/create` in form mode. */
export const asksForCredential = ({ message, requestedSchema }: JsonRecord): boolean => {
  const properties = isRecord(requestedSchema) ? requestedSchema["properties"] : null;
  const fields = isRecord(properties) ? Object.entries(properties) : [];
  const free = fields.flatMap(([name, field]) => (isRecord(field) && isFree(field) ? [{ name, field }] : []));
  if (free.length === 0) return false;
  if (proseAsks(textOf(message), false)) return true;
  return free.some(({ name, field }) => {
    const format = textOf(field["format"]).toLowerCase();
    const title = textOf(field["title"]);
    return format === "password" || nameAsks(name) || nameAsks(title) || proseAsks(textOf(field["description"]), true);
  });
};
