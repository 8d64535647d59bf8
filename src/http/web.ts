import { type AnyElysia, Elysia } from "elysia";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { signedIn } from "./auth";
import { beforeSetup } from "./before-setup";
import { type DashboardFiles, dashboardRoutes } from "./dashboard";
import { Door, type Finished } from "./door";
import { errors } from "./errors";
import { HostCheck } from "./hosts";
import { methodsAt } from "./methods";
import { nothingHere } from "./nothing-here";
import type { KeptRoute } from "./openapi/about";
import { openApiRoutes } from "./openapi-routes";
import { removedRoutes } from "./removed";
import { insertedMetadataRoutes, resourceMetadataRoutes } from "./resource-metadata";

export type WebDeps = {
  readonly log: Log;
  readonly ids: Ids;
  readonly publicUrl: () => string;
  readonly allowedHosts: readonly string[];
  readonly dashboard: DashboardFiles;
  readonly tools: { readonly version: string };
};

type Around = {
  readonly callers: ReturnType<typeof signedIn>;
  readonly finished: Finished;
  /** What all rooms serve. */
  readonly routes: readonly AnyElysia[];
  /** The part of it that is served before there is an administrator. */
  readonly setupRoutes: readonly AnyElysia[];
  /** Whether there is one. */
  readonly isOpen: () => boolean;
  /** What is served outside the base path, because an RFC puts it there. */
  readonly insertedRoutes: (basePath: string) => AnyElysia;
};

/** What all routes become: one application below the base path, and the door in front of it. */
export const webOf = (deps: WebDeps, around: Around) => {
  const { log, publicUrl } = deps;
  const { callers } = around;
  const basePath = basePathOf(publicUrl());
  const metadata = { door: callers, publicUrl };
  const own: readonly AnyElysia[] = [
    resourceMetadataRoutes(metadata),
    dashboardRoutes({ files: deps.dashboard, publicUrl }),
    removedRoutes(callers),
    openApiRoutes({
      door: callers,
      routes: (): readonly KeptRoute[] => web.routes,
      publicUrl,
      version: deps.tools.version,
    }),
  ];
  const isSecure = () => new URL(publicUrl()).protocol === "https:";
  // One by one: a chain of so many has a type too deep to be worked out.
  const below = new Elysia({ prefix: basePath });
  for (const some of [...around.routes, ...own]) below.use(some);
  const methods = methodsAt(() => web.routes);
  const web = new Elysia()
    .use(errors(log, methods, deps.ids, nothingHere(basePath, isSecure))) // first: it covers only what comes after
    .use(below)
    .use(basePath === "" ? new Elysia() : insertedMetadataRoutes(basePath, metadata))
    .use(basePath === "" ? new Elysia() : around.insertedRoutes(basePath));

  const unclaimed = beforeSetup({ log, basePath, isSecure, routes: around.setupRoutes });
  const door = new Door({
    finished: around.finished,
    hosts: new HostCheck(publicUrl(), deps.allowedHosts),
    handle: (request) => (around.isOpen() ? web : unclaimed).fetch(request),
    ids: deps.ids,
    log,
  });
  return { web, door };
};

/** `/hub` of `https://example.org/hub/`: before every address. Empty for none. */
const basePathOf = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/+$/, "");
