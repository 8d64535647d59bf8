import { expect, test } from "bun:test";
import { REDACTING } from "#test/scan/policies";
import { PERSONAL, uniform } from "#test/scan/samples";
import { verifies } from "#test/support/verifies";
import { callUnder } from "./call-fixture";

const fixedSlot = (text: string) => ({
  slots: [
    {
      ...{ param: "thought", origin: "assistant" as const, text, isFixed: true },
      replace: () => {
        throw new Error("a text that must not change was changed");
      },
    },
  ],
  gaps: [],
});

test.each([
  ["short", PERSONAL.card],
  ["long", `${PERSONAL.card} ${"word ".repeat(8_000)}`],
])("a %s text that must not change is flagged where another would be redacted, and blocked as any", async (_, text) => {
  verifies("guard.fixed-texts");
  const call = callUnder(REDACTING);
  await call.gate.scan(fixedSlot(text), "input");
  expect(call.record.action).toBe("flag");
  const scanned = async () => callUnder(uniform("block")).gate.scan(fixedSlot(text), "input");
  await expect(scanned()).rejects.toMatchObject({ code: "content_filter" });
});
