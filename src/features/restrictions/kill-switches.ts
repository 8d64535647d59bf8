import { GuardError } from "#core/errors";
import { type Actor, changeRecord } from "#model/change";
import type { Clock } from "#platform/clock";
import { type Ids, isUuid } from "#platform/ids";
import type { KillLevel, KillSwitch } from "#policy/restrictions/restriction";
import type { KillSwitchStore } from "#store/governance-port";
import type { AgentStore, ToolServerStore, UserStore } from "#store/port";
import type { KillSwitchResponse } from "./schema";
import { killSwitchResponse } from "./schema";

type KillSwitchServiceNeeds = {
  readonly killSwitches: KillSwitchStore;
  readonly users: Pick<UserStore, "byEmail" | "byId" | "byIds">;
  readonly agents: Pick<AgentStore, "byId" | "byIds" | "named">;
  readonly tools: Pick<ToolServerStore, "byId" | "byIds" | "list">;
  /** Takes a change in, so that it holds from the next request on. */
  readonly onChanged: () => Promise<void>;
  /** Resolves once every point has confirmed it, or that took too long. */
  readonly contained: (id: string) => Promise<void>;
  readonly now: Clock;
  readonly ids: Ids;
};

export type KillSwitchOrder = { readonly level: KillLevel; readonly target: string | null; readonly reason: string };

/** Levels whose target is one of the hub's own rows. */
type Named = "agent" | "owner" | "tool_server";

/** Stops everything of a level at once, and lets it go on. */
export class KillSwitchService {
  constructor(private readonly deps: KillSwitchServiceNeeds) {}

  /** Newest first; lifted ones too. */
  async list(): Promise<KillSwitchResponse[]> {
    return this.shown(await this.deps.killSwitches.list());
  }

  /** In force when this returns, with the receipts there are by then. Throws `invalid_value`, `not_found`, `already_exists`. */
  async on(by: Actor, { level, target: wanted, reason }: KillSwitchOrder): Promise<KillSwitchResponse> {
    const target = await this.targetOf(level, wanted);
    const id = this.deps.ids();
    const killSwitch: KillSwitch = {
      id,
      level,
      target,
      reason,
      set_by: by.user_id,
      set_at: this.deps.now(),
      lifted_at: null,
      lifted_by: null,
      lift_reason: null,
      receipts: [],
    };
    const contained = this.deps.contained(id);
    const record = this.record("on", by, id, { level, target, reason });
    if (!(await this.deps.killSwitches.on(killSwitch, record))) {
      throw new GuardError("already_exists", "This kill switch is already active.", { param: "target" });
    }
    await this.deps.onChanged();
    await contained;
    return this.byId(id);
  }

  /** Throws `not_found`; `state_conflict` for one that is off already. */
  async off(by: Actor, id: string, reason: string): Promise<KillSwitchResponse> {
    const { level, target } = await this.byId(id);
    const lifted = { at: this.deps.now(), by: by.user_id, reason };
    const record = this.record("off", by, id.toLowerCase(), { level, target, reason });
    if (!(await this.deps.killSwitches.off(id.toLowerCase(), lifted, record))) {
      throw new GuardError("state_conflict", "This kill switch is already inactive.");
    }
    await this.deps.onChanged();
    return this.byId(id);
  }

  private async shown(all: readonly KillSwitch[]): Promise<KillSwitchResponse[]> {
    const { agents, users, tools } = this.deps;
    const idsAt = (level: KillLevel) => new Set(all.flatMap((one) => (one.level === level ? (one.target ?? []) : [])));
    const people = [
      ...idsAt("owner"),
      ...all.flatMap(({ set_by, lifted_by }) => [set_by ?? [], lifted_by ?? []].flat()),
    ];
    const [named, known, servers] = await Promise.all([
      agents.byIds(idsAt("agent")),
      users.byIds(new Set(people)),
      tools.byIds(idsAt("tool_server")),
    ]);
    const names = new Map<string, string>([
      ...named.map(({ id, name }) => [id, name] as const),
      ...known.map(({ id, email }) => [id, email] as const),
      ...servers.map(({ id, slug }) => [id, slug] as const),
    ]);
    const nameOf = (id: string | null) => (id === null ? null : (names.get(id) ?? null));
    return all.map((one) =>
      killSwitchResponse(one, {
        target_name: nameOf(one.target),
        set_by_email: nameOf(one.set_by),
        lifted_by_email: nameOf(one.lifted_by),
      }),
    );
  }

  private async byId(id: string): Promise<KillSwitchResponse> {
    const found = (await this.deps.killSwitches.list()).find((one) => one.id === id.toLowerCase());
    const [shown] = found ? await this.shown([found]) : [];
    if (shown) return shown;
    throw new GuardError("not_found", "There is no such kill switch.", { param: "id" });
  }

  /**
   * The id of what is named, since names are faster to type. A model's name or glob stands for itself, for there
   * may be no provider of it yet.
   */
  private async targetOf(level: KillLevel, target: string | null): Promise<string | null> {
    if (level === "all") {
      if (target === null) return null;
      throw new GuardError("invalid_value", "The level all has no target. Remove it.", { param: "target" });
    }
    if (target === null)
      throw new GuardError("invalid_value", `The target is missing: name the ${level}.`, { param: "target" });
    if (level === "model") return target;
    const found = await (isUuid(target) ? this.ofId(level, target.toLowerCase()) : this.named(level, target));
    const [only] = found;
    if (only && found.length === 1) return only.id;
    if (!only) throw new GuardError("not_found", `There is no such ${level}.`, { param: "target" });
    throw new GuardError("invalid_value", `The name is ambiguous (${found.length} found). Use the id.`, {
      param: "target",
    });
  }

  private async ofId(level: Named, id: string): Promise<{ id: string }[]> {
    const { agents, users, tools } = this.deps;
    const found = await { agent: agents, owner: users, tool_server: tools }[level].byId(id);
    return found === null ? [] : [found];
  }

  /** Compared without case. */
  private async named(level: Named, name: string): Promise<{ id: string }[]> {
    const { agents, users, tools } = this.deps;
    if (level === "agent") return agents.named(name);
    if (level === "tool_server") return (await tools.list()).filter(({ slug }) => slug === name.toLowerCase());
    const user = await users.byEmail(name);
    return user === null ? [] : [user];
  }

  private record(what: string, by: Actor, id: string, detail: Readonly<Record<string, unknown>>): string {
    const change = { kind: `killswitch.${what}`, by, subject: "kill_switch", subject_id: id, detail };
    return changeRecord(change, { id: this.deps.ids(), at: this.deps.now() });
  }
}
