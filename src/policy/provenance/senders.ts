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
const FIELD =
  /(?<!\\)"(?:from|sender|reply_?to|from_?(?:email|address))"\s{0,4}:\s{0,4}\{?\s{0,4}(?:"(?:email|address)"\s{0,4}:\s{0,4})?"([^"\\]{3,300})"/gi;
const ADDRESS = /[\w.%+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/;
const MAX_SENDERS = 500;

/** Who has written what tools returned, and whether somebody trusted wants them answered. */
export class Senders {
  private readonly senders = new Set<string>();
  private isAnswering = false;

  trusted(text: string): void {
    this.isAnswering ||= ANSWER.test(fold(text).text.toLowerCase());
  }

  /** A result of a tool, as it came. */
  result(text: string): void {
    for (const head of [HEAD.exec(text)?.[1], ...[...text.matchAll(FIELD)].map(([, value]) => value)]) {
      const address = head === undefined ? null : ADDRESS.exec(head);
      if (address !== null && this.senders.size < MAX_SENDERS) this.senders.add(wordsOf(address[0]));
    }
  }

  /** Whether an address in an argument of that name is that of somebody who is to be answered. */
  areAnswered(words: string, field: string | undefined): boolean {
    return this.isAnswering && field !== undefined && RECIPIENT.test(field) && this.senders.has(words);
  }
}
