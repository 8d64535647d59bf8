import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { AuditFlag } from "#core/audit";
import type { Action } from "#core/scan/detector";
import { AuditChain } from "#store/sqlite/audit-chain";
import { AuditKeeper } from "#store/sqlite/audit-keeper";
import { AuditSigner } from "#store/sqlite/audit-signer";
import { CallIndexer } from "#store/sqlite/call-indexer";
import { callRecord, toolRecord } from "#test/support/call-record";

/** Whose calls the rows are: some agents of one member, more of another, and calls without an agent. */
export type Cast = {
  readonly agents: readonly { readonly id: string; readonly user: string }[];
  readonly users: readonly string[];
};

export type Seeded = {
  readonly rows: number;
  readonly days: number;
  /** Microseconds a record, each by itself. */
  readonly appendUs: number;
  readonly indexUs: number;
  /** What the page of one call is asked for. */
  readonly callIds: readonly string[];
  readonly megabytes: { readonly log: number; readonly all: number };
};

const DAY_MS = 86_400_000;
const DAYS = 30;
const BATCH = 1_000;
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
    const told = { at, id, call_id, agent: agent?.id ?? null, user };
    const outcome = action === "block" ? ("blocked_input" as const) : ("answered" as const);
    const facts = {
      action,
      flags: action === "allow" ? [] : [flagOf(pick(FLAGS), action)],
      event_id: action === "block" || action === "redact" ? uuid(at, 2 * rows + n) : null,
      conversation_id: `conversation-${Math.floor(n / 8)}`,
      ms: { total: 500 + random() * 3_000, guard: 0.1 + random(), upstream: 400 + random() * 2_500, guard_out: 0.05 },
    };
    const isTool = random() < 0.3;
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

/** Appends to the log of a hub that does not run, through its own chain, then indexes all of it as the hub would. */
export const seed = (dataDir: string, cast: Cast, rows: number): Seeded => {
  const db = new Database(join(dataDir, "guardhouse.db"), { readwrite: true, create: false, strict: true });
  db.run("PRAGMA synchronous = NORMAL");
  db.run("PRAGMA cache_size = -65536");
  const size = (): number => {
    db.run("PRAGMA wal_checkpoint(TRUNCATE)");
    return Bun.file(join(dataDir, "guardhouse.db")).size / 1e6;
  };
  try {
    const signer = new AuditSigner(join(dataDir, "audit-key.pem"));
    const keeper = new AuditKeeper({ db, chain: new AuditChain(db, signer), signer, now: Date.now });
    const indexer = new CallIndexer(db);
    const make = rowsFor(cast, rows, Date.now());
    const callIds: string[] = [];
    let appendMs = 0;
    for (let n = 0; n < rows; n += BATCH) {
      const made = Array.from({ length: Math.min(BATCH, rows - n) }, (_, index) => make(n + index));
      callIds.push(made[0]?.call_id ?? "");
      const begin = performance.now();
      keeper.append(made.map(({ line }) => line));
      appendMs += performance.now() - begin;
    }
    const log = size();
    const begin = performance.now();
    while (indexer.slice());
    const indexMs = performance.now() - begin;
    return {
      ...{ rows, days: DAYS, callIds, megabytes: { log, all: size() } },
      ...{ appendUs: (appendMs / rows) * 1_000, indexUs: (indexMs / rows) * 1_000 },
    };
  } finally {
    db.close();
  }
};
