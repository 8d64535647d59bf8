import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { FakeProvider } from "#test/support/fake-provider";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";

setDefaultTimeout(120_000);

const EVE = "eve@example.com";
const ROUNDS = 5;
const TRIES = 4;
const SMALL = "What is the capital of France?";

/** What a customer list looks like; every line is different. */
const csvOf = (bytes: number): string => {
  const lines: string[] = ["name,mail,phone,address"];
  for (let n = 0, length = 0; length < bytes; n += 1) {
    const line = `Customer ${n},c${n}@example.com,+1 415 555 ${1000 + (n % 9000)},10.${n % 200}.${n % 250}.7`;
    lines.push(line);
    length += line.length + 1;
  }
  return lines.join("\n");
};

type Answered = { readonly status: number; readonly response: Response };

let hub: Hub;
let provider: FakeProvider;
let token: string;
let other: string;

const ask = async (bearer: string, content: string, signal?: AbortSignal): Promise<Answered> => {
  const json = { model: "fake-model", messages: [{ role: "user", content }] };
  const response = await hub.fetch("/v1/chat/completions", { token: bearer, json, ...(signal && { signal }) });
  await response.clone().arrayBuffer();
  return { status: response.status, response };
};

const healthy = async (): Promise<Answered> => {
  const response = await hub.fetch("/healthz");
  return { status: response.status, response };
};

const finalOf = async (callId: string | null): Promise<unknown> => {
  const records = (await hub.cli("audit", "tail", "-n", "1000")).json();
  if (!Array.isArray(records)) throw new Error("audit tail gave no list");
  return records.find((record) => record.call_id === callId && record.phase === "final");
};

beforeAll(async () => {
  provider = await FakeProvider.start();
  hub = await Hub.create({
    processes: "hub",
    env: {
      GUARDHOUSE_GUARD__ACTIONS: "pii.email=redact",
      GUARDHOUSE_GUARD__SCAN_THREADS: "1",
      GUARDHOUSE_GUARD__SCAN_QUEUE_CALLS_PER_TOKEN: "2",
    },
  });
  await hub.createUser(EVE);
  token = (await hub.createToken(EVE)).token;
  other = (await hub.createToken(EVE)).token;
  await hub.addProvider("fake", { baseUrl: provider.url, models: ["fake-model"] });
  await hub.start();
  await ask(token, SMALL);
});
afterAll(async () => {
  await hub[Symbol.asyncDispose]();
  await provider[Symbol.asyncDispose]();
});

/** A long text that never waits for others does so in every try: a busy machine may bring them too late for one. */
const inSomeTry = async (work: () => Promise<boolean>): Promise<boolean> => {
  for (let tries = 0; tries < TRIES; tries += 1) if (await work()) return true;
  return false;
};

/** Whether small calls, one after the other, were all answered while the long one was scanned. */
const isOvertaken = async (csv: string): Promise<boolean> => {
  const sentCount = () => provider.calls.filter(({ text }) => text.length > 1_000_000).length;
  const before = sentCount();
  const long = ask(token, csv);
  // The long one has been read when the first of these is answered, or comes later still.
  await Bun.sleep(100);
  for (let round = 0; round < ROUNDS; round += 1) {
    const small = await Promise.all([healthy(), ask(other, SMALL)]);
    expect(small.map(({ status }) => status)).toEqual([200, 200]);
  }
  const isFirst = sentCount() === before;
  expect((await long).status).toBe(200);
  return isFirst;
};

describe("beside a caller with a long text", () => {
  test("others are answered before it, and it is scanned to its last line", async () => {
    verifies("fairness.long-texts");
    const csv = csvOf(4_700_000);
    expect(await inSomeTry(() => isOvertaken(csv))).toBe(true);
    const sent = provider.calls.map(({ text }) => text).find((text) => text.length > 1_000_000) ?? "";
    expect(sent).not.toContain("@example.com");
    const lines = csv.split("\n").length - 1;
    expect(sent.match(/\[pii\.email:[a-z0-9]+\]/g)).toHaveLength(lines);
  });

  test("doctor says how late the hub was at most", async () => {
    verifies("fairness.probe");
    const report = (await hub.cli("doctor")).json();
    expect(report).toMatchObject({
      checks: expect.arrayContaining([
        expect.objectContaining({ name: "event loop", finding: expect.stringMatching(/^at most \d+ ms late/) }),
      ]),
    });
  });

  test("long-text limit per token: refused with Retry-After, and recorded", async () => {
    verifies("fairness.bounded");
    const csv = csvOf(2_000_000);
    const refused: Answered[] = [];
    const isRefused = async (): Promise<boolean> => {
      const answers = await Promise.all([1, 2, 3, 4].map((n) => ask(token, `${csv}\n${n}`)));
      refused.push(...answers.filter(({ status }) => status === 429));
      expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(2);
      return refused.length > 0;
    };
    expect(await inSomeTry(isRefused)).toBe(true);
    for (const { response } of refused) {
      expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(await response.json()).toMatchObject({ error: { code: "rate_limit_exceeded" } });
      const record = await finalOf(response.headers.get("x-request-id"));
      expect(record).toMatchObject({ outcome: "refused", call: { code: "rate_limit_exceeded" } });
    }
  });

  test("scan queue drops texts of clients that disconnect", async () => {
    verifies("fairness.cancelled");
    const controller = new AbortController();
    const csv = csvOf(15_000_000);
    const left = ask(token, csv, controller.signal).then(
      () => "answered",
      () => "left",
    );
    await Bun.sleep(1_500);
    controller.abort();
    expect(await left).toBe("left");
    const next = await ask(other, csvOf(40_000));
    expect(next.status).toBe(200);
    const result = await hub.cli("audit", "tail", "-n", "20");
    expect(result.stdout).toContain('"client_closed"');
  });
});
