import { and, desc, eq, getTableColumns, gt, max } from "drizzle-orm";
import { ProfileBody } from "#policy/profile/profile";
import { all, type Db, one, run, type Steps } from "#store/db";
import type { ProfileRow, ProfileStore, Publication } from "#store/governance-port";
import type { SerialisedRecord } from "#store/record";
import { StoredShape, strings } from "#store/stored";
import type { Tables } from "#store/tables";
import type { Agents } from "./agents";

const shown = ({ profile }: Tables) => {
  const { changed: _changed, ...columns } = getTableColumns(profile);
  return columns;
};

export class Profiles implements ProfileStore {
  readonly #body = new StoredShape(ProfileBody);

  constructor(
    private readonly db: Db,
    private readonly agents: Agents,
  ) {}

  publish(agentId: string, publication: Publication, record: SerialisedRecord): Promise<boolean> {
    const profiles = this;
    return this.db.change("all", record, function* (changed) {
      if (!(yield* profiles.follows(agentId, publication))) return false;
      yield* profiles.put(agentId, publication, changed);
      return true;
    });
  }

  async ofAgent(agentId: string): Promise<ProfileRow[]> {
    const rows = await this.db.all((q, t) => {
      const found = q.select(shown(t)).from(t.profile).where(eq(t.profile.agent_id, agentId));
      return found.orderBy(desc(t.profile.version));
    });
    return rows.map(this.#checked);
  }

  async byVersion(agentId: string, version: number): Promise<ProfileRow | null> {
    const row = await this.db.one((q, t) => {
      const here = and(eq(t.profile.agent_id, agentId), eq(t.profile.version, version));
      return q.select(shown(t)).from(t.profile).where(here);
    });
    return row && this.#checked(row);
  }

  *changedAfter(revision: number): Steps<ProfileRow[]> {
    const rows = yield* all((q, t) => q.select(shown(t)).from(t.profile).where(gt(t.profile.changed, revision)));
    return rows.map(this.#checked);
  }

  /** Whether the profile is the agent's next one; none at all always is. */
  *follows(agentId: string, { profile: it }: Publication): Steps<boolean> {
    if (it === null) return true;
    const last = yield* one((q, { profile }) =>
      q
        .select({ version: max(profile.version) })
        .from(profile)
        .where(eq(profile.agent_id, agentId)),
    );
    return it.version === (last?.version ?? 0) + 1;
  }

  /** Within a change, of what `follows`. Throws when the agent cannot be changed so. */
  *put(agentId: string, { profile: it, agent }: Publication, changed: number): Steps<void> {
    if (it !== null) {
      if (it.agent_id !== agentId) throw new Error(`Profile ${it.id} is not one of agent ${agentId}`);
      yield* run((q, { profile }) => q.insert(profile).values({ ...it, changed }));
    }
    yield* this.agents.mustPatch(agentId, agent, changed);
  }

  readonly #checked = ({ body, approved_by, ...row }: Raw): ProfileRow => ({
    ...row,
    body: this.#body.read(body, `body of profile ${row.id}`),
    approved_by: strings(approved_by, `approvers of profile ${row.id}`),
  });
}

type Raw = Omit<ProfileRow, "body" | "approved_by"> & { readonly body: unknown; readonly approved_by: unknown };
