type Named = { readonly id: string };
type ItemOwner = { readonly user: Named; readonly agent: Named | null };

/** Items remembered at a time, of all callers; those that were answered first go first. */
const MAX_ITEMS = 20_000;
/** Longer ids are not remembered. Characters. */
const MAX_ID = 128;

/**
 * Which items of responses were answered to whom, and which provider keeps them: so that a request may name an item by
 * its id. In memory alone: events of a stream repeat the ids of their items, so that those are the provider's own, and
 * say nothing of whose they are.
 */
export class KeptItems {
  private readonly providers = new Map<string, string>();

  note(owner: ItemOwner, provider: string, id: string): void {
    if (id.length > MAX_ID) return;
    const key = keyOf(owner, id);
    this.providers.delete(key);
    this.providers.set(key, provider);
    if (this.providers.size <= MAX_ITEMS) return;
    for (const oldest of this.providers.keys()) {
      this.providers.delete(oldest);
      break;
    }
  }

  /** The provider that keeps it; null for an item that this caller was not answered, or not lately. */
  providerOf(owner: ItemOwner, id: string): string | null {
    return this.providers.get(keyOf(owner, id)) ?? null;
  }
}

const keyOf = ({ user, agent }: ItemOwner, id: string): string => JSON.stringify([user.id, agent?.id ?? null, id]);
