import { connectionFault } from "./connection-fault";
import { guardedFetch, NotConnected, type Resolve } from "./guarded-fetch";
import type { WebhookError, WebhookMessage, WebhookSender } from "./outbound-port";

/*
 * Standard Webhooks 1.0 over HTTP. An administrator names the receiver, but the request comes from inside the
 * operator's network: only public addresses are connected to, by https, unless the configuration says otherwise.
 */

type Options = {
  /** `webhooks.allow_private`. */
  readonly allowPrivate: readonly string[];
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly version: string;
  /** The system's resolver, if not given. */
  readonly resolve?: Resolve;
  /** Longest wait for an answer, milliseconds. */
  readonly timeoutMs?: number;
};

/** Receivers answer before they work; Standard Webhooks suggests 15 to 30 seconds. */
const TIMEOUT_MS = 20_000;

export const webhookSender = ({ allowPrivate, now, version, resolve, timeoutMs = TIMEOUT_MS }: Options) => {
  const fetch = guardedFetch({
    allowPrivate,
    setting: "webhooks.allow_private",
    http: "allowed networks",
    connectMs: timeoutMs,
    ...(resolve && { resolve }),
  });
  const send: WebhookSender = async (url, message, ended) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([timeout, ended]);
    try {
      const headers = { ...signed(message, now()), "user-agent": `guardhouse/${version}` };
      const { status, body } = await fetch(url, { method: "POST", headers, body: message.body, signal });
      // Nothing of what a receiver says is read: only its status counts.
      await body?.cancel();
      return { status, error: status >= 300 && status < 400 ? "redirect" : null };
    } catch (error) {
      return { status: null, error: timeout.aborted ? "timeout" : wordFor(error) };
    }
  };
  return send;
};

/** The headers of one attempt: signed with every secret, so that receivers may know either while one is replaced. */
const signed = ({ id, body, secrets }: WebhookMessage, now: number): Readonly<Record<string, string>> => {
  const seconds = Math.floor(now / 1_000);
  const signature = (secret: string): string => {
    const hash = new Bun.CryptoHasher("sha256", Buffer.from(secret.replace(/^whsec_/, ""), "base64"));
    return `v1,${hash.update(`${id}.${seconds}.${body}`).digest("base64")}`;
  };
  return {
    "content-type": "application/json",
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": secrets.map(signature).join(" "),
  };
};

const wordFor = (error: unknown): WebhookError =>
  error instanceof NotConnected ? error.reason : connectionFault(error);
