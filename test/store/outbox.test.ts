import { expect, test } from "bun:test";
import { ANN, BOB } from "#test/store/contract";
import { someRecord } from "#test/store/records";
import { verifies } from "#test/support/verifies";
import { Place } from "./directory";

test("every change leaves its record in the outbox, in order, until it is crossed out; a call leaves none", async () => {
  verifies("webhook.outbox");
  await using place = new Place();
  const store = await place.open({ writer: "inline" });
  const records = [someRecord(), someRecord()];
  await store.users.create(ANN, null, records[0] ?? "");
  await store.audit.append(someRecord());
  await store.users.create(BOB, null, records[1] ?? "");
  expect(await store.outbox.pending(10)).toEqual([
    { seq: 1, record: records[0] ?? "" },
    { seq: 3, record: records[1] ?? "" },
  ]);
  expect(await store.outbox.pending(1)).toHaveLength(1);
  await store.outbox.done(1);
  await store.close();
  const again = await place.open({ writer: "inline" });
  expect((await again.outbox.pending(10)).map(({ seq }) => seq)).toEqual([3]);
});

test("a change that is not made leaves nothing there", async () => {
  await using place = new Place();
  const store = await place.open({ writer: "inline" });
  await store.users.create(ANN, null, someRecord());
  expect(await store.users.create({ ...ANN, id: "u9" }, null, someRecord())).toBe(false);
  await expect(store.users.create(BOB, null, "no record")).rejects.toThrow();
  expect(await store.outbox.pending(10)).toHaveLength(1);
});

test("where several processes serve, a change that was told of stays for a minute for the pages of the others", async () => {
  verifies("webhook.outbox");
  await using place = new Place();
  const clock = { at: 1_000_000 };
  const joined = (id: string) => ({ id, version: "test", leaseMs: 10_000, isAlone: false });
  const open = (id: string) => place.open({ node: joined(id), now: () => clock.at });
  const [one, other] = [await open("0"), await open("1")];
  await one.users.create(ANN, null, someRecord());
  await one.users.create(BOB, null, someRecord());
  const [first] = await one.outbox.pending(1);
  await one.outbox.done(first?.seq ?? 0);
  expect((await other.outbox.pending(10)).map(({ seq }) => seq)).toEqual([2]);
  expect((await other.outbox.after(0, 10)).map(({ seq }) => seq)).toEqual([1, 2]);
  expect(await other.outbox.after(1, 10)).toHaveLength(1);
  expect(await other.outbox.newest()).toBe(2);
  clock.at += 60_001;
  await other.outbox.done(2);
  expect((await one.outbox.after(0, 10)).map(({ seq }) => seq)).toEqual([2]);
});
