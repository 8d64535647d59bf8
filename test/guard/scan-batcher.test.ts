import { expect, test } from "bun:test";
import { ScanBatcher } from "#guard/scan-batcher";

test("scan batcher scans waiting calls in order before any continues", async () => {
  const batcher = new ScanBatcher({ size: 3 });
  const happened: string[] = [];
  const call = async (name: string) => {
    await batcher.run(100, () => happened.push(`${name} scanned`));
    happened.push(`${name} goes on`);
  };
  await Promise.all(["one", "two", "three"].map(call));
  expect(happened.slice(0, 3)).toEqual(["one scanned", "two scanned", "three scanned"]);
  expect(happened.slice(3)).toEqual(["one goes on", "two goes on", "three goes on"]);
});

test("scan batcher: scans that take long are spread over several turns, in order", async () => {
  let ms = 0;
  const batcher = new ScanBatcher({ size: 9 }, () => ms);
  const happened: string[] = [];
  const call = async (name: string) => {
    await batcher.run(100, () => {
      ms += 3;
      happened.push(`${name} scanned`);
    });
    happened.push(`${name} goes on`);
  };
  await Promise.all(["one", "two", "three", "four", "five"].map(call));
  for (const names of [["one", "two"], ["three", "four"], ["five"]]) {
    expect(happened.splice(0, names.length)).toEqual(names.map((name) => `${name} scanned`));
    expect(happened.splice(0, names.length)).toEqual(names.map((name) => `${name} goes on`));
  }
});

test("a scan that fails fails its own call, and the next turn comes all the same", async () => {
  const batcher = new ScanBatcher({ size: 2 });
  const broken = batcher.run(100, () => {
    throw new Error("no scanner");
  });
  const whole = batcher.run(100, () => "scanned");
  const [one, other] = await Promise.allSettled([broken, whole]);
  expect([one.status, other.status]).toEqual(["rejected", "fulfilled"]);
  expect(await batcher.run(100, () => "scanned again")).toBe("scanned again");
});

test("scan batcher: a single call does not wait", async () => {
  const batcher = new ScanBatcher({ size: 1 });
  let isScanned = false;
  const taken = batcher.run(100, () => {
    isScanned = true;
  });
  expect(isScanned).toBe(true);
  await taken;
});

test("scan batcher: long texts bypass it", async () => {
  const batcher = new ScanBatcher({ size: 2 });
  const happened: string[] = [];
  const short = batcher.run(100, () => happened.push("short"));
  const long = batcher.run(1_000_000, () => happened.push("long"));
  await Promise.all([short, long]);
  expect(happened).toEqual(["long", "short"]);
});
