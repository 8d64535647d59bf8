import { connectionFault } from "./connection-fault";
import { guardedFetch, NotConnected, type Resolve } from "./guarded-fetch";
import type { Post, WebhookError } from "./outbound-port";

/*
 * What is sent to receivers that administrators name. The request comes from inside the operator's network: only public
 * addresses are connected to, by https, unless the configuration says otherwise.
 */

export type OutboundOptions = {
  /** `webhooks.allow_private`. */
  readonly allowPrivate: readonly string[];
  readonly version: string;
  /** The system's resolver, if not given. */
  readonly resolve?: Resolve;
  /** Longest wait for an answer, milliseconds. */
  readonly timeoutMs?: number;
};

/** The setting that allows private networks. */
export const OUTBOUND_SETTING = "webhooks.allow_private";

/** Receivers answer before they work; Standard Webhooks suggests 15 to 30 seconds. */
export const OUTBOUND_TIMEOUT_MS = 20_000;

export const outboundPost = (options: OutboundOptions): Post => {
  const { allowPrivate, version, resolve, timeoutMs = OUTBOUND_TIMEOUT_MS } = options;
  const fetch = guardedFetch({
    allowPrivate,
    setting: OUTBOUND_SETTING,
    http: "allowed networks",
    connectMs: timeoutMs,
    ...(resolve && { resolve }),
  });
  return async (url, { headers, body }, ended) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([timeout, ended]);
    const named = { "content-type": "application/json", ...headers, "user-agent": `guardhouse/${version}` };
    try {
      const answer = await fetch(url, { method: "POST", headers: named, body, signal });
      // Nothing of what a receiver says is read: only its status counts.
      await answer.body?.cancel();
      return { status: answer.status, error: answer.status >= 300 && answer.status < 400 ? "redirect" : null };
    } catch (error) {
      return { status: null, error: timeout.aborted ? "timeout" : wordFor(error) };
    }
  };
};

const wordFor = (error: unknown): WebhookError =>
  error instanceof NotConnected ? error.reason : connectionFault(error);
