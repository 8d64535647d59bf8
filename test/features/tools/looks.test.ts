import { expect, test } from "bun:test";
import { Looks } from "#features/tools/looks";
import type { TokenPrincipal } from "#model/principal";
import { verifies } from "#test/support/verifies";

const CALLER: TokenPrincipal = {
  user: { id: "user-1", email: "a@example.com", name: "a", role: "member", state: "active", created_at: 0 },
  token: {
    id: "token-1",
    hash: "",
    display: "",
    name: "t",
    user_id: "user-1",
    agent_id: null,
    state: "active",
    expires_at: null,
    created_at: 0,
  },
  agent: null,
  client: { id: "client-1", tools: ["one"] },
};
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

test("a look is done once however often it is asked for, and not while nothing has changed", async () => {
  verifies("tools.watching-guarded");
  const seen: TokenPrincipal[] = [];
  const look = new Looks().begin(CALLER, (now) => seen.push(now));
  for (let count = 0; count < 10; count += 1) look.lookAs({ ...CALLER, client: { id: "client-1", tools: ["one"] } });
  await turns(3);
  expect(seen).toEqual([]);
  for (let count = 0; count < 10; count += 1) look.ask();
  const fewer = { ...CALLER, client: { id: "client-1", tools: [] } };
  look.lookAs(fewer);
  await turns(3);
  expect(seen).toEqual([fewer]);
  await Bun.sleep(1_050);
  look.lookAs(fewer);
  look.lookAs(fewer);
  await turns(3);
  expect(seen).toEqual([fewer, fewer]);
  look.ask();
  look.end();
  await turns(3);
  expect(seen.length).toBe(2);
});

test("many looks leave turns of the event loop to others", async () => {
  verifies("tools.watching-guarded");
  const looks = new Looks();
  let done = 0;
  const many = Array.from({ length: 100 }, () =>
    looks.begin(CALLER, () => {
      Bun.sleepSync(1);
      done += 1;
    }),
  );
  for (const look of many) look.ask();
  expect(done).toBe(0);
  let between = 0;
  while (done < many.length) {
    await turns(1);
    between += 1;
  }
  expect(between).toBeGreaterThan(20);
});
