import { GuardError } from "#core/errors";
import type { PageWindow } from "#core/page";
import { type Actor, type Change, changeRecord } from "#model/change";
import { goodEmail, goodName, type User } from "#model/person";
import { LINK_RANDOM_BYTES, linkTo } from "#model/session";
import type { Clock } from "#platform/clock";
import { secretHash } from "#platform/hash";
import { type Ids, isUuid } from "#platform/ids";
import type { UserStore } from "#store/port";
import type { SignInStore } from "#store/sign-in-port";
import type { Invited, NewInvitation, UserChange, UserResponse } from "./schema";

/** A week, so that it survives somebody's holidays. */
const INVITATION_MS = 7 * 86_400_000;

type UserServiceNeeds = {
  readonly users: UserStore;
  readonly store: Pick<SignInStore, "invite">;
  readonly publicUrl: () => string;
  readonly now: Clock;
  readonly ids: Ids;
};

export const userResponse = ({ id, email, name, role, state, created_at }: User): UserResponse => ({
  object: "user",
  id,
  email,
  name,
  role,
  state,
  created_at: new Date(created_at).toISOString(),
});

/** People, for administrators. Every change writes its audit record in the same step. */
export class UserService {
  constructor(private readonly deps: UserServiceNeeds) {}

  /** Newest first. */
  async page(window: PageWindow, words?: string): Promise<UserResponse[]> {
    return (await this.deps.users.page(window, words)).map(userResponse);
  }

  /** Makes the user, and a link by which they set a password. Throws `already_exists`, `invalid_value`. */
  async invite(by: Actor, { email, name, role }: NewInvitation): Promise<Invited> {
    const { users, ids, now } = this.deps;
    const user: User = {
      id: ids(),
      email: goodEmail(email),
      name: goodName(name ?? null),
      role,
      state: "active",
      created_at: now(),
    };
    const detail = { email: user.email, role, password: false };
    if (!(await users.create(user, null, this.record(by, "user.create", user.id, detail)))) {
      throw new GuardError("already_exists", "There is already a user with that e-mail address.", { param: "email" });
    }
    return this.link(by, user);
  }

  /** A new link for somebody who is known already: the last one was lost, or the password was. Throws `not_found`. */
  async inviteAgain(by: Actor, id: string): Promise<Invited> {
    const user = await this.user(id);
    if (user.state !== "active") throw new GuardError("state_conflict", "The user is disabled.");
    return this.link(by, user);
  }

  /** Throws `not_found`, and `state_conflict` for the last administrator. A change already made is no change. */
  async change(by: Actor, id: string, patch: UserChange): Promise<UserResponse> {
    const before = await this.user(id);
    const after = { ...before, ...patch };
    if (after.role === before.role && after.state === before.state) return userResponse(before);
    const detail = { from: { role: before.role, state: before.state }, to: { role: after.role, state: after.state } };
    const outcome = await this.deps.users.update(
      before.id,
      patch,
      this.record(by, kindOf(before, after), before.id, detail),
    );
    if (outcome === "missing") throw notFound();
    if (outcome === "last_admin") {
      throw new GuardError("state_conflict", "This is the last active administrator. Create another first.");
    }
    return userResponse(after);
  }

  private async user(id: string): Promise<User> {
    const user = isUuid(id) ? await this.deps.users.byId(id.toLowerCase()) : null;
    if (!user) throw notFound();
    return user;
  }

  private async link(by: Actor, user: User): Promise<Invited> {
    const { store, ids, now, publicUrl } = this.deps;
    const token = Buffer.from(crypto.getRandomValues(new Uint8Array(LINK_RANDOM_BYTES))).toString("base64url");
    const expires_at = now() + INVITATION_MS;
    const invitation = { id: ids(), token_hash: secretHash(token), user_id: user.id, created_at: now(), expires_at };
    const until = new Date(expires_at).toISOString();
    await store.invite(invitation, this.record(by, "user.invite", user.id, { expires_at: until }));
    return { user: userResponse(user), link: linkTo(publicUrl(), "invite", token), expires_at: until };
  }

  private record(by: Actor, kind: string, subject_id: string, detail: Change["detail"]): string {
    const { ids, now } = this.deps;
    return changeRecord({ kind, by, subject: "user", subject_id, detail }, { id: ids(), at: now() });
  }
}

const notFound = (): GuardError => new GuardError("not_found", "There is no such user.", { param: "id" });

const kindOf = (before: User, after: Pick<User, "state">): string => {
  if (before.state === after.state) return "user.role";
  return after.state === "disabled" ? "user.disable" : "user.enable";
};
