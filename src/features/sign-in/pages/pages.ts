import { COMMANDS, commandLine } from "#core/command-line";
import { escaped } from "#core/html";
import type { HtmlPage } from "#http/pages/html-page";
import type { OidcProblem } from "#model/oidc";

/* Addresses in scripts are relative to the page's, so that a base path stands before them too. */

const EMAIL = `<label>E-mail <input name="email" type="text" inputmode="email" autocomplete="username" autofocus required maxlength="254"></label>`;
/** Only in the browser: it has no name, so that it is not sent. */
const SHOW = `<label class="inline"><input id="show" type="checkbox"> Show password</label>`;
const SHOW_SCRIPT = `
document.querySelector("#show").addEventListener("change", ({ target }) => {
  document.querySelector("[name=password]").type = target.checked ? "text" : "password";
});`;

const NEW_PASSWORD = `<label>Password, 12 characters or more
<input name="password" type="password" autocomplete="new-password" required minlength="12" maxlength="256"></label>${SHOW}`;

/** Nothing that is sent: browsers keep the password under it, and people see whose it will be. */
const WHO = `<label>E-mail <input id="who" type="text" autocomplete="username" readonly></label>`;

const form = (fields: string, button: string): string =>
  `<form method="post">${fields}<button>${button}</button></form>`;

const PASSWORD_FORM = form(
  `${EMAIL}<label>Password <input name="password" type="password" autocomplete="current-password" required maxlength="256"></label>${SHOW}`,
  "Sign in",
);

const PASSWORD_SCRIPT = `${SHOW_SCRIPT}
/* After an authorization request of a client the browser returns to that request only. */
send("api/auth/sign-in", () => ({}), location.search === "" ? "./" : "api/auth/oauth2/authorize" + location.search);`;

/**
 * A page that was opened at another address than the hub was told of cannot be sent: its Origin is not the hub's. So it
 * says what to do, in the browser, which alone knows where it is. Loopback addresses are as good as the public one.
 */
const ELSEWHERE = `<div id="elsewhere" class="notice" hidden><p></p><p><code></code></p></div>`;

const elsewhereScript = (publicUrl: string): string => `
const told = ${JSON.stringify(publicUrl).replaceAll("<", "\\u003c")};
const isLocal = location.protocol === "http:" && /^(localhost|.+\\.localhost|127(\\.\\d{1,3}){3}|\\[::1\\])$/.test(location.hostname);
if (location.origin !== new URL(told).origin && !isLocal) {
  const here = new URL(".", location.href).href.replace(/\\/$/, "");
  const notice = document.querySelector("#elsewhere");
  const [words, line] = notice.children;
  words.textContent = "You opened the hub at " + here + ". Its public_url is " + told + ", and requests from other addresses are refused. Open that address; or, if it is wrong, the operator sets this and restarts the hub:";
  line.firstChild.textContent = "GUARDHOUSE_PUBLIC_URL=" + here;
  notice.hidden = false;
}`;

/** As it is at a hub with this address. */
export const atAddress = (page: HtmlPage, publicUrl: string): HtmlPage => ({
  ...page,
  body: `${ELSEWHERE}${page.body}`,
  script: `${elsewhereScript(publicUrl)}${page.script}`,
});

const PROBLEMS: Readonly<Record<OidcProblem, string>> = {
  expired: "Signing in took too long, was begun in another browser, or at another address of this hub. Start again.",
  denied: "The provider denied the sign-in.",
  unavailable: "The provider cannot be reached. Try again later, or ask your administrator.",
  failed: "The provider sent an invalid response. Try again, or ask your administrator.",
  unverified: "The provider has not verified your e-mail address. Verify it there, or ask your administrator.",
  no_access: "You have no access to this hub. Ask an administrator to invite you.",
  busy: "Too many attempts. Try again later.",
};

/* A client's request goes along to the provider's answer. What went wrong stands behind the #, in a word of our own. */
const OIDC_SCRIPT = `
document.querySelector("#oidc").search = location.search;
const problems = ${JSON.stringify(PROBLEMS)};
const [name, word] = location.hash.slice(1).split("=");
if (name === "oidc" && Object.hasOwn(problems, word)) say(problems[word]);`;

const UNCLAIMED = `<p class="notice">This hub has no administrator yet. The operator finds a link in what
<code>${commandLine(COMMANDS.serve())}</code> wrote, or runs <code>${commandLine(COMMANDS.createAdmin())}</code>.</p>`;

type Login = {
  /** What the provider is called; null for none. */
  readonly provider: string | null;
  readonly byPassword: boolean;
  readonly hasAdmin: boolean;
};

export const loginPage = ({ provider, byPassword, hasAdmin }: Login): HtmlPage => ({
  title: "Sign in",
  body: [
    ...(hasAdmin ? [] : [UNCLAIMED]),
    ...(provider === null ? [] : [`<p><a id="oidc" href="api/auth/oidc">Continue with ${escaped(provider)}</a></p>`]),
    ...(byPassword ? [PASSWORD_FORM] : []),
  ].join("\n"),
  script: `${provider === null ? "" : OIDC_SCRIPT}${byPassword ? PASSWORD_SCRIPT : ""}`,
});

export const SETUP: HtmlPage = {
  title: "Set up the first administrator",
  body: `<p class="quiet">This account will be the administrator.</p>${form(`${EMAIL}${NEW_PASSWORD}`, "Create")}`,
  script: `${SHOW_SCRIPT}
const token = takeToken();
if (token === "") say("Open the complete link that the hub printed at start, with the part behind the #. After 30 minutes restart the hub for a new link.");
send("api/auth/setup", () => ({ token }), "./");`,
};

export const INVITE: HtmlPage = {
  title: "Set your password",
  body: `${form(`${WHO}${NEW_PASSWORD}`, "Set password")}<p id="instead" hidden><a href="login">Sign in</a></p>`,
  script: `${SHOW_SCRIPT}
const token = takeToken();
send("api/auth/invitation/accept", () => ({ token }), "./");
const answer = await post("api/auth/invitation", { token });
if (answer.ok) document.querySelector("#who").value = (await answer.json()).email;
else if (answer.status !== 410) say(await problem(answer));
else {
  document.querySelector("form").remove();
  document.querySelector("#instead").hidden = false;
  say("This link is used, expired or wrong. If you have set a password with it, sign in. Otherwise ask for a new one.");
}`,
};
