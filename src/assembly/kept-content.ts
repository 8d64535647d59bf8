import { ContentKeeper, type KeepingOptions } from "#engine/content-keeper";
import type { signedInPerson } from "#http/person";
import { contentRoutes } from "#modules/content/routes";
import { ContentService } from "#modules/content/service";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { Log } from "#platform/log";
import type { Sealing } from "#platform/sealing";
import type { Store } from "#store/port";

export type KeptContentDeps = {
  readonly keeping: KeepingOptions;
  readonly store: Pick<Store, "agents" | "content">;
  readonly tools: Sealing;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

type Around = {
  readonly door: ReturnType<typeof signedInPerson>;
  readonly writeRecord: (line: string) => Promise<void>;
  readonly admit: () => void;
};

/** What is kept of calls' texts, and the addresses that show it. */
export const assembleContent = (deps: KeptContentDeps, { door, writeRecord, admit }: Around) => {
  const { store, tools, keeping, clock, ids, log } = deps;
  const { agents, content } = store;
  const keeper = new ContentKeeper({ ...keeping, content, seal: tools.seal, clock, ids, log });
  const service = new ContentService({
    ...{ content, agents, unseal: tools.unseal, writeRecord },
    ...{ settled: () => keeper.settled(), now: clock, ids },
  });
  return { keeper, routes: contentRoutes({ service, door, admit }) };
};
