import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { askersIn, endsTurn, nested, type TracedCall, turnsOf } from "#model/conversation-trace";
import { verifies } from "#test/support/verifies";

const model = (call_id: string, start: number, more: Partial<TracedCall> = {}): TracedCall => ({
  ...{ call_id, kind: "chat.completion", start, end: start + 5, decision: "allow", tool: null },
  ...{ finish_reasons: ["stop"], asked: null, sub_agent: null, ...more },
});
const asks = (call_id: string, start: number, names: readonly string[], count = names.length) =>
  model(call_id, start, { finish_reasons: ["tool_calls"], asked: { count, names } });
const tool = (call_id: string, start: number, name: string): TracedCall =>
  model(call_id, start, { kind: "tool.call", tool: name, finish_reasons: [] });

const askerOf = (calls: readonly TracedCall[], id: string) => askersIn(calls).get(id);

describe("which model call asked for a tool call", () => {
  test("the last one before it that names its tool, not the last one", () => {
    verifies("trace.nested");
    const calls = [asks("a", 0, ["crm__find"]), asks("b", 10, ["mail__send"]), tool("t", 20, "crm__find")];
    expect(askerOf(calls, "t")).toEqual({ call_id: "a", basis: "named" });
    expect(askerOf([...calls, asks("c", 15, ["crm__find"])], "t")).toEqual({ call_id: "c", basis: "named" });
    expect(askerOf([...calls, asks("late", 21, ["crm__find"])], "t")).toEqual({ call_id: "a", basis: "named" });
  });

  test("where records name no tools, the last one that stopped to have tools called", () => {
    verifies("trace.nested");
    const old = model("old", 0, { finish_reasons: ["tool_use"] });
    expect(askerOf([old, tool("t", 9, "crm__find")], "t")).toEqual({ call_id: "old", basis: "time" });
    expect(askerOf([asks("a", 0, ["mail__send"], 2), tool("t", 9, "crm__find")], "t")).toEqual({
      ...{ call_id: "a", basis: "time" },
    });
  });

  test("none, where no answer had a tool call it could be", () => {
    verifies("trace.nested");
    expect(askerOf([model("a", 0), tool("t", 9, "crm__find")], "t")).toBeUndefined();
    expect(askerOf([asks("a", 0, ["mail__send"]), tool("t", 9, "crm__find")], "t")).toBeUndefined();
    expect(askerOf([model("a", 0, { kind: "messages.count_tokens" }), tool("t", 9, "x__y")], "t")).toBeUndefined();
  });
});

describe("turns", () => {
  test("end with an answer that waits for no tool; failures, token counts and sub-agents end none", () => {
    verifies("trace.nested");
    expect(endsTurn(model("a", 0))).toBe(true);
    expect(endsTurn(model("a", 0, { decision: "block", finish_reasons: [] }))).toBe(true);
    expect(endsTurn(asks("a", 0, ["crm__find"]))).toBe(false);
    expect(endsTurn(model("a", 0, { finish_reasons: ["completed"], asked: { count: 1, names: [] } }))).toBe(false);
    expect(endsTurn(model("a", 0, { decision: "error" }))).toBe(false);
    expect(endsTurn(model("a", 0, { decision: "refused" }))).toBe(false);
    expect(endsTurn(model("a", 0, { sub_agent: "7" }))).toBe(false);
    expect(endsTurn(model("a", 0, { kind: "messages.count_tokens" }))).toBe(false);
    expect(endsTurn(tool("t", 0, "crm__find"))).toBe(false);
  });

  const anyCall = fc.record({
    start: fc.integer({ min: 0, max: 50 }),
    tool: fc.constantFrom(null, "crm__find", "mail__send"),
    asked: fc.constantFrom(
      null,
      ...[
        { count: 1, names: ["crm__find"] },
        { count: 3, names: ["mail__send"] },
        { count: 1, names: [] },
      ],
    ),
    reason: fc.constantFrom("stop", "tool_calls"),
  });

  test("cutting and nesting lose no call, double none, and nothing is asked for by what began later", () => {
    verifies("trace.nested");
    fc.assert(
      fc.property(fc.array(anyCall, { maxLength: 40 }), (drawn) => {
        const calls = drawn.map(({ start, tool: name, asked, reason }, at) =>
          name === null ? model(`${at}`, start, { asked, finish_reasons: [reason] }) : tool(`${at}`, start, name),
        );
        const askers = askersIn(calls);
        const starts = new Map(calls.map(({ call_id, start }) => [call_id, start]));
        for (const [id, { call_id }] of askers) expect(starts.get(call_id)).toBeLessThanOrEqual(starts.get(id) ?? -1);
        const linked = calls.map((call) => ({
          ...{ call_id: call.call_id, asked_by: askers.get(call.call_id) ?? null, ends_turn: endsTurn(call) },
        }));
        const turns = turnsOf(linked);
        expect(turns.flat()).toEqual(linked);
        expect(turns.every((turn) => turn.length > 0)).toBe(true);
        const placed = turns.flatMap((turn) => nested(turn).flatMap(({ call, tools }) => [call, ...tools]));
        expect(placed.map(({ call_id }) => call_id).toSorted()).toEqual(
          linked.map(({ call_id }) => call_id).toSorted(),
        );
      }),
    );
  });
});
