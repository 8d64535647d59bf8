import { GuardError } from "#core/errors";
import type { KnownSource } from "#features/verdicts/sources/book";
import type { PrincipalCache } from "#identity/principal-cache";
import type { Agent } from "#model/agent";
import { isPlainEmail, type User } from "#model/person";
import type { TokenPrincipal } from "#model/principal";
import { isUuid } from "#platform/ids";

/** Whom a frame says it is about. */
export type FrameActor = {
  readonly id: string;
  readonly email: string;
  /** Empty where it names none. */
  readonly application: string;
};

export const NOBODY: FrameActor = { id: "", email: "", application: "" };

/** Whose call a frame is, and why nothing but a denial comes of it; null for no reason. */
export type SourceCaller = { readonly caller: TokenPrincipal; readonly refusal: GuardError | null };

/** Ids as vendors make them; what is none of these is not repeated in a record. */
const EXTERNAL_ID = /^[A-Za-z0-9][A-Za-z0-9._:@|/+-]{0,127}$/;
const MAX_EMAIL = 254;

/** Finds out whose calls frames are. */
export class SourceCallers {
  constructor(private readonly principals: Pick<PrincipalCache, "user" | "userByEmail" | "agent" | "allAgents">) {}

  /** Whose the calls of people are that the hub does not know; null where there is no such user. */
  userOf({ user, agent }: Pick<KnownSource, "user" | "agent">): User | null {
    if (user !== null) return isUuid(user) ? this.principals.user(user) : this.principals.userByEmail(user);
    return this.principals.user(this.agentNamed(agent, null)?.owner_id ?? "");
  }

  /** Null where the source has no user: then nobody can be named in a record. */
  callerOf(source: KnownSource, actor: FrameActor): SourceCaller | null {
    const holder = this.userOf(source);
    if (holder === null) return null;
    const person = actor.email.length > MAX_EMAIL ? null : this.principals.userByEmail(actor.email);
    const { applications } = source.settings;
    // The name is the frame's: `constructor` is no application.
    const own = Object.hasOwn(applications, actor.application) ? applications[actor.application] : undefined;
    const named = own ?? source.agent;
    const agent = this.agentNamed(named, holder);
    const caller: TokenPrincipal = {
      user: person ?? holder,
      agent,
      token: tokenOf(source, holder, agent),
      source: { external: person === null ? externalName(actor) : null },
    };
    return { caller, refusal: this.refusalOf({ holder, person, named, agent }) };
  }

  /** An agent by its id, or by its name among the user's: anybody may name an agent of theirs as others do. */
  agentNamed(named: string | null, user: User | null): Agent | null {
    if (named === null) return null;
    if (isUuid(named)) return this.principals.agent(named.toLowerCase());
    const found = this.agentsNamed(named).find(({ owner_id }) => owner_id === user?.id);
    return found ?? null;
  }

  /** Of anybody, where somebody looks at what was found. */
  agentsNamed(named: string): Agent[] {
    return this.principals.allAgents().filter(({ name, lifecycle }) => name === named && lifecycle !== "retired");
  }

  private refusalOf(of: {
    readonly holder: User;
    readonly person: User | null;
    readonly named: string | null;
    readonly agent: Agent | null;
  }): GuardError | null {
    const { holder, person, named, agent } = of;
    if (person?.state === "disabled") return refused("Your user at the hub is disabled.", "user");
    if (holder.state === "disabled") return refused("The user of this source is disabled.", "source.user");
    if (named === null) return null;
    if (agent === null || agent.lifecycle === "retired")
      return refused("The agent of this source is gone.", "source.agent");
    if (this.principals.user(agent.owner_id)?.state === "active") return null;
    return refused("The owner of this agent is disabled.", "source.agent");
  }
}

const refused = (message: string, rule: string): GuardError =>
  new GuardError("insufficient_scope", message, { extra: { guard: { layer: "hub", rule } } });

/** What stands for a gateway token. Nobody can send it: no token has this hash. */
const tokenOf = ({ id, name }: KnownSource, user: User, agent: Agent | null): TokenPrincipal["token"] => ({
  ...{ id, hash: `hook source ${id}`, display: name, name, user_id: user.id, agent_id: agent?.id ?? null },
  ...{ state: "active", expires_at: null, created_at: 0 },
});

const externalName = ({ id, email }: FrameActor): string => {
  if (EXTERNAL_ID.test(id)) return id;
  return EXTERNAL_ID.test(email) && isPlainEmail(email) ? email : "unknown";
};
