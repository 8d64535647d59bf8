import type { CookieSessionAuth } from "#http/auth/cookie";
import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import type { NeedsOf } from "#hub/graph";
import type { AgentStore, UserStore } from "#store/port";
import { agentToolRoutes, toolServerCallbackRoutes, toolServerRoutes } from "./endpoints";
import type { DiscoverTools, SignIn } from "./port";
import { ToolServerService } from "./service";
import { ToolSignInService } from "./sign-in";

type Discovering = { readonly discoverServer: DiscoverTools };
type ServiceParts = Discovering & Omit<NeedsOf<typeof ToolServerService>, "discover">;
type SignInParts = Discovering &
  Omit<NeedsOf<typeof ToolSignInService>, "discover" | "signIn"> & {
    readonly toolOptions: { readonly signIn: SignIn };
  };
type RouteParts = PersonRouteParts & {
  readonly toolServerService: ToolServerService;
  readonly toolSignInService: ToolSignInService;
  readonly users: Pick<UserStore, "byEmail" | "byId">;
  readonly agents: Pick<AgentStore, "byId">;
  readonly cookieAuth: Pick<CookieSessionAuth, "person" | "checkOrigin">;
};

/** Tool servers: which there are, what of them is approved, and for whom. */
export const toolServers = feature({
  provides: {
    toolServerService: ({ tools, users, agents, seal, unseal, discoverServer: discover, now, ids }: ServiceParts) =>
      new ToolServerService({ tools, users, agents, seal, unseal, discover, now, ids }),
    toolSignInService: ({ tools, toolOptions, discoverServer: discover, writeRecord, now, ids }: SignInParts) =>
      new ToolSignInService({ tools, signIn: toolOptions.signIn, discover, writeRecord, now, ids }),
  },
  routes: (c: RouteParts) => {
    const shared = { ...personRoutes(c), service: c.toolServerService, signIns: c.toolSignInService };
    return [
      toolServerCallbackRoutes({ ...shared, cookieAuth: c.cookieAuth }),
      toolServerRoutes({ ...shared, people: c.users }),
      agentToolRoutes({ ...shared, agents: c.agents }),
    ];
  },
});
