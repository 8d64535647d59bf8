import { readFileSync } from "node:fs";
import { CLI_ACTOR } from "#core/change";
import { ROLES, type Role, type User } from "#core/person";
import { EXIT, Stop, usage } from "./exit";
import { shortTime } from "./moments";
import { card, type Output, table } from "./output";
import { changing, reading } from "./session";
import { readStdin } from "./stdin";
import type { Invocation, Run } from "./verb";

/** 24 characters of base64url: 144 bits. */
const RANDOM_PASSWORD_BYTES = 18;

const shown = ({ id, email, name, role, created_at }: User) => ({
  id,
  email,
  name,
  role,
  created_at: new Date(created_at).toISOString(),
});

const create = async (invocation: Invocation, role: Role, password: string | null): Promise<User> => {
  const { args } = invocation;
  const email = args.needOperand(0);
  const name = args.text("name") ?? null;
  const user = await changing(
    invocation,
    ({ access }) => access.createUser(CLI_ACTOR, { email, name, role, password }),
    { mayBegin: true },
  );
  if (!user) throw new Stop(EXIT.failure, `There is a user ${email} already`);
  return user;
};

const isRole = (text: string): text is Role => ROLES.some((role) => role === text);

export const createUser: Run = async (invocation) => {
  const role = invocation.args.text("role") ?? "member";
  if (!isRole(role)) throw usage(`--role: one of ${ROLES.join(", ")}`);
  const user = await create(invocation, role, null);
  await invocation.out.result(shown(user), card({ id: user.id, email: user.email, role: user.role }));
  return EXIT.ok;
};

/** A password in a file, or on stdin for `-`, without the line's end. */
const readPassword = async (file: string, out: Output): Promise<string> => {
  const text = file === "-" ? await readStdin(out, "the password") : readFileSync(file, "utf8");
  return text.replace(/\r?\n$/, "");
};

export const createAdmin: Run = async (invocation) => {
  const { args, out } = invocation;
  const file = args.text("password-file");
  const random = args.on("random-password");
  if (file !== undefined && random) throw usage("--password-file or --random-password, not both");
  const made = random
    ? Buffer.from(crypto.getRandomValues(new Uint8Array(RANDOM_PASSWORD_BYTES))).toString("base64url")
    : null;
  const user = await create(invocation, "admin", file === undefined ? made : await readPassword(file, out));
  if (file === undefined && !random)
    await out.note("note: without a password this administrator cannot sign in to the dashboard");
  if (made !== null) await out.note("The password is shown this once.");
  await out.result(
    { ...shown(user), ...(made !== null && { password: made }) },
    card({ id: user.id, email: user.email, role: user.role, password: made }),
  );
  return EXIT.ok;
};

export const listUsers: Run = async (invocation) => {
  const users = await reading(invocation, ({ store }) => store.users.list());
  const rows = users.map((user) => [user.id, user.email, user.name ?? "", user.role, shortTime(user.created_at)]);
  await invocation.out.result(users.map(shown), table(["ID", "EMAIL", "NAME", "ROLE", "CREATED"], rows));
  return EXIT.ok;
};
