import { expect, test } from "bun:test";
import { KeptItems } from "#guard/kept-items";
import { runSteps, runStepsSliced } from "#platform/slices";
import { verifies } from "#test/support/verifies";

const EVE = { user: { id: "eve" }, agent: null };
const HELPER = { user: { id: "eve" }, agent: { id: "helper" } };
const KEPT = 20_000;

const ids = (count: number, name = "msg"): string[] => Array.from({ length: count }, (_, at) => `${name}_${at}`);

test("items are remembered for whom they were answered to", () => {
  verifies("responses.items");
  const items = new KeptItems();
  items.note(EVE, "one", "msg_1");
  expect([items.providerOf(EVE, "msg_1"), items.providerOf(HELPER, "msg_1")]).toEqual(["one", null]);
  expect([items.isOthers(EVE, "msg_1"), items.isOthers(HELPER, "msg_1")]).toEqual([false, true]);
  items.note(HELPER, "two", "msg_1");
  expect([items.providerOf(EVE, "msg_1"), items.providerOf(HELPER, "msg_1")]).toEqual(["one", "two"]);
  expect(items.isOthers(EVE, "msg_2")).toBe(false);
});

test("the last 20,000 are there, those long before them are not, and what is answered again stays", () => {
  verifies("responses.items");
  const items = new KeptItems();
  items.note(EVE, "one", "msg_again");
  for (let round = 0; round < 3; round += 1) {
    runSteps(items.noteAll(EVE, "one", ids(KEPT, `round${round}`)));
    items.note(EVE, "one", "msg_again");
  }
  expect(items.providerOf(EVE, "round0_0")).toBeNull();
  for (const id of [...ids(KEPT, "round2"), "msg_again"]) expect(items.providerOf(EVE, id)).toBe("one");
});

test("many items of one answer are noted one a step, so that others take their turn", async () => {
  verifies("fairness.long-answers");
  const items = new KeptItems();
  let steps = 0;
  let waits = 0;
  const pause = () => {
    steps += 1;
    if (steps % 100 !== 0) return null;
    waits += 1;
    return Promise.resolve();
  };
  await runStepsSliced(items.noteAll(EVE, "one", ids(1_000)), pause);
  expect([steps, waits]).toEqual([1_000, 10]);
  expect(items.providerOf(EVE, "msg_999")).toBe("one");
});
