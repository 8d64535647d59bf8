import { isRecord, type JsonRecord } from "#core/json/json";
import type { QuestionModes } from "#features/tools/dialect/port";

/*
 * A client of the 2025 era says once, in `initialize`, whether its user can be asked something. The hub keeps nothing of
 * a handshake, so the session's id says it: the client brings it with every request. It is no credential and grants
 * nothing: a client that changes it tells what it can do as it could have told with `initialize`.
 */

const SESSION = /^elicitation-(f?)(u?)-[0-9a-f-]{36}$/;
const HEADER = "mcp-session-id";

export const NO_MODES: QuestionModes = { form: false, url: false };

/** By a client's capabilities. An empty `elicitation` means forms (2025-11-25 and 2026-07-28, elicitation). */
export const modesOf = (capabilities: unknown): QuestionModes => {
  const elicitation = isRecord(capabilities) ? capabilities["elicitation"] : undefined;
  if (!isRecord(elicitation)) return NO_MODES;
  const [form, url] = [isRecord(elicitation["form"]), isRecord(elicitation["url"])];
  return { form: form || !url, url };
};

/** The header of the answer to `initialize`; none where nobody can be asked. */
export const sessionHeaders = (modes: QuestionModes): Readonly<Record<string, string>> =>
  modes.form || modes.url
    ? { [HEADER]: `elicitation-${modes.form ? "f" : ""}${modes.url ? "u" : ""}-${crypto.randomUUID()}` }
    : {};

export const modesOfSession = (headers: Headers): QuestionModes => {
  const [, form, url] = SESSION.exec(headers.get(HEADER) ?? "") ?? [];
  return { form: form === "f", url: url === "u" };
};

/** The capability as servers are told it. */
export const capabilitiesOf = ({ form, url }: QuestionModes): JsonRecord => ({
  elicitation: { ...(form && { form: {} }), ...(url && { url: {} }) },
});
