import { expect, test } from "bun:test";
import { GuardError } from "#core/errors";
import { exactNumber } from "#core/json/json-number";
import { CHAT } from "#guard/apis/chat";
import { RequestCheck } from "#http/request-check";
import { Slices } from "#platform/slices";
import { verifies } from "#test/support/verifies";

const check = new RequestCheck(CHAT.request);

/** What comes of a body: the very same body, or the error's code, words and place. */
const outcomeOf = async (work: () => unknown, body: unknown): Promise<unknown> => {
  try {
    return (await work()) === body ? "fits" : "another body";
  } catch (error) {
    if (!(error instanceof GuardError)) throw error;
    return { code: error.code, message: error.message, param: error.param };
  }
};

/** Numbers from 0 up to a bound, the same in each run. */
const randomly = (seed: number) => {
  let state = seed;
  return (bound: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
};

const VALUES = [
  ...[
    "",
    "user",
    "x".repeat(70),
    null,
    true,
    0,
    1.5,
    129,
    [],
    {},
    [[]],
    [{ type: "text" }],
    [{ type: "text" }, { type: 1 }],
  ],
  ...[{ type: "text", text: "t" }, { name: "n" }, [{ function: { name: "f" } }], [{ function: {} }, null]],
  exactNumber("9007199254740993"),
  exactNumber("1.00"),
  exactNumber("1e999"),
] as const;

const bodyOf = (below: (bound: number) => number): unknown => {
  const odd = (usual: unknown): unknown => (below(12) === 0 ? VALUES[below(VALUES.length)] : usual);
  const some = (count: number, make: () => unknown): unknown[] => Array.from({ length: below(count) }, make);
  const call = () =>
    odd({ id: odd("c"), type: odd("function"), function: odd({ name: odd("f"), arguments: odd("{}") }) });
  const message = () => {
    const made: Record<string, unknown> = { role: odd("user"), content: odd("hello"), other: odd(1) };
    if (below(4) === 0) made["content"] = some(4, () => odd({ type: odd("text"), text: "t" }));
    if (below(4) === 0) made["tool_calls"] = odd(some(3, call));
    if (below(6) === 0) made["name"] = odd("n");
    if (below(20) === 0) delete made["role"];
    return odd(made);
  };
  const body: Record<string, unknown> = { model: odd("m"), messages: odd([...some(5, message), message()]) };
  if (below(4) === 0) body["stream"] = odd(true);
  if (below(4) === 0) body["stream_options"] = odd({ include_usage: odd(true) });
  if (below(4) === 0) body["n"] = odd(2);
  if (below(4) === 0) body["tools"] = odd(some(4, () => odd({ type: odd("function"), function: {} })));
  if (below(4) === 0) body["metadata"] = odd({ "a\nb": odd("x") });
  if (below(12) === 0) body["api_base"] = "http://example.com";
  if (below(30) === 0) delete body["messages"];
  return odd(body);
};

test("a body is taken or refused in the same words in slices and at once", async () => {
  verifies("fairness.same-shape");
  const seen = new Set<string>();
  const slices = new Slices(0);
  for (let seed = 1; seed <= 4_000; seed += 1) {
    const body = bodyOf(randomly(seed));
    const atOnce = await outcomeOf(() => check.check(body), body);
    seen.add(JSON.stringify(atOnce));
    expect({ seed, outcome: await outcomeOf(() => check.checkInSlices(body, slices.begin()), body) }).toEqual({
      seed,
      outcome: atOnce,
    });
  }
  // Bodies that fit, and faults of many kinds in many places.
  expect(seen).toContain('"fits"');
  expect(seen.size).toBeGreaterThan(40);
});

test("lists of every kind are gone through in slices", async () => {
  verifies("fairness.same-shape");
  const many = <T>(part: T): T[] => Array.from({ length: 1_000 }, () => part);
  const message = { role: "user", content: "hi" };
  const bodies = [
    { model: "m", messages: many(message) },
    { model: "m", messages: [{ role: "user", content: many({ type: "text" }) }] },
    { model: "m", messages: [{ role: "assistant", tool_calls: many({ id: "c" }) }] },
    { model: "m", messages: [message], tools: many({ type: "function" }) },
  ];
  for (const body of bodies) {
    let asked = 0;
    await check.checkInSlices(body, () => {
      asked += 1;
      return null;
    });
    expect(asked).toBeGreaterThanOrEqual(1_000);
  }
});
