import { parseJson } from "#core/json/json";
import type { Head } from "#store/audit-link";
import type { AuditFault } from "#store/port";

/** What the chain of changes says of one log. */
export type SaidOfLog = {
  /** Hashes that its records had, by their number. */
  readonly heads: ReadonlyMap<number, string>;
  /** What it begins with and what signs it, as it was named first; null where it was not. */
  readonly first: { readonly origin: string; readonly keyId: string } | null;
  /** The last record that retention took of what was shipped; null for none. */
  readonly dropped: Head | null;
  /** Where it ended when its node was removed, unless it was named again since. */
  readonly closed: Head | null;
  /** The last record of the chain that was read for this. */
  readonly upTo: number;
};

type Log = {
  readonly heads: Map<number, string>;
  first: SaidOfLog["first"];
  dropped: Head | null;
  closed: Head | null;
};

/** Gathers what the records of the chain of changes say of the logs of hubs, oldest first. */
export class Said {
  readonly #logs = new Map<string, Log>();
  /** The keys that are named, by their ids. */
  readonly keys = new Map<string, string>();
  /** The last record that names keys. */
  lastAnchor = 0;
  /** The last record that was read. */
  upTo = 0;

  /** A record that was changed is a fault already: what cannot be read of it says nothing. */
  take(kind: string, seq: number, body: string): void {
    if (!KINDS.includes(kind)) return;
    const detail = Object(Object(Object(parseJson(body)).change).detail);
    if (kind === "audit.anchor") {
      this.lastAnchor = seq;
      for (const [id, key] of Object.entries(Object(detail.keys)))
        if (typeof key === "string" && !this.keys.has(id)) this.keys.set(id, key);
    }
    for (const [node, said] of Object.entries(Object(detail.logs))) this.#take(kind, node, said);
  }

  of(node: string): SaidOfLog {
    const log = this.#logs.get(node) ?? { heads: new Map(), first: null, dropped: null, closed: null };
    return { ...log, upTo: this.upTo };
  }

  /** Logs that are named, of which there is none. */
  missing(there: Iterable<string>): AuditFault[] {
    const names = new Set(there);
    return [...this.#logs].flatMap(([node, { heads, dropped }]) => {
      if (names.has(node)) return [];
      const seq = Math.max(dropped?.seq ?? 0, ...heads.keys());
      return [{ seq, node, problem: "the log is missing, which the chain of changes names" }];
    });
  }

  #take(kind: string, node: string, said: unknown): void {
    const { seq, hash, origin, key_id } = Object(said);
    if (!Number.isSafeInteger(seq) || typeof hash !== "string") return;
    const log = this.#logs.get(node) ?? { heads: new Map(), first: null, dropped: null, closed: null };
    this.#logs.set(node, log);
    if (typeof origin === "string" && typeof key_id === "string") log.first ??= { origin, keyId: key_id };
    const head = { seq, hash };
    if (kind === "audit.drop") {
      log.dropped = head;
      // What was dropped need not be there any more.
      for (const named of log.heads.keys()) if (named <= seq) log.heads.delete(named);
      return;
    }
    if (seq > (log.dropped?.seq ?? 0)) log.heads.set(seq, hash);
    log.closed = kind === "node.remove" ? head : null;
  }
}

const KINDS: readonly string[] = ["audit.anchor", "audit.drop", "node.remove"];
