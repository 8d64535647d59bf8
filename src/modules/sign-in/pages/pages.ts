import type { Page } from "#http/html-page";

/* Addresses in scripts are relative to the page's, so that a base path stands before them too. */

const EMAIL = `<label>E-mail <input name="email" type="text" inputmode="email" autocomplete="username" autofocus required maxlength="254"></label>`;
const NEW_PASSWORD = `<label>Password, 12 characters or more
<input name="password" type="password" autocomplete="new-password" required minlength="12" maxlength="256"></label>`;

const form = (fields: string, button: string): string =>
  `<form method="post">${fields}<button>${button}</button></form>`;

export const LOGIN: Page = {
  title: "Sign in",
  body: `<p id="why" class="quiet" hidden>A program wants to use your tools. Sign in to say which, or none.</p>${form(
    `${EMAIL}<label>Password <input name="password" type="password" autocomplete="current-password" required maxlength="256"></label>`,
    "Sign in",
  )}`,
  script: `
document.querySelector("#why").hidden = location.search === "";
/* Whoever came from a client's request goes back to it, and nowhere else. */
send("api/auth/sign-in", () => ({}), location.search === "" ? "./" : "api/auth/oauth2/authorize" + location.search);`,
};

export const SETUP: Page = {
  title: "Set up the first administrator",
  body: `<p class="quiet">Whoever you name here governs this hub.</p>${form(`${EMAIL}${NEW_PASSWORD}`, "Create")}`,
  script: `
const token = takeToken();
if (token === "") say("Open the link that the hub wrote when it started.");
send("api/auth/setup", () => ({ token }), "./");`,
};

export const INVITE: Page = {
  title: "Welcome",
  body: `<p id="who" class="quiet"></p>${form(NEW_PASSWORD, "Set password")}`,
  script: `
const token = takeToken();
send("api/auth/invitation/accept", () => ({ token }), "./");
const answer = await post("api/auth/invitation", { token });
if (answer.ok) document.querySelector("#who").textContent = (await answer.json()).email;
else { document.querySelector("form").remove(); say("This link was used already, is too old, or never was one. Ask for a new one."); }`,
};
