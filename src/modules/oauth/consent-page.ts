import type { Authorization } from "#core/oauth/authorization";
import { placeOf } from "#core/oauth/redirect";
import type { User } from "#core/person";
import { escaped, type Page } from "#http/html-page";

/* The client's name is its own word: it stands in quotes, beside what is known of it. */

const SCRIPT = `
const form = document.querySelector("form");
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const accept = event.submitter.value === "allow";
  const tools = [...form.querySelectorAll("input:checked")].map(({ value }) => value);
  say("");
  try {
    const answer = await post(form.dataset.to, { query: location.search.slice(1), accept, tools });
    if (answer.ok) location.replace((await answer.json()).url);
    else say(await problem(answer));
  } catch {
    say("The hub cannot be reached.");
  }
});`;

const choice = (value: string, words: string, isChecked: boolean): string =>
  `<label><input type="checkbox" name="tool" value="${escaped(value)}"${isChecked ? " checked" : ""}>${escaped(words)}</label>`;

type Question = Authorization & {
  readonly user: User;
  /** Public names of what there is to choose from. */
  readonly tools: readonly string[];
  readonly postTo: string;
};

/** Asks whether the client may come in, and with which of the user's tools. */
export const consentPage = ({ client, redirect_uri, user, tools, postTo }: Question): Page => ({
  title: "Let a program use your tools?",
  body: `<p>A program that calls itself <b>“${escaped(client.name ?? "unnamed")}”</b> wants to use tools in your name.
Nobody has verified that name.</p>
<p>It returns to <b>${escaped(placeOf(redirect_uri))}</b>. Go on only if you have just started this yourself.</p>
<p>You are signed in as ${escaped(user.email)}.</p>
<form method="post" data-to="${escaped(postTo)}"><fieldset><legend>It may use</legend>
${tools.map((name) => choice(name, name, true)).join("\n")}
${choice("*", "all of my tools, those added later too", false)}
</fieldset><button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button></form>`,
  script: SCRIPT,
});

/** For a request that leads nowhere we know: nothing of it is shown, and the browser is sent nowhere. */
export const strayPage: Page = {
  title: "This link does not work here",
  body: `<p>The program that opened this page is not known to the hub, was disabled, or gave an address that is not its own.
Connect it anew from the program.</p>`,
  script: "",
  status: 400,
};
