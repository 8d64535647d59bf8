import { GuardError } from "#core/errors";
import { type SealedIds, sealedIds } from "#platform/sealed-id";

type Named = { readonly id: string };
type IdOwner = { readonly user: Named; readonly agent: Named | null };

/** What a provider keeps: under which id, at which of them. */
export type KeptAt = { readonly provider: string; readonly id: string };

/** Longer ids of providers are none that anybody has seen. Characters. */
const MAX_ID = 256;
const MAX_OWN_ID = 1_024;

/**
 * Ids of responses as callers know them: the provider's own, sealed with the provider's name and bound to the caller. So
 * that nobody continues or reads what another's calls have left, nor what never passed the hub.
 */
export class ResponseIds {
  private readonly ids: SealedIds;

  constructor(secret: Uint8Array) {
    this.ids = sealedIds(secret, "response");
  }

  /** Throws `upstream_error` for what is no id. */
  give(owner: IdOwner, { provider, id }: KeptAt): string {
    if (id.length > MAX_ID) throw new GuardError("upstream_error", "The provider sent an id that is too long.");
    return PREFIX + this.ids.seal(boundTo(owner), JSON.stringify([provider, id]));
  }

  /** Null for any id that this caller was not given. */
  read(owner: IdOwner, own: string): KeptAt | null {
    if (!own.startsWith(PREFIX) || own.length > MAX_OWN_ID) return null;
    const content = this.ids.open(boundTo(owner), own.slice(PREFIX.length));
    if (content === null) return null;
    const [provider, id]: unknown[] = JSON.parse(content);
    return typeof provider === "string" && typeof id === "string" ? { provider, id } : null;
  }
}

const PREFIX = "resp_";

const boundTo = ({ user, agent }: IdOwner): string => JSON.stringify([user.id, agent?.id ?? null]);
