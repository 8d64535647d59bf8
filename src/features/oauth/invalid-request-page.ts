import type { HtmlPage } from "#http/pages/html-page";
import type { InvalidRequest } from "./consents";

const WORDS: Readonly<Record<InvalidRequest, string>> = {
  unknown: `This app is not registered at the hub, is disabled, or uses a redirect address that it did not register.
Connect the app again.`,
  not_an_address: `This app identifies itself by an invalid address. Report this to the app's vendor.`,
  not_allowed: `This app identifies itself by a document on a host that this hub does not allow.
Ask an administrator to add the host to <code>oauth.client_documents</code>, or use a key instead.`,
  not_fetched: `The hub could not fetch the document that describes this app.
Try again later. If the error remains, ask an administrator to check the hub's log.`,
  not_valid: `The document that describes this app is invalid. Ask an administrator to check the hub's log.`,
  not_offered: `This app requests something that the hub does not support.
You have not authorized it before, so you are not sent to its site. Report this to the app's vendor.`,
  too_many: "You have opened too many of these pages. Try again in a minute.",
};

/** For an invalid authorization request: shows none of its values and redirects nowhere. */
export const invalidRequestPage = (why: InvalidRequest): HtmlPage => ({
  title: "This app cannot be connected",
  body: `<p>${WORDS[why]}</p>`,
  script: "",
  status: 400,
});
