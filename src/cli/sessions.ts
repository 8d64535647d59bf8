import { SESSION_LIFETIME_MS } from "#features/access/sessions";
import { CLI_ACTOR } from "#model/change";
import { type Session as Kept, sessionDisplayState } from "#model/session";
import { EXIT } from "./exit";
import { parseDuration, shortTime } from "./moments";
import { card } from "./output";
import { type CliSession, changing, reading } from "./session";
import type { RunVerb } from "./verb";

/** What is told of a session: all but its hash. */
const shown = (session: Kept, user: string) => ({
  id: session.id,
  user,
  user_id: session.user_id,
  state: sessionDisplayState(session, Date.now()),
  created_at: new Date(session.created_at).toISOString(),
  expires_at: new Date(session.expires_at).toISOString(),
});

const emailsIn = async ({ store }: CliSession): Promise<ReadonlyMap<string, string>> =>
  new Map((await store.users.list()).map(({ id, email }) => [id, email]));

export const createSession: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const lifetime = args.text("expires-in");
  const lifetimeMs = lifetime === undefined ? SESSION_LIFETIME_MS : parseDuration(lifetime, "expires-in");
  const { session, key, user } = await changing(invocation, async ({ access, parts }) => {
    const person = await access.userByEmail(args.needOperand(0));
    return { ...(await parts.sessionService.create(CLI_ACTOR, person, lifetimeMs)), user: person.email };
  });
  await out.note("The session key is shown only once; it cannot be retrieved later.");
  await out.result(
    { ...shown(session, user), key },
    card({ id: session.id, key, user, expires: shortTime(session.expires_at) }),
  );
  return EXIT.ok;
};

export const listSessions: RunVerb = async (invocation) => {
  const rows = await reading(invocation, async (session) => {
    const emails = await emailsIn(session);
    return (await session.parts.sessionService.list()).map((kept) =>
      shown(kept, emails.get(kept.user_id) ?? kept.user_id),
    );
  });
  const cells = rows.map(({ id, user, state, expires_at }) => [id, user, state, shortTime(Date.parse(expires_at))]);
  await invocation.out.result(rows, invocation.out.table(["ID", "USER", "STATE", "EXPIRES (UTC)"], cells));
  return EXIT.ok;
};

export const revokeSession: RunVerb = async (invocation) => {
  const revoked = await changing(invocation, async (session) => {
    const kept = await session.parts.sessionService.revoke(CLI_ACTOR, invocation.args.needOperand(0));
    return shown(kept, (await emailsIn(session)).get(kept.user_id) ?? kept.user_id);
  });
  const { id, user, state } = revoked;
  await invocation.out.result(revoked, card({ id, user, state }));
  return EXIT.ok;
};
