import type { WebhookMessage, WebhookSender } from "./outbound-port";
import { type OutboundOptions, outboundPost } from "./outbound-post";

/* Standard Webhooks 1.0 over HTTP. */

type Options = OutboundOptions & {
  /** Unix milliseconds. */
  readonly now: () => number;
};

export const webhookSender = ({ now, ...options }: Options): WebhookSender => {
  const post = outboundPost(options);
  return (url, message, ended) => post(url, { headers: signed(message, now()), body: message.body }, ended);
};

/** The headers of one attempt: signed with every secret, so that receivers may know either while one is replaced. */
const signed = ({ id, body, secrets }: WebhookMessage, now: number): Readonly<Record<string, string>> => {
  const seconds = Math.floor(now / 1_000);
  const signature = (secret: string): string => {
    const hash = new Bun.CryptoHasher("sha256", Buffer.from(secret.replace(/^whsec_/, ""), "base64"));
    return `v1,${hash.update(`${id}.${seconds}.${body}`).digest("base64")}`;
  };
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": secrets.map(signature).join(" "),
  };
};
