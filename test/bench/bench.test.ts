import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { judge } from "./bar.ts";
import { BENCHES } from "./benches.ts";
import type { Cell } from "./cell.ts";
import { compiledBetween } from "./cpu.ts";
import { beyondSlowest } from "./fan-out.ts";
import {
  compare,
  comparisonText,
  type Figure,
  type Figures,
  figuresOfRows,
  figuresOfVerdicts,
  higherIsBetter,
  lowerIsBetter,
  parseFigures,
} from "./figures.ts";
import { answerMcp, lastOf, toolsJson } from "./mcp-server.ts";
import { readOptions } from "./options.ts";
import { answerOf, findingsOf, markerIn, markerOf, promptOf, queryOf, tokensOf } from "./prose.ts";
import { PROXY_FLAGS } from "./proxy.ts";
import { questionOf } from "./questions.ts";
import { ResponseReader } from "./response-reader.ts";
import { boundOf, simulate } from "./scale-model.ts";
import { TOOL_SHAPES, type ToolShape } from "./shape.ts";
import { median, spread } from "./stats.ts";
import { summarise } from "./summary.ts";
import { PROXY_BARS } from "./targets.ts";
import { TOOL_BARS } from "./tool-targets.ts";
import { TOOL_FLAGS } from "./tools.ts";

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
    expect(new Set(markers.slice(0, 2_000).map(findingsOf)).size).toBe(2_000);
    for (const marker of markers.slice(0, 500)) {
      expect([markerIn(promptOf(marker)), markerIn(queryOf(marker))]).toEqual([marker, marker]);
      expect(`${promptOf(marker)}${answerOf(marker)}${queryOf(marker)}${findingsOf(marker)}`).toMatch(
        /^[a-zA-Z ,.;]+$/,
      );
    }
  });

  test("stream as tokens that begin with the whole answer", () => {
    expect(tokensOf("kelo", 64).join("")).toStartWith(answerOf("kelo"));
    expect(tokensOf("kelo", 64)).toHaveLength(64);
  });
});

describe("the tool bench", () => {
  const shapes = Object.keys(TOOL_SHAPES).filter((name): name is ToolShape => Object.hasOwn(TOOL_SHAPES, name));

  for (const shape of shapes) {
    test(`asks ${shape} so that its server answers, and takes no other answer for right`, async () => {
      const { era, tools, method } = TOOL_SHAPES[shape];
      const question = questionOf(shape);
      const ask = async (marker: string, count: number): Promise<string> => {
        const request = new Request("http://127.0.0.1", { method: "POST", body: question.body(marker) });
        const response = await answerMcp(request, { era, tools: toolsJson(count), listMs: 0 });
        expect(response.status).toBe(200);
        return response.text();
      };
      expect(question.wrong("kelo", await ask("kelo", tools), true)).toBeUndefined();
      const otherOf = async (): Promise<string> => {
        if (method === "tools/list") return ask("kelo", tools - 1);
        // The server has the same resources whatever its number of tools.
        if (method === "resources/list") return (await ask("kelo", tools)).replaceAll(lastOf(20), lastOf(19));
        return ask("kela", tools);
      };
      const other = await otherOf();
      expect(question.wrong("kelo", other, true)).toBeString();
    });
  }

  test("holds a first list against the slowest server asked in the same moment", () => {
    const fanOut = { whole: [230, 215, 209], slowest: [205, 203, 201] };
    expect(beyondSlowest(fanOut)).toBe(12);
    const verdict = judge(TOOL_BARS, { rows: [], fanOut }).find(({ name }) => name.startsWith("first list"));
    expect(verdict).toMatchObject({ measured: "12.0", verdict: "missed" });
  });

  test("counts what a call takes longer than through the bare relay", () => {
    const cells = [call("pass", 0, 0.2), call("hub-full", 0, 0.3), call("pass", 1, 0.4), call("hub-full", 1, 1.1)];
    const [, added] = judge(TOOL_BARS, { rows: summarise(cells) });
    expect(added).toMatchObject({ measured: "0.40", verdict: "met" });
  });

  const call = (target: Cell["target"], round: number, ms: number): Cell => ({
    ...cellOf(target, round, 1_000),
    shape: "call",
    concurrency: 1,
    latency: spread([ms]),
  });
});

describe("figures of two runs", () => {
  const run = (...figures: Figure[]): Figures => ({
    commit: "c",
    date: "d",
    machine: "m",
    benches: { proxy: figures },
  });
  const value = fc.double({ min: 0.001, max: 1e6, noNaN: true });

  test("of the same run nothing has changed", () => {
    fc.assert(
      fc.property(value, fc.boolean(), (one, isLower) => {
        const figures = run(...(isLower ? lowerIsBetter : higherIsBetter)("x", one));
        expect(compare(figures, figures).map(({ change }) => change)).toEqual(["same"]);
      }),
    );
  });

  test("what takes longer is slower one way and faster the other", () => {
    fc.assert(
      fc.property(value, fc.double({ min: 1.2, max: 100, noNaN: true }), (one, factor) => {
        const [short, long] = [run(...lowerIsBetter("x", one)), run(...lowerIsBetter("x", one * factor))];
        expect(compare(short, long)).toMatchObject([{ change: "slower" }]);
        expect(compare(long, short)).toMatchObject([{ change: "faster" }]);
        const [few, many] = [run(...higherIsBetter("x", one)), run(...higherIsBetter("x", one * factor))];
        expect(compare(few, many)).toMatchObject([{ change: "faster" }]);
        expect(compare(many, few)).toMatchObject([{ change: "slower" }]);
      }),
    );
  });

  test("what is slower stands first, and what was not measured any more is said", () => {
    const before = run(...lowerIsBetter("a", 1), ...lowerIsBetter("b", 1), ...lowerIsBetter("c", 1));
    const now = run(...lowerIsBetter("a", 1), ...lowerIsBetter("b", 2), ...lowerIsBetter("d", 1));
    expect(compare(before, now).map(({ name, change }) => [name, change])).toEqual([
      ["b", "slower"],
      ["c", "gone"],
      ["d", "new"],
      ["a", "same"],
    ]);
    expect(comparisonText(before, now)).toContain("1 slower by more than 10 %, 0 faster, 1 the same");
  });

  test("a bench that was left out is not compared, and nothing unmeasured becomes a figure", () => {
    expect(compare(run(...lowerIsBetter("a", 1)), { ...run(), benches: {} })).toEqual([]);
    expect(lowerIsBetter("a", Number.NaN)).toEqual([]);
    expect(figuresOfVerdicts(judge(PROXY_BARS, { rows: [] }))).toEqual([]);
  });

  test("are read from what was written, and from nothing else", () => {
    const figures = run(...lowerIsBetter("a", 1));
    expect(parseFigures(JSON.stringify(figures))).toEqual(figures);
    expect(() => parseFigures("{}")).toThrow();
  });

  test("of the published run can be compared with", () => {
    const published = parseFigures(readFileSync(join(import.meta.dir, "../../docs/benchmarks.json"), "utf8"));
    expect(published.commit).toMatch(/^[0-9a-f]{7,}$/);
    expect(Object.keys(BENCHES)).toEqual(expect.arrayContaining(Object.keys(published.benches)));
    expect(compare(published, published).every(({ change }) => change === "same")).toBe(true);
  });

  test("rows of hubs are figures, each under a name of its own", () => {
    const cells = (["pass", "hub-full", "hub-normal"] as const).map((target) => cellOf(target, 0, 1_000));
    const names = figuresOfRows(summarise(cells)).map(({ name }) => name);
    expect(names).toHaveLength(4);
    expect(new Set(names).size).toBe(4);
  });
});

test("every bench command of the documents has flags that its bench knows", () => {
  const folder = join(import.meta.dir, "../../docs");
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .map((name) => readFileSync(join(folder, name), "utf8"));
  const commands = texts.flatMap((text) =>
    [...text.matchAll(/bun run bench ([^`#\n]+)/g)].map(([, rest = ""]) => rest),
  );
  expect(commands.length).toBeGreaterThan(20);
  for (const command of commands) {
    const [name = "", ...args] = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(
      ([, quoted, plain]) => quoted ?? plain ?? "",
    );
    expect({ command, bench: Object.keys(BENCHES) }).toEqual({ command, bench: expect.arrayContaining([name]) });
    expect(BENCHES[name]?.run(args)).toBeFunction();
  }
});

test("threads that compile are counted apart", () => {
  const [before, after] = [
    new Map([["1", 100]]),
    new Map([
      ["1", 150],
      ["2", 30],
    ]),
  ];
  expect(compiledBetween(before, after)).toBe(80);
  expect(compiledBetween(after, new Map())).toBe(0);
});

const cellOf = (target: Cell["target"], round: number, perSecond: number, errors: Cell["errors"] = {}): Cell => ({
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
  jitMicros: 5,
  loadCpuMicros: 10,
  residentBytes: 1,
  foreignCores: 0,
});

describe("bench: ratios and medians of the measured figures", () => {
  test("ratios are taken inside a round, and their median counts", () => {
    const cells = [
      ...[cellOf("pass", 0, 1_000), cellOf("hub-full", 0, 700)],
      ...[cellOf("pass", 1, 200), cellOf("hub-full", 1, 160)],
      ...[cellOf("pass", 2, 1_000), cellOf("hub-full", 2, 500)],
    ];
    expect(summarise(cells).find(({ target }) => target === "hub-full")?.toPass).toBe(0.7);
  });

  test("an error makes a cell invalid, and nothing valid makes the target unmeasured, not met", () => {
    const cells = [cellOf("pass", 0, 1_000), cellOf("hub-full", 0, 5_000, { "status 429": 1 })];
    const rows = summarise(cells);
    expect(rows.find(({ target }) => target === "hub-full")).toMatchObject({ validRounds: 0, errors: ["status 429"] });
    const [first] = judge(PROXY_BARS, { rows });
    expect(first).toMatchObject({ verdict: "not measured" });
  });

  test("a bar is met at its limit and missed beyond it", () => {
    const idle = (bytes: number) =>
      judge(PROXY_BARS, { rows: [], idleBytes: bytes }).find(({ name }) => name.includes("idle"));
    expect(idle(70 * 2 ** 20)).toMatchObject({ verdict: "met", measured: "70" });
    expect(idle(71 * 2 ** 20)).toMatchObject({ verdict: "missed" });
  });

  test("medians and quantiles", () => {
    expect([median([3, 1, 2]), median([4, 1, 2, 3]), median([])]).toEqual([2, 2.5, Number.NaN]);
    const hundred = Array.from({ length: 100 }, (_, at) => 100 - at);
    expect(spread(hundred)).toEqual({ p50: 51, p90: 91, p99: 100 });
  });

  test("flags", () => {
    expect(readOptions(PROXY_FLAGS, ["--c", "8,32", "--only", "json,idle"])).toMatchObject({
      concurrencies: [8, 32],
      rounds: 4,
    });
    expect(readOptions(PROXY_FLAGS, ["--quick"])).toMatchObject({ seconds: 0.5, quick: true });
    expect(() => readOptions(PROXY_FLAGS, ["--only", "nothing"])).toThrow("--only knows");
    expect(() => readOptions(PROXY_FLAGS, ["--rounds", "0"])).toThrow("--rounds");
    expect(readOptions(TOOL_FLAGS, ["--only", "fan-out"])).toMatchObject({ only: ["fan-out"], concurrencies: [1, 16] });
  });
});

describe("the model of more cores", () => {
  const cost = { servingUs: 100, writerUs: 20, besideUs: 40, commitMs: 0.3, providerMs: 1 };
  const options = { cores: 4, workers: 4, callers: 256, dearer: 1.2, othersUs: 0 };

  test("gives at most what its threads and cores can, and nearly that where callers are many", () => {
    for (const workers of [1, 2, 4]) {
      const one = { ...options, workers, callers: 64 * workers };
      const { perSecond, busyCores } = simulate(cost, one);
      expect(perSecond).toBeLessThanOrEqual(boundOf(cost, one) * 1.01);
      expect(perSecond).toBeGreaterThan(boundOf(cost, one) * 0.75);
      expect(busyCores).toBeLessThanOrEqual(4.001);
    }
  }, 60_000);

  test("is a wait and nothing else for one caller", () => {
    const alone = { ...options, workers: 1, callers: 1, dearer: 1 };
    const { perSecond } = simulate({ ...cost, besideUs: 0 }, alone);
    // 120 µs of CPU, two commits and the provider; steps make it a little more.
    expect(perSecond).toBeGreaterThan(1e6 / (120 + 600 + 1_000) / 1.1);
    expect(perSecond).toBeLessThan(1e6 / (120 + 600 + 1_000));
  }, 60_000);
});
