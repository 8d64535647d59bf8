import type { TokenUses } from "#engine/token-uses";
import type { signedInPerson } from "#http/person";
import { tokenRoutes } from "#modules/access/routes";
import { AccessService } from "#modules/access/service";
import { TokenDesk } from "#modules/access/token-desk";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Store } from "#store/port";

export type ManagementDeps = {
  readonly store: Pick<Store, "users" | "agents" | "tokens">;
  readonly clock: Clock;
  readonly ids: Ids;
};

type Around = {
  readonly door: ReturnType<typeof signedInPerson>;
  readonly admit: () => void;
  readonly onChanged: () => Promise<void>;
  readonly uses: TokenUses;
};

/** What people do at `/api` that operators do on the command line. */
export const assembleManagement = ({ store, clock: now, ids }: ManagementDeps, around: Around) => {
  const { users, agents, tokens } = store;
  const { uses, ...web } = around;
  const access = new AccessService({ users, agents, tokens, now, ids });
  const desk = new TokenDesk({ access, tokens, users, agents, lastUsed: (id) => uses.last(id), now });
  return { routes: [tokenRoutes({ ...web, desk })] };
};
