import { parseRange } from "#core/ip-range";
import { Attempts } from "#engine/attempts";
import type { Directory } from "#engine/directory";
import { BrowserDoor } from "#http/browser";
import { clientAddress } from "#http/client-address";
import type { signedInPerson } from "#http/person";
import type { Identity } from "#identity/port";
import { FirstRun } from "#modules/sign-in/first-run";
import { setupRoutes, signInRoutes } from "#modules/sign-in/routes";
import { SignInService } from "#modules/sign-in/service";
import { OwnAccount } from "#modules/users/own-account";
import { ownRoutes, userRoutes } from "#modules/users/routes";
import { UserService } from "#modules/users/service";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Store } from "#store/port";

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
  };
  readonly store: Pick<Store, "users" | "signIn" | "sessions">;
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
  const { identity } = people;
  const service = new SignInService({
    ...{ users, store: store.signIn, identity, firstRun, attempts, writeRecord, onChanged },
    ...{ now, ids },
  });
  const isSecure = () => new URL(publicUrl()).protocol === "https:";
  const web = { service, door, browsers, addressOf, isSecure, admit };
  const account = new OwnAccount({ store: store.signIn, keys: store.sessions, attempts, writeRecord, now, ids });
  const accounts = {
    users: new UserService({ users, store: store.signIn, publicUrl, now, ids }),
    ...{ account, door, addressOf, admit, onChanged },
  };
  let isOpen = !people.isPublic;
  return {
    addressOf,
    routes: signInRoutes(web),
    setupRoutes: setupRoutes(web),
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
