import { afterEach, expect, jest, test } from "bun:test";
import { Auditor } from "#audit/auditor";
import { MemoryAudit, QUIET } from "#test/guard/call-fixture";
import { verifies } from "#test/support/verifies";

const PERIOD_MS = 10_000;

afterEach(() => void jest.useRealTimers());

test("records that cannot be written are logged once, then counted: calls do not flood the log", async () => {
  verifies("audit.fault-log");
  jest.useFakeTimers();
  const lines: (Readonly<Record<string, unknown>> | undefined)[] = [];
  const log = {
    ...QUIET,
    error: (event: string, fields?: Readonly<Record<string, unknown>>) => lines.push({ event, ...fields }),
  };
  const audit = new MemoryAudit();
  audit.healthy = false;
  const auditor = new Auditor(audit, log, PERIOD_MS);
  const refused = async (): Promise<void> => {
    expect(
      await auditor.writeLine("{}").then(
        () => "written",
        () => "refused",
      ),
    ).toBe("refused");
  };
  for (let n = 0; n < 200; n += 1) await refused();
  expect(lines).toEqual([{ event: "audit.write_failed", cause: "Error" }]);
  jest.advanceTimersByTime(PERIOD_MS);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toEqual({ event: "audit.write_failed", cause: "Error", records: 199 });
  // A time without any ends it: the next is told at once. A stop tells what was not told yet.
  jest.advanceTimersByTime(PERIOD_MS);
  await refused();
  await refused();
  auditor.stopAdmitting();
  expect(lines.slice(2)).toEqual([
    { event: "audit.write_failed", cause: "Error" },
    { event: "audit.write_failed", cause: "Error", records: 1 },
  ]);
});
