import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beside } from "#test/support/database";
import { FakeProvider, says } from "#test/support/fake-provider";
import { Hub, type Token } from "#test/support/hub";
import { verifies } from "#test/support/verifies";
import { isWhole, Ledger } from "./ledger";

const EVE = "eve@example.com";
const CHAT = "/v1/chat/completions";
/** What must not be delivered while its record cannot be written. */
const ANSWER = "The cuckoo flies at midnight.";

/** A hub with a provider of its own, so that these tests can run side by side. */
class FailingWorld implements AsyncDisposable {
  private constructor(
    readonly hub: Hub,
    readonly token: Token,
    readonly provider: FakeProvider,
  ) {}

  static async open(within?: string): Promise<FailingWorld> {
    const provider = await FakeProvider.start();
    provider.always(says(ANSWER));
    const hub = await Hub.create({ processes: "hub", ...(within === undefined ? {} : { within }) });
    await hub.createUser(EVE);
    const token = await hub.createToken(EVE);
    await hub.addProvider("fake", { baseUrl: provider.url, models: ["fake-model"] });
    await hub.start();
    return new FailingWorld(hub, token, provider);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.hub[Symbol.asyncDispose]();
    await this.provider[Symbol.asyncDispose]();
  }
}

const ask = ({ hub, token }: FailingWorld, stream = false): Promise<Response> =>
  hub.fetch(CHAT, {
    token: token.token,
    json: { model: "fake-model", stream, messages: [{ role: "user", content: "hello" }] },
  });

/** Statuses of the calls, whose bodies hold no word of the provider's unless they were answered. */
const statusOf = async (response: Promise<Response>): Promise<number> => {
  const { status, headers, text } = await response.then(async (got) => ({
    status: got.status,
    headers: got.headers,
    text: await got.text(),
  }));
  if (status === 200) return status;
  expect(text).not.toContain("cuckoo");
  expect(JSON.parse(text)).toMatchObject({ error: { code: "audit_unavailable", type: "server_error" } });
  expect(headers.get("retry-after")).toMatch(/^\d+$/);
  expect(headers.get("x-should-retry")).toBeNull();
  return status;
};

const readiness = async ({ hub }: FailingWorld) => {
  const response = await hub.fetch("/readyz");
  return { status: response.status, body: await response.json() };
};

/** From here on nothing is served: not a whole answer, not a stream, not a probe; and no provider is asked. */
const expectClosed = async (one: FailingWorld): Promise<void> => {
  expect(await readiness(one)).toMatchObject({ status: 503, body: { status: "not_ready", checks: { audit: false } } });
  expect((await one.hub.fetch("/healthz")).status).toBe(200);
  const asked = one.provider.calls.length;
  expect(await statusOf(ask(one))).toBe(503);
  expect(await statusOf(ask(one, true))).toBe(503);
  expect(await statusOf(one.hub.fetch("/v1/guard/scan", { token: one.token.token, json: { text: "hello" } }))).toBe(
    503,
  );
  expect(one.provider.calls.length).toBe(asked);
};

/** Back by itself, with nothing lost and nothing in the log that was not delivered. */
const expectRecovery = async (one: FailingWorld, delivered: number): Promise<void> => {
  const { pid } = one.hub;
  const deadline = performance.now() + 40_000;
  while ((await readiness(one)).status !== 200 && performance.now() < deadline) await Bun.sleep(50);
  expect(await readiness(one)).toMatchObject({ status: 200, body: { checks: { audit: true } } });
  expect(await statusOf(ask(one))).toBe(200);
  expect(await statusOf(ask(one, true))).toBe(200);
  expect(one.hub.pid).toBe(pid);
  expect(await isWhole(one.hub)).toBe(true);
  const ends = [...(await Ledger.of(one.hub)).calls().values()].flat().filter(({ outcome }) => outcome === "answered");
  expect(ends).toHaveLength(delivered + 2);
};

const monthOf = (db: Database): string =>
  db.query<{ name: string }, []>("SELECT name FROM audit_partition ORDER BY first_seq DESC LIMIT 1").get()?.name ?? "";

/** A small disk of its own, where this may be made: as root, on Linux. Null elsewhere. */
const smallDisk = async (): Promise<string | null> => {
  const place = await mkdtemp(join(tmpdir(), "guardhouse-disk-"));
  const { exitCode } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", place], { stderr: "ignore" });
  if (exitCode === 0) return place;
  await rm(place, { recursive: true });
  return null;
};

const disk = await smallDisk();
afterAll(async () => {
  if (disk === null) return;
  // A hub that was just killed may still hold a file there: it is gone from the tree all the same.
  Bun.spawnSync(["umount", "--lazy", disk]);
  await rm(disk, { recursive: true, force: true });
});

describe.concurrent("when the audit log cannot be written", () => {
  test("because its table is gone: refused, closed, and back when the table is", async () => {
    verifies("audit.fail-closed", "audit.recovery");
    await using one = await FailingWorld.open();
    expect(await statusOf(ask(one))).toBe(200);
    const month = beside(one.hub, monthOf);
    beside(one.hub, (db) => db.run(`ALTER TABLE ${month} RENAME TO mislaid`));
    // The first ones that find out have asked the provider already; its answer is kept from them.
    const first = await Promise.all([statusOf(ask(one)), statusOf(ask(one)), statusOf(ask(one, true))]);
    expect(first).toEqual([503, 503, 503]);
    await expectClosed(one);
    // No change without its record either.
    expect((await one.hub.cli("token", "revoke", one.token.id)).code).not.toBe(0);
    beside(one.hub, (db) => db.run(`ALTER TABLE mislaid RENAME TO ${month}`));
    await expectRecovery(one, 1);
  }, 120_000);

  test("in the middle of a stream: it ends with the error and without its last event", async () => {
    verifies("audit.fail-closed");
    await using one = await FailingWorld.open();
    const over = Promise.withResolvers<void>();
    one.provider.next(says(["one ", "two ", "three ", "four ", "five "], { last: over.promise }));
    const response = await ask(one, true);
    expect(response.status).toBe(200);
    const month = beside(one.hub, monthOf);
    beside(one.hub, (db) => db.run(`ALTER TABLE ${month} RENAME TO mislaid`));
    over.resolve();
    const text = await response.text();
    expect(text).not.toContain("[DONE]");
    const last = text.trimEnd().split("\n\n").at(-1) ?? "";
    expect(JSON.parse(last.slice("data: ".length))).toMatchObject({ error: { code: "audit_unavailable" } });
    await expectClosed(one);
    beside(one.hub, (db) => db.run(`ALTER TABLE mislaid RENAME TO ${month}`));
    await expectRecovery(one, 0);
  }, 120_000);

  test("because somebody holds the database: refused after a wait, and back when they let go", async () => {
    verifies("audit.fail-closed", "audit.recovery");
    await using one = await FailingWorld.open();
    expect(await statusOf(ask(one))).toBe(200);
    const holder = new Database(join(one.hub.dataDir, "guardhouse.db"));
    holder.run("PRAGMA busy_timeout = 5000");
    holder.run("BEGIN IMMEDIATE");
    const began = performance.now();
    expect(await statusOf(ask(one))).toBe(503);
    expect(performance.now() - began).toBeLessThan(40_000);
    await expectClosed(one);
    holder.run("ROLLBACK");
    holder.close();
    await expectRecovery(one, 1);
  }, 120_000);

  test.skipIf(disk === null)(
    "because the disk is full: refused, closed, and back when there is room again",
    async () => {
      verifies("audit.fail-closed", "audit.recovery");
      const place = disk ?? "";
      await using one = await FailingWorld.open(place);
      const filler = join(place, "filler");
      const { bavail, bsize } = await statfs(place);
      await writeFile(filler, Buffer.alloc(bavail * bsize, 1)).catch(() => undefined);
      // What SQLite has of the disk already may take a few records more.
      let answered = 0;
      while ((await statusOf(ask(one))) === 200 && answered < 20_000) answered += 1;
      await expectClosed(one);
      await rm(filler);
      await expectRecovery(one, answered);
    },
    60_000,
  );
});
