import type { GuardError } from "#core/errors";
import { escaped } from "#core/html";
import { type HtmlPage, isForPerson, pageResponse } from "./pages/html-page";

/** Where people most likely wanted to go, below the base path. */
const PLACES = [
  ["/", "Overview"],
  ["/calls", "Calls"],
  ["/agents", "Agents"],
  ["/settings", "Settings"],
  ["/docs/", "Documentation"],
  ["/docs/api", "API reference"],
] as const;

const STYLE = `
nav ul { margin: 1rem 0 0; padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: .5rem 1.25rem }
nav a { color: var(--accent) }
`;

const pageFor = (basePath: string, { message }: GuardError): HtmlPage => ({
  title: "Nothing at this address",
  body: `<p>${escaped(message)}</p>
<nav aria-label="Where to go"><ul>
${PLACES.map(([path, name]) => `<li><a href="${escaped(basePath + path)}">${name}</a></li>`).join("\n")}
</ul></nav>`,
  style: STYLE,
  script: "",
  status: 404,
});

/** For somebody who opened an address at which nothing is served, by a browser; programs are answered with JSON. */
export const nothingHere = (basePath: string, isSecure: () => boolean) => (request: Request, error: GuardError) =>
  isForPerson(request) ? pageResponse(pageFor(basePath, error), isSecure()) : null;
