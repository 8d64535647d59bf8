import { type AnyElysia, Elysia } from "elysia";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import { runSteps, runStepsSliced, slices } from "#platform/slices";
import type { tokenAuth } from "./auth/token";
import type { RouteTable } from "./authentication";
import { beforeSetup } from "./before-setup";
import { type DashboardFiles, dashboardRoutes } from "./dashboard";
import { type DocumentationFiles, documentationRoutes } from "./documentation-routes";
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
  readonly documentation: DocumentationFiles;
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
  /** What is served from the start on: calls, and set-up. */
  readonly earlyRoutes: () => readonly AnyElysia[];
  /** All, those of a feature at a time. */
  readonly routes: () => Iterable<readonly AnyElysia[]>;
  /** Those of them that are served before there is an administrator. */
  readonly setupRoutes: () => readonly AnyElysia[];
  /** What is served outside the base path, because an RFC puts it there. */
  readonly outerRoutes: () => readonly ((basePath: string) => AnyElysia)[];
};

/**
 * All routes as one application below the base path, and the HTTP entry in front of it. Calls are served by an
 * application with their routes alone, which hands on what is none of them: the other one, with all routes, is made in
 * slices when it is first asked for. A hub that nobody administers never makes it.
 */
export const webOf = (needs: WebNeeds, features: FeatureRoutes) => {
  const { log, ids, publicUrl, routeTable, isOpen } = needs;
  const basePath = basePathOf(publicUrl());
  const isSecure = () => new URL(publicUrl()).protocol === "https:";
  const pageAtNothing = nothingHere(basePath, isSecure);
  const served = (below: AnyElysia) =>
    new Elysia()
      // First: it covers only what comes after.
      .use(
        errors(
          log,
          methodsAt(() => routeTable.routes),
          ids,
          pageAtNothing,
        ),
      )
      .use(below);

  function* making(): Generator<undefined, AnyElysia> {
    // One by one: a chain of so many has a type too deep to be worked out.
    const below = new Elysia({ prefix: basePath });
    for (const some of features.routes()) {
      for (const one of some) below.use(one);
      yield;
    }
    for (const one of ownRoutes(needs, pageAtNothing)) below.use(one);
    const web = served(below);
    for (const routesAt of basePath === "" ? [] : outerRoutes(needs, features)) web.use(routesAt(basePath));
    routeTable.routes = web.routes;
    return web;
  }
  let made: AnyElysia | null = null;
  const web = (): AnyElysia => {
    made ??= runSteps(making());
    return made;
  };
  let beingMade: Promise<AnyElysia> | null = null;
  const webSoon = (): AnyElysia | Promise<AnyElysia> => {
    if (made !== null) return made;
    beingMade ??= runStepsSliced(making(), slices.begin()).then((web) => {
      made ??= web;
      return made;
    });
    return beingMade;
  };

  const belowEarly = new Elysia({ prefix: basePath });
  for (const one of features.earlyRoutes()) belowEarly.use(one);
  const early = served(belowEarly).all("*", async ({ request }) => (await webSoon()).fetch(request), {
    parse: "none",
  });
  routeTable.routes = early.routes;

  let unclaimed: AnyElysia | null = null;
  const setup = (): AnyElysia => {
    unclaimed ??= beforeSetup({ log, basePath, isSecure, routes: features.setupRoutes() });
    return unclaimed;
  };
  const answered = (request: Request) => (isOpen() ? early : setup()).fetch(request);
  const entry = new HttpEntry({
    finalResponses: needs.finalResponses,
    ids,
    log,
    hosts: new HostCheck(publicUrl(), needs.allowedHosts),
    handle: (request) => {
      const recent = needs.feedPoller.recent();
      return recent === null ? answered(request) : recent.then(() => answered(request));
    },
  });
  return { web, entry };
};

const ownRoutes = (
  { callerAuth: auth, publicUrl, dashboard, documentation, routeTable, version }: WebNeeds,
  page: ReturnType<typeof nothingHere>,
) => [
  resourceMetadataRoutes({ auth, publicUrl }),
  dashboardRoutes({ files: dashboard, publicUrl }),
  documentationRoutes({ files: documentation, publicUrl, nothingHere: page }),
  removedRoutes(auth),
  openApiRoutes({ auth, routes: () => routeTable.routes, publicUrl, version }),
];

const outerRoutes = (
  { callerAuth: auth, publicUrl }: WebNeeds,
  features: FeatureRoutes,
): readonly ((path: string) => AnyElysia)[] => [
  (path) => insertedMetadataRoutes(path, { auth, publicUrl }),
  ...features.outerRoutes(),
];

/** `/hub` of `https://example.org/hub/`: before every address. Empty for none. */
const basePathOf = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/+$/, "");
