import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Cell } from "./cell.ts";
import { readOptions } from "./options.ts";
import { answerOf, markerIn, markerOf, promptOf, tokensOf } from "./prose.ts";
import { ResponseReader } from "./response-reader.ts";
import { median, spread } from "./stats.ts";
import { summarise } from "./summary.ts";
import { judge } from "./targets.ts";

describe("the load generator", () => {
  const responses = {
    "by length": "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello there",
    chunked: "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n6\r\nhello \r\n5\r\nthere\r\n0\r\n\r\n",
  };
  for (const [name, text] of Object.entries(responses)) {
    test(`reads a response ${name}, however it is cut, and the next one on the same connection`, () => {
      const cuts = fc.array(fc.integer({ min: 0, max: text.length }));
      fc.assert(
        fc.property(cuts, cuts, (first, second) => {
          const reader = new ResponseReader();
          for (const places of [first, second]) {
            reader.reset();
            expect(feed(reader, text, places)).toBe("complete");
            expect([reader.status, reader.body]).toEqual([200, "hello there"]);
          }
        }),
      );
    });
  }

  test("does not take half a response for a whole one, nor one and a half", () => {
    const [text = ""] = Object.values(responses);
    expect(new ResponseReader().push(Buffer.from(text.slice(0, -1)))).toBe("body");
    expect(() => new ResponseReader().push(Buffer.from(`${text}HTTP/1.1 200 OK`))).toThrow("after the response");
  });

  function feed(reader: ResponseReader, text: string, places: readonly number[]): string {
    const ends = [...places, text.length].toSorted((a, b) => a - b);
    let progress = "";
    let start = 0;
    for (const end of ends) {
      if (end > start) progress = reader.push(Buffer.from(text.slice(start, end)));
      start = Math.max(start, end);
    }
    return progress;
  }
});

describe("the bench's texts", () => {
  test("are different for every request, and plain enough to be put into JSON as they are", () => {
    const markers = Array.from({ length: 20_000 }, (_, number) => markerOf(number));
    expect(new Set(markers).size).toBe(markers.length);
    expect(new Set(markers.slice(0, 2_000).map(promptOf)).size).toBe(2_000);
    for (const marker of markers.slice(0, 500)) {
      expect(markerIn(promptOf(marker))).toBe(marker);
      expect(`${promptOf(marker)}${answerOf(marker)}`).toMatch(/^[a-zA-Z ,.;]+$/);
    }
  });

  test("stream as tokens that begin with the whole answer", () => {
    expect(tokensOf("kelo", 64).join("")).toStartWith(answerOf("kelo"));
    expect(tokensOf("kelo", 64)).toHaveLength(64);
  });
});

describe("what is made of the figures", () => {
  const cell = (target: Cell["target"], round: number, perSecond: number, errors: Cell["errors"] = {}): Cell => ({
    target,
    shape: "json",
    concurrency: 64,
    round,
    requests: 100,
    errors,
    perSecond,
    latency: spread([1]),
    firstByte: spread([Number.NaN]),
    firstText: spread([Number.NaN]),
    cpuMicros: 50,
    loadCpuMicros: 10,
    residentBytes: 1,
    foreignCores: 0,
  });

  test("ratios are taken inside a round, and their median counts", () => {
    const cells = [
      ...[cell("pass", 0, 1_000), cell("hub-full", 0, 700)],
      ...[cell("pass", 1, 200), cell("hub-full", 1, 160)],
      ...[cell("pass", 2, 1_000), cell("hub-full", 2, 500)],
    ];
    expect(summarise(cells).find(({ target }) => target === "hub-full")?.toPass).toBe(0.7);
  });

  test("an error makes a cell invalid, and nothing valid makes the target unmeasured, not met", () => {
    const cells = [cell("pass", 0, 1_000), cell("hub-full", 0, 5_000, { "status 429": 1 })];
    const rows = summarise(cells);
    expect(rows.find(({ target }) => target === "hub-full")).toMatchObject({ validRounds: 0, errors: ["status 429"] });
    const [first] = judge({ rows });
    expect(first).toMatchObject({ verdict: "not measured" });
  });

  test("a bar is met at its limit and missed beyond it", () => {
    const idle = (bytes: number) => judge({ rows: [], idleBytes: bytes }).find(({ name }) => name.includes("idle"));
    expect(idle(80 * 2 ** 20)).toMatchObject({ verdict: "met", measured: "80" });
    expect(idle(81 * 2 ** 20)).toMatchObject({ verdict: "missed" });
  });

  test("medians and quantiles", () => {
    expect([median([3, 1, 2]), median([4, 1, 2, 3]), median([])]).toEqual([2, 2.5, Number.NaN]);
    const hundred = Array.from({ length: 100 }, (_, at) => 100 - at);
    expect(spread(hundred)).toEqual({ p50: 51, p90: 91, p99: 100 });
  });

  test("flags", () => {
    expect(readOptions(["--c", "8,32", "--only", "json,idle"])).toMatchObject({ concurrencies: [8, 32], rounds: 4 });
    expect(readOptions(["--quick"])).toMatchObject({ seconds: 0.5, quick: true });
    expect(() => readOptions(["--only", "nothing"])).toThrow("--only knows");
    expect(() => readOptions(["--rounds", "0"])).toThrow("--rounds");
  });
});
