import { COMMANDS, commandLine } from "#core/command-line";
import { GuardError } from "#core/errors";
import type { SignInThrottle } from "#identity/login-throttle";
import { changeRecord } from "#model/change";
import { goodEmail, goodName, goodPassword, type User } from "#model/person";
import { LINK_RANDOM_BYTES, linkTo } from "#model/session";
import type { Clock } from "#platform/clock";
import { hashPassword, secretHash } from "#platform/hash";
import type { Ids } from "#platform/ids";
import type { UserStore } from "#store/port";
import type { FirstAdmin } from "./schema";

export const SETUP_LINK_MS = 30 * 60_000;

export type SetUpLink = { readonly token: string; readonly endsAt: number };

/** For the first administrator. Processes that serve as one have it in common. */
export const newSetUpLink = (now: number): SetUpLink => ({
  token: Buffer.from(crypto.getRandomValues(new Uint8Array(LINK_RANDOM_BYTES))).toString("base64url"),
  endsAt: now + SETUP_LINK_MS,
});

type FirstRunNeeds = {
  readonly users: Pick<UserStore, "createFirstAdmin">;
  readonly attempts: SignInThrottle;
  readonly now: Clock;
  readonly ids: Ids;
};

/** Creates the first administrator by a link that only the operator has seen. Valid for this process only, and those that were given the same. */
export class FirstRun {
  private link: { readonly hash: string; readonly endsAt: number } | null = null;

  constructor(private readonly deps: FirstRunNeeds) {}

  /** The address to open, good for half an hour unless it is given. */
  open(publicUrl: string, { token, endsAt }: SetUpLink = newSetUpLink(this.deps.now())): string {
    this.link = { hash: secretHash(token), endsAt };
    return linkTo(publicUrl, "setup", token);
  }

  /** Throws `link_invalid`, `already_exists` and `invalid_value`; a link is used up by success only. */
  async complete({ token, email, name, password }: FirstAdmin, address: string | null): Promise<User> {
    const { users, attempts, now, ids } = this.deps;
    const hash = secretHash(token);
    await attempts.begin(hash, address);
    if (!this.isGood(hash)) throw usedUp();
    await attempts.succeeded(hash, address);
    const user: User = {
      id: ids(),
      email: goodEmail(email),
      name: goodName(name ?? null),
      role: "admin",
      state: "active",
      created_at: now(),
    };
    const passwordHash = await hashPassword(goodPassword(password));
    const by = { via: "system", user_id: user.id, agent_id: null, token_id: null } as const;
    const detail = { email: user.email, role: user.role, password: true, by: "setup link" };
    const change = { kind: "user.create", by, subject: "user", subject_id: user.id, detail };
    const outcome = await users.createFirstAdmin(user, passwordHash, changeRecord(change, { id: ids(), at: now() }));
    if (outcome === "taken")
      throw new GuardError("already_exists", "There is already a user with that e-mail address.", { param: "email" });
    // The first administrator exists: setup is closed for good.
    this.link = null;
    if (outcome === "not_the_first") throw usedUp();
    return user;
  }

  private isGood(hash: string): boolean {
    const { link } = this;
    // Compared as hashes: the time it takes tells nothing of the token.
    return link !== null && this.deps.now() < link.endsAt && hash === link.hash;
  }
}

/** Its reader has nobody to ask. */
const usedUp = (): GuardError =>
  new GuardError(
    "link_invalid",
    `This link is used, expired or wrong. If there is an administrator, sign in. Otherwise restart the hub for a new link, or run ${commandLine(COMMANDS.createAdmin())} where it runs.`,
  );
