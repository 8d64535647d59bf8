import { engineOf } from "#identity/better-auth/index";
import { systemIds } from "#platform/ids";
import { jsonLog } from "#platform/log";
import { Place } from "#test/store/directory";

/** Every address the identity library would serve if it were let, as it says itself. */
export const betterAuthEndpoints = async (): Promise<string[]> => {
  await using place = new Place();
  const store = await place.open();
  const log = jsonLog("error", () => {}, Date.now);
  const publicUrl = "http://localhost:8787";
  const engine = engineOf({ auth: store.auth, secret: "s".repeat(43), publicUrl, ids: systemIds, log });
  await engine.$context;
  const paths = Object.values(engine.api).map((endpoint): unknown => Reflect.get(endpoint, "path"));
  return [...new Set(paths.filter((path) => typeof path === "string"))];
};
