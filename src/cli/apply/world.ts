import { commandParts, type HubParts } from "#app";
import { alertSending, baselineSettings, webhookSending } from "#cli/adapters";
import type { HubStore } from "#cli/hub-store";
import { baselineOf } from "#cli/policy";
import type { CliSession } from "#cli/session";
import { toolDiscovery } from "#cli/tool-discovery";
import type { Invocation } from "#cli/verb";
import { publicUrlOf } from "#config/address";
import { GuardError } from "#core/errors";
import { BaselineChanges } from "#features/policy/baseline/changes";
import { policyInForce } from "#guard/enforcement/policy-in-force";
import { Scanner } from "#guard/scanner";
import type { Agent } from "#model/agent";
import { type Actor, applyActor } from "#model/change";
import { emailKey, type User } from "#model/person";
import { systemClock } from "#platform/clock";
import { systemIds } from "#platform/ids";
import { jsonLog } from "#platform/log";
import { DETECTORS } from "#scan/detectors/index";
import { compilePolicy, type PolicySource } from "#scan/policy";

/** Who acts, in what store, by which services. */
export type World = {
  readonly by: Actor;
  /** The administrator in whose name it is; null where none is named. */
  readonly admin: User | null;
  readonly store: HubStore;
  readonly parts: HubParts;
  readonly policy: BaselineChanges;
  /** Stores the first revision of the policy, where no hub has served yet. */
  readonly beginPolicy: () => Promise<void>;
  readonly unseal: CliSession["unseal"];
  readonly people: People;
};

/** Users and agents by their names, and the other way round. */
export class People {
  readonly #spelling: ReadonlyMap<string, string>;

  constructor(
    private readonly store: HubStore,
    private readonly users: ReadonlyMap<string, User>,
    private readonly agents: ReadonlyMap<string, Agent>,
  ) {
    this.#spelling = new Map([...users.values()].map(({ email }) => [emailKey(email), email]));
  }

  static async of(store: HubStore): Promise<People> {
    const [users, agents] = [await store.users.list(), await store.agents.list()];
    return new People(store, new Map(users.map((one) => [one.id, one])), new Map(agents.map((one) => [one.id, one])));
  }

  emailOf(id: string): string {
    return this.users.get(id)?.email ?? id;
  }

  /** Null for one that is retired: nothing governs it any more. */
  agentOf(id: string): { readonly agent: string; readonly owner: string } | null {
    const agent = this.agents.get(id);
    return agent === undefined || agent.lifecycle === "retired"
      ? null
      : { agent: agent.name, owner: this.emailOf(agent.owner_id) };
  }

  /** As it is stored, whatever its letters' case in a file. */
  spelled(email: string): string {
    return this.#spelling.get(emailKey(email)) ?? email.trim();
  }

  /** Throws `not_found`. What was made meanwhile is found too. */
  async user(email: string): Promise<User> {
    const user = await this.store.users.byEmail(email);
    if (user) return user;
    throw new GuardError("not_found", `There is no user ${email}`, { param: "email" });
  }

  /** Throws `not_found`. */
  async agent({ agent: name, owner }: { readonly agent: string; readonly owner: string }): Promise<Agent> {
    const agent = await this.store.agents.byName((await this.user(owner)).id, name);
    if (agent) return agent;
    throw new GuardError("not_found", `${owner} has no agent ${name}`, { param: "agent" });
  }
}

/** Throws `not_found` for an unknown administrator, `insufficient_scope` for a user who is none. */
export const worldOf = async (session: CliSession, invocation: Invocation): Promise<World> => {
  const { inputs, store, unseal } = session;
  const config = invocation.config();
  const email = invocation.args.text("as");
  const admin = email === undefined ? null : await session.access.userByEmail(email);
  if (admin !== null && (admin.role !== "admin" || admin.state !== "active")) {
    throw new GuardError("insufficient_scope", `${admin.email} is not an active administrator.`, { param: "as" });
  }
  const by = applyActor(admin?.id ?? null);
  const log = jsonLog(config.log_level, (line) => invocation.host.writeLine("stderr", line), systemClock);
  const publicUrl = () => config.public_url || publicUrlOf(config.listen);
  const webhookOptions = { send: webhookSending(config), allowPrivate: config.webhooks.allow_private };
  const scanner = new Scanner(await baselineOf(config, store.policies), new Uint8Array(32), 1);
  const baseline = baselineSettings(config);
  const compile = (source: PolicySource, revision: number) => compilePolicy(source, revision, DETECTORS);
  const policyNeeds = { source: baseline.source, compile, now: systemClock, ids: systemIds };
  const parts = commandParts(
    {
      ...inputs,
      publicUrl,
      log,
      random: Math.random,
      webhookOptions,
      alertOptions: alertSending(config),
      baseline,
      scanner,
    },
    {
      discoverServer: (server) => toolDiscovery(session, invocation, by)(server),
      writeRecord: (line) => store.audit.append(line),
      // The hub that runs takes changes in by itself, and the command waits for it.
      onChanged: async () => {},
      contained: async () => {},
    },
  );
  return {
    by,
    admin,
    store,
    parts,
    policy: new BaselineChanges(parts.baselineService),
    beginPolicy: async () => {
      if ((await store.policies.latest()) === null) await policyInForce({ ...policyNeeds, policies: store.policies });
    },
    unseal,
    people: await People.of(store),
  };
};
