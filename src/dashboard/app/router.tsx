import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { Page, TextLink } from "#dashboard/parts/page";
import { Empty } from "#dashboard/parts/states";
import { basePath } from "./base-path";
import { SCREENS } from "./screens";
import { Broken, Shell } from "./shell";

/** The addresses of the dashboard. Search parameters are filters, and all of them text. */
export const dashboardRouter = () => {
  const root = createRootRoute({
    component: Shell,
    errorComponent: (props) => <Broken {...props} />,
    notFoundComponent: () => (
      <Page title="Nothing here">
        <Empty title="There is no such screen.">
          <TextLink to="/">Go to the overview</TextLink>
        </Empty>
      </Page>
    ),
    validateSearch: (search: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
      Object.fromEntries(Object.entries(search).map(([name, value]) => [name, String(value)])),
  });
  const screens = SCREENS.map(([path, load]) =>
    createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(load) }),
  );
  return createRouter({
    routeTree: root.addChildren(screens),
    basepath: basePath() || "/",
    defaultPreload: "intent",
    scrollRestoration: true,
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const text = new URLSearchParams(search).toString();
      return text === "" ? "" : `?${text}`;
    },
  });
};
