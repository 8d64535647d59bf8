type Named = { readonly id: string };
type ItemOwner = { readonly user: Named; readonly agent: Named | null };

/** Items remembered for certain, of all callers: the last that were answered. */
const MAX_ITEMS = 20_000;
/** Of ids that are no ids, since everybody has them. */
const MAX_OWNERS = 100;
/** Longer ids are not remembered. Characters. */
const MAX_ID = 128;

/** By id, then by whom it was answered to: the provider that keeps it. */
type Items = Map<string, Map<string, string>>;

/**
 * Which items of responses were answered to whom, and which provider keeps them: so that a request may name an item by
 * its id. In memory alone: events of a stream repeat the ids of their items, so that those are the provider's own, and
 * say nothing of whose they are.
 *
 * In two generations: when the younger one is full, the older one goes as a whole. To find the oldest entry of one map,
 * with each entry that is added, is a walk over all places of those that went before it.
 */
export class KeptItems {
  private young: Items = new Map();
  private old: Items = new Map();

  note(owner: ItemOwner, provider: string, id: string): void {
    this.noteAs(keyOf(owner), provider, id);
  }

  /** The same of each, step by step. */
  *noteAll(owner: ItemOwner, provider: string, ids: Iterable<string>): Generator<undefined, void> {
    const key = keyOf(owner);
    for (const id of ids) {
      this.noteAs(key, provider, id);
      yield;
    }
  }

  /** The provider that keeps it; null for an item that this caller was not answered, or not lately. */
  providerOf(owner: ItemOwner, id: string): string | null {
    return this.ownersOf(id)?.get(keyOf(owner)) ?? null;
  }

  /** Whether it was answered to others alone. */
  isOthers(owner: ItemOwner, id: string): boolean {
    const owners = this.ownersOf(id);
    return owners !== undefined && !owners.has(keyOf(owner));
  }

  private noteAs(owner: string, provider: string, id: string): void {
    if (id.length > MAX_ID) return;
    let owners = this.young.get(id);
    if (!owners) {
      owners = this.old.get(id) ?? new Map<string, string>();
      if (this.young.size >= MAX_ITEMS) {
        this.old = this.young;
        this.young = new Map();
      }
      this.young.set(id, owners);
    }
    if (owners.size >= MAX_OWNERS) owners.clear();
    owners.set(owner, provider);
  }

  private ownersOf(id: string): Map<string, string> | undefined {
    return this.young.get(id) ?? this.old.get(id);
  }
}

const keyOf = ({ user, agent }: ItemOwner): string => JSON.stringify([user.id, agent?.id ?? null]);
