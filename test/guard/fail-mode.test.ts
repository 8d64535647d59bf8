import { expect, test } from "bun:test";
import { ChatStream } from "#guard/apis/chat-stream";
import { StreamGuard } from "#guard/stream/guard";
import type { Texts } from "#scan/texts/text-walk";
import { verifies } from "#test/support/verifies";
import { failingPolicy } from "./broken-detector";
import { callUnder, MemoryAudit } from "./call-fixture";

const texts = (): Texts => ({
  slots: [{ param: "messages[0].content", origin: "user", text: "boom", replace: () => {} }],
  gaps: [],
});

/** A call of an agent whose profile says what happens when the scanner fails. */
const failing = (value: "closed" | "open", audit?: MemoryAudit) => {
  const call = callUnder(failingPolicy(), audit);
  const { effective } = call.context.rules;
  call.context.rules = {
    ...call.context.rules,
    effective: { ...effective, fail_mode: { layer: "profile v1", value } },
  };
  return call;
};

test("closed: the call fails", () => {
  verifies("enforce.fail-mode");
  expect(() => failing("closed").gate.scan(texts(), "input")).toThrow(
    expect.objectContaining({ code: "guard_unavailable" }),
  );
});

test("open: the text passes, and is on record as not scanned", async () => {
  verifies("enforce.fail-mode");
  const audit = new MemoryAudit();
  const call = failing("open", audit);
  expect(call.gate.scan(texts(), "input")).toBe(false);
  await call.record.finish("answered", 200);
  expect(audit.records.at(-1)?.call?.coverage.input.unscanned).toEqual([
    { param: "messages[0].content", reason: "scan_failed" },
  ]);
});

test("fail_mode open: streams still fail", () => {
  verifies("enforce.fail-mode");
  const guard = new StreamGuard(failing("open"), new ChatStream({ wantsUsage: false }), 100);
  const chunk = JSON.stringify({ choices: [{ index: 0, delta: { content: "boom, and more of it" } }] });
  expect(() => guard.push(`data: ${chunk}\n\n`)).toThrow(expect.objectContaining({ code: "guard_unavailable" }));
});
