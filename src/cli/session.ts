import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Config } from "#config/schema";
import { COMMANDS, commandLine } from "#core/command-line";
import { contentHash } from "#engine/content-hash";
import { AccessService } from "#modules/access/service";
import { SessionService } from "#modules/access/sessions";
import { ProviderService } from "#modules/providers/service";
import { systemClock } from "#platform/clock";
import { isLocked } from "#platform/data-directory";
import { systemIds } from "#platform/ids";
import type { KeyedHash } from "#platform/keyed-hash";
import type { MasterKeys } from "#platform/master-keys";
import type { Sealing } from "#platform/sealing";
import { openSqliteStore, type SqliteStore } from "#store/sqlite/index";
import { EXIT, Stop } from "./exit";
import { masterKeysOf, sealingWith } from "./sealing";
import type { Invocation } from "./verb";

/** How often and how long a command asks whether the serving process has taken its change in. */
const POLL_MS = 25;
const PATIENCE_MS = 2_000;

/** What a command works with: the store and the use cases over it. */
export type Session = {
  readonly store: SqliteStore;
  readonly access: AccessService;
  readonly providers: ProviderService;
  readonly sessions: SessionService;
  readonly seal: Sealing["seal"];
  /** How kept content and the values of tuning rules are compared. */
  readonly contentHash: () => Promise<KeyedHash>;
  /** Opens a secret sealed with the master key; throws `UnsealFailed`. */
  readonly unseal: Sealing["unseal"];
  /** Read on first use, so that commands without secrets need none. */
  readonly keys: MasterKeys;
};

const hasData = (dataDir: string): boolean => existsSync(resolve(dataDir, "guardhouse.db"));

/** For commands that only look, and changes of what must be there already. */
export const requireData = (dataDir: string): void => {
  if (!hasData(dataDir)) {
    const make = commandLine(COMMANDS.createAdmin());
    throw new Stop(
      EXIT.notFound,
      `There is no data directory at ${resolve(dataDir)}. Name the hub's with --data-dir DIR or --config FILE; ${make} begins a new one`,
    );
  }
};

/** Makes the data directory when there is none. Whoever opens a session closes its store. */
export const openSession = async (config: Config): Promise<Session> => {
  const { data_dir, durability } = config;
  const store = await openSqliteStore({ dataDir: data_dir, durability, writer: "inline" });
  const { users, agents, tokens, providers, sessions } = store;
  const basics = { now: systemClock, ids: systemIds };
  const keys = masterKeysOf(store.directory, config);
  const sealing = sealingWith(keys);
  const { seal, unseal } = sealing;
  return {
    store,
    access: new AccessService({ users, agents, tokens, ...basics }),
    sessions: new SessionService({ sessions, ...basics }),
    providers: new ProviderService({ providers, seal, ...basics }),
    seal,
    contentHash: () => contentHash({ secrets: store.secrets, ...sealing }),
    unseal,
    keys,
  };
};

/** Looks at the data; nothing is made when there is none (exit code 9). */
export const reading = async <T>(invocation: Invocation, look: (session: Session) => Promise<T>): Promise<T> => {
  requireData(invocation.config().data_dir);
  const session = await openSession(invocation.config());
  try {
    return await look(session);
  } finally {
    await session.store.close();
  }
};

/**
 * Changes the data. Returns when a serving process, if there is one, has taken the change in: after
 * `token revoke` the token opens nothing any more.
 */
export const changing = async <T>(invocation: Invocation, work: (session: Session) => Promise<T>): Promise<T> => {
  requireData(invocation.config().data_dir);
  return changingOrBeginning(invocation, work);
};

/** The same for the first command of an installation, which makes the data directory and says where. */
export const changingOrBeginning = async <T>(
  invocation: Invocation,
  work: (session: Session) => Promise<T>,
): Promise<T> => {
  const dataDir = invocation.config().data_dir;
  if (!hasData(dataDir)) {
    await invocation.out.note(
      `A NEW DATA DIRECTORY is made at ${resolve(dataDir)}. A hub that serves from elsewhere knows nothing of it: name its own with --data-dir DIR or --config FILE`,
    );
  }
  const session = await openSession(invocation.config());
  try {
    const before = await session.store.changes.revision();
    const result = await work(session);
    await untilTakenIn(session.store, before, invocation);
    return result;
  } finally {
    await session.store.close();
  }
};

const untilTakenIn = async (store: SqliteStore, before: number, { out }: Invocation): Promise<void> => {
  const revision = await store.changes.revision();
  if (revision === before || !isLocked(store.directory)) return;
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    const seen = await store.changes.acknowledged();
    if (seen !== null && seen >= revision) return;
    await Bun.sleep(POLL_MS);
  }
  await out.note(
    `warning: the change is stored, but the running service has not taken it in within ${PATIENCE_MS / 1000} s`,
  );
};
