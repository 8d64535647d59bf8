import type { Webhook } from "#model/webhook";
import { inForce, openExpiring, rotatedSecrets, sealExpiring } from "#platform/expiring-secrets";
import type { Sealing } from "#platform/sealing";

/* Signing secrets: 32 random bytes, written `whsec_` and base64 as Standard Webhooks has them, kept sealed. */

const purposeOf = (webhookId: string): string => `webhook.secret:${webhookId}`;

/** `endsAt` in Unix milliseconds; null for a secret that is not being replaced. */
export const sealWebhookSecret = (webhookId: string, secret: string, endsAt: number | null, sealing: Sealing): string =>
  sealExpiring(purposeOf(webhookId), secret, endsAt, sealing);

/** Those that sign now, the newest first. */
export const signingSecrets = ({ id, sealed_secrets }: Webhook, now: number, sealing: Sealing): string[] =>
  inForce(
    sealed_secrets.map((sealed) => openExpiring(purposeOf(id), sealed, sealing)),
    now,
  );

/** The secrets of a webhook with a new one in front; the one before signs on until `oldEndsAt`, older ones are dropped. */
export const rotated = ({ id, sealed_secrets }: Webhook, next: string, oldEndsAt: number, sealing: Sealing): string[] =>
  rotatedSecrets({ purpose: purposeOf(id), sealed: sealed_secrets }, next, oldEndsAt, sealing);

/** The newest secret; null for a webhook without any. */
export const currentSecret = ({ id, sealed_secrets }: Webhook, unseal: Sealing["unseal"]): string | null => {
  const [newest] = sealed_secrets;
  return newest === undefined ? null : openExpiring(purposeOf(id), newest, { unseal }).secret;
};
