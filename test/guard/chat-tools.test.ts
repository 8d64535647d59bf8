import { expect, test } from "bun:test";
import fc from "fast-check";
import { answeredCallsIn, StreamTools } from "#guard/apis/chat-tools";
import { verifies } from "#test/support/verifies";

const called = fc.record({ name: fc.string({ minLength: 1, maxLength: 12 }), arguments: fc.string({ maxLength: 20 }) });
const answer = fc.array(fc.array(called, { maxLength: 3 }), { minLength: 1, maxLength: 3 });

/** A text cut at those places, perhaps into nothing here and there. */
const cut = (text: string, places: readonly number[]): string[] => {
  const at = [...places.map((place) => place % (text.length + 1)), 0, text.length].sort((one, other) => one - other);
  return at.slice(1).map((end, i) => text.slice(at[i], end));
};

type Cuts = {
  readonly index: number;
  readonly position: number;
  readonly names: readonly number[];
  readonly given: readonly number[];
  /** Some providers send empty arguments beside each piece of a name. */
  readonly isTogether: boolean;
};

const piecesOf = (one: { name: string; arguments: string }, { index, position, names, given, isTogether }: Cuts) => {
  const piece = (part: object) => ({
    choices: [{ index, delta: { tool_calls: [{ index: position, function: part }] } }],
  });
  const empty = isTogether ? { arguments: "" } : {};
  return [
    ...cut(one.name, names).map((name) => piece({ name, ...empty })),
    ...cut(one.arguments, given).map((part) => piece({ arguments: part })),
  ];
};

/** One after the other, or a piece of each in turn. */
const ordered = <T>(queues: readonly (readonly T[])[], inTurn: boolean): T[] => {
  if (!inTurn) return queues.flat();
  const longest = Math.max(...queues.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) => queues.flatMap((queue) => queue.slice(at, at + 1))).flat();
};

test("tool calls of a stream are those of the whole answer, in whatever pieces and whatever turn of choices", () => {
  verifies("enforce.tools-called");
  const places = fc.array(fc.nat(40), { maxLength: 4 });
  fc.assert(
    fc.property(answer, places, places, fc.boolean(), fc.boolean(), (choices, names, given, isTogether, inTurn) => {
      const whole = {
        choices: choices.map((calls) => ({ message: { tool_calls: calls.map((one) => ({ function: one })) } })),
      };
      const queues = choices.map((calls, index) =>
        calls.flatMap((one, position) => piecesOf(one, { index, position, names, given, isTogether })),
      );
      const tools = new StreamTools();
      const begun: string[] = [];
      for (const chunk of ordered(queues, inTurn)) {
        for (const { param, tool } of tools.note(chunk)) begun.push(`${param} ${tool}`);
      }
      const expected = answeredCallsIn(whole);
      expect(choices.flatMap((_, index) => tools.of(index, () => null))).toEqual(expected);
      // Each is asked for once, by its full name, as soon as it has arguments.
      const asked = expected.filter((one) => one.arguments !== "").map(({ param, tool }) => `${param} ${tool}`);
      expect(begun.sort()).toEqual(asked.sort());
    }),
  );
});
