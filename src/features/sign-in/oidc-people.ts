import { GuardError } from "#core/errors";
import type { JsonRecord } from "#core/json/json";
import { type Change, changeRecord, HUB_ACTOR } from "#model/change";
import { isDomainAllowed, type OidcRefusal, type OidcRules, roleTold, verifiedEmail } from "#model/oidc";
import { emailKey, goodEmail, goodName, type Role, type User } from "#model/person";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { UserStore } from "#store/port";
import type { OidcStore } from "#store/sign-in-port";
import type { OidcClaims } from "#upstream/oidc-port";

type OidcPeopleNeeds = {
  readonly rules: OidcRules;
  readonly users: Pick<UserStore, "byEmail" | "create" | "update">;
  readonly store: Pick<OidcStore, "linked" | "link">;
  /** Resolves when the record is on disk. */
  readonly writeRecord: (line: string) => Promise<void>;
  /** Takes a change in, so that it holds from the next request on. */
  readonly onChanged: () => Promise<void>;
  readonly now: Clock;
  readonly ids: Ids;
};

/** Who signed in at the provider stays out. `user` is whom the provider's word would have been about. */
export class OidcRefused extends Error {
  override readonly name = "Refused";
  constructor(
    readonly refusal: OidcRefusal,
    readonly user: User | null = null,
    /** A word for the log. */
    readonly fault = "",
  ) {
    super(`Sign-in refused: ${refusal}`);
  }
}

/** Whom of the hub's people the provider speaks of. */
export class OidcPeople {
  constructor(private readonly deps: OidcPeopleNeeds) {}

  /** Links or creates the user and sets the role, by the rules. Throws `Refused`. */
  async enter({ sub, all }: OidcClaims): Promise<User> {
    const { rules, store } = this.deps;
    const email = verifiedEmail(all, rules);
    const known = await store.linked(rules.issuer, sub);
    // Domains are checked at every sign-in: a user who left the organisation may have been removed at the provider only.
    if (rules.allowedDomains.length > 0 && email === null) throw new OidcRefused("unverified_email", known);
    if (email !== null && !isDomainAllowed(email, rules)) throw new OidcRefused("foreign_domain", known);
    const role = roleTold(all, rules);
    if (role === "untold") throw new OidcRefused("roles_not_told", known);
    const user = known ?? (await this.newcomer(sub, email, all, role));
    if (user.state !== "active") throw new OidcRefused("disabled", user);
    return role === null || role === user.role ? user : this.move(user, role);
  }

  /** Whom the subject is, without letting anybody in. */
  linked({ sub }: OidcClaims): Promise<User | null> {
    return this.deps.store.linked(this.deps.rules.issuer, sub);
  }

  private async newcomer(sub: string, email: string | null, claims: JsonRecord, role: Role | null): Promise<User> {
    const { rules, users, store, now } = this.deps;
    if (email === null) throw new OidcRefused("unverified_email");
    const user = (await users.byEmail(email.trim())) ?? (await this.create(email, claims, role));
    if (user.state !== "active") throw new OidcRefused("disabled", user);
    const identity = { issuer: rules.issuer, subject: sub, user_id: user.id, created_at: now() };
    const record = this.record("user.link", user.id, { issuer: rules.issuer });
    if (await store.link(identity, record)) return user;
    // Two sign-ins at once, or an address that went to somebody else at the provider.
    const linked = await store.linked(rules.issuer, sub);
    if (linked?.id !== user.id) throw new OidcRefused("other_identity", user);
    return linked;
  }

  private async create(email: string, claims: JsonRecord, role: Role | null): Promise<User> {
    const { rules, users, ids, now, onChanged } = this.deps;
    if (rules.newUsers !== "create") throw new OidcRefused("unknown_user");
    const user: User = {
      id: ids(),
      email: addressOf(email),
      name: nameOf(claims),
      role: role ?? rules.defaultRole,
      state: "active",
      created_at: now(),
    };
    const detail = { email: user.email, role: user.role, password: false, by: "oidc" };
    if (await users.create(user, null, this.record("user.create", user.id, detail))) {
      await onChanged();
      return user;
    }
    const other = await users.byEmail(email.trim());
    if (!other) throw new OidcRefused("unknown_user");
    return other;
  }

  private async move(user: User, role: Role): Promise<User> {
    const { users, writeRecord, onChanged } = this.deps;
    const detail = { from: { role: user.role }, to: { role }, by: "oidc" };
    const outcome = await users.update(user.id, { role }, this.record("user.role", user.id, detail));
    await onChanged();
    if (outcome === "done") return { ...user, role };
    // A hub without an administrator could be mended at its machine only: they keep the role, and it is on record.
    if (outcome === "last_admin") {
      const kept = { role: user.role, told: role, by: "oidc", reason: "last_admin" };
      await writeRecord(this.record("user.role_kept", user.id, kept));
      return user;
    }
    throw new OidcRefused("unknown_user");
  }

  private record(kind: string, subject_id: string, detail: Change["detail"]): string {
    const { ids, now } = this.deps;
    return changeRecord({ kind, by: HUB_ACTOR, subject: "user", subject_id, detail }, { id: ids(), at: now() });
  }
}

/** Addresses are compared folded; one that is none is nobody's. Throws `Refused`. */
const addressOf = (email: string): string => {
  try {
    return goodEmail(emailKey(email));
  } catch (error) {
    if (error instanceof GuardError) throw new OidcRefused("unverified_email");
    throw error;
  }
};

/** What cannot be shown in a list is left out: a name is no reason to keep somebody out. */
const nameOf = ({ name }: JsonRecord): string | null => {
  try {
    return typeof name === "string" ? goodName(name) : null;
  } catch (error) {
    if (error instanceof GuardError) return null;
    throw error;
  }
};
