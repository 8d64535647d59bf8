import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { verifies } from "#test/support/verifies";
import { addressOf, expectedOf, type Got, gotOf, initOf, type Station, stationsOf } from "./door";
import { type Name, PEOPLE, TOKENS } from "./rules";
import { AuthorizationWorld } from "./world";

setDefaultTimeout(120_000);

let world: AuthorizationWorld;
let stations: Station[];
let unruled: string[];
let stale: string[];
beforeAll(async () => {
  world = await AuthorizationWorld.open();
  ({ stations, unruled, stale } = await stationsOf(world));
});
afterAll(() => world?.[Symbol.asyncDispose]());

const EVERYBODY: readonly Name[] = [...PEOPLE, ...TOKENS];

/** With a page of somebody else's behind it, as any program may say. */
const ORIGIN = { origin: "https://evil.example" };

const ask = async (station: Station, token: string | null, isThere = true): Promise<Got> => {
  const request = { ...initOf(station), ...(token !== null && { token }), headers: ORIGIN };
  // The tool gateway looks at the page before the key; nobody else cares for pages where a key is sent.
  if (station.name.endsWith(" /mcp/gateway")) Object.assign(request, { headers: {} });
  return gotOf(await world.hub.fetch(addressOf(world, station, isThere), request));
};
const askAs = (station: Station, who: Name, isThere = true): Promise<Got> =>
  ask(station, world.keys.get(who) ?? "", isThere);

/** What no answer may do, whoever asks. */
const checkHeaders = (name: string, { headers }: Got): void => {
  expect([name, headers.get("cache-control")]).toEqual([name, expect.stringContaining("no-store")]);
  expect([name, headers.get("access-control-allow-origin")]).toEqual([name, null]);
  expect([name, headers.get("x-content-type-options")]).toEqual([name, "nosniff"]);
  expect([name, headers.get("x-request-id")]).toEqual([name, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
};

test("every address that takes a key has a rule, and every rule an address", () => {
  verifies("route.authorized");
  expect([unruled, stale]).toEqual([[], []]);
  const nameless = stations.filter(({ name, rule }) => /[:*]/.test(name) && rule.of === undefined);
  expect(nameless.map(({ name }) => name)).toEqual([]);
  const unstated = stations.filter(({ rule }) => !rule.forAll && !rule.sees && !rule.does);
  expect(unstated.map(({ name }) => name)).toEqual([]);
  expect(stations.length).toBeGreaterThan(130);
});

/** Their errors have the shape of a protocol or an API that knows no codes of ours. */
const NAMES_NO_CODE = /^(?:POST \/v1\/messages|[A-Z]+ \/mcp\/gateway)/;

/** What is wrong with how somebody is refused; empty for nothing, and for who may. */
const faultsOf = async (station: Station, who: Name): Promise<unknown[]> => {
  const { name } = station;
  const expected = expectedOf(station, who);
  if (expected === null) return [];
  const got = await askAs(station, who);
  checkHeaders(name, got);
  // The tool gateway has an envelope of each of its dialects.
  const answered = [got.status, NAMES_NO_CODE.test(name) ? expected[1] : got.code];
  if (answered.join() !== expected.join()) return [[name, who, ...answered, "instead of", ...expected]];
  if (got.status !== 404) return [];
  const none = await askAs(station, who, false);
  return none.status === 404 && none.text === got.text ? [] : [[name, who, got.text, "and not", none.text]];
};

test("authorization matrix: refusals follow the rules, objects of others answer as missing", async () => {
  verifies("route.authorized");
  const before = (await world.changes()).length;
  const wrong: unknown[] = [];
  for (const station of stations) {
    const { name } = station;
    const nobody = await ask(station, null);
    const disabled = await ask(station, world.gone);
    expect([name, nobody.status, disabled.status]).toEqual([name, 401, 401]);
    expect([name, nobody.headers.has("www-authenticate")]).toEqual([name, true]);
    checkHeaders(name, nobody);
    for (const who of EVERYBODY) wrong.push(...(await faultsOf(station, who)));
  }
  expect(wrong).toEqual([]);
  const kinds = (await world.changes()).slice(before).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind !== "auth.refused")).toEqual([]);
});

test("cookie requests from other origins and with ended sessions are refused", async () => {
  verifies("route.authorized", "session.fresh");
  for (const station of stations.filter(({ key }) => key === "session")) {
    const { name, method, isFresh } = station;
    if (method !== "GET") {
      const elsewhere = await world.stale.send(addressOf(world, station, false), {
        ...initOf(station),
        headers: ORIGIN,
      });
      const got = await gotOf(elsewhere);
      expect([name, got.status, got.code]).toEqual([name, 403, "origin_not_allowed"]);
    }
    if (!isFresh) continue;
    const got = await gotOf(await world.stale.send(addressOf(world, station, false), initOf(station)));
    expect([name, got.status, got.code]).toEqual([name, 403, "fresh_session_required"]);
  }
});

test("authorization matrix: permitted roles are admitted", async () => {
  verifies("route.authorized");
  const wrong: unknown[] = [];
  for (const station of stations) {
    let done = false;
    for (const who of EVERYBODY.filter((one) => expectedOf(station, one) === null)) {
      const got = await askAs(station, who);
      const isRefused = got.status === 401 || got.code === "insufficient_scope" || got.status === 500;
      // What one of them has removed is not there for the next.
      const isMissing = got.status === 404 && station.rule.of !== undefined && !done;
      if (isRefused || isMissing) wrong.push([station.name, who, got.status, got.text]);
      checkHeaders(station.name, got);
      done ||= got.status < 300;
    }
  }
  expect(wrong).toEqual([]);
});
