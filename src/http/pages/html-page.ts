import { newNonce } from "#http/browser-page";
import { PAGE_STYLE } from "./page-style";

/** One page of the hub: what it says, in HTML, and what its script does. The script holds nothing of a request. */
export type HtmlPage = {
  readonly title: string;
  readonly body: string;
  readonly script: string;
  /** What it looks like beyond what all pages look like. */
  readonly style?: string;
  readonly status?: number;
};

/** Drawn in the page itself, which loads nothing: a gate under a roof. */
const BRAND = `<p class="brand"><svg viewBox="0 0 24 24" aria-hidden="true">
<path fill-rule="evenodd" d="M12 1 2 7v3h2v12h16V10h2V7zM8 22v-7a4 4 0 0 1 8 0v7h-2v-7a2 2 0 0 0-4 0v7z"/></svg>Guardhouse</p>`;

/** `send` posts a form's fields as JSON and goes on, or says what was wrong in the words of the answer. */
const SCRIPT = `
const say = (words) => { document.querySelector("[role=alert]").textContent = words };
const post = (path, body) => fetch(path, {
  method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body),
});
const problem = async (answer) => {
  const { error } = await answer.json().catch(() => ({}));
  return error?.message ?? "Something went wrong. Try again.";
};
const send = (path, more, next) => {
  const form = document.querySelector("form");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    say("");
    try {
      const answer = await post(path, { ...Object.fromEntries(new FormData(form)), ...more() });
      if (answer.ok) location.replace(next);
      else say(await problem(answer));
    } catch {
      say("The hub cannot be reached.");
    }
    button.disabled = false;
  });
};
/* The link's secret leaves the address bar, and so the history, before anything else happens. */
const takeToken = () => {
  const token = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  return token;
};
`;

const documentOf = ({ title, body, script, style = "" }: HtmlPage, nonce: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title} · Guardhouse</title>
<style nonce="${nonce}">${PAGE_STYLE}${style}</style>
<main>
${BRAND}
<h1>${title}</h1>
${body}
<p role="alert"></p>
</main>
<script type="module" nonce="${nonce}">${SCRIPT}${script}</script>
</html>
`;

/** Nothing is loaded from anywhere, nobody frames it, no form is sent but by the script. */
const policyOf = (nonce: string): string =>
  [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

export const pageResponse = (page: HtmlPage, isSecure: boolean): Response => {
  const nonce = newNonce();
  const headers = new Headers({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policyOf(nonce),
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
  });
  if (isSecure) headers.set("strict-transport-security", "max-age=31536000");
  return new Response(documentOf(page, nonce), { status: page.status ?? 200, headers });
};

/** Whether a page is wanted, as browsers do when an address is opened in them. */
export const isForPerson = ({ method, headers }: Request): boolean =>
  method === "GET" && (headers.get("accept") ?? "").includes("text/html");
