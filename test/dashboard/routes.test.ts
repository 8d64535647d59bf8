import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { House, routesOf } from "#test/http/house";
import { verifies } from "#test/support/verifies";

let house: House;
beforeAll(async () => {
  house = await House.open();
});
afterAll(() => house[Symbol.asyncDispose]());

const FOLDER = join(import.meta.dir, "../../src/dashboard/api");
const NAMED = /"((?:GET|POST|PUT|PATCH|DELETE) \/[^"]+)":/g;

const shape = (route: string): string => route.replace(/:\w+/g, ":");

test("every route the dashboard names is served", async () => {
  verifies("dashboard.no-private-doors");
  const served = new Set(
    routesOf(house.app).map(({ method, path }) => shape(`${method} ${path.replace(/(.)\/$/, "$1")}`)),
  );
  const files = [...new Bun.Glob("*-routes.tsx").scanSync(FOLDER)];
  const named = (await Promise.all(files.map((file) => Bun.file(join(FOLDER, file)).text()))).flatMap((text) =>
    [...text.matchAll(NAMED)].map(([, route = ""]) => route),
  );
  expect(named.length).toBeGreaterThan(2);
  expect(named.filter((route) => !served.has(shape(route)))).toEqual([]);
});
