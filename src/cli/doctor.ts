import { existsSync, readFileSync, statfsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { bodyOf } from "#audit/audit-rows";
import { givenPlace } from "#config/load";
import type { Config } from "#config/schema";
import { COMMANDS, commandLine, type HubPlace } from "#core/command-line";
import { GuardError } from "#core/errors";
import { keyPurpose } from "#features/providers/service";
import { isLocked, openDataDirectory } from "#platform/data-directory";
import { backupsIn } from "#store/sqlite/backup-directory";
import { checkProvider } from "#upstream/provider-check";
import { type Check, fail, ok, warn } from "./check";
import { databaseChecks, sqlite } from "./doctor-database";
import { keyChecks, permissions } from "./doctor-keys";
import { liveNodes, nodeCheck } from "./doctor-nodes";
import { chainOfChanges, postgresChecks, unreached, withoutPostgres } from "./doctor-postgres";
import { toolServerChecks } from "./doctor-tool-servers";
import { EXIT } from "./exit";
import { codeOf, messageOf } from "./failures";
import { type CredentialWorld, checkedProvider } from "./provider-adapters";
import { loopCheck, readServeStatus } from "./serve-status";
import { type CliSession, reading } from "./session";
import { plain } from "./table";
import type { Invocation, RunVerb } from "./verb";

/** What checks look at. */
type InspectedData = Pick<CliSession, "store" | "unseal" | "keys">;

const MIB = 1_048_576;
const LOW_DISK_MIB = 1_024;
const NO_DISK_MIB = 100;
/** A server with as many calls as `upstream.max_concurrent` holds two sockets for each. */
const FILES_PER_CALL = 2;
const SPARE_FILES = 256;
/** Before this moment no clock was right: the program was not written. */
const EARLIEST = Date.UTC(2026, 10, 1);
const CLOCK_SLACK_MS = 5_000;
const HOUR_MS = 3_600_000;
/** Records are shipped each second. */
const LATE_RECORDS_MS = 30_000;
/** Where nobody said how often they are wanted. */
const OLD_BACKUP_HOURS = 168;

const disk = (path: string): Check => {
  const { bavail, bsize } = statfsSync(path);
  const free = Math.floor((bavail * bsize) / MIB);
  const advice = "free disk space: without it no audit record can be written, and calls are refused";
  if (free < NO_DISK_MIB) return fail("disk", `${free} MiB free`, advice);
  return free < LOW_DISK_MIB ? warn("disk", `${free} MiB free`, advice) : ok("disk", `${free} MiB free`);
};

const openFiles = ({ upstream }: Config): Check => {
  const wanted = upstream.max_concurrent * FILES_PER_CALL + SPARE_FILES;
  const line = existsSync("/proc/self/limits")
    ? /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync("/proc/self/limits", "utf8"))
    : null;
  if (!line) return ok("open files", "the limit is unknown on this system");
  const limit = line[1] === "unlimited" ? Number.POSITIVE_INFINITY : Number(line[1]);
  if (limit >= wanted)
    return ok("open files", `limit ${line[1]}, enough for ${upstream.max_concurrent} concurrent calls`);
  const advice = `raise it (ulimit -n ${wanted}, or LimitNOFILE= in the unit), or lower upstream.max_concurrent`;
  return warn("open files", `limit ${limit} is too low for upstream.max_concurrent ${upstream.max_concurrent}`, advice);
};

/** Every worker has a thread for its calls, and others beside it. */
const workers = ({ server }: Config): Check[] => {
  const cores = availableParallelism();
  if (server.workers === 1) return [];
  const finding = `${server.workers} on ${cores} cores`;
  const advice = `set server.workers to ${Math.max(1, cores - 1)} at most: more processes cost CPU and serve no more`;
  return [server.workers < cores ? ok("workers", finding) : warn("workers", finding, advice)];
};

/** The audit log tells whether the clock went back: its newest record must not lie in the future. */
const clock = async ({ store }: Pick<CliSession, "store">): Promise<Check> => {
  const now = Date.now();
  const [newest] = await store.audit.tail(1);
  const last = newest ? Date.parse(bodyOf(newest).at ?? "") : 0;
  const advice = "set the clock (NTP): token expiry and audit timestamps depend on it";
  if (now < EARLIEST) return fail("clock", `${new Date(now).toISOString()} cannot be right`, advice);
  if (last > now + CLOCK_SLACK_MS)
    return fail("clock", `the newest audit record is ${Math.round((last - now) / 1000)} s ahead`, advice);
  return ok("clock", new Date(now).toISOString());
};

/** Those elsewhere are not known here: a warning, never a failure. */
const backups = (
  { backups: { every_hours } }: Config,
  { store }: Pick<CliSession, "store">,
  place: HubPlace,
): Check => {
  const [newest] = backupsIn(store.directory.backups);
  const create = commandLine(COMMANDS.createBackup(), place);
  const advice = `${create}, or set backups.every_hours; ignore this if backups are made elsewhere`;
  if (newest === undefined) return warn("backups", "none in the data directory", advice);
  const hours = Math.max(0, Math.floor((Date.now() - Date.parse(newest.manifest.created_at)) / HOUR_MS));
  const finding = `the newest here is ${ageOf(hours)} old`;
  const late = every_hours === 0 ? OLD_BACKUP_HOURS : 2 * every_hours;
  return hours > late ? warn("backups", finding, advice) : ok("backups", finding);
};

const ageOf = (hours: number): string => {
  if (hours < 1) return "less than an hour";
  return hours < 72 ? `${hours} h` : `${Math.floor(hours / 24)} days`;
};

/** Asks the providers for their models; with null asks none. */
const providerChecks = async (
  { store, unseal }: InspectedData,
  online: Pick<CredentialWorld, "config" | "environment"> | null,
  place: HubPlace,
): Promise<Check[]> => {
  const providers = await store.providers.list();
  if (providers.length === 0) return [ok("providers", "none; guardhouse/echo answers without one")];
  return Promise.all(
    providers.map(async (row): Promise<Check> => {
      const { id, name, base_url, sealed_key } = row;
      const label = `provider ${name}`;
      try {
        if (sealed_key !== null) unseal(keyPurpose(id), sealed_key);
      } catch (error) {
        return fail(label, messageOf(error), "restore the right master key, or remove and add the provider");
      }
      if (online === null) return ok(label, `${base_url} (not tested; --online tests it)`);
      const {
        ok: good,
        status,
        problem,
        models,
        ms,
      } = await checkProvider(checkedProvider(row, { ...online, unseal }));
      if (good) return ok(label, `${models.length} models in ${ms} ms`);
      return fail(label, problem ?? `answered ${status}`, commandLine(COMMANDS.testProvider(name), place));
    }),
  );
};

const dataChecks = async (invocation: Invocation): Promise<Check[]> => {
  const config = invocation.config();
  const path = resolve(config.data_dir);
  const place = givenPlace(invocation.settings());
  if (!existsSync(resolve(path, "guardhouse.db"))) {
    return [
      warn("data directory", `none at ${path}`, `${commandLine(COMMANDS.createAdminWithPassword(), place)} creates it`),
    ];
  }
  const directory = openDataDirectory(path);
  const isServed = isLocked(directory);
  const lock = isServed ? "a hub is running on it" : "no hub is running on it";
  const served = isServed ? [loopCheck(readServeStatus(directory, Date.now()))] : [];
  const outside = [...permissions(path), ok("lock", lock), disk(path), ...served];
  try {
    const inside = await reading(invocation, async (session) => [
      ...(await databaseChecks(session, place)),
      await nodeCheck({ nodes: session.store.nodes, isServed, config }),
      ...(await commonChecks(session, config)),
      ...(session.store.common === null ? withoutPostgres(config) : [await chainOfChanges(session.store.common)]),
      await clock(session),
      backups(config, session, place),
      ...(await keyChecks(session, place)),
      ...(await providerChecks(
        session,
        invocation.args.on("online") ? { config, environment: invocation.environment } : null,
        place,
      )),
      ...(await toolServerChecks(session, invocation.args.on("online") ? { session, invocation } : null, place)),
    ]);
    return [...outside, ...inside];
  } catch (error) {
    return [...outside, notOpened(error)];
  }
};

const notOpened = (error: unknown): Check => {
  if (error instanceof GuardError && error.code === "database_unavailable") return unreached(error);
  const code = codeOf(error);
  const advice =
    code === EXIT.newerData
      ? "use the newer version, or restore the backup made before the upgrade"
      : code === EXIT.configuration
        ? "correct database.url or data_dir: which of them belong together is noted in configuration.json"
        : "restore a backup";
  return fail("database", messageOf(error), advice);
};

/** Of the PostgreSQL that hubs share; nothing where there is none. */
const commonChecks = async ({ store }: Pick<CliSession, "store">, config: Config): Promise<Check[]> =>
  store.common === null ? [] : postgresChecks(store.common, config, await liveNodes(store.nodes));

/** How far the serving process is with what it ships. */
const shippingCheck = ({ store }: Pick<CliSession, "store">): Check[] => {
  if (store.shipping === null) return [];
  const { records, since } = store.shipping.lag();
  const seconds = since === null ? 0 : Math.max(0, Math.round((Date.now() - since) / 1_000));
  const advice = "records stay here until PostgreSQL takes them: see task.failed of the task ship in the hub's log";
  return [
    seconds * 1_000 < LATE_RECORDS_MS
      ? ok("records", records === 0 ? "all are in PostgreSQL" : `${records} are on their way to PostgreSQL`)
      : warn("records", `${records} have waited for PostgreSQL, the oldest for ${seconds} s`, advice),
  ];
};

/** What can be looked at beside the calls of a serving process: nothing that reads all of the database. */
export const runningChecks = async (config: Config, looked: InspectedData, place: HubPlace): Promise<Check[]> => {
  const { path } = looked.store.directory;
  const isWritten = looked.store.audit.healthy;
  return [
    openFiles(config),
    ...workers(config),
    ...permissions(path),
    disk(path),
    sqlite(),
    isWritten
      ? ok("audit log", "records are written")
      : fail("audit log", "records cannot be written", "see the log of the hub: calls are refused until this is fixed"),
    loopCheck(readServeStatus(looked.store.directory, Date.now())),
    await nodeCheck({ nodes: looked.store.nodes, isServed: true, config }),
    ...(await commonChecks(looked, config)),
    ...shippingCheck(looked),
    await clock(looked),
    backups(config, looked, place),
    ...(await keyChecks(looked, place)),
    ...(await providerChecks(looked, null, place)),
    ...(await toolServerChecks(looked, null, place)),
  ];
};

const SIGNS = { ok: "ok  ", warn: "WARN", fail: "FAIL" } as const;

/** `doctor`: exit code 1 when something fails; warnings do not. */
export const doctor: RunVerb = async (invocation) => {
  const checks = [
    ok("configuration", "read"),
    openFiles(invocation.config()),
    ...workers(invocation.config()),
    sqlite(),
    ...(await dataChecks(invocation)),
  ];
  const good = checks.every(({ state }) => state !== "fail");
  const width = Math.max(...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, state, finding, advice }) => [
    `${SIGNS[state]}  ${name.padEnd(width)}  ${plain(finding)}`,
    ...(advice === null ? [] : [`${" ".repeat(width + 8)}→ ${plain(advice)}`]),
  ]);
  await invocation.out.result({ ok: good, checks }, lines.join("\n"));
  return good ? EXIT.ok : EXIT.failure;
};
