import { type PersonRouteParts, personRoutes } from "#http/authentication";
import { feature } from "#hub/feature";
import type { NeedsOf } from "#hub/graph";
import type { SignInThrottle } from "#identity/login-throttle";
import type { SessionStore } from "#store/port";
import type { SignInStore } from "#store/sign-in-port";
import { ownRoutes, userRoutes } from "./endpoints";
import { OwnAccount } from "./own-account";
import { UserService } from "./service";

type Signing = { readonly signIn: SignInStore };
type UserParts = Signing & Omit<NeedsOf<typeof UserService>, "store">;
type AccountParts = Signing &
  Omit<NeedsOf<typeof OwnAccount>, "store" | "keys" | "byPassword"> & {
    readonly sessions: SessionStore;
    readonly attempts: SignInThrottle;
    readonly people: { readonly byPassword: boolean };
  };
type RouteParts = PersonRouteParts & {
  readonly userService: UserService;
  readonly ownAccount: OwnAccount;
  readonly addressOf: (request: Request) => string | null;
};

/** Accounts: what administrators do about all, and people about their own. */
export const users = feature({
  provides: {
    userService: ({ users, signIn: store, publicUrl, now, ids }: UserParts) =>
      new UserService({ users, store, publicUrl, now, ids }),
    ownAccount: ({ signIn: store, sessions: keys, attempts, people, writeRecord, now, ids }: AccountParts) =>
      new OwnAccount({ store, keys, attempts, byPassword: people.byPassword, writeRecord, now, ids }),
  },
  routes: (c: RouteParts) => {
    const shared = { ...personRoutes(c), users: c.userService, account: c.ownAccount, addressOf: c.addressOf };
    return [userRoutes(shared), ownRoutes(shared)];
  },
});
