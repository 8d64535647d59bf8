import { connectionFault } from "./connection-fault";
import type { AskHub } from "./outbound-port";
import { plainFetch } from "./plain-fetch";

/** Longest wait for the hub's own answer, milliseconds. */
const LIMIT_MS = 10_000;
/** Longest answer that is read, in bytes. */
const MAX_BYTES = 65_536;
const REQUEST_ID = /^[0-9a-f-]{36}$/;

/** Where the hub is reached from outside: the operator has named it, so that no address is closed to it. */
export const askHub =
  (version: string): AskHub =>
  async (url, { headers, body }) => {
    const signal = AbortSignal.timeout(LIMIT_MS);
    const named = { ...headers, "content-type": "application/json", "user-agent": `guardhouse/${version}` };
    try {
      const answer = await plainFetch(url, { method: "POST", headers: named, body, signal, redirect: "manual" });
      const id = answer.headers.get("x-request-id") ?? "";
      const requestId = REQUEST_ID.test(id) ? id : null;
      const isRedirect = answer.status >= 300 && answer.status < 400;
      return { status: answer.status, requestId, text: await beginning(answer), error: isRedirect ? "redirect" : null };
    } catch (error) {
      const word = signal.aborted ? "timeout" : connectionFault(error);
      return { status: null, requestId: null, text: "", error: word };
    }
  };

/** What answers there may be another program. */
const beginning = async ({ body }: Response): Promise<string> => {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > MAX_BYTES) break;
  }
  return text;
};
