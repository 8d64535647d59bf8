import type { ConfiguredSource, HookSource, SourceSettings } from "#model/hook-source";
import type { SourceKind } from "#model/verdict";
import type { Clock } from "#platform/clock";
import { type Expiring, inForce, openExpiring } from "#platform/expiring-secrets";
import { sha256Hex } from "#platform/hash";
import { causeOf, type Log } from "#platform/log";
import type { Sealing } from "#platform/sealing";
import type { FeedChanges } from "#store/port";

/** What a source is, wherever it was set up. Users and agents are still to be looked up. */
export type KnownSource = {
  readonly id: string;
  readonly name: string;
  readonly kind: SourceKind;
  readonly settings: SourceSettings;
  /** The user's id or address, and the agent's id or name. */
  readonly user: string | null;
  readonly agent: string | null;
  readonly token_id: string | null;
  readonly given_by: "configuration" | "set";
  readonly created_at: number | null;
  /** Those that count now, the newest first. */
  readonly secrets: () => readonly string[];
};

type BookNeeds = {
  readonly configured: readonly ConfiguredSource[];
  readonly unseal: Sealing["unseal"];
  readonly now: Clock;
  readonly log: Log;
};

/** Sources as of the last change taken in, and those of the configuration, which come first. */
export class SourceBook {
  private readonly configured: readonly KnownSource[];
  private stored: readonly KnownSource[] = [];

  constructor(private readonly needs: BookNeeds) {
    this.configured = needs.configured.map((source) => configuredSource(source));
  }

  apply({ hook_sources: sources }: Pick<FeedChanges, "hook_sources">): void {
    if (sources !== null) this.stored = this.known(sources);
  }

  get all(): readonly KnownSource[] {
    return [...this.configured, ...this.stored];
  }

  /** Of a kind; of one name where one is given. */
  of(kind: SourceKind, name: string | null): readonly KnownSource[] {
    return this.all.filter((source) => source.kind === kind && (name === null || source.name === name));
  }

  /** Of rows that were just read. */
  known(rows: readonly HookSource[]): readonly KnownSource[] {
    const taken = new Set(this.configured.map(({ name }) => name));
    return rows.filter(({ name }) => !taken.has(name)).map((row) => this.storedSource(row));
  }

  private storedSource({ id, name, kind, settings, user_id, agent_id, token_id, created_at, ...row }: HookSource) {
    const { now } = this.needs;
    const opened = row.sealed_secrets.flatMap((sealed) => this.opened(id, sealed));
    const rest = { settings, user: user_id, agent: agent_id, token_id, created_at };
    return { id, name, kind, ...rest, given_by: "set" as const, secrets: () => inForce(opened, now()) };
  }

  private opened(id: string, sealed: string): Expiring[] {
    try {
      return [openExpiring(secretPurpose(id), sealed, this.needs)];
    } catch (error) {
      // Without a secret nothing of it is let in, which is what such a source comes to.
      this.needs.log.error("hook_source.secret_unreadable", { ...causeOf(error), source_id: id });
      return [];
    }
  }
}

export const secretPurpose = (sourceId: string): string => `hook_source.secret:${sourceId}`;

const configuredSource = ({ name, kind, user, agent, settings, secrets }: ConfiguredSource): KnownSource => ({
  ...{ id: configuredId(name), name, kind, settings, user, agent },
  ...{ token_id: null, given_by: "configuration", created_at: null },
  secrets: () => secrets,
});

/** The same at every hub and after every start, so that its calls are found. A UUID of version 8 (RFC 9562). */
const configuredId = (name: string): string => {
  const hex = sha256Hex(`hook source\n${name}`);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};
