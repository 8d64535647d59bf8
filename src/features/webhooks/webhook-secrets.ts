import type { Webhook } from "#model/webhook";
import type { Sealing } from "#platform/sealing";

/*
 * Signing secrets: 32 random bytes, written `whsec_` and base64 as Standard Webhooks has them. They are kept sealed,
 * each with the moment it ends at, so that the old one of a rotation runs out by itself.
 */

const purposeOf = (webhookId: string): string => `webhook.secret:${webhookId}`;

/** `endsAt` in Unix milliseconds; null for a secret that is not being replaced. */
export const sealWebhookSecret = (webhookId: string, secret: string, endsAt: number | null, { seal }: Sealing) =>
  seal(purposeOf(webhookId), `${secret} ${endsAt ?? ""}`);

type Opened = { readonly secret: string; readonly endsAt: number | null };

const opened = (webhookId: string, sealed: string, { unseal }: Pick<Sealing, "unseal">): Opened => {
  const [secret = "", endsAt = ""] = unseal(purposeOf(webhookId), sealed).split(" ");
  return { secret, endsAt: endsAt === "" ? null : Number(endsAt) };
};

/** Those that sign now, the newest first. */
export const signingSecrets = ({ id, sealed_secrets }: Webhook, now: number, sealing: Sealing): string[] =>
  sealed_secrets
    .map((sealed) => opened(id, sealed, sealing))
    .filter(({ endsAt }) => endsAt === null || now < endsAt)
    .map(({ secret }) => secret);

/** The secrets of a webhook with a new one in front; the one before signs on until `oldEndsAt`, older ones are dropped. */
export const rotated = (webhook: Webhook, next: string, oldEndsAt: number, sealing: Sealing): string[] => {
  const { id, sealed_secrets } = webhook;
  const [current] = sealed_secrets;
  const old = current === undefined ? null : opened(id, current, sealing).secret;
  return [
    sealWebhookSecret(id, next, null, sealing),
    ...(old === null ? [] : [sealWebhookSecret(id, old, oldEndsAt, sealing)]),
  ];
};

/** The newest secret; null for a webhook without any. */
export const currentSecret = ({ id, sealed_secrets }: Webhook, unseal: Sealing["unseal"]): string | null => {
  const [newest] = sealed_secrets;
  return newest === undefined ? null : opened(id, newest, { unseal }).secret;
};
