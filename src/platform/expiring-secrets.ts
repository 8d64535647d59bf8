import type { Sealing } from "#platform/sealing";

/*
 * Secrets that are replaced while the old one holds on for a while. Each is kept sealed with the moment it ends at, so
 * that the old one of a rotation runs out by itself.
 */

/** `endsAt` in Unix milliseconds; null for a secret that is not being replaced. */
export const sealExpiring = (purpose: string, secret: string, endsAt: number | null, { seal }: Sealing): string =>
  seal(purpose, `${secret} ${endsAt ?? ""}`);

export type Expiring = { readonly secret: string; readonly endsAt: number | null };

/** Throws `UnsealFailed`. */
export const openExpiring = (purpose: string, sealed: string, { unseal }: Pick<Sealing, "unseal">): Expiring => {
  const [secret = "", endsAt = ""] = unseal(purpose, sealed).split(" ");
  return { secret, endsAt: endsAt === "" ? null : Number(endsAt) };
};

/** Those that count now, the newest first. */
export const inForce = (secrets: readonly Expiring[], now: number): string[] =>
  secrets.filter(({ endsAt }) => endsAt === null || now < endsAt).map(({ secret }) => secret);

type Rotating = { readonly purpose: string; readonly sealed: readonly string[] };

/** A new secret in front; the one before counts until `oldEndsAt`, older ones are dropped. */
export const rotatedSecrets = ({ purpose, sealed }: Rotating, next: string, oldEndsAt: number, sealing: Sealing) => {
  const [current] = sealed;
  const old = current === undefined ? null : openExpiring(purpose, current, sealing).secret;
  return [
    sealExpiring(purpose, next, null, sealing),
    ...(old === null ? [] : [sealExpiring(purpose, old, oldEndsAt, sealing)]),
  ];
};
