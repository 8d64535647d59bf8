import type { Authorization } from "#core/oauth/authorization";
import { documentHostOf } from "#core/oauth/client-document";
import { placeOf } from "#core/oauth/redirect";
import type { User } from "#core/person";
import { escaped, type Page } from "#http/html-page";

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
      document.querySelector("h1").textContent = "Go back to the program";
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
${box(`${server}__*`, "All of them, those added later too")}
${names.map((name) => box(name, name.slice(server.length + 2) || name, { isChecked: true })).join("\n")}
</fieldset>`;

const choices = (tools: readonly string[]): string => {
  const servers = Map.groupBy(tools, (name) => name.split("__", 1)[0] ?? name);
  const none = `<p class="quiet">You have no tools yet. Unless you choose all of them here, those you add are not shown to
the program until you say so under Clients.</p>`;
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
  return host === null ? "" : `<dt>It says it is one of</dt><dd>${escaped(host)}</dd>\n`;
};

/** Asks whether the client may come in, and with which of the user's tools. */
export const consentPage = ({ client, redirect_uri, user, tools, postTo }: Question): Page => ({
  title: "Let a program use your tools?",
  body: `<div id="question"><p>A program that calls itself <b>“${escaped(client.name ?? "unnamed")}”</b> wants to use tools in your name.
Nobody has verified that name.</p>
<dl>${describedBy(client.id)}<dt>It returns to</dt><dd>${escaped(placeOf(redirect_uri))}</dd>
<dt>You are</dt><dd>${escaped(user.email)}</dd></dl>
<p class="notice">Go on only if you have just started this yourself.</p>
<form method="post" data-to="${escaped(postTo)}" data-user="${escaped(user.id)}"><p>It may use</p>
${choices(tools)}
${box("*", "All of my tools, those added later too", { className: "choice" })}
<div class="actions"><button name="decision" value="allow">Allow</button>
<button name="decision" value="deny" class="plain">Deny</button></div></form></div>`,
  script: SCRIPT,
});
