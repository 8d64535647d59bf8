import { and, desc, eq, getTableColumns, gt, max } from "drizzle-orm";
import { ProfileBody } from "#policy/profile/profile";
import type { ProfileRow, ProfileStore, Publication } from "#store/governance-port";
import type { SerialisedRecord } from "#store/record";
import type { SqliteAgents } from "./agents";
import { StoredShape, strings } from "./columns";
import type { Connection } from "./connection";
import { tables } from "./schema";

const { profile } = tables;

const { changed: _changed, ...columns } = getTableColumns(profile);

export class SqliteProfiles implements ProfileStore {
  readonly #body = new StoredShape(ProfileBody);

  constructor(
    private readonly connection: Connection,
    private readonly agents: SqliteAgents,
  ) {}

  async publish(agentId: string, publication: Publication, record: SerialisedRecord): Promise<boolean> {
    return this.connection.change("all", record, (changed) => {
      if (!this.follows(agentId, publication)) return false;
      this.put(agentId, publication, changed);
      return true;
    });
  }

  async ofAgent(agentId: string): Promise<ProfileRow[]> {
    const found = this.connection.queries.select(columns).from(profile).where(eq(profile.agent_id, agentId));
    return found.orderBy(desc(profile.version)).all().map(this.#checked);
  }

  async byVersion(agentId: string, version: number): Promise<ProfileRow | null> {
    const here = and(eq(profile.agent_id, agentId), eq(profile.version, version));
    const row = this.connection.queries.select(columns).from(profile).where(here).get();
    return row === undefined ? null : this.#checked(row);
  }

  changedAfter(revision: number): ProfileRow[] {
    return this.connection.queries
      .select(columns)
      .from(profile)
      .where(gt(profile.changed, revision))
      .all()
      .map(this.#checked);
  }

  /** Whether the profile is the agent's next one; none at all always is. */
  follows(agentId: string, { profile: it }: Publication): boolean {
    if (it === null) return true;
    const last = this.connection.queries.select({ version: max(profile.version) }).from(profile);
    return it.version === (last.where(eq(profile.agent_id, agentId)).get()?.version ?? 0) + 1;
  }

  /** Within the caller's transaction, of what `follows`. Throws when the agent cannot be changed so. */
  put(agentId: string, { profile: it, agent }: Publication, changed: number): void {
    if (it !== null) {
      if (it.agent_id !== agentId) throw new Error(`Profile ${it.id} is not one of agent ${agentId}`);
      this.connection.queries
        .insert(profile)
        .values({ ...it, changed })
        .run();
    }
    this.agents.mustPatch(agentId, agent, changed);
  }

  readonly #checked = ({ body, approved_by, ...row }: Raw): ProfileRow => ({
    ...row,
    body: this.#body.read(body, `body of profile ${row.id}`),
    approved_by: strings(approved_by, `approvers of profile ${row.id}`),
  });
}

type Raw = Omit<ProfileRow, "body" | "approved_by"> & { readonly body: unknown; readonly approved_by: unknown };
