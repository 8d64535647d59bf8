import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AuditWriter, startThread } from "#store/sqlite/audit-writer";
import { openSqliteStore } from "#store/sqlite/index";
import { callRecord } from "#test/support/call-record";
import { quantile } from "./stats";

/** Rounds without and with, by turns. */
const ROUNDS = 4;
const PER_SECOND = 2_000;
const EVERY_MS = 5;
const USERS = 50;

type Round = { readonly appended: number; readonly p50: number; readonly p99: number; readonly cpuUs: number };
export type CommitCost = { readonly plain: readonly Round[]; readonly indexed: readonly Round[] };

/** How long a record takes to be on disk while 2,000 a second come, with their index and without. */
export async function commitCost(seconds: number): Promise<CommitCost> {
  const [plain, indexed]: [Round[], Round[]] = [[], []];
  for (let count = 0; count < ROUNDS; count += 1) {
    plain.push(await round(seconds, startPlain));
    indexed.push(await round(seconds, startThread));
  }
  return { plain, indexed };
}

const startPlain = (): Worker => new Worker(new URL("./plain-audit-worker.ts", import.meta.url));

const round = async (seconds: number, start: () => Worker): Promise<Round> => {
  const dataDir = await mkdtemp(join(tmpdir(), "guardhouse-bench-"));
  try {
    const store = await openSqliteStore({ dataDir, writer: "inline" });
    const { database, auditKey, nodeLogs } = store.directory;
    await store.close();
    const writer = new AuditWriter({ database, auditKey, nodeLogs, node: null, durability: "full" }, {}, start);
    await writer.open();
    const before = process.cpuUsage();
    const took = await appendFor(writer, seconds);
    const { user, system } = process.cpuUsage(before);
    await writer.close();
    took.sort((one, other) => one - other);
    const [p50, p99] = [quantile(took, 0.5), quantile(took, 0.99)];
    return { appended: took.length, p50, p99, cpuUs: (user + system) / took.length };
  } finally {
    await rm(dataDir, { recursive: true });
  }
};

/** As calls come: a few every five milliseconds, whether the last were written or not. */
const appendFor = async (writer: AuditWriter, seconds: number): Promise<number[]> => {
  const took: number[] = [];
  const waiting: Promise<void>[] = [];
  const begun = performance.now();
  for (let n = 0; performance.now() - begun < seconds * 1_000; ) {
    const due = Math.floor(((performance.now() - begun) / 1_000) * PER_SECOND);
    for (; n < due; n += 1) waiting.push(append(writer, n, took));
    await Bun.sleep(EVERY_MS);
  }
  await Promise.all(waiting);
  return took;
};

const append = async (writer: AuditWriter, n: number, took: number[]): Promise<void> => {
  const id = Bun.randomUUIDv7();
  const told = { at: Date.now(), id, call_id: id, user: `user-${n % USERS}`, agent: `agent-${n % (2 * USERS)}` };
  const line = JSON.stringify(callRecord({ ...told, facts: { conversation_id: `conversation-${n >> 3}` } }));
  const begun = performance.now();
  await writer.append(line);
  took.push(performance.now() - begun);
};

export const commitText = ({ plain, indexed }: CommitCost): string => {
  const of = (rounds: readonly Round[], what: keyof Round) =>
    rounds.map((one) => one[what].toFixed(what === "appended" ? 0 : 1)).join(", ");
  const line = (name: string, rounds: readonly Round[]) =>
    `${name}: p50 ${of(rounds, "p50")}; p99 ${of(rounds, "p99")}; CPU µs a record ${of(rounds, "cpuUs")}`;
  return [`ms from append to disk at ${PER_SECOND}/s`, line("without index", plain), line("with index", indexed)].join(
    "\n",
  );
};
