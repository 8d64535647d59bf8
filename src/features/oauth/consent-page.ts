import { escaped } from "#core/html";
import type { HtmlPage } from "#http/pages/html-page";
import type { Authorization } from "#model/oauth/authorization";
import { documentHostOf } from "#model/oauth/client-document";
import { placeOf } from "#model/oauth/redirect";
import type { User } from "#model/person";
import type { InvalidRequest } from "./consents";

/* The client's name is its own word: it stands in quotes, beside what is known of it. */

const SCRIPT = `
const form = document.querySelector("form");
/* What a wider choice holds already is not asked for again. */
const settle = () => {
  const all = form.querySelector("[value='*']").checked;
  for (const group of form.querySelectorAll("fieldset")) {
    const [whole, ...each] = group.querySelectorAll("input");
    whole.disabled = all;
    for (const one of each) one.disabled = all || whole.checked;
  }
};
form.addEventListener("change", settle);
settle();
const buttons = [...form.querySelectorAll("button")];
const enable = (isEnabled) => { for (const button of buttons) button.disabled = !isEnabled };
/* A window in front of this one that goes away in the middle of a double click shall not give us the second half. */
let waiting = 0;
let isSending = false;
const settleDown = () => {
  if (isSending) return;
  enable(false);
  clearTimeout(waiting);
  waiting = setTimeout(() => enable(true), 600);
};
addEventListener("focus", settleDown);
document.addEventListener("visibilitychange", settleDown);
settleDown();
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const accept = event.submitter.value === "allow";
  const tools = [...form.querySelectorAll("input:checked:enabled")].map(({ value }) => value);
  isSending = true;
  enable(false);
  say("");
  try {
    const { to, user } = form.dataset;
    const answer = await post(to, { query: location.search.slice(1), accept, tools, user });
    /* Signed out meanwhile, or signed in as somebody else in another tab: who is here now is asked anew. */
    if (answer.status === 401 || answer.status === 409) return location.reload();
    if (answer.ok) {
      const { url } = await answer.json();
      /* A link that a program opens leaves this page where it is. */
      document.querySelector("h1").textContent = "Return to the app";
      document.querySelector("#question").replaceChildren("You can close this page.");
      return location.replace(url);
    }
    say(await problem(answer));
  } catch {
    say("The hub cannot be reached.");
  }
  isSending = false;
  settleDown();
});`;

const box = (value: string, words: string, { isChecked = false, className = "" } = {}): string =>
  `<label${className && ` class="${className}"`}><input type="checkbox" name="tool" value="${escaped(value)}"${isChecked ? " checked" : ""}>${escaped(words)}</label>`;

/** The tools of one server. */
const group = ([server, names]: readonly [
  string,
  readonly string[],
]): string => `<fieldset><legend>${escaped(server)}</legend>
${box(`${server}__*`, "All tools (incl. future)")}
${names.map((name) => box(name, name.slice(server.length + 2) || name, { isChecked: true })).join("\n")}
</fieldset>`;

const choices = (tools: readonly string[]): string => {
  const servers = Map.groupBy(tools, (name) => name.split("__", 1)[0] ?? name);
  const none = `<p class="quiet">You have no tools yet. Unless you choose all tools here, tools you add later are hidden from
the app until you allow them under Clients.</p>`;
  return servers.size === 0 ? none : `<div class="choices">${[...servers].map(group).join("\n")}</div>`;
};

type Question = Authorization & {
  readonly user: User;
  /** Public names of what there is to choose from. */
  readonly tools: readonly string[];
  readonly postTo: string;
};

/** Any program on a computer can claim a document, so only where the code goes to that host is it proof. */
const describedBy = (clientId: string): string => {
  const host = documentHostOf(clientId);
  return host === null ? "" : `<dt>Claims to be from</dt><dd>${escaped(host)}</dd>\n`;
};

/** Asks whether the client may come in, and with which of the user's tools. */
export const consentPage = ({ client, redirect_uri, user, tools, postTo }: Question): HtmlPage => ({
  title: "Connect an app to your tools?",
  body: `<div id="question"><p>An app named <b>“${escaped(client.name ?? "unnamed")}”</b> requests access to tools on your behalf.
The name is not verified.</p>
<dl>${describedBy(client.id)}<dt>Redirects to</dt><dd>${escaped(placeOf(redirect_uri))}</dd>
<dt>Signed in as</dt><dd>${escaped(user.email)}</dd></dl>
<p class="notice">Continue only if you have just started this yourself.</p>
<form method="post" data-to="${escaped(postTo)}" data-user="${escaped(user.id)}"><p>Tools</p>
${choices(tools)}
${box("*", "All my tools (incl. future)", { className: "choice" })}
${box("resources:*", "All resources of my tool servers (incl. future)", { className: "choice" })}
${box("prompts:*", "All prompts of my tool servers (incl. future)", { className: "choice" })}
<div class="actions"><button name="decision" value="allow">Allow</button>
<button name="decision" value="deny" class="plain">Deny</button></div></form></div>`,
  script: SCRIPT,
});

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
