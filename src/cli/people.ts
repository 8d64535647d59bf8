import { readFileSync } from "node:fs";
import { givenPlace } from "#config/load";
import { COMMANDS, commandLine } from "#core/command-line";
import type { Invited, UserChange } from "#features/users/schema";
import { type UserService, userResponse } from "#features/users/service";
import { CLI_ACTOR, changeRecord } from "#model/change";
import { goodEmail, ROLES, type Role, type User } from "#model/person";
import { systemClock } from "#platform/clock";
import { systemIds } from "#platform/ids";
import { CliExit, EXIT, usage } from "./exit";
import { readStdin } from "./input";
import { shortTime } from "./moments";
import { card } from "./output";
import { type CliSession, changing, changingOrBeginning, reading } from "./session";
import type { Invocation, RunVerb } from "./verb";

/** 24 characters of base64url: 144 bits. */
const RANDOM_PASSWORD_BYTES = 18;

const shown = (user: User) => {
  const { object: _, ...fields } = userResponse(user);
  return fields;
};

type Change = typeof changing;

const create = async (invocation: Invocation, role: Role, password: string | null, change: Change): Promise<User> => {
  const { args } = invocation;
  // Before anything is looked for: a mistyped address is wrong wherever the data is.
  const email = goodEmail(args.needOperand(0));
  const name = args.text("name") ?? null;
  const user = await change(invocation, ({ access }) => access.createUser(CLI_ACTOR, { email, name, role, password }));
  if (!user) throw new CliExit(EXIT.failure, `User ${email} exists already`);
  return user;
};

const isRole = (text: string): text is Role => ROLES.some((role) => role === text);

const goodRole = (role: string, place: string): Role => {
  if (!isRole(role)) throw usage(`${place}: one of ${ROLES.join(", ")}`);
  return role;
};

const roleOf = ({ args }: Invocation): Role => goodRole(args.text("role") ?? "member", "--role");

export const createUser: RunVerb = async (invocation) => {
  const role = roleOf(invocation);
  const user = await create(invocation, role, null, changing);
  await invocation.out.result(shown(user), card({ id: user.id, email: user.email, role: user.role }));
  return EXIT.ok;
};

/** A password in a file, or on stdin for `-`, without the line's end. */
const readPassword = async (file: string, invocation: Invocation): Promise<string> => {
  const text = file === "-" ? await readStdin(invocation, "the password") : readFileSync(file, "utf8");
  return text.replace(/\r?\n$/, "");
};

export const createAdmin: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const file = args.text("password-file");
  const random = args.on("random-password");
  if (file !== undefined && random) throw usage("--password-file or --random-password, not both");
  const made = random
    ? Buffer.from(crypto.getRandomValues(new Uint8Array(RANDOM_PASSWORD_BYTES))).toString("base64url")
    : null;
  const password = file === undefined ? made : await readPassword(file, invocation);
  const user = await create(invocation, "admin", password, changingOrBeginning);
  if (file === undefined && !random)
    await out.note(
      `note: this user has no password yet; ${commandLine(COMMANDS.inviteUser(user.email), givenPlace(invocation.settings()))} creates an invitation`,
    );
  if (made !== null) await out.note("The password is shown only once.");
  await out.result(
    { ...shown(user), ...(made !== null && { password: made }) },
    card({ id: user.id, email: user.email, role: user.role, password: made }),
  );
  return EXIT.ok;
};

export const listUsers: RunVerb = async (invocation) => {
  const users = await reading(invocation, ({ store }) => store.users.list());
  const rows = users.map((user) => [
    ...[user.id, user.email, user.name ?? "", user.role, user.state],
    shortTime(user.created_at),
  ]);
  await invocation.out.result(
    users.map(shown),
    invocation.out.table(["ID", "EMAIL", "NAME", "ROLE", "STATE", "CREATED (UTC)"], rows),
  );
  return EXIT.ok;
};

const usersOf = async ({ inputs }: CliSession, publicUrl: string): Promise<UserService> => {
  // Most commands about users need none of the hub's parts.
  const { commandParts } = await import("#app");
  return commandParts({ ...inputs, publicUrl: () => publicUrl }).userService;
};

/** A link by which somebody sets a password: new here with a role, or known and in need of another link. */
export const inviteUser: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const { public_url } = invocation.config();
  const role = roleOf(invocation);
  const email = args.needOperand(0);
  const invited = await changing(invocation, async (session): Promise<Invited> => {
    const users = await usersOf(session, public_url);
    const known = await session.store.users.byEmail(email);
    if (!known) return users.invite(CLI_ACTOR, { email, name: args.text("name") ?? null, role });
    if (args.text("role") !== undefined && known.role !== role) {
      throw new CliExit(EXIT.failure, `${known.email} exists already, with the role ${known.role}`);
    }
    return users.inviteAgain(CLI_ACTOR, known.id);
  });
  const { user, link, expires_at } = invited;
  await out.note("The invitation is shown only once. It is valid once, for a week.");
  await out.result(
    { id: user.id, email: user.email, role: user.role, link, expires_at },
    card({ email: user.email, role: user.role, link, expires: shortTime(Date.parse(expires_at)) }),
  );
  return EXIT.ok;
};

const changed =
  (patchOf: (invocation: Invocation) => UserChange): RunVerb =>
  async (invocation) => {
    const patch = patchOf(invocation);
    const user = await changing(invocation, async (session) => {
      const { id } = await session.access.userByEmail(invocation.args.needOperand(0));
      return (await usersOf(session, "")).change(CLI_ACTOR, id, patch);
    });
    await invocation.out.result(
      { id: user.id, email: user.email, role: user.role, state: user.state },
      card({ id: user.id, email: user.email, role: user.role, state: user.state }),
    );
    return EXIT.ok;
  };

/** Nothing of theirs opens anything any more: sessions and grants for good, tokens until they are enabled again. */
export const disableUser = changed(() => ({ state: "disabled" }));
export const enableUser = changed(() => ({ state: "active" }));

/** Throws `state_conflict` for the last administrator. */
export const changeRole = changed(({ args }) => ({ role: goodRole(args.needOperand(1), "ROLE") }));

/** The next sign-in by a verified address links the user anew: for an account that was made again at the provider. */
export const unlinkUser: RunVerb = async (invocation) => {
  const { user, unlinked } = await changing(invocation, async ({ access, store }) => {
    const known = await access.userByEmail(invocation.args.needOperand(0));
    const change = { kind: "user.unlink", by: CLI_ACTOR, subject: "user", subject_id: known.id, detail: {} };
    const record = changeRecord(change, { id: systemIds(), at: systemClock() });
    return { user: known, unlinked: await store.oidc.unlink(known.id, record) };
  });
  await invocation.out.result(
    { id: user.id, email: user.email, unlinked },
    card({ id: user.id, email: user.email, unlinked: unlinked ? "yes" : "was not linked" }),
  );
  return EXIT.ok;
};
