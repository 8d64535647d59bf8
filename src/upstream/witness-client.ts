import { textWithin } from "./answer-limit";
import type { WitnessPost } from "./outbound-port";
import { plainFetch } from "./plain-fetch";

const TIMEOUT_MS = 10_000;
/** A few signatures. */
const MAX_BYTES = 65_536;

/** Asks witnesses that the operator's configuration names, which may be anywhere. */
export const witnessPost =
  ({ version }: { readonly version: string }): WitnessPost =>
  async (url, body) => {
    try {
      const answer = await plainFetch(url, {
        method: "POST",
        headers: { "content-type": "text/plain; charset=utf-8", "user-agent": `guardhouse/${version}` },
        body,
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return { status: answer.status, body: await textWithin(answer, MAX_BYTES) };
    } catch {
      // No connection, one that broke off, an answer that is too long: what a witness says is for it alone to prove.
      return null;
    }
  };
