import { and, asc, desc, eq, gt, inArray, isNull, lt, ne, or, type SQL, sql } from "drizzle-orm";
import type { PageWindow } from "#core/page";
import type { Suspension, SuspensionRight } from "#model/suspension";
import type { DisplayState, Token, TokenState } from "#model/token";
import { all, anyRow, type Db, keptCommand, run, type Steps } from "#store/db";
import type { Added, KeptToken, SerialisedRecord, TokenFilter, TokenLimit, TokenStore, TokenUse } from "#store/port";
import { suspensionOf, suspensionRow } from "#store/stored";
import type { Tables } from "#store/tables";
import { afterId, counted, isOver, notOver } from "./windows";

type TokenTable = Tables["token"];
type Where = (token: TokenTable) => SQL | undefined;

const shown = (token: TokenTable) => ({
  id: token.id,
  hash: token.hash,
  display: token.display,
  name: token.name,
  user_id: token.user_id,
  agent_id: token.agent_id,
  state: token.state,
  expires_at: token.expires_at,
  created_at: token.created_at,
});

/**
 * What `shownState` of `core/token.ts` calls a state, as conditions of which each is a list in the order of ids: one for
 * each state that is kept.
 */
const inState = (state: DisplayState | undefined, now: number): readonly Where[] => {
  if (state === undefined) return [() => undefined];
  const kept =
    (name: TokenState): Where =>
    (token) =>
      eq(token.state, name);
  const over =
    (name: TokenState): Where =>
    (token) =>
      and(eq(token.state, name), isOver(token.expires_at, now));
  if (state === "expired") return [over("active"), over("rotated")];
  const runsOut = state === "active" || state === "rotated";
  return [runsOut ? (token) => and(eq(token.state, state), notOver(token.expires_at, now)) : kept(state)];
};

export class Tokens implements TokenStore {
  /** Made once: a busy hub notes the uses of many tokens at once, where calls are served. */
  readonly #later = keptCommand((q, { tokenUse: it }) => {
    const insert = q.insert(it).values({ token_id: sql.placeholder("token_id"), at: sql.placeholder("at") });
    const setWhere = sql`${it.at} < excluded.at`;
    return insert.onConflictDoUpdate({ target: it.token_id, set: { at: sql`excluded.at` }, setWhere });
  });

  constructor(private readonly db: Db) {}

  async create(it: Token, record: SerialisedRecord, limit?: TokenLimit): Promise<Added> {
    let outcome: Added = "done";
    const tokens = this;
    await this.db.change("all", record, function* (changed) {
      if (limit !== undefined && (yield* tokens.#live(it.user_id, limit.at)) >= limit.most) outcome = "full";
      else if (!(yield* tokens.#insert(it, changed))) outcome = "taken";
      return outcome === "done";
    });
    return outcome;
  }

  list(): Promise<Token[]> {
    return this.db.all((q, { token }) =>
      q.select(shown(token)).from(token).orderBy(asc(token.created_at), asc(token.id)),
    );
  }

  byId(id: string): Promise<Token | null> {
    return this.db.one((q, { token }) => q.select(shown(token)).from(token).where(eq(token.id, id)));
  }

  ofAgent(agentId: string): Promise<Token[]> {
    return this.db.all((q, { token }) => q.select(shown(token)).from(token).where(eq(token.agent_id, agentId)));
  }

  async agentsWithTokenBefore(createdBefore: number, now: number): Promise<string[]> {
    const found = await this.db.all((q, { token }) => {
      const old = and(eq(token.state, "active"), lt(token.created_at, createdBefore), notOver(token.expires_at, now));
      return q.selectDistinct({ id: token.agent_id }).from(token).where(old);
    });
    return found.flatMap(({ id }) => id ?? []);
  }

  disable(id: string, suspension: Suspension, record: SerialisedRecord): Promise<boolean> {
    const from: Where = (token) => {
      const outranked = and(eq(token.state, "disabled"), eq(token.halt_right, "owner"));
      const active = eq(token.state, "active");
      return suspension.right === "owner" ? active : or(active, outranked);
    };
    return this.#set(id, from, { state: "disabled", ...suspensionRow(suspension) }, record);
  }

  enable(id: string, rights: readonly SuspensionRight[], record: SerialisedRecord): Promise<boolean> {
    const from: Where = (token) => and(eq(token.state, "disabled"), inArray(token.halt_right, [...rights]));
    return this.#set(id, from, { state: "active", ...suspensionRow(null) }, record);
  }

  revoke(id: string, record: SerialisedRecord): Promise<boolean> {
    return this.#set(id, (token) => ne(token.state, "revoked"), { state: "revoked" }, record);
  }

  rotate(oldId: string, oldEndsAt: number, next: Token, record: SerialisedRecord): Promise<boolean> {
    const tokens = this;
    return this.db.change("all", record, function* (changed) {
      const isEnded = yield* anyRow((q, { token }) => {
        const here = and(eq(token.id, oldId), eq(token.state, "active"));
        const ended = { state: "rotated", expires_at: oldEndsAt, rotated_to: next.id, changed } as const;
        return q.update(token).set(ended).where(here).returning({ id: token.id });
      });
      if (!isEnded) return false;
      if (yield* tokens.#insert(next, changed)) return true;
      throw new Error(`A token with the hash of the new token ${next.id} exists`);
    });
  }

  async page({ user_id, agent_id, state, now }: TokenFilter, window: PageWindow): Promise<KeptToken[]> {
    const whose: Where = (token) =>
      and(
        user_id === undefined ? undefined : eq(token.user_id, user_id),
        agent_id === undefined ? undefined : eq(token.agent_id, agent_id),
        afterId(token.id, window),
      );
    const lists = inState(state, now).map((here) =>
      this.#kept((token) => and(whose(token), here(token)), window.limit),
    );
    return (await Promise.all(lists))
      .flat()
      .toSorted((one, other) => (one.id < other.id ? 1 : -1))
      .slice(0, window.limit);
  }

  async kept(id: string): Promise<KeptToken | null> {
    return (await this.#kept((token) => eq(token.id, id), 1))[0] ?? null;
  }

  async usesOfAgents(agentIds: readonly string[]): Promise<Awaited<ReturnType<TokenStore["usesOfAgents"]>>> {
    const found = await this.db.all((q, { token, tokenUse }, words) =>
      q
        .select({ id: token.id, agent_id: token.agent_id, last_used_at: tokenUse.at })
        .from(token)
        .leftJoin(tokenUse, eq(tokenUse.token_id, token.id))
        .where(words.among(token.agent_id, agentIds)),
    );
    return found.flatMap(({ agent_id, ...rest }) => (agent_id === null ? [] : [{ ...rest, agent_id }]));
  }

  async noteUses(uses: readonly TokenUse[]): Promise<void> {
    if (uses.length === 0) return;
    // In one order everywhere: two processes that note the same ones do not wait for each other.
    const sorted = uses.toSorted((one, other) => (one.token_id < other.token_id ? -1 : 1));
    const later = this.#later;
    await this.db.tx(function* () {
      for (const { token_id, at } of sorted) yield* run(later, { token_id, at });
    });
  }

  *changedAfter(revision: number): Steps<Token[]> {
    return yield* all((q, { token }) => q.select(shown(token)).from(token).where(gt(token.changed, revision)));
  }

  async #kept(here: Where, limit: number): Promise<KeptToken[]> {
    const rows = await this.db.all((q, { token, tokenUse }) => {
      const suspension = { halt_right: token.halt_right, halt_by: token.halt_by, halt_at: token.halt_at };
      const beside = { rotated_to: token.rotated_to, last_used_at: tokenUse.at, ...suspension };
      const found = q.select({ ...shown(token), ...beside }).from(token);
      const withUse = found.leftJoin(tokenUse, eq(tokenUse.token_id, token.id)).where(here(token));
      return withUse.orderBy(desc(token.id)).limit(limit);
    });
    return rows.map(({ halt_right, halt_by, halt_at, ...rest }) => ({
      ...rest,
      suspension: suspensionOf({ halt_right, halt_by, halt_at }),
    }));
  }

  /** How many of a user's open something at the moment `at`, or could again. */
  #live(userId: string, at: number): Steps<number> {
    return counted(({ token }) => {
      const active = and(eq(token.state, "active"), or(isNull(token.expires_at), gt(token.expires_at, at)));
      return [token, and(eq(token.user_id, userId), or(eq(token.state, "disabled"), active))];
    });
  }

  #set(id: string, from: Where, set: Partial<TokenTable["$inferInsert"]>, record: SerialisedRecord): Promise<boolean> {
    return this.db.change("all", record, (changed) =>
      anyRow((q, { token }) =>
        q
          .update(token)
          .set({ ...set, changed })
          .where(and(eq(token.id, id), from(token)))
          .returning({ id: token.id }),
      ),
    );
  }

  #insert(it: Token, changed: number): Steps<boolean> {
    return anyRow((q, { token }) => {
      const insert = q.insert(token).values({ ...it, changed });
      return insert.onConflictDoNothing({ target: token.hash }).returning({ id: token.id });
    });
  }
}
