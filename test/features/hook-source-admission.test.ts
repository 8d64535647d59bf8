import { expect, test } from "bun:test";
import { Webhook } from "standardwebhooks";
import { bySignature, type Network } from "#features/verdicts/sources/admission";
import { SourceBook } from "#features/verdicts/sources/book";
import { FrameRefusals } from "#features/verdicts/sources/refusals";
import { type Given, Repeats } from "#features/verdicts/sources/repeats";
import { ruleOf } from "#test/policy/tuning/rules";
import { verifies } from "#test/support/verifies";

const MIB = 1_048_576;
const secretOf = (at: number) => `whsec_${Buffer.alloc(32, at + 1).toString("base64")}`;

const book = (count: number) =>
  new SourceBook({
    configured: Array.from({ length: count }, (_, at) => ({
      ...({ name: `s${at}`, kind: "anthropic", user: "ada@example.com", agent: null } as const),
      settings: { applications: {}, redact: "deny", budget_ms: 100 },
      secrets: [secretOf(at)],
    })),
    unseal: () => {
      throw new Error("nothing is sealed");
    },
    now: Date.now,
    log: { debug() {}, info() {}, warn() {}, error() {} },
  });

const signed = (body: string | ReadableStream<Uint8Array>, at = 0, query = ""): Request => {
  const now = new Date();
  return new Request(`http://hub.example/v1/guard/hooks/anthropic${query}`, {
    method: "POST",
    body,
    headers: {
      "webhook-id": "m1",
      "webhook-timestamp": `${Math.floor(now.getTime() / 1_000)}`,
      "webhook-signature": new Webhook(secretOf(at)).sign("m1", now, typeof body === "string" ? body : "{}"),
    },
  });
};

/** So many bytes, and then neither more nor an end. */
const stalled = (bytes: number): ReadableStream<Uint8Array> => {
  let left = bytes;
  return new ReadableStream<Uint8Array>({
    pull(control) {
      if (left === 0) return new Promise<void>(() => {});
      left -= MIB;
      control.enqueue(new Uint8Array(MIB));
      return undefined;
    },
  });
};

const from = (name: string, isRefused = false): Network => ({ name, isRefused });
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => Object(error).code,
  );

test("one network cannot take all the room there is for frames, and none is read for ever", async () => {
  verifies("verdicts.signed");
  const admit = bySignature({ book: book(1), now: Date.now, leastReadingMs: 3_000 });
  const stuck = Array.from({ length: 4 }, () => codeOf(admit(signed(stalled(60 * MIB)), "anthropic", from("a"))));
  await Bun.sleep(1_000);
  const frame = JSON.stringify({ text: "x".repeat(2 * MIB) });
  expect((await admit(signed(frame), "anthropic", from("b")))?.source.name).toBe("s0");
  const codes = await Promise.all(stuck);
  expect(codes.toSorted()).toEqual(["client_closed", "client_closed", "rate_limit_exceeded", "rate_limit_exceeded"]);
  expect(await codeOf(admit(signed(frame), "anthropic", from("a")))).toBeNull();
  expect(await codeOf(admit(signed(frame), "anthropic", from("a", true)))).toBe("rate_limit_exceeded");
  expect(await codeOf(admit(signed("{}"), "anthropic", from("a", true)))).toBeNull();
}, 20_000);

test("a frame is tried with the secrets of few sources, and with the one it names however many there are", async () => {
  verifies("verdicts.signed");
  const ask = async (sources: number, at: number, query = "") => {
    const admit = bySignature({ book: book(sources), now: Date.now });
    return (await admit(signed("{}", at, query), "anthropic", from("a")))?.source.name ?? null;
  };
  expect(await ask(4, 3)).toBe("s3");
  expect(await ask(5, 0)).toBeNull();
  expect(await ask(90, 80, "?source=s80")).toBe("s80");
  expect(await ask(90, 80, "?source=s79")).toBeNull();
});

test("all that was not let in counts against the network it came from, for a minute", () => {
  verifies("verdicts.signed");
  let now = 1_000_000;
  const noted: number[] = [];
  const log = { note: () => void noted.push(now) };
  const addressOf = (request: Request) => request.headers.get("x-from");
  const refusals = new FrameRefusals({ log, addressOf, now: () => now });
  const of = (address: string) =>
    refusals.networkOf(new Request("http://hub.example/", { headers: { "x-from": address } }));
  for (let at = 0; at < 61; at += 1) refusals.count(of("192.0.2.1"));
  expect([of("192.0.2.1").isRefused, of("192.0.2.2").isRefused, noted.length]).toEqual([true, false, 61]);
  expect(() => refusals.note(of("192.0.2.1"))).toThrow("Too many");
  now += 60_001;
  expect(of("192.0.2.1").isRefused).toBe(false);
});

test("an answer ends with a change of tuning, and one of what passed unscanned is not kept", async () => {
  verifies("verdicts.repeated");
  const repeats = new Repeats(() => 0);
  let judged = 0;
  const once = (isKept: boolean) =>
    repeats.once("m", async (): Promise<Given> => {
      judged += 1;
      return { id: `${judged}`, text: "{}", isKept };
    });
  expect((await once(false)).id).toBe("1");
  expect((await once(true)).id).toBe("2");
  expect((await once(true)).id).toBe("2");
  const none = { users: [], agents: [], restrictions: [], profiles: [], kill_switches: [], policy: null };
  repeats.apply({ ...none, tuning: [ruleOf({})] });
  expect((await once(true)).id).toBe("3");
});
