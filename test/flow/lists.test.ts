import { expect, test } from "bun:test";
import { hubWith, type ListCost, listCosts } from "#test/bench/lists";
import { LARGE, scaled } from "#test/support/large-configuration";
import { verifies } from "#test/support/verifies";

/** A list may cost so much more of CPU time with forty times as much behind it: pages are as full, caches less so. */
const MAX_RATIO = 4;
/** Below this the clock's own noise is greater than what is measured. Milliseconds. */
const NOISE_MS = 2;

/** A page of tool servers costs what it shows: `servers` are enough for a page that is not much shorter than a full one. */
const costsOf = async (share: number, servers: number): Promise<ListCost[]> => {
  await using hub = await hubWith({ ...scaled(LARGE, share), servers, tokensPerAgent: 4, waiting: 10, providers: 10 });
  const costs = await listCosts(hub, 9);
  return costs;
};

test("a list costs what it shows, however much there is", async () => {
  verifies("lists.paged");
  const few = await costsOf(0.005, 12);
  const many = await costsOf(0.2, 120);
  const dear = many.filter(({ leastMs }, at) => leastMs > (few[at]?.leastMs ?? 0) * MAX_RATIO + NOISE_MS);
  expect(dear.map(({ path, leastMs }) => `${path} ${leastMs.toFixed(1)} ms`)).toEqual([]);
}, 240_000);
