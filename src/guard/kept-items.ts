type Named = { readonly id: string };
type ItemOwner = { readonly user: Named; readonly agent: Named | null };

/** Items remembered at a time, of all callers; those that were answered first go first. */
const MAX_ITEMS = 20_000;
/** Of ids that are no ids, since everybody has them. */
const MAX_OWNERS = 100;
/** Longer ids are not remembered. Characters. */
const MAX_ID = 128;

/**
 * Which items of responses were answered to whom, and which provider keeps them: so that a request may name an item by
 * its id. In memory alone: events of a stream repeat the ids of their items, so that those are the provider's own, and
 * say nothing of whose they are.
 */
export class KeptItems {
  /** By id, then by whom it was answered to. */
  private readonly items = new Map<string, Map<string, string>>();

  note(owner: ItemOwner, provider: string, id: string): void {
    if (id.length > MAX_ID) return;
    const owners = this.items.get(id) ?? new Map<string, string>();
    this.items.delete(id);
    this.items.set(id, owners);
    if (owners.size >= MAX_OWNERS) owners.clear();
    owners.set(keyOf(owner), provider);
    if (this.items.size <= MAX_ITEMS) return;
    const [oldest] = this.items.keys();
    if (oldest !== undefined) this.items.delete(oldest);
  }

  /** The provider that keeps it; null for an item that this caller was not answered, or not lately. */
  providerOf(owner: ItemOwner, id: string): string | null {
    return this.items.get(id)?.get(keyOf(owner)) ?? null;
  }

  /** Whether it was answered to others alone. */
  isOthers(owner: ItemOwner, id: string): boolean {
    const owners = this.items.get(id);
    return owners !== undefined && !owners.has(keyOf(owner));
  }
}

const keyOf = ({ user, agent }: ItemOwner): string => JSON.stringify([user.id, agent?.id ?? null]);
