import { isRecord } from "#core/json/json";
import { parseExact } from "#core/json/json-reader";
import { wordsOf } from "#policy/provenance/provenance-words";
import { fold } from "#scan/fold/normalize";

/*
 * An answer to a mail goes to whom it came from, and only the mail says who that is. Where a person asks for an answer,
 * the address in the mail's own head is what was asked for; one in its text is not.
 */

/** Names of arguments that say whom something goes to. */
const RECIPIENT = /^(?:to|recipients?|address|addresses|email|e_?mail_?address|to_?address(?:es)?)$/i;

/** A request to answer somebody, in the first order. Folded text in lower case. */
const ANSWER =
  /\b(?:repl(?:y|ies)|answer|respond|write back|antworte|antworten|beantworte|beantworten|repond(?:s|ez|re)?|contesta|responde|rispondi|beantwoord|antwoord)\b[^.\n]{0,80}\b(?:e?-?mails?|messages?|letters?|senders?|writers?|authors?|inquir(?:y|ies)|tickets?|customers?|nachricht|anfrage|kunden?|absender|courriels?|expediteur|client|mensajes?|correos?|remitente|cliente|messaggio|mittente|bericht|afzender)\b/;

/** Lines of a head: a name, a colon, a value. */
const HEAD =
  /^(?:[ \t]{0,8}[\w-]{1,40}:[^\n]{0,2000}\n){0,40}?[ \t]{0,8}(?:from|reply-to|sender|von|de|da|van):([^\n]{3,300})/i;
/** Fields of a result in JSON that say whom it is from. */
const FIELD = /^(?:from|sender|reply_?to|from_?(?:email|address))$/i;
/** A head begins a result; longer JSON is not read. In UTF-16 units. */
const MAX_HEAD = 8_192;
const MAX_JSON = 131_072;
const ADDRESS = /[\w.%+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/;
const MAX_SENDERS = 500;

/** Who has written what tools returned, and whether somebody trusted wants them answered. */
export class Senders {
  private readonly senders = new Set<string>();
  private isAnswering = false;

  trusted(text: string): void {
    this.isAnswering ||= ANSWER.test(fold(text).text.toLowerCase());
  }

  /** A whole result of a tool, as it came. What stands further inside it anybody may have written. */
  result(text: string): void {
    for (const head of [HEAD.exec(text.slice(0, MAX_HEAD))?.[1], ...fieldsIn(text)]) {
      const address = head === undefined ? null : ADDRESS.exec(head);
      if (address !== null && this.senders.size < MAX_SENDERS) this.senders.add(wordsOf(address[0]));
    }
  }

  /** Whether an address in an argument of that name is that of somebody who is to be answered. */
  areAnswered(words: string, field: string | undefined): boolean {
    return this.isAnswering && field !== undefined && RECIPIENT.test(field) && this.senders.has(words);
  }
}

/** What a result in JSON, or each of a list, says in its own fields. */
const fieldsIn = (text: string): readonly string[] => {
  const whole = text.length <= MAX_JSON && /^\s*[[{]/.test(text) ? parseExact(text) : undefined;
  const records = (Array.isArray(whole) ? whole : [whole]).slice(0, MAX_SENDERS).filter(isRecord);
  const fields = records.flatMap((record) => Object.entries(record)).filter(([name]) => FIELD.test(name));
  return fields
    .flatMap(([, value]) => (isRecord(value) ? [value["email"], value["address"]] : [value]))
    .filter(isShort);
};

const isShort = (value: unknown): value is string => typeof value === "string" && value.length <= 300;
