import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { OAuthError } from "#core/oauth/error";
import type { User } from "#core/person";
import { betterAuthIdentity } from "#identity/better-auth/index";
import { Consents } from "#modules/oauth/consents";
import { Registrations } from "#modules/oauth/registrations";
import { type Granted, Tokens } from "#modules/oauth/tokens";
import { urlHash } from "#platform/hash";
import { systemIds } from "#platform/ids";
import { jsonLog } from "#platform/log";
import type { SqliteStore } from "#store/sqlite/index";
import { Place } from "#test/store/directory";
import { someRecord } from "#test/store/records";
import { verifies } from "#test/support/verifies";

const PUBLIC = "http://hub.example:8787";
const CALLBACK = "http://127.0.0.1/cb";
const VERIFIER = "v".repeat(43);
const SECRET = "s".repeat(40);
const ANN: User = {
  id: systemIds(),
  email: "ann@example.org",
  name: null,
  role: "admin",
  state: "active",
  created_at: 1,
};

/** One process of a hub: its own connection, its own engine, and a clock that tests move. */
class Process {
  later = 0;
  readonly lines: string[] = [];
  readonly registrations: Registrations;
  readonly consents: Consents;
  readonly tokens: Tokens;
  private readonly identity;

  private readonly resource;

  constructor(
    readonly store: SqliteStore,
    publicUrl = PUBLIC,
  ) {
    this.resource = `${publicUrl}/mcp/gateway`;
    const log = jsonLog("error", () => {}, Date.now);
    this.identity = betterAuthIdentity({ auth: store.auth, secret: SECRET, publicUrl, ids: systemIds, log });
    const basics = {
      store: store.oauth,
      identity: async () => this.identity,
      resource: () => this.resource,
      issuer: () => `${publicUrl}/api/auth`,
      writeRecord: async (line: string) => void this.lines.push(line),
      now: () => Date.now() + this.later,
      ids: systemIds,
    };
    this.registrations = new Registrations(basics);
    this.consents = new Consents(basics);
    this.tokens = new Tokens(basics);
  }

  /** A client that Ann has let in, and its tokens. */
  async connected(): Promise<{ readonly client: string; readonly granted: Granted }> {
    const { client_id } = await this.registrations.register({ redirect_uris: [CALLBACK] }, "net");
    const { session, cookies } = await this.identity.signIn(ANN.id, { address: null, userAgent: null }, Date.now());
    const query = new URLSearchParams({
      response_type: "code",
      client_id,
      redirect_uri: CALLBACK,
      code_challenge: createHash("sha256").update(VERIFIER).digest("base64url"),
      code_challenge_method: "S256",
    });
    const cookie = cookies.map((line) => line.split(";")[0]).join("; ");
    const decision = { query: query.toString(), accept: true, tools: ["*"] };
    const url = new URL(await this.consents.decide({ user: ANN, session }, cookie, decision));
    const code = url.searchParams.get("code") ?? "";
    const form = { grant_type: "authorization_code", client_id, code, code_verifier: VERIFIER, redirect_uri: CALLBACK };
    return { client: client_id, granted: await this.tokens.grant(new URLSearchParams(form), "net") };
  }

  refresh(client_id: string, refresh_token = ""): Promise<Granted> {
    return this.tokens.grant(new URLSearchParams({ grant_type: "refresh_token", client_id, refresh_token }), "net");
  }

  opens({ access_token }: Granted): boolean {
    return (
      this.store.oauth.verifyBearer(urlHash(access_token.slice(6)), this.resource, Date.now() + this.later) !== null
    );
  }
}

const first = async (place: Place, publicUrl?: string): Promise<Process> => {
  const process = new Process(await place.open(), publicUrl);
  await process.store.users.create(ANN, null, someRecord());
  return process;
};

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "granted",
    (error) => (error instanceof OAuthError ? error.code : error),
  );

describe("refresh tokens", () => {
  test("are used at once in two processes: both get the same", async () => {
    verifies("oauth.refresh");
    await using place = new Place();
    const one = await first(place);
    const two = new Process(await place.open());
    const { client, granted } = await one.connected();
    const all = await Promise.all([one, two, one, two, two].map((it) => it.refresh(client, granted.refresh_token)));
    expect(new Set(all.map(({ access_token }) => access_token)).size).toBe(1);
    expect(new Set(all.map(({ refresh_token }) => refresh_token)).size).toBe(1);
    expect([all.every((it) => one.opens(it)), one.opens(granted)]).toEqual([true, true]);
  });

  test("that come late end the grant, whoever has the newer one, and no other grant", async () => {
    verifies("oauth.refresh", "oauth.recorded");
    await using place = new Place();
    const hub = await first(place);
    const { client, granted } = await hub.connected();
    const other = await hub.connected();
    const next = await hub.refresh(client, granted.refresh_token);
    hub.later = 61_000;
    expect(await codeOf(hub.refresh(client, granted.refresh_token))).toBe("invalid_grant");
    expect([hub.opens(next), hub.opens(granted), hub.opens(other.granted)]).toEqual([false, false, true]);
    expect(await codeOf(hub.refresh(client, next.refresh_token))).toBe("invalid_grant");
    expect(await codeOf(hub.refresh(other.client, other.granted.refresh_token))).toBe("granted");
    const page = JSON.stringify(await Array.fromAsync(hub.store.audit.read({})));
    expect(page).toContain("oauth.reuse");
  });

  test("are of no use to whoever was disabled, nor is a code", async () => {
    verifies("oauth.revoke");
    await using place = new Place();
    const hub = await first(place);
    await hub.store.users.create({ ...ANN, id: systemIds(), email: "bob@example.org" }, null, someRecord());
    const { client, granted } = await hub.connected();
    expect(hub.opens(granted)).toBe(true);
    expect(await hub.store.users.update(ANN.id, { state: "disabled" }, someRecord())).toBe("done");
    expect(hub.opens(granted)).toBe(false);
    expect(await codeOf(hub.refresh(client, granted.refresh_token))).toBe("invalid_grant");
    await hub.store.users.update(ANN.id, { state: "active" }, someRecord());
    expect(hub.opens(granted)).toBe(false);
  });

  test("that somebody else is at are waited for, and taken over from the dead", async () => {
    verifies("oauth.refresh");
    await using place = new Place();
    const hub = await first(place);
    const { client, granted } = await hub.connected();
    const hash = urlHash((granted.refresh_token ?? "").slice(6));
    expect(await hub.store.oauth.takeTurn(hash, Date.now(), Date.now() + 300)).toBe(true);
    expect(await hub.store.oauth.takeTurn(hash, Date.now(), Date.now() + 300)).toBe(false);
    const began = Date.now();
    expect(await codeOf(hub.refresh(client, granted.refresh_token))).toBe("granted");
    expect(Date.now() - began).toBeGreaterThan(200);
  });
});

test("all of it works behind https and a base path, where the cookie has another name", async () => {
  verifies("oauth.consent");
  await using place = new Place();
  const hub = await first(place, "https://hub.example/guard");
  const { client, granted } = await hub.connected();
  expect([hub.opens(granted), hub.opens(await hub.refresh(client, granted.refresh_token))]).toEqual([true, true]);
});

test("a client that was let in once is known for good, also after it was disconnected", async () => {
  verifies("oauth.swept");
  await using place = new Place();
  const hub = await first(place);
  const { client } = await hub.connected();
  expect(await hub.store.oauth.revokeConnection(client, ANN.id, someRecord())).toBe(true);
  hub.later = 25 * 3_600_000;
  await hub.registrations.sweep();
  expect((await hub.store.oauth.clients()).map(({ id }) => id)).toEqual([client]);
});

test("clients nobody let in go after a day, ended tokens too; what is in use stays", async () => {
  verifies("oauth.swept");
  await using place = new Place();
  const hub = await first(place);
  const { client, granted } = await hub.connected();
  await hub.registrations.register({ redirect_uris: [CALLBACK] }, "net");
  hub.later = 9 * 3_600_000;
  await hub.registrations.sweep();
  expect([(await hub.store.oauth.clients()).length, hub.opens(granted)]).toEqual([2, false]);
  hub.later = 25 * 3_600_000;
  await hub.registrations.sweep();
  expect((await hub.store.oauth.clients()).map(({ id }) => id)).toEqual([client]);
  // The library has a clock of its own.
  hub.later = 0;
  expect(await codeOf(hub.refresh(client, granted.refresh_token))).toBe("granted");
});
