import { parseRange } from "#core/ip-range";
import type { OidcRules } from "#core/oidc";
import { Attempts } from "#engine/attempts";
import type { Directory } from "#engine/directory";
import { BrowserDoor } from "#http/browser";
import { clientAddress } from "#http/client-address";
import type { signedInPerson } from "#http/person";
import type { Identity } from "#identity/port";
import { FirstRun } from "#modules/sign-in/first-run";
import { OidcAttempts } from "#modules/sign-in/oidc-attempts";
import { OIDC_PATH } from "#modules/sign-in/oidc-doors";
import { OidcPeople } from "#modules/sign-in/oidc-people";
import { OidcSignIn } from "#modules/sign-in/oidc-service";
import { oidcRoutes, setupRoutes, signInRoutes } from "#modules/sign-in/routes";
import { SignInService } from "#modules/sign-in/service";
import { OwnAccount } from "#modules/users/own-account";
import { ownRoutes, userRoutes } from "#modules/users/routes";
import { UserService } from "#modules/users/service";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { Store } from "#store/port";
import type { OidcProvider } from "#upstream/oidc-port";

export type SignInDeps = {
  readonly people: {
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
  readonly store: Pick<Store, "users" | "signIn" | "sessions" | "oidc">;
  readonly log: Log;
  readonly publicUrl: () => string;
  readonly clock: Clock;
  readonly ids: Ids;
};

/** The door for people who come with a browser. */
export const assembleBrowsers = ({ people, publicUrl }: SignInDeps, directory: Directory): BrowserDoor =>
  new BrowserDoor({
    publicUrl,
    sessionOf: async (cookie) => (await people.identity()).sessionOf(cookie),
    personOf: (session) => directory.personOf(session),
  });

type Around = {
  readonly directory: Directory;
  readonly browsers: BrowserDoor;
  readonly door: ReturnType<typeof signedInPerson>;
  readonly admit: () => void;
  readonly writeRecord: (line: string) => Promise<void>;
  readonly onChanged: () => Promise<void>;
};

/** How people come in, and what they and administrators do about accounts. */
export const assembleSignIn = (deps: SignInDeps, around: Around) => {
  const { people, store, publicUrl, clock: now, ids } = deps;
  const { directory, browsers, door, admit, writeRecord, onChanged } = around;
  const { users } = store;
  const attempts = new Attempts(now);
  const firstRun = new FirstRun({ users, attempts, now, ids });
  const proxies = people.trustedProxies.map((text) => parseRange(text)).filter((range) => range !== null);
  const addressOf = (request: Request) =>
    clientAddress(people.socketOf(request), request.headers.get("x-forwarded-for"), proxies);
  const { identity, byPassword } = people;
  const service = new SignInService({
    ...{ users, store: store.signIn, identity, firstRun, attempts, writeRecord, onChanged },
    ...{ byPassword, now, ids, providerSignOut: async () => (await oidc?.signOutAddress()) ?? null },
  });
  const oidc = oidcSignIn(deps, { ...around, attempts, service });
  const provider = people.oidc?.rules.name ?? null;
  const web = {
    ...{ service, door, browsers, addressOf, admit, provider, byPassword, publicUrl },
    hasAdmin: () => directory.hasAdmin,
  };
  const account = new OwnAccount({
    ...{ store: store.signIn, keys: store.sessions, attempts, byPassword, writeRecord, now, ids },
  });
  const accounts = {
    users: new UserService({ users, store: store.signIn, publicUrl, now, ids }),
    ...{ account, door, addressOf, admit, onChanged },
  };
  let isOpen = !people.isPublic;
  return {
    addressOf,
    routes: signInRoutes(web),
    setupRoutes: setupRoutes(web),
    oidcRoutes: oidcRoutes(oidc && { signIn: oidc, browsers, publicUrl, addressOf, admit, door }),
    userRoutes: userRoutes(accounts),
    ownRoutes: ownRoutes(accounts),
    /** The set-up link while there is no administrator, else null. */
    openFirstRun: (): string | null => (directory.hasAdmin ? null : firstRun.open(publicUrl())),
    /** Whether all of the hub may be served. Once it is, it stays so: the last administrator cannot be taken away. */
    isOpen: (): boolean => {
      isOpen ||= directory.hasAdmin;
      return isOpen;
    },
    /** To be called a few times a day. */
    sweep: () => store.signIn.sweep(now()),
  };
};

type AroundOidc = Around & { readonly attempts: Attempts; readonly service: SignInService };

/** Null where no provider is set. */
const oidcSignIn = ({ people, store, publicUrl, log, clock: now, ids }: SignInDeps, around: AroundOidc) => {
  if (!people.oidc) return null;
  const { provider, rules, key, endsThere } = people.oidc;
  const { attempts: tries, service, writeRecord, onChanged } = around;
  const base = () => publicUrl().replace(/\/+$/, "");
  return new OidcSignIn({
    ...{ provider, rules, tries, store: store.signIn, writeRecord, log, now, ids },
    people: new OidcPeople({ rules, users: store.users, store: store.oidc, writeRecord, onChanged, now, ids }),
    attempts: new OidcAttempts(key, now),
    redirectUri: () => `${base()}${OIDC_PATH}/callback`,
    signedOutUri: endsThere ? () => `${base()}/login` : null,
    enter: (user, browser, how, provedAt) => service.enter(user, browser, how, provedAt),
  });
};
