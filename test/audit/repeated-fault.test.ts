import { expect, test } from "bun:test";
import { Auditor } from "#audit/auditor";
import { MemoryAudit, QUIET } from "#test/guard/call-fixture";
import { verifies } from "#test/support/verifies";

test("records that cannot be written are logged once, then counted: calls do not flood the log", async () => {
  verifies("audit.fault-log");
  const lines: (Readonly<Record<string, unknown>> | undefined)[] = [];
  const log = {
    ...QUIET,
    error: (event: string, fields?: Readonly<Record<string, unknown>>) => lines.push({ event, ...fields }),
  };
  const audit = new MemoryAudit();
  audit.healthy = false;
  const auditor = new Auditor(audit, log, 40);
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
  await Bun.sleep(100);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toEqual({ event: "audit.write_failed", cause: "Error", records: 199 });
  // A time without any ends it: the next is told at once. A stop tells what was not told yet.
  await Bun.sleep(100);
  await refused();
  await refused();
  auditor.stopAdmitting();
  expect(lines.slice(2)).toEqual([
    { event: "audit.write_failed", cause: "Error" },
    { event: "audit.write_failed", cause: "Error", records: 1 },
  ]);
});
