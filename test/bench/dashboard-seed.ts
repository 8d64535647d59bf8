import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { AuditFlag, CallFacts } from "#model/audit";
import type { Action } from "#scan/detector";
import { AuditChain, type ChainedRecord } from "#store/sqlite/audit-chain";
import { Checkpoints } from "#store/sqlite/audit-checkpoints";
import { AuditKeeper } from "#store/sqlite/audit-keeper";
import { AuditSigner } from "#store/sqlite/audit-signer";
import { CallIndexer } from "#store/sqlite/call-indexer";
import { callRecord, toolRecord } from "#test/support/call-record";
import type { Hub } from "#test/support/hub";

/** Whose calls the rows are: some agents of one member, more of another, and calls without an agent. */
export type Cast = {
  readonly agents: readonly { readonly id: string; readonly user: string }[];
  readonly users: readonly string[];
};

export type Seeded = {
  readonly rows: number;
  readonly days: number;
  /** Microseconds of CPU time a record: to append, to index as it passes the writer, and as it is read from the log. */
  readonly cpuUs: { readonly append: number; readonly index: number; readonly indexFromLog: number };
  /** What the page of one call is asked for. */
  readonly callIds: readonly string[];
  readonly megabytes: { readonly all: number; readonly index: number };
};

/** Two members with agents, and somebody who sees everything. */
export const peopled = async (hub: Hub): Promise<Cast> => {
  const agents: { id: string; user: string }[] = [];
  const users: string[] = [];
  for (const [email, count] of [
    ["few@example.com", 3],
    ["many@example.com", 20],
  ] as const) {
    const { id: user } = await hub.createUser(email);
    users.push(user);
    for (let n = 0; n < count; n += 1) {
      agents.push({ id: (await hub.createAgent(`agent-${n}`, email)).id, user });
    }
  }
  await hub.createUser("auditor@example.com", "--role", "auditor");
  return { agents: agents.reverse(), users };
};

const DAY_MS = 86_400_000;
const DAYS = 30;
const BATCH = 1_000;
/** So many of the newest are indexed as they are written, as in a hub that runs; the rest before, as after an update. */
const PASSED = 100_000;
const MODELS = ["gpt-5", "gpt-5-mini", "claude-sonnet-5", "qwen-4", "rare-model"] as const;
const FLAGS = [
  "pii.email",
  "pii.card_number",
  "secret.aws_access_key",
  "injection.direct",
  "injection.indirect",
] as const;

/** Numbers that look random and are the same every time (an LCG, Numerical Recipes' constants). */
const chance = () => {
  let state = 1;
  return (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};

const uuid = (at: number, n: number): string => {
  const time = at.toString(16).padStart(12, "0");
  const rest = n.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${rest}`;
};

const flagOf = (type: string, action: Action): AuditFlag => ({
  ...{ type, score: 0.9, start: 10, end: 30, detector: type, action },
  ...{ origin: "user", param: "messages[0].content" },
});

const actionFor = (luck: number): Action => {
  if (luck < 0.01) return "block";
  if (luck < 0.03) return "redact";
  return luck < 0.1 ? "flag" : "allow";
};

const statusOf = (outcome: string, luck: number): number => {
  if (outcome !== "answered") return 400;
  return luck < 0.002 ? 503 : 200;
};

/** Tokens and what they cost: up to two cents, and of one model in fifty nobody knows. */
const priced = (luck: number): Partial<CallFacts> => {
  const tokens = 50 + Math.floor(luck * 1_950);
  const usage = { prompt_tokens: tokens - 20, completion_tokens: 20, total_tokens: tokens };
  if (tokens % 50 === 0) return { usage, cost_usd: null, cost_basis: "unpriced" };
  return { usage, cost_usd: tokens / 100_000, cost_basis: "usage" };
};

/** Rows as a hub of some teams would have them: a few busy agents, rare blocks, one model in a hundred thousand calls. */
const rowsFor = ({ agents, users }: Cast, rows: number, now: number) => {
  const random = chance();
  const pick = <T>(items: readonly [T, ...T[]] | readonly T[]): T => {
    const item = items[Math.floor(random() ** 2 * items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  };
  return (n: number): { line: string; call_id: string } => {
    const at = Math.floor(now - DAYS * DAY_MS + (n / rows) * DAYS * DAY_MS);
    const action = actionFor(random());
    const agent = random() < 0.9 ? pick(agents) : null;
    const user = agent?.user ?? pick(users);
    const [id, call_id] = [uuid(at, 2 * n), uuid(at, 2 * n + 1)];
    const isTool = random() < 0.3;
    const told = { at, id, call_id, agent: agent?.id ?? null, user };
    const outcome = action === "block" ? ("blocked_input" as const) : ("answered" as const);
    const facts = {
      action,
      flags: action === "allow" ? [] : [flagOf(pick(FLAGS), action)],
      event_id: action === "block" || action === "redact" ? uuid(at, 2 * rows + n) : null,
      conversation_id: `conversation-${Math.floor(n / 8)}`,
      status: statusOf(outcome, random()),
      ...(isTool ? {} : priced(random())),
      ms: { total: 500 + random() * 3_000, guard: 0.1 + random(), upstream: 400 + random() * 2_500, guard_out: 0.05 },
    };
    const record = isTool
      ? toolRecord(`files__tool-${Math.floor(random() * 40)}`, { ...told, outcome, facts })
      : callRecord({
          ...told,
          outcome,
          facts: { ...facts, model: n % 100_000 === 7 ? "rare-model" : pick(MODELS.slice(0, 4)) },
        });
    return { line: JSON.stringify(record), call_id };
  };
};

/** CPU time of this process, its garbage collector among it. */
class Tally {
  us = 0;

  of<T>(work: () => T): T {
    const before = process.cpuUsage();
    const result = work();
    const { user, system } = process.cpuUsage(before);
    this.us += user + system;
    return result;
  }
}

const megabytesOf = (db: Database, dataDir: string): number => {
  db.run("PRAGMA wal_checkpoint(TRUNCATE)");
  return Bun.file(join(dataDir, "guardhouse.db")).size / 1e6;
};

const tableBytes = (db: Database, table: string): number => {
  const sql = "SELECT pgsize FROM dbstat WHERE aggregate = TRUE AND name = ?";
  return db.query<{ pgsize: number }, [string]>(sql).get(table)?.pgsize ?? 0;
};

/** As the writer's thread does it, in slices of its size. */
const indexAll = (indexer: CallIndexer, written: readonly ChainedRecord[]): void => {
  indexer.pass(written);
  while (indexer.slice());
  indexer.write();
};

/** Appends to the log of a hub that does not run, through its own chain, then indexes all of it as the hub would. */
export const seed = (dataDir: string, cast: Cast, rows: number): Seeded => {
  const db = new Database(join(dataDir, "guardhouse.db"), { readwrite: true, create: false, strict: true });
  db.run("PRAGMA synchronous = NORMAL");
  db.run("PRAGMA cache_size = -65536");
  try {
    const signer = new AuditSigner(join(dataDir, "audit-key.pem"));
    const checkpoints = new Checkpoints(db, signer, Date.now);
    const keeper = new AuditKeeper({ db, chain: new AuditChain(db, checkpoints), checkpoints, signer, now: Date.now });
    const indexer = new CallIndexer(db);
    const make = rowsFor(cast, rows, Date.now());
    const callIds: string[] = [];
    const passed = Math.min(rows, PASSED);
    let isRead = false;
    const [append, index, fromLog] = [new Tally(), new Tally(), new Tally()];
    const unread = rows - passed;
    for (let n = 0; n < rows; n += BATCH) {
      if (n >= unread && !isRead) {
        fromLog.of(() => indexAll(indexer, []));
        isRead = true;
      }
      const made = Array.from({ length: Math.min(BATCH, rows - n) }, (_, more) => make(n + more));
      callIds.push(made[0]?.call_id ?? "");
      const written = append.of(() => keeper.append(made.map(({ line }) => line)));
      if (isRead) index.of(() => indexAll(indexer, written));
    }
    const cpuUs = {
      append: append.us / rows,
      index: index.us / passed,
      indexFromLog: rows > passed ? fromLog.us / (rows - passed) : Number.NaN,
    };
    const all = megabytesOf(db, dataDir);
    const indexed = ["call_block", "call_column", "call_traffic"].map((table) => tableBytes(db, table) / 1e6);
    const megabytes = { all, index: indexed.reduce((sum, one) => sum + one, 0) };
    return { rows, days: DAYS, callIds, megabytes, cpuUs };
  } finally {
    db.close();
  }
};
