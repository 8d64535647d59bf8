import { parseRange } from "#core/ip-range";
import type { CookieSessionAuth } from "#http/auth/cookie";
import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { clientAddress } from "#http/hosts";
import { feature } from "#hub/feature";
import type { NeedsOf } from "#hub/graph";
import { LoginThrottle, type SignInThrottle } from "#identity/login-throttle";
import type { Identity } from "#identity/port";
import type { PrincipalCache } from "#identity/principal-cache";
import { SharedThrottle } from "#identity/shared-throttle";
import type { OidcRules } from "#model/oidc";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { NodeStore } from "#store/node-port";
import type { UserStore } from "#store/port";
import type { SharedStore } from "#store/shared-port";
import type { OidcStore, SignInStore } from "#store/sign-in-port";
import type { OidcProvider } from "#upstream/oidc-port";
import { oidcRoutes, setupRoutes, signInRoutes } from "./endpoints";
import { FirstRun, type SetUpLink } from "./first-run";
import { OidcAttempts } from "./oidc-attempts";
import { OIDC_PATH } from "./oidc-handlers";
import { OidcPeople } from "./oidc-people";
import { OidcSignIn } from "./oidc-service";
import { SignInService } from "./service";

export type PeopleOptions = {
  /** Begun when it is first needed. */
  readonly identity: () => Promise<Identity>;
  /** Where the request's connection comes from. */
  readonly socketOf: (request: Request) => string | null;
  /** Networks in CIDR notation whose word for an address is taken. */
  readonly trustedProxies: readonly string[];
  /** Whether others than this machine can reach the hub. */
  readonly isPublic: boolean;
  /** Whether people sign in by password. */
  readonly byPassword: boolean;
  /** Where else they may; null for nowhere. */
  readonly oidc: {
    readonly provider: OidcProvider;
    readonly rules: OidcRules;
    /** Seals what travels with browsers; the same in every process. */
    readonly key: () => Promise<Uint8Array>;
    /** Whether signing out leads on to the provider. */
    readonly endsThere: boolean;
  } | null;
};

type Basics = { readonly now: Clock; readonly ids: Ids };
type Optional = { readonly people: PeopleOptions };
type Known = { readonly principals: PrincipalCache };
type Public = { readonly publicUrl: () => string };
type Recording = { readonly writeRecord: (line: string) => Promise<void>; readonly onChanged: () => Promise<void> };
type Storing = { readonly users: UserStore; readonly signIn: SignInStore };
type Trying = { readonly attempts: SignInThrottle };
type Shared = { readonly shared: SharedStore; readonly nodes: Pick<NodeStore, "self"> };
type Signing = { readonly signInService: SignInService };
type OidcSigning = { readonly oidcSignIn: OidcSignIn | null };
type ServiceParts = Basics & Optional & Storing & Recording & Trying & OidcSigning & { readonly firstRun: FirstRun };
type OidcParts = Basics &
  Optional &
  Storing &
  Recording &
  Trying &
  Signing &
  Public & { readonly oidc: OidcStore; readonly log: Log; readonly shared: SharedStore };
type FirstRunParts = Known & Public & { readonly firstRun: FirstRun };
type RouteParts = PersonRouteParts &
  Optional &
  Known &
  Public &
  Signing & {
    readonly cookieAuth: CookieSessionAuth;
    readonly addressOf: (request: Request) => string | null;
  };

/** How people come in with a browser. */
export const signIn = feature({
  provides: {
    attempts: ({ nodes, shared, now }: Shared & { readonly now: Clock }): SignInThrottle =>
      nodes.self?.isAlone === false ? new SharedThrottle(shared) : new LoginThrottle(now),
    firstRun: ({ users, attempts, now, ids }: NeedsOf<typeof FirstRun>) => new FirstRun({ users, attempts, now, ids }),
    /** The set-up link while there is no administrator, else null. */
    openFirstRun:
      ({ principals, firstRun, publicUrl }: FirstRunParts) =>
      (link?: SetUpLink): string | null =>
        principals.hasAdmin ? null : firstRun.open(publicUrl(), link),
    addressOf: ({ people }: Optional) => {
      const proxies = people.trustedProxies.map((text) => parseRange(text)).filter((range) => range !== null);
      return (request: Request) =>
        clientAddress(people.socketOf(request), request.headers.get("x-forwarded-for"), proxies);
    },
    /** Whether all of the hub may be served. Once it is, it stays so: the last administrator cannot be taken away. */
    isOpen: ({ people, principals }: Optional & Known) => {
      let isOpen = !people.isPublic;
      return (): boolean => {
        isOpen ||= principals.hasAdmin;
        return isOpen;
      };
    },
    signInService: (c: ServiceParts) =>
      new SignInService({
        users: c.users,
        store: c.signIn,
        firstRun: c.firstRun,
        attempts: c.attempts,
        identity: c.people.identity,
        byPassword: c.people.byPassword,
        writeRecord: c.writeRecord,
        onChanged: c.onChanged,
        now: c.now,
        ids: c.ids,
        providerSignOut: async () => (await c.oidcSignIn?.signOutAddress()) ?? null,
      }),
  },
  setupRoutes: (c: RouteParts) => [setupRoutes(signInParts(c))],
  routes: (c: RouteParts) => [signInRoutes(signInParts(c))],
});

/** How people come in by way of an OpenID provider. */
export const oidcSignIn = feature({
  provides: {
    /** Null where no provider is set. */
    oidcSignIn: (c: OidcParts) => {
      if (!c.people.oidc) return null;
      const { provider, rules, key, endsThere } = c.people.oidc;
      const { users, writeRecord, onChanged, log, now, ids } = c;
      const base = () => c.publicUrl().replace(/\/+$/, "");
      return new OidcSignIn({
        provider,
        rules,
        tries: c.attempts,
        store: c.signIn,
        writeRecord,
        log,
        now,
        ids,
        people: new OidcPeople({ rules, users, store: c.oidc, writeRecord, onChanged, now, ids }),
        attempts: new OidcAttempts({ key, now, useOnce: (state, until) => c.shared.useOnce("oidc", state, until) }),
        redirectUri: () => `${base()}${OIDC_PATH}/callback`,
        signedOutUri: endsThere ? () => `${base()}/login` : null,
        enter: (user, browser, how, provedAt) => c.signInService.enter(user, browser, how, provedAt),
      });
    },
  },
  /** There are no such addresses where no provider is set. */
  routes: (c: RouteParts & OidcSigning) =>
    c.oidcSignIn ? [oidcRoutes({ ...signInParts(c), signIn: c.oidcSignIn })] : [],
});

const signInParts = (c: RouteParts) => ({
  ...personRoutes(c),
  service: c.signInService,
  cookieAuth: c.cookieAuth,
  addressOf: c.addressOf,
  publicUrl: c.publicUrl,
  provider: c.people.oidc?.rules.name ?? null,
  byPassword: c.people.byPassword,
  hasAdmin: () => c.principals.hasAdmin,
});
