/** The first call after a start costs what later ones do: what it would have to make has been made before. */
import { expect, test } from "bun:test";
import { Scanner } from "#guard/scanner";
import { DEFAULT_POLICY } from "#scan/defaults";
import { DETECTORS } from "#scan/detectors/index";
import { compilePolicy } from "#scan/policy";
import { answerOf, markerOf, promptOf } from "#test/bench/prose";
import { compiledDuring } from "#test/support/compiled";
import { Hub } from "#test/support/hub";
import { verifies } from "#test/support/verifies";

const scannerThatIs = (warm: boolean): Scanner =>
  // Detectors of its own, so that other tests of this process have made nothing for it.
  new Scanner(compilePolicy(DEFAULT_POLICY, 1, [...DETECTORS]), new Uint8Array(32), 16, warm);

test("a scanner that is warm has nothing left to make for a prompt and its answer", async () => {
  verifies("hub.warm");
  const scanner = scannerThatIs(false);
  expect(scanner.isWarm).toBe(false);
  const warming = scanner.warmUp();
  let turns = 0;
  let other = setImmediate(function turn() {
    turns += 1;
    other = setImmediate(turn);
  });
  await warming;
  clearImmediate(other);
  expect(scanner.isWarm).toBe(true);
  // Other work has had its turn between the samples.
  expect(turns).toBeGreaterThan(3);
  const policy = scanner.snapshot();
  const made = compiledDuring(() => {
    scanner.scan(policy, promptOf(markerOf(1)), "user");
    scanner.scan(policy, answerOf(markerOf(1)), "output");
  });
  expect(made).toEqual({ expressions: 0, tables: 0 });
});

test("a cold scanner makes its tables for the first text", () => {
  const scanner = scannerThatIs(true);
  const made = compiledDuring(() => scanner.scan(scanner.snapshot(), promptOf(markerOf(1)), "user"));
  expect(made.tables).toBeGreaterThan(5);
});

test("a hub that says it is ready has warmed up", async () => {
  verifies("hub.warm");
  await using hub = await Hub.started();
  const ready = await hub.fetch("/readyz");
  expect(ready.status).toBe(200);
  expect(await ready.json()).toMatchObject({ checks: { scanner: true } });
});
