import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { AppWorld, routesOf } from "#test/http/app-world";
import { verifies } from "#test/support/verifies";

let world: AppWorld;
beforeAll(async () => {
  world = await AppWorld.open();
});
afterAll(() => world[Symbol.asyncDispose]());

const FOLDER = join(import.meta.dir, "../../src/dashboard");
const NAMED = /"((?:GET|POST|PUT|PATCH|DELETE) \/[^"]+)"/g;

const shape = (route: string): string => route.replace(/:\w+/g, ":");

test("every route the dashboard names is served", async () => {
  verifies("dashboard.documented-routes");
  const served = new Set(
    routesOf(world.app).map(({ method, path }) => shape(`${method} ${path.replace(/(.)\/$/, "$1")}`)),
  );
  const files = [...new Bun.Glob("**/*.tsx").scanSync(FOLDER)];
  const named = (await Promise.all(files.map((file) => Bun.file(join(FOLDER, file)).text()))).flatMap((text) =>
    [...text.matchAll(NAMED)].map(([, route = ""]) => route),
  );
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter((route) => !served.has(shape(route)))).toEqual([]);
});
