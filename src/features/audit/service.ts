import { type AuditFormat, auditFormat } from "#audit/audit-formats";
import { GuardError } from "#core/errors";
import { type Actor, changeRecord, HUB_ACTOR } from "#model/change";
import type { User } from "#model/person";
import { type Clock, hasPassed, timestamp } from "#platform/clock";
import type { Ids } from "#platform/ids";
import { causeOf, type Log } from "#platform/log";
import type { AuditLog, AuditQuery, AuditUpkeep, LogState } from "#store/port";
import type { AuditState, Verification } from "./schema";

type AuditServiceNeeds = {
  readonly audit: Pick<AuditLog, "healthy" | "read"> & AuditUpkeep;
  readonly people: { user(id: string): User | null };
  readonly version: string;
  /** Resolves when the record is on disk. */
  readonly writeRecord: (line: string) => Promise<void>;
  /** What a check waits for between two pieces, so that calls come first. */
  readonly pause: () => Promise<void>;
  readonly now: Clock;
  readonly ids: Ids;
  readonly log: Log;
};

/** A hub that is often started is checked all the same, and a start is not slowed down. Milliseconds. */
const FIRST_CHECK_MS = 3_600_000;
/** Text handed on at once, in characters. */
const BATCH = 65_536;

/** The audit log as auditors look after it. */
export class AuditService {
  /** The last check of this process, or the one that goes on. */
  private last: Verification | null = null;
  /** What the last one that came to its end found. */
  private checked: { readonly at: number; readonly faults: number } | null = null;
  private readonly startedAt: number;

  constructor(private readonly deps: AuditServiceNeeds) {
    this.startedAt = deps.now();
  }

  /** Of this process; null for none yet. */
  get lastCheck(): { readonly at: number; readonly faults: number } | null {
    return this.checked;
  }

  /** Begins a check by itself once the last one is so old, or an hour after the start. 0 for never. */
  async checkIfDue(everyMs: number): Promise<void> {
    if (everyMs === 0 || this.last?.state === "running") return;
    const since = this.last === null ? this.startedAt : Date.parse(this.last.started_at);
    const wait = this.last === null ? Math.min(everyMs, FIRST_CHECK_MS) : everyMs;
    if (hasPassed(wait, since, this.deps.now())) await this.verify(HUB_ACTOR);
  }

  async state(): Promise<AuditState> {
    const { head, checkpoint, months, nodes = [] } = await this.deps.audit.state();
    const shown = months.map(({ month, first_seq, last_seq, dropped_at }) => ({
      month,
      first_seq,
      last_seq,
      records: last_seq - first_seq + 1,
      dropped_at: dropped_at === null ? null : timestamp(dropped_at),
    }));
    return {
      object: "audit.state",
      healthy: this.deps.audit.healthy,
      head,
      checkpoint: checkpoint && { ...checkpoint, at: timestamp(checkpoint.at) },
      months: shown,
      records: [months, ...nodes.map((one) => one.months)].reduce((sum, own) => sum + keptIn(own), 0),
      nodes: nodes.map((one) => ({ node: one.node, records: keptIn(one.months), head: one.head })),
      verification: this.last,
    };
  }

  get verification(): Verification {
    if (this.last) return this.last;
    throw new GuardError(
      "not_found",
      "The audit chain has not been verified since the hub started. Start a verification with POST /api/audit/verify.",
    );
  }

  /** Begins to check the whole chain; that somebody did is on record. One at a time: throws `state_conflict`. */
  async verify(by: Actor): Promise<Verification> {
    if (this.last?.state === "running")
      throw new GuardError("state_conflict", "A verification is already running. Wait until it has ended.");
    const { ids, now, people } = this.deps;
    const begun: Verification = {
      object: "audit.verification",
      id: ids(),
      state: "running",
      started_at: timestamp(now()),
      ended_at: null,
      by: by.user_id && (people.user(by.user_id)?.email ?? null),
      records: 0,
      of: 0,
      checkpoints: null,
      head: null,
      faults: [],
    };
    this.last = begun;
    try {
      const { records } = await this.state();
      await this.record(by, "audit.verify", begun.id, { records });
      // With the record of the check itself, which is checked too.
      const after = await this.state();
      this.last = { ...begun, of: after.records, head: after.head?.hash ?? null };
    } catch (error) {
      this.last = null;
      throw error;
    }
    void this.run(this.last);
    return this.last;
  }

  /** Never throws: what goes wrong is its result. */
  private async run(begun: Verification): Promise<void> {
    const { audit, pause, now, log } = this.deps;
    try {
      const report = await audit.verifySlowly((records) => {
        // Calls go on, and what they have written before a month was read is read with it.
        this.last = { ...begun, records, of: Math.max(begun.of, records) };
        return pause();
      });
      const { ok, records, checkpoints, head, faults } = report;
      const ended_at = timestamp(now());
      this.last = { ...begun, state: ok ? "ok" : "broken", ended_at, records, of: records, checkpoints, head, faults };
      this.checked = { at: now(), faults: ok ? 0 : Math.max(1, faults.length) };
      if (!ok) log.error("audit.broken", { faults: faults.length });
    } catch (error) {
      log.error("audit.verify_failed", causeOf(error));
      this.last = { ...(this.last ?? begun), state: "failed", ended_at: timestamp(now()) };
    }
  }

  /** The log as a document, read as it is sent; that somebody took it is on record first. Throws `invalid_value`. */
  async export(
    by: Actor,
    name: string,
    query: AuditQuery,
  ): Promise<{ type: string; body: ReadableStream<Uint8Array> }> {
    const format = auditFormat(name, this.deps.version);
    if (!format) {
      throw new GuardError("invalid_value", "format must be one of ndjson, csv, ocsf.", { param: "format" });
    }
    const time = (at: number | undefined) => (at === undefined ? null : timestamp(at));
    const detail = { format: name, since: time(query.since), until: time(query.until) };
    await this.record(by, "audit.export", this.deps.ids(), detail);
    return { type: format.type, body: streamOf(format, this.deps.audit.read(query)) };
  }

  private record(by: Actor, kind: string, id: string, detail: Readonly<Record<string, unknown>>): Promise<void> {
    const change = { kind, by, subject: "audit", subject_id: id, detail };
    return this.deps.writeRecord(changeRecord(change, { id: this.deps.ids(), at: this.deps.now() }));
  }
}

/** Records of the months that are still there. */
const keptIn = (months: LogState["months"]): number =>
  months.reduce((sum, one) => sum + (one.dropped_at === null ? one.last_seq - one.first_seq + 1 : 0), 0);

/** As fast as its reader takes it; nothing is read for one that has gone. */
const streamOf = (format: AuditFormat, rows: ReturnType<AuditLog["read"]>): ReadableStream<Uint8Array> => {
  const text = new TextEncoder();
  const reading = rows[Symbol.asyncIterator]();
  let head = format.head;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      let batch = head;
      head = "";
      while (batch.length < BATCH) {
        const { done, value } = await reading.next();
        if (done) {
          if (batch !== "") controller.enqueue(text.encode(batch));
          controller.close();
          return;
        }
        batch += format.line(value);
      }
      controller.enqueue(text.encode(batch));
    },
    async cancel() {
      await reading.return?.();
    },
  });
};
