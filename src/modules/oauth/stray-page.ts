import type { Page } from "#http/html-page";
import type { Stray } from "./consents";

const WORDS: Readonly<Record<Stray, string>> = {
  unknown: `The program that opened this page is not known to the hub, was disabled, or gave an address that is not its own.
Connect it anew from the program.`,
  not_an_address: `The program that opened this page names a description of itself that can be nobody's address.
Its makers have to mend that.`,
  not_allowed: `The program that opened this page describes itself at an address that this hub does not read.
Ask an administrator to add its host to <code>oauth.client_documents</code>, or use a key instead.`,
  not_fetched: `The program that opened this page describes itself at an address that gave no description.
Try again in a while. If it stays so, ask an administrator: the hub's log says why.`,
  not_valid: `The program that opened this page has a description that does not hold here.
Ask an administrator: the hub's log says why.`,
  not_offered: `The program that opened this page wants something that the hub does not offer.
You have not let it in before, so you are not sent to its site. Its makers have to mend that.`,
  too_many: "You have opened too many of these pages. Try again in a minute.",
};

/** For a request that leads nowhere we know: nothing of it is shown, and the browser is sent nowhere. */
export const strayPage = (why: Stray): Page => ({
  title: "This link does not work here",
  body: `<p>${WORDS[why]}</p>`,
  script: "",
  status: 400,
});
