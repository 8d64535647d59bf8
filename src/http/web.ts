import { type AnyElysia, Elysia } from "elysia";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { tokenAuth } from "./auth/token";
import type { RouteTable } from "./authentication";
import { beforeSetup } from "./before-setup";
import { type DashboardFiles, dashboardRoutes } from "./dashboard";
import { type FinalResponses, HttpEntry } from "./entry";
import { errors } from "./errors";
import { HostCheck } from "./hosts";
import { methodsAt } from "./not-offered";
import { nothingHere } from "./nothing-here";
import { openApiRoutes } from "./openapi-routes";
import { removedRoutes } from "./removed-endpoints";
import { insertedMetadataRoutes, resourceMetadataRoutes } from "./resource-metadata";

type WebNeeds = {
  readonly log: Log;
  readonly ids: Ids;
  readonly publicUrl: () => string;
  readonly allowedHosts: readonly string[];
  readonly dashboard: DashboardFiles;
  readonly version: string;
  readonly callerAuth: ReturnType<typeof tokenAuth>;
  readonly finalResponses: FinalResponses;
  /** Is told all routes there are. */
  readonly routeTable: RouteTable;
  /** Says whether what calls are judged by is recent, and otherwise resolves when it is. */
  readonly feedPoller: { recent(): Promise<void> | null };
  /** Whether there is an administrator. */
  readonly isOpen: () => boolean;
};

type FeatureRoutes = {
  readonly routes: readonly AnyElysia[];
  /** Those of them that are served before there is an administrator. */
  readonly setupRoutes: readonly AnyElysia[];
  /** What is served outside the base path, because an RFC puts it there. */
  readonly outerRoutes: readonly ((basePath: string) => AnyElysia)[];
};

/** All routes as one application below the base path, and the HTTP entry in front of it. */
export const webOf = (needs: WebNeeds, { routes, setupRoutes, outerRoutes }: FeatureRoutes) => {
  const { log, ids, publicUrl, version, routeTable, callerAuth: auth, isOpen } = needs;
  const basePath = basePathOf(publicUrl());
  const own: readonly AnyElysia[] = [
    resourceMetadataRoutes({ auth, publicUrl }),
    dashboardRoutes({ files: needs.dashboard, publicUrl }),
    removedRoutes(auth),
    openApiRoutes({ auth, routes: () => routeTable.routes, publicUrl, version }),
  ];
  const outer = [(path: string): AnyElysia => insertedMetadataRoutes(path, { auth, publicUrl }), ...outerRoutes];
  const isSecure = () => new URL(publicUrl()).protocol === "https:";
  // One by one: a chain of so many has a type too deep to be worked out.
  const below = new Elysia({ prefix: basePath });
  for (const some of [...routes, ...own]) below.use(some);
  const web = new Elysia()
    // First: it covers only what comes after.
    .use(
      errors(
        log,
        methodsAt(() => routeTable.routes),
        ids,
        nothingHere(basePath, isSecure),
      ),
    )
    .use(below);
  if (basePath !== "") for (const routesAt of outer) web.use(routesAt(basePath));
  routeTable.routes = web.routes;

  const unclaimed = beforeSetup({ log, basePath, isSecure, routes: setupRoutes });
  const entry = new HttpEntry({
    finalResponses: needs.finalResponses,
    ids,
    log,
    hosts: new HostCheck(publicUrl(), needs.allowedHosts),
    handle: (request) => {
      const served = () => (isOpen() ? web : unclaimed).fetch(request);
      const recent = needs.feedPoller.recent();
      return recent === null ? served() : recent.then(served);
    },
  });
  return { web, entry };
};

/** `/hub` of `https://example.org/hub/`: before every address. Empty for none. */
const basePathOf = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/+$/, "");
