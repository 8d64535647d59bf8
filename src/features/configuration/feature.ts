import { type CallerRouteParts, callerRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import { configurationRoutes } from "./routes";

/** What a file for `guardhouse apply` looks like. */
export const configuration = feature({
  provides: {},
  routes: (c: CallerRouteParts) => [configurationRoutes(callerRoutes(c))],
});
