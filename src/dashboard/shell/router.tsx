import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";
import { basePath } from "#dashboard/address/base-path";
import { unreachable } from "#dashboard/api/client";
import { Page, TextLink } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { canBeReached } from "./reachable";
import { type Load, MOVED_SCREENS, SCREENS } from "./screens";
import { Broken, Shell } from "./shell";

/**
 * A file of a screen that is not there any more, after an update of the hub, makes the router load the page anew. While
 * the hub is away that would leave the browser's own page of errors: then it is said here.
 */
const fetched =
  (load: Load): Load =>
  () =>
    load().catch(async (fault: unknown) => {
      if (await canBeReached()) throw fault;
      throw unreachable();
    });

/** The addresses of the dashboard. Search parameters are filters, and all of them text. */
export const dashboardRouter = () => {
  const root = createRootRoute({
    component: Shell,
    errorComponent: (props) => <Broken {...props} />,
    notFoundComponent: () => (
      <Page title="Page not found">
        <Empty title="This page does not exist.">
          <TextLink to="/">Go to Overview</TextLink>
        </Empty>
      </Page>
    ),
    validateSearch: (search: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
      Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)])),
  });
  const screens = SCREENS.map(([path, load]) =>
    createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(fetched(load)) }),
  );
  const moved = MOVED_SCREENS.map(([path, to]) =>
    createRoute({
      getParentRoute: () => root,
      path,
      beforeLoad: () => {
        throw redirect({ to, replace: true });
      },
    }),
  );
  return createRouter({
    routeTree: root.addChildren([...screens, ...moved]),
    basepath: basePath() || "/",
    // Within the frame, so that there is a way on from a screen that failed.
    defaultErrorComponent: (props) => <Broken {...props} />,
    defaultPreload: "intent",
    // Another id is another screen: nothing that was typed, chosen or opened for one thing is done to another.
    defaultRemountDeps: ({ params }) => params,
    scrollRestoration: true,
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const text = new URLSearchParams(search).toString();
      return text === "" ? "" : `?${text}`;
    },
  });
};
