import { expect, test } from "bun:test";
import { ScanTurns } from "#engine/scan-turns";

test("what waits for the scanner together is done in order, and before any of it goes on", async () => {
  const turns = new ScanTurns({ size: 3 });
  const happened: string[] = [];
  const call = async (name: string) => {
    await turns.take(100, () => happened.push(`${name} scanned`));
    happened.push(`${name} goes on`);
  };
  await Promise.all(["one", "two", "three"].map(call));
  expect(happened.slice(0, 3)).toEqual(["one scanned", "two scanned", "three scanned"]);
  expect(happened.slice(3)).toEqual(["one goes on", "two goes on", "three goes on"]);
});

test("a scan that fails fails its own call, and the next turn comes all the same", async () => {
  const turns = new ScanTurns({ size: 2 });
  const broken = turns.take(100, () => {
    throw new Error("no scanner");
  });
  const whole = turns.take(100, () => "scanned");
  const [one, other] = await Promise.allSettled([broken, whole]);
  expect([one.status, other.status]).toEqual(["rejected", "fulfilled"]);
  expect(await turns.take(100, () => "scanned again")).toBe("scanned again");
});

test("a lone call waits for nobody", async () => {
  const turns = new ScanTurns({ size: 1 });
  let isScanned = false;
  const taken = turns.take(100, () => {
    isScanned = true;
  });
  expect(isScanned).toBe(true);
  await taken;
});

test("a long text waits for nobody and lets nobody wait", async () => {
  const turns = new ScanTurns({ size: 2 });
  const happened: string[] = [];
  const short = turns.take(100, () => happened.push("short"));
  const long = turns.take(1_000_000, () => happened.push("long"));
  await Promise.all([short, long]);
  expect(happened).toEqual(["long", "short"]);
});
