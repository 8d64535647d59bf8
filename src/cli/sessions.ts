import { CLI_ACTOR } from "#core/change";
import { type Session as Kept, shownSessionState } from "#core/session";
import { SESSION_LIFETIME_MS } from "#modules/access/sessions";
import { EXIT } from "./exit";
import { parseDuration, shortTime } from "./moments";
import { card, table } from "./output";
import { changing, reading, type Session } from "./session";
import type { Run } from "./verb";

/** What is told of a session: all but its hash. */
const shown = (session: Kept, user: string) => ({
  id: session.id,
  user,
  user_id: session.user_id,
  state: shownSessionState(session, Date.now()),
  created_at: new Date(session.created_at).toISOString(),
  expires_at: new Date(session.expires_at).toISOString(),
});

const emailsIn = async ({ store }: Session): Promise<ReadonlyMap<string, string>> =>
  new Map((await store.users.list()).map(({ id, email }) => [id, email]));

export const createSession: Run = async (invocation) => {
  const { args, out } = invocation;
  const lifetime = args.text("expires-in");
  const lifetimeMs = lifetime === undefined ? SESSION_LIFETIME_MS : parseDuration(lifetime, "expires-in");
  const { session, key, user } = await changing(invocation, async ({ access, sessions }) => {
    const person = await access.userByEmail(args.needOperand(0));
    return { ...(await sessions.create(CLI_ACTOR, person, lifetimeMs)), user: person.email };
  });
  await out.note("The key is shown this once; nobody can look it up later.");
  await out.result(
    { ...shown(session, user), key },
    card({ id: session.id, key, user, expires: shortTime(session.expires_at) }),
  );
  return EXIT.ok;
};

export const listSessions: Run = async (invocation) => {
  const rows = await reading(invocation, async (session) => {
    const emails = await emailsIn(session);
    return (await session.sessions.list()).map((kept) => shown(kept, emails.get(kept.user_id) ?? kept.user_id));
  });
  const cells = rows.map(({ id, user, state, expires_at }) => [id, user, state, shortTime(Date.parse(expires_at))]);
  await invocation.out.result(rows, table(["ID", "USER", "STATE", "EXPIRES"], cells));
  return EXIT.ok;
};

export const revokeSession: Run = async (invocation) => {
  const revoked = await changing(invocation, async (session) => {
    const kept = await session.sessions.revoke(CLI_ACTOR, invocation.args.needOperand(0));
    return shown(kept, (await emailsIn(session)).get(kept.user_id) ?? kept.user_id);
  });
  const { id, user, state } = revoked;
  await invocation.out.result(revoked, card({ id, user, state }));
  return EXIT.ok;
};
