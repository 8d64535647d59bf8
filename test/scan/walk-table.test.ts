import { expect, test } from "bun:test";
import fc from "fast-check";
import type { JsonRecord } from "#core/json/json";
import { type Texts, walkSliced } from "#scan/texts/text-walk";
import { COMMON_RULES } from "#scan/texts/walk-rules";
import { type RequestTable, requestWalk } from "#scan/texts/walk-table";
import { verifies } from "#test/support/verifies";

const TABLE: RequestTable = {
  skips: new Set(["model"]),
  keys: new Map([
    ["instructions", "system"],
    ["tools", "tool_definition"],
  ]),
  items: new Map([
    [
      "turns",
      {
        byRole: new Map([
          ["assistant", "assistant"],
          ["system", "system"],
        ]),
        byType: new Map([["call", "tool_args"]]),
        keysOfType: new Map([["call", new Map([["output", "tool_result"]])]]),
        items: new Map([["content", { byType: new Map([["result", "tool_result"]]) }]]),
      },
    ],
  ]),
  rules: {
    ...COMMON_RULES,
    json: new Map([["arguments", new Set(["call"])]]),
    opaque: new Map([
      ["sealed", null],
      ["data", new Set(["secret-thought"])],
    ]),
    fixed: new Map([
      ["thought", null],
      ["cache", null],
    ]),
    names: new Set(["instructions", "turns", "thought", "sealed", "output", "cache"]),
  },
};
const walkOf = requestWalk(TABLE);

const placesOf = ({ slots, gaps }: Texts) => [
  ...slots.map(({ param, origin, text, isFixed = false }) => ({ param, origin, text, isFixed })),
  ...gaps,
];

const atOnce = (body: JsonRecord): Texts => {
  const walk = walkOf(body, 100);
  walk.run();
  return walk;
};

test("whose words stand where: by key, role, type, and key of a type, in lists of lists too", () => {
  verifies("guard.text-origins");
  const texts = atOnce({
    model: "never looked at",
    instructions: "be a helper",
    odd: { deeper: ["some words"] },
    turns: [
      "a bare string",
      { role: "assistant", content: "said so" },
      {
        role: "user",
        content: [
          { type: "text", text: "asked that" },
          { type: "result", parts: [{ text: "tool words" }] },
        ],
      },
      { type: "call", name: "search", arguments: '{"query":"find this"}', output: "found that" },
      { role: "stranger", text: "from nowhere" },
    ],
    tools: [{ description: "does a thing" }],
  });
  expect(placesOf(texts).map((place) => ("origin" in place ? [place.origin, place.text] : place))).toEqual([
    ["system", "be a helper"],
    ["user", "some words"],
    ["user", "a bare string"],
    ["assistant", "said so"],
    ["user", "asked that"],
    ["tool_result", "tool words"],
    ["tool_args", "search"],
    ["tool_args", "find this"],
    ["tool_result", "found that"],
    ["user", "from nowhere"],
    ["tool_definition", "does a thing"],
  ]);
});

test("encoded state is passed over on record, unless it is written like words; what must not change is marked", () => {
  verifies("guard.opaque", "guard.fixed-texts");
  const body = {
    turns: [
      { role: "assistant", sealed: "QUJDREVGR0g=", thought: "let me think", cache: { kind: ["ephemeral"] } },
      { type: "secret-thought", data: "QUJDREVGR0g=" },
      { type: "another", data: "plain words" },
      { sealed: "these are words" },
    ],
  };
  const before = JSON.stringify(body);
  const texts = atOnce(body);
  expect(texts.gaps).toEqual([
    { param: "turns[0].sealed", reason: "opaque" },
    { param: "turns[1].data", reason: "opaque" },
  ]);
  const marked = texts.slots.filter(({ isFixed }) => isFixed);
  expect(marked.map(({ text }) => text)).toEqual(["let me think", "ephemeral"]);
  for (const slot of marked) slot.replace("[changed]");
  expect(JSON.stringify(body)).toBe(before);
  expect(texts.slots.filter(({ isFixed }) => !isFixed).map(({ text }) => text)).toContain("these are words");
});

test("a walk in slices finds what one in one piece does", async () => {
  verifies("guard.text-origins");
  const leaf = fc.constantFrom(
    "some words",
    "QUJDREVGR0g=",
    '{"a":"inner words"}',
    "call",
    "result",
    "assistant",
    12_345_678_901,
  );
  const key = fc.constantFrom(
    "role",
    "type",
    "content",
    "sealed",
    "thought",
    "arguments",
    "output",
    "data",
    "cache",
    "xyz",
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(key, tie("value"), { maxKeys: 4 }),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(fc.array(value, { maxLength: 4 }), fc.integer({ min: 1, max: 5 }), async (turns, slice) => {
      const body = { turns, other: turns };
      const whole = placesOf(atOnce(structuredClone(body)));
      const sliced = placesOf(await walkSliced(walkOf(structuredClone(body), 100), async () => {}, slice));
      expect(sliced).toEqual(whole);
    }),
  );
});
