import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { FLOODS, type Flood, FloodProvider } from "#test/support/flood";
import { verifies } from "#test/support/verifies";
import { ChatWorld } from "./chat-world";

/* Answers of providers that are too large, endless, or small until they are unpacked. */

const MIB = 1 << 20;
const LIMIT = 2 * MIB;
/** What a flood may add to the hub's memory: the limit in several forms (bytes, text, parsed), and much slack. */
const MAX_GROWTH_MIB = 150;

let world: ChatWorld;
let flood: FloodProvider;
beforeAll(async () => {
  flood = await FloodProvider.start();
  world = await ChatWorld.open({
    processes: "hub",
    env: { GUARDHOUSE_UPSTREAM__ANSWER_BYTES: `${LIMIT}`, GUARDHOUSE_UPSTREAM__RETRY_BASE_MS: "20" },
    before: async (hub) => {
      for (const name of FLOODS) await hub.addProvider(name, { baseUrl: flood.url(name), models: [`flood-${name}-*`] });
    },
  });
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await flood[Symbol.asyncDispose]();
});

/** MiB by which the hub's memory grew at most while `work` was done (Linux: VmHWM, begun anew). */
const growthDuring = async (work: () => Promise<unknown>): Promise<number> => {
  const status = `/proc/${world.hub.pid}/status`;
  const mib = (field: string) =>
    Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(status, "utf8"))?.[1]) / 1024;
  writeFileSync(`/proc/${world.hub.pid}/clear_refs`, "5");
  const before = mib("VmRSS");
  await work();
  return mib("VmHWM") - before;
};

const ask = (name: Flood, stream = false) =>
  world.ask({ model: `flood-${name}-1`, stream, messages: [{ role: "user", content: "Hello there" }] });

const WHOLE: readonly Flood[] = ["whole", "refusal", "gzip", "deflate", "br", "zstd"];

describe("a whole answer that is too large", () => {
  test.each(WHOLE)("is a 502 with a record and costs no more memory than the limit (%s)", async (name) => {
    verifies("upstream.answer-size");
    let response: Response | null = null;
    const growth = await growthDuring(async () => {
      const asked = ask(name);
      // Others are served meanwhile.
      expect((await world.ask("Hello there")).status).toBe(200);
      response = await asked;
    });
    if (response === null) throw new Error("no answer");
    const answer: Response = response;
    expect(answer.status).toBe(502);
    expect(answer.headers.get("x-should-retry")).toBe("false");
    expect(await answer.json()).toMatchObject({
      error: {
        type: "upstream_error",
        code: "upstream_error",
        message: expect.stringMatching(/^The provider \S+ sent an answer of more than 2 MiB.*upstream\.answer_bytes/),
      },
    });
    const { final } = await world.recordsOf(answer);
    expect(final).toMatchObject({
      outcome: "upstream_error",
      call: { status: 502, code: "upstream_error", attempts: 1 },
    });
    expect(growth).toBeLessThan(MAX_GROWTH_MIB);
  });

  test("ends the provider's connection at once", async () => {
    verifies("upstream.answer-size");
    await ask("whole");
    await until(() => flood.left.includes("whole"));
    // What the kernel and the runtime take ahead of us comes on top.
    expect(flood.sent.get("whole")).toBeLessThan(LIMIT + 32 * MIB);
  });

  test("is refused by its announced length, without waiting for it", async () => {
    verifies("upstream.answer-size");
    const began = performance.now();
    const response = await ask("announced");
    expect(response.status).toBe(502);
    expect(await response.text()).toContain("upstream.answer_bytes");
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  test("with an error status that is not passed on is not read to its end", async () => {
    verifies("upstream.answer-size");
    const growth = await growthDuring(async () => expect((await ask("fault")).status).toBe(502));
    await until(() => flood.left.includes("fault"));
    expect(growth).toBeLessThan(MAX_GROWTH_MIB);
  });
});

describe("a stream that is too large", () => {
  test.each(["stream", "event", "gzip-stream", "zstd-stream"] as const)(
    "ends with an error event and a record (%s)",
    async (name) => {
      verifies("upstream.answer-size");
      let text = "";
      let headers = new Headers();
      const growth = await growthDuring(async () => {
        const response = await ask(name, true);
        headers = response.headers;
        text = await response.text();
      });
      const last =
        text
          .trim()
          .split("\n\n")
          .at(-1)
          ?.replace(/^data: /, "") ?? "";
      expect(JSON.parse(last)).toMatchObject({
        error: { code: "upstream_error", message: expect.stringContaining("upstream.answer_bytes") },
      });
      expect(text.length).toBeLessThan(LIMIT + MIB);
      const { final } = await world.recordsOf({ headers });
      expect(final).toMatchObject({ outcome: "upstream_error", call: { status: 502, code: "upstream_error" } });
      expect(growth).toBeLessThan(MAX_GROWTH_MIB);
    },
  );
});

describe("an answer in an encoding", () => {
  test("is not asked for", async () => {
    verifies("upstream.answer-size");
    expect(new Set(flood.encodings)).toEqual(new Set(["identity"]));
  });

  test.each(["unknown-encoding", "broken-encoding"] as const)("that cannot be read is a 502 (%s)", async (name) => {
    verifies("upstream.answer-size");
    const response = await ask(name);
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { code: "upstream_error" } });
  });
});

describe("a model list that is too large", () => {
  test.each(["whole", "gzip", "zstd"] as const)("is left out, and the others are listed (%s)", async (name) => {
    verifies("upstream.answer-size");
    const growth = await growthDuring(async () => {
      const test = await world.hub.cli("provider", "test", name);
      expect(test.stdout).toContain("larger than");
      const list = await world.hub.fetch("/v1/models", { token: world.token });
      expect(await list.text()).toContain("fake-model");
    });
    expect(growth).toBeLessThan(MAX_GROWTH_MIB);
  });
});

const until = async (isSo: () => boolean): Promise<void> => {
  for (const deadline = performance.now() + 60_000; !isSo(); await Bun.sleep(20)) {
    if (performance.now() > deadline) throw new Error("it did not come to that");
  }
};
