import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { urlHash } from "#platform/hash";
import { systemIds } from "#platform/ids";
import { ANN, CALLBACK, codeOf, first, outcomeOf, Process, PUBLIC, VERIFIER } from "#test/features/oauth-process";
import { Place } from "#test/store/directory";
import { someRecord } from "#test/store/records";
import { verifies } from "#test/support/verifies";
import type { DocumentAnswer } from "#upstream/outbound-port";

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

  test("used late revoke the grant and no other grant", async () => {
    verifies("oauth.refresh", "oauth.recorded");
    await using place = new Place();
    const hub = await first(place);
    const { client, granted } = await hub.connected();
    const other = await hub.connected();
    const next = await hub.refresh(client, granted.refresh_token);
    hub.later = 61_000;
    expect(hub.revoked).toBe(0);
    expect(await codeOf(hub.refresh(client, granted.refresh_token))).toBe("invalid_grant");
    expect(hub.revoked).toBe(1);
    expect([hub.opens(next), hub.opens(granted), hub.opens(other.granted)]).toEqual([false, false, true]);
    expect(await codeOf(hub.refresh(client, next.refresh_token))).toBe("invalid_grant");
    expect(await codeOf(hub.refresh(other.client, other.granted.refresh_token))).toBe("granted");
    const page = JSON.stringify(await Array.fromAsync(hub.store.audit.read({})));
    expect(page).toContain("oauth.reuse");
  });

  test("are refused for disabled users, as are codes", async () => {
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

  test("that were ended while they were renewed leave nothing that opens, whatever was made of them since", async () => {
    verifies("oauth.revoke");
    await using place = new Place();
    const hub = await first(place);
    const { client, granted } = await hub.connected();
    const beside = new Database(place.database);
    const rows = (table: string) => beside.query<{ n: number }, []>(`SELECT count(*) AS n FROM ${table}`).get()?.n;
    // The engine has read the old one, another request ends the grant, the engine writes the new ones.
    hub.meanwhile = async () => {
      beside.run("DELETE FROM auth_oauth_refresh_token WHERE revoked IS NOT NULL");
    };
    expect(await codeOf(hub.refresh(client, granted.refresh_token))).toBe("invalid_grant");
    expect([rows("auth_oauth_access_token"), rows("auth_oauth_refresh_token")]).toEqual([0, 0]);
    beside.close();
    expect(hub.opens(granted)).toBe(false);
  });

  test("in use by another process are waited for, and taken over if it died", async () => {
    verifies("oauth.refresh");
    await using place = new Place();
    const hub = await first(place);
    const { client, granted } = await hub.connected();
    const hash = urlHash((granted.refresh_token ?? "").slice(6));
    const until = Date.now() + 2_000;
    expect(await hub.store.oauth.acquireTurn(hash, Date.now(), until)).toBe(true);
    expect(await hub.store.oauth.acquireTurn(hash, until - 1, until)).toBe(false);
    expect(await codeOf(hub.refresh(client, granted.refresh_token))).toBe("granted");
    expect(Date.now()).toBeGreaterThanOrEqual(until);
  });
});

test("a client that ends its grant is answered when nothing is known of its access tokens any more", async () => {
  verifies("oauth.revoke");
  await using place = new Place();
  const hub = await first(place);
  const { client, granted } = await hub.connected();
  const form = new URLSearchParams({ client_id: client, token: granted.refresh_token ?? "" });
  await hub.tokens.revoke(form, "net");
  expect([hub.revoked, hub.opens(granted)]).toEqual([1, false]);
});

describe("a crowd of strangers", () => {
  test("at one token waits in one line, and no longer than the line may be", async () => {
    verifies("oauth.refresh", "oauth.crowd");
    await using place = new Place();
    const hub = await first(place);
    const { client, granted } = await hub.connected();
    const other = await hub.connected();
    const all = await Promise.all(
      Array.from({ length: 130 }, () => outcomeOf(hub.refresh(client, granted.refresh_token))),
    );
    const tokens = all.filter((it) => typeof it !== "string");
    expect(tokens).toHaveLength(100);
    expect(new Set(tokens.map(({ access_token }) => access_token)).size).toBe(1);
    expect(all.filter((it) => it === "temporarily_unavailable")).toHaveLength(30);
    // The line is gone with the crowd, and was never another's.
    expect(await codeOf(hub.refresh(client, tokens[0]?.refresh_token))).toBe("granted");
    expect(await codeOf(hub.refresh(other.client, other.granted.refresh_token))).toBe("granted");
  });

  test("with codes and tokens they made up writes nothing", async () => {
    verifies("oauth.crowd");
    await using place = new Place();
    const hub = await first(place);
    const { client } = await hub.connected();
    const beside = new Database(place.database, { readonly: true });
    const version = () => beside.query<{ data_version: number }, []>("PRAGMA data_version").get()?.data_version;
    const before = version();
    for (let at = 10; at < 20; at += 1) {
      const form = {
        grant_type: "authorization_code",
        client_id: client,
        redirect_uri: CALLBACK,
        code_verifier: VERIFIER,
      };
      const code = `${"x".repeat(30)}${at}`;
      expect(await codeOf(hub.tokens.grant(new URLSearchParams({ ...form, code }), "net"))).toBe("invalid_grant");
      expect(await codeOf(hub.refresh(client, `gw-rt-${"x".repeat(32)}`))).toBe("invalid_grant");
    }
    expect(version()).toBe(before);
    // It would have been seen: what is really granted is written.
    await hub.connected();
    expect(version()).not.toBe(before);
    beside.close();
  });

  test("that registers is limited in number: the oldest unauthorized ones are deleted first", async () => {
    verifies("oauth.crowd", "oauth.swept");
    await using place = new Place();
    const hub = await first(place);
    const { client } = await hub.connected();
    const before = await hub.registrations.register({ redirect_uris: [CALLBACK] }, "early");
    const disabled = await hub.registrations.register({ redirect_uris: [CALLBACK] }, "early");
    await hub.store.oauth.setDisabled(disabled.client_id, true, someRecord());
    // As fast as all networks together may.
    for (let at = 0; at < 2_000; at += 1) {
      if (at % 190 === 0) hub.later += 60_001;
      await hub.registrations.register({ redirect_uris: [CALLBACK] }, `net ${at}`);
    }
    const kept = new Set((await hub.store.oauth.clients()).map(({ id }) => id));
    expect([kept.size, kept.has(client), kept.has(before.client_id), kept.has(disabled.client_id)]).toEqual([
      ...[2_002, true, false],
      true,
    ]);
    hub.later += 60_001;
    const late = await hub.registrations.register({ redirect_uris: [CALLBACK] }, "late");
    expect((await hub.store.oauth.clients()).map(({ id }) => id)).toContain(late.client_id);
  }, 120_000);
});

test("tokens are for the address they were made for: not for another of the hub's, nor for a part of one", async () => {
  verifies("oauth.audience");
  await using place = new Place();
  const hub = await first(place);
  const { client, granted } = await hub.connected();
  for (const address of ["https://moved.example", `${PUBLIC}/guard`, PUBLIC.slice(0, -1)]) {
    const moved = new Process(await place.open(), address);
    expect([address, moved.opens(granted)]).toEqual([address, false]);
    expect(await codeOf(moved.refresh(client, granted.refresh_token))).toBe("invalid_grant");
  }
  const hash = urlHash(granted.access_token.slice(6));
  for (const part of ["", "gateway", `${PUBLIC}/mcp`, `["${PUBLIC}/mcp/gateway"]`]) {
    expect([part, hub.store.oauth.verifyBearer(hash, part, Date.now())]).toEqual([part, null]);
  }
  expect([hub.opens(granted), hub.opens(await hub.refresh(client, granted.refresh_token))]).toEqual([true, true]);
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

test("unauthorized clients and ended tokens are deleted after a day; those in use stay", async () => {
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

describe("documents that are fetched", () => {
  const URL_ID = "https://app.example/client.json";
  const said = (fields: Record<string, unknown> = {}): DocumentAnswer => ({
    kind: "document",
    document: { client_id: URL_ID, client_name: "App", redirect_uris: [CALLBACK], ...fields },
  });
  const parseAuthorizationRequest = async (hub: Process, redirect_uri = CALLBACK, client_id = URL_ID) => {
    const query = new URLSearchParams({
      client_id,
      redirect_uri,
      response_type: "code",
      code_challenge_method: "S256",
    });
    query.set("code_challenge", "c".repeat(43));
    const asked = await hub.consents.parseAuthorizationRequest(query, ANN.id);
    return asked.kind === "invalid_request" ? asked.why : asked.kind;
  };

  test("are good for a while, whatever the clock does, and not a moment longer than their host says the same", async () => {
    verifies("oauth.documents");
    await using place = new Place();
    const hub = await first(place);
    expect(await parseAuthorizationRequest(hub)).toBe("not_fetched");
    // What went wrong is not kept.
    hub.document = said();
    expect(await parseAuthorizationRequest(hub)).toBe("ask");
    hub.document = { kind: "none", why: "unreachable" };
    expect(await parseAuthorizationRequest(hub)).toBe("ask");
    for (const later of [601_000, -601_000]) {
      hub.later = later;
      expect([later, await parseAuthorizationRequest(hub)]).toEqual([later, "not_fetched"]);
      hub.document = said();
      expect([later, await parseAuthorizationRequest(hub)]).toEqual([later, "ask"]);
      hub.document = { kind: "none", why: "timeout" };
    }
  });

  test("of one client say nothing of another, and nothing that did not hold is kept", async () => {
    verifies("oauth.documents-guarded");
    await using place = new Place();
    const hub = await first(place);
    const evil = "https://app.example/evil.json";
    // The host of one names the id of the other.
    hub.document = said({ redirect_uris: ["https://evil.example/cb"] });
    expect(await parseAuthorizationRequest(hub, "https://evil.example/cb", evil)).toBe("not_valid");
    hub.document = said();
    expect(await parseAuthorizationRequest(hub)).toBe("ask");
    expect(await parseAuthorizationRequest(hub, "https://evil.example/cb")).toBe("unknown");
    hub.document = { kind: "none", why: "status" };
    expect(await parseAuthorizationRequest(hub, CALLBACK, evil)).toBe("not_fetched");
    expect(await parseAuthorizationRequest(hub)).toBe("ask");
    // Many others push an old one out rather than be kept without end.
    for (let at = 0; at < 200; at += 1) {
      const id = `https://app.example/${at}.json`;
      hub.document = said({ client_id: id });
      if (at % 50 === 0) hub.later += 60_001;
      await parseAuthorizationRequest(hub, CALLBACK, id);
    }
    hub.document = { kind: "none", why: "status" };
    expect(await parseAuthorizationRequest(hub)).toBe("not_fetched");
  });

  test("that change between request and answer are checked again", async () => {
    verifies("oauth.documents", "oauth.redirect");
    await using place = new Place();
    const hub = await first(place);
    hub.document = said();
    expect(await parseAuthorizationRequest(hub)).toBe("ask");
    hub.later = 601_000;
    hub.document = said({ redirect_uris: ["https://evil.example/cb"] });
    expect(await parseAuthorizationRequest(hub)).toBe("unknown");
    expect(await parseAuthorizationRequest(hub, "https://evil.example/cb")).toBe("ask");
  });
});

describe("a clock that was set back", () => {
  test("holds up neither registering nor refreshing", async () => {
    verifies("oauth.survives");
    await using place = new Place();
    const hub = await first(place);
    const { client, granted } = await hub.connected();
    const register = (network: string) => hub.registrations.register({ redirect_uris: [CALLBACK] }, network);
    for (let at = 0; at < 20; at += 1) await register("far");
    await expect(register("far")).rejects.toThrow();
    hub.later = -86_400_000;
    expect((await register("far")).client_id).toBeString();
    // Somebody died at the token before the clock was set.
    const hash = urlHash((granted.refresh_token ?? "").slice(6));
    expect(await hub.store.oauth.acquireTurn(hash, Date.now(), Date.now() + 10_000)).toBe(true);
    expect(await codeOf(hub.refresh(client, granted.refresh_token))).toBe("granted");
    expect(hub.opens(granted)).toBe(true);
  });

  test("or forward ends access and grants at their times, by every clock", async () => {
    verifies("oauth.survives");
    await using place = new Place();
    const hub = await first(place);
    const { client, granted } = await hub.connected();
    const hash = urlHash((granted.refresh_token ?? "").slice(6));
    const good = async (later: number) => {
      hub.later = later;
      return [hub.opens(granted), (await hub.store.oauth.refreshState(hash, hub.now()))?.client_id === client];
    };
    const hour = 3_600_000;
    expect([await good(7 * hour), await good(9 * hour)]).toEqual([
      [true, true],
      [false, true],
    ]);
    expect([await good(29 * 24 * hour), await good(31 * 24 * hour)]).toEqual([
      [false, true],
      [false, false],
    ]);
    expect(await good(-hour)).toEqual([true, true]);
  });
});
