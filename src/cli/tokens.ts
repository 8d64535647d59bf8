import type { NewToken, TokenMove } from "#features/access/service";
import { CLI_ACTOR } from "#model/change";
import { OPERATOR } from "#model/suspension";
import { displayState, type Token } from "#model/token";
import type { Arguments } from "./arguments";
import { CliExit, EXIT } from "./exit";
import { readStdin } from "./input";
import { parseDuration, shortTime } from "./moments";
import { card } from "./output";
import { type CliSession, changing, reading } from "./session";
import type { Invocation, RunVerb } from "./verb";

const DEFAULT_GRACE = "24h";
const ONCE = "The token is shown only once; it cannot be retrieved later.";

/** What is told of a token: all but its hash. */
const shown = (token: Token, user: string) => ({
  id: token.id,
  display: token.display,
  name: token.name,
  user,
  user_id: token.user_id,
  agent_id: token.agent_id,
  state: displayState(token, Date.now()),
  created_at: new Date(token.created_at).toISOString(),
  expires_at: token.expires_at === null ? null : new Date(token.expires_at).toISOString(),
});

const cardOf = (token: Token, user: string, secret: string | null): string =>
  card({
    id: token.id,
    token: secret ?? token.display,
    name: token.name,
    user,
    agent_id: token.agent_id,
    state: displayState(token, Date.now()),
    expires: shortTime(token.expires_at),
  });

const wanted = async (args: Arguments, { access }: CliSession): Promise<NewToken> => {
  const user = await access.userByEmail(args.need("user"));
  const named = args.text("agent");
  const lifetime = args.text("expires-in");
  return {
    user,
    agent: named === undefined ? null : await access.agent(named, args.text("owner") ?? user.email),
    name: args.text("name") ?? null,
    lifetimeMs: lifetime === undefined ? null : parseDuration(lifetime, "expires-in"),
  };
};

export const createToken: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const { token, secret, user } = await changing(invocation, async (session) => {
    const want = await wanted(args, session);
    return { ...(await session.access.issueToken(CLI_ACTOR, want)), user: want.user.email };
  });
  await out.note(ONCE);
  await out.result({ ...shown(token, user), token: secret }, cardOf(token, user, secret));
  return EXIT.ok;
};

export const importToken: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const secret = (await readStdin(invocation, "the token")).trim();
  const { token, user } = await changing(invocation, async (session) => {
    const want = await wanted(args, session);
    return { token: await session.access.importToken(CLI_ACTOR, secret, want), user: want.user.email };
  });
  if (!token) throw new CliExit(EXIT.failure, "This token exists already");
  await out.result(shown(token, user), cardOf(token, user, null));
  return EXIT.ok;
};

const ownerOf = async ({ store }: CliSession, token: Token): Promise<string> =>
  (await store.users.list()).find(({ id }) => id === token.user_id)?.email ?? token.user_id;

const move = async (invocation: Invocation, how: TokenMove): Promise<number> => {
  const { args, out } = invocation;
  const { token, user } = await changing(invocation, async (session) => {
    const before = await session.access.token(args.needOperand(0));
    const after = await session.access.moveToken(OPERATOR, before.id, how);
    if (!after)
      throw new CliExit(EXIT.failure, `This token cannot be ${how}d: it is ${displayState(before, Date.now())}`);
    return { token: after, user: await ownerOf(session, after) };
  });
  await out.result(shown(token, user), cardOf(token, user, null));
  return EXIT.ok;
};

export const disableToken: RunVerb = (invocation) => move(invocation, "disable");
export const enableToken: RunVerb = (invocation) => move(invocation, "enable");
export const revokeToken: RunVerb = (invocation) => move(invocation, "revoke");

export const rotateToken: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const graceMs = parseDuration(args.text("grace") ?? DEFAULT_GRACE, "grace");
  const { rotated, user, before } = await changing(invocation, async (session) => {
    const old = await session.access.token(args.needOperand(0));
    const next = await session.access.rotateToken(CLI_ACTOR, old.id, graceMs);
    if (!next) throw new CliExit(EXIT.failure, `This token cannot be rotated: it is ${displayState(old, Date.now())}`);
    return { rotated: next, before: old, user: await ownerOf(session, old) };
  });
  const ends = new Date(rotated.oldEndsAt).toISOString();
  await out.note(`${ONCE} The old one (${before.display}) ends at ${ends}.`);
  await out.result(
    {
      ...shown(rotated.token, user),
      token: rotated.secret,
      replaces: { id: before.id, display: before.display, ends_at: ends },
    },
    cardOf(rotated.token, user, rotated.secret),
  );
  return EXIT.ok;
};

export const listTokens: RunVerb = async (invocation) => {
  const { tokens, users, agents } = await reading(invocation, async ({ store }) => ({
    tokens: await store.tokens.list(),
    users: new Map((await store.users.list()).map(({ id, email }) => [id, email])),
    agents: new Map((await store.agents.list()).map(({ id, name }) => [id, name])),
  }));
  const emailOf = (token: Token): string => users.get(token.user_id) ?? token.user_id;
  const rows = tokens.map((token) => [
    token.id,
    token.display,
    token.name ?? "",
    emailOf(token),
    token.agent_id === null ? "" : (agents.get(token.agent_id) ?? token.agent_id),
    displayState(token, Date.now()),
    shortTime(token.expires_at),
  ]);
  await invocation.out.result(
    tokens.map((token) => shown(token, emailOf(token))),
    invocation.out.table(["ID", "TOKEN", "NAME", "USER", "AGENT", "STATE", "EXPIRES (UTC)"], rows),
  );
  return EXIT.ok;
};
