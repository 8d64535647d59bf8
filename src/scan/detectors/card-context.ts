import { fold } from "#scan/fold/normalize";
import type { View } from "#scan/view";
import { columnHead } from "./national/table";

/** Units before and behind a number in which a word about payments counts. */
export const CUE_BEFORE = 48;
export const CUE_BEHIND = 28;

/** Right before a number, these say that it is a card's, though its sum be wrong: a slip, or made up. */
const STRONG_CUE =
  /(?:(?:credit|debit|bank|payment) ?card|visa|master ?card|amex|american express|discover|maestro|card[ _-]?(?:number|no|num)|kreditkarte|kartennummer|numero de tarjeta|tarjeta de credito|carte bancaire|carte de credit|carta di credito|cartao de credito|信用卡|カード番号)(?: (?:number|no|num))?[\s"'.:=(#|>]{1,4}(?:is )?$/i;

/** Words about cards and payments, folded as texts are. Whole words, or parts of a name such as `cardNumber`. */
const WORDS =
  "cards?|visa|master ?cards?|amex|american express|diners(?: club)?|discover|jcb|maestro|union ?pay|credit|debit|payments?|" +
  "pay|pays|paid|paying|purchases?|charged?|billing|billed|checkout|cvv2?|cvc2?|cc|ccn|" +
  "cc_?(?:no|num|number)|pan|kreditkarten?|karten?|kartennummer|zahlung|bezahlt|tarjetas?|pago|cartes?|paiement|carta|" +
  "pagamento|cartao|cartoes|kaart|kort|karta|karty|karte|платеж|оплата";
/** In scripts that part no words, or not as Latin ones are. */
const OTHER_SCRIPTS = "карт|信用卡|银行卡|銀行卡|卡号|カード|카드|بطاقة|कार्ड|บัตร";
const NAMES = "(?:credit|debit|payment|bank)[ _-]?card|card[ _-]?(?:num|no|data|info|holder|member)";
const CUE = new RegExp(`(?<![a-z])(?:${fold(WORDS).text})(?![a-z])|${NAMES}|${fold(OTHER_SCRIPTS).text}`, "i");
/** The name right before a number is that of another thing, whatever is paid about it: `payment_id`, `order no.`. */
const OTHER_NAME =
  /(?:ids?|uuid|ref|reference|hash|time(?:stamp)?|intent|(?:order|invoice|transaction|tracking|user|customer|merchant|session|request|ticket|receipt)(?:[ _-]?(?:no|num|number|id))?)[\s"'.:=(#|>/\\]*$/i;
/** Behind a number: `12/29`, `exp 12/2029`, `cvv`. */
const BEHIND =
  /^[\s"'),;|]{0,4}(?:(?:exp\w*|valid\w*|thru|until|ends?)[\s.:]*)?(?:0[1-9]|1[0-2]) ?[/-] ?(?:20)?[2-4]\d(?!\d)/i;

/** Words behind a number that say what it was. */
const CARD_BEHIND =
  /(?<![a-z])(?:cards?|visa|master ?card|amex|maestro|discover|cvv2?|cvc2?|kreditkarte|tarjeta|carte|carta)(?![a-z])/i;
/** The next line or field is about something else. */
const BREAK = /\n|,\s*["']?[\w.-]+["']?\s*[:=]/;
/** The field that a number is the value of, where another one stands before it. */
const FIELD = /[,;&\n]\s*(["']?[\w.-]+["']?\s*[:=]\s*["']?)$/;
/** Names that leave it to what is about them to say what the number is. */
const NEUTRAL = /^["']?(?:number|num|no|value|account|raw|text|data)["']?\s*[:=]/i;

/** What stands right before says outright that a card's number follows. */
export const isAnnounced = (view: View, at: number): boolean => STRONG_CUE.test(view.before(at, CUE_BEFORE));

/** Whether words near a number, an expiry date behind it or its column's head are about cards and payments. */
export function isAboutPayment(view: View, at: number, end: number): boolean {
  const near = view.before(at, CUE_BEFORE);
  if (STRONG_CUE.test(near)) return true;
  const field = FIELD.exec(near)?.[1];
  const before = field === undefined || NEUTRAL.test(field) ? near : field;
  if (OTHER_NAME.test(before)) return false;
  if (CUE.test(before)) return true;
  const behind = view.slice(end, end + CUE_BEHIND);
  if (BEHIND.test(behind) || CARD_BEHIND.test(behind.split(BREAK, 1)[0] ?? "")) return true;
  const head = columnHead(view, at, end);
  return head !== undefined && !OTHER_NAME.test(head) && CUE.test(head);
}
