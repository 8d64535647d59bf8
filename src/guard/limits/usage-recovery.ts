import { isRecord, parseJson } from "#core/json/json";
import type { AuditRecord } from "#model/audit";
import { hourOf } from "#model/usage";
import type { Clock } from "#platform/clock";
import type { Log } from "#platform/log";
import type { UsageStore } from "#store/governance-port";
import type { NodeStore } from "#store/node-port";
import type { AuditLog } from "#store/port";
import { UsageRecorder } from "./usage";

type CrashedAtNeeds = {
  readonly audit: Pick<AuditLog, "tail" | "read">;
  readonly usage: Pick<UsageStore, "add" | "readAll">;
};

type Counted = Pick<CrashedAtNeeds, "usage"> & { readonly audit: Pick<AuditLog, "read"> };

/** Longer than counters wait in memory before they are stored. */
const UNSTORED_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Records looked through for the hub's own last one. */
const LOOKED_AT = 1_000;

const AT_THE_MACHINE: ReadonlySet<string> = new Set(["cli", "apply"]);

type Row = Parameters<UsageStore["add"]>[0][number];
type Hours = Map<string, Readonly<Record<string, number>>>;

/**
 * When the hub last wrote its heartbeat, if it crashed; null after an orderly stop. To be asked before the
 * hub writes its first record. The command line writes beside it, and tells nothing of it.
 */
export const crashedAt = async ({ audit }: Pick<CrashedAtNeeds, "audit">): Promise<number | null> => {
  const records = (await audit.tail(LOOKED_AT)).flatMap(({ body }) => auditRecord(body) ?? []);
  const last = records.find(({ actor }) => !AT_THE_MACHINE.has(actor.via)) ?? records.at(-1);
  return !last || last.kind === "system.stop" ? null : Date.parse(last.at);
};

/**
 * Counters wait in memory for seconds before they are stored, and a crash takes those seconds. Here the hours in
 * question are counted again from the audit log, and what the store lacks is added. To be called before the first
 * call comes, with that moment as `now`; it need not end before. Returns what was lacking.
 */
export const recoverUsage = async (
  { audit, usage }: CrashedAtNeeds,
  crash: number,
  now: number,
): Promise<readonly Row[]> => recoverHours({ audit, usage }, hourOf(crash - UNSTORED_MS), now + 1);

/** Adds what the store lacks of whole hours, which begin at `since`. */
const recoverHours = async ({ audit, usage }: Counted, since: number, until: number): Promise<readonly Row[]> => {
  const stored = byHour(await usage.readAll(since, until));
  const counted = await recount(audit, since, until);
  const missing = [...counted].flatMap(([key, counts]) => {
    const before = stored.get(key) ?? {};
    const rest = Object.entries(counts).map(([name, n]) => [name, n - (before[name] ?? 0)] as const);
    const lacking = rest.filter(([, n]) => n > 0);
    return lacking.length === 0 ? [] : [{ ...subjectAndHour(key), counts: Object.fromEntries(lacking) }];
  });
  await usage.add(missing);
  return missing;
};

type CrashesNeeds = {
  readonly nodes: Pick<NodeStore, "crashes" | "recovered">;
  readonly audit: Pick<AuditLog, "read">;
  readonly usage: Pick<UsageStore, "add" | "readAll">;
  readonly now: Clock;
  readonly log: Log;
};

/**
 * The same where several processes serve. What one of them had not stored when it crashed cannot be told from what the
 * others have not stored yet, until an hour is over and they have: then it is counted again from all records. Limits do
 * not wait for that; they are counted in the store at each call. To be run by one process at a time.
 */
export const recoverCrashed = async ({ nodes, audit, usage, now, log }: CrashesNeeds): Promise<void> => {
  for (const crash of await nodes.crashes()) {
    if (crash.has_usage) continue;
    const until = hourOf(crash.until) + HOUR_MS;
    if (now() < until + UNSTORED_MS) continue;
    const lacking = await recoverHours({ audit, usage }, hourOf(crash.heard_at - UNSTORED_MS), until);
    await nodes.recovered(crash, "has_usage");
    log.info("usage.recovered", { node: crash.id, epoch: crash.epoch, hours: lacking.length });
  }
};

/** What the counters of these hours must be, by the audit log. `since` is the begin of an hour. */
export const recount = async (audit: Pick<AuditLog, "read">, since: number, until: number): Promise<Hours> => {
  const hours: Hours = new Map();
  const sums = {
    add: async (rows: Parameters<UsageStore["add"]>[0]) => void addTo(hours, rows),
    ofDay: async () => [],
    ofHour: async () => [],
  };
  let at = since;
  const recorder = new UsageRecorder({ usage: sums, now: () => at });
  for await (const { body } of audit.read({ since, until })) {
    const record = auditRecord(body);
    if (!record) continue;
    at = Date.parse(record.at);
    recorder.note(record);
  }
  await recorder.flush();
  return hours;
};

/** What we wrote ourselves, read back. */
const auditRecord = (body: string): AuditRecord | null => {
  const record = parseJson(body);
  return isAuditRecord(record) ? record : null;
};

const isAuditRecord = (value: unknown): value is AuditRecord =>
  isRecord(value) && value["v"] === 1 && typeof value["at"] === "string" && isRecord(value["actor"]);

const addTo = (hours: Hours, rows: Parameters<UsageStore["add"]>[0]): void => {
  for (const { subject_id, hour, counts } of rows) {
    const sum = new Map(Object.entries(hours.get(keyOf(subject_id, hour)) ?? {}));
    for (const [name, n] of Object.entries(counts)) sum.set(name, (sum.get(name) ?? 0) + n);
    hours.set(keyOf(subject_id, hour), Object.fromEntries(sum));
  }
};

const byHour = (rows: Awaited<ReturnType<UsageStore["readAll"]>>): Hours =>
  new Map(rows.map(({ subject_id, hour, counts }) => [keyOf(subject_id, hour), counts]));

const keyOf = (subject: string, hour: number): string => `${hour} ${subject}`;

const subjectAndHour = (key: string): { subject_id: string; hour: number } => {
  const space = key.indexOf(" ");
  return { subject_id: key.slice(space + 1), hour: Number(key.slice(0, space)) };
};
