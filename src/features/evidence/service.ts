import { differencesBetween } from "#core/differences";
import { GuardError } from "#core/errors";
import type { Agent } from "#model/agent";
import type { AuditRecord } from "#model/audit";
import { decisionOf } from "#model/call-entry";
import { type Actor, changeRecord } from "#model/change";
import { type Clock, timestamp } from "#platform/clock";
import type { Ids } from "#platform/ids";
import type { KillSwitchStore, ProfileRow, ProfileStore, RestrictionStore, ReviewStore } from "#store/governance-port";
import type { ReportStore } from "#store/loop-port";
import type { AgentStore, AuditLog, UserStore } from "#store/port";
import type { NoProof, ProofStore } from "#store/proof-port";
import { DUTIES } from "./duties";
import { evidencePage } from "./page";
import type { Evidence, EvidenceFiles } from "./schema";
import { type CitedRow, Tally } from "./tally";

type EvidenceServiceNeeds = {
  readonly agents: Pick<AgentStore, "byId">;
  readonly users: Pick<UserStore, "list">;
  readonly reviews: Pick<ReviewStore, "ofAgent" | "decisions">;
  readonly profiles: Pick<ProfileStore, "ofAgent">;
  readonly restrictions: Pick<RestrictionStore, "ofAgent">;
  readonly killSwitches: Pick<KillSwitchStore, "list">;
  readonly reports: Pick<ReportStore, "list">;
  readonly audit: Pick<AuditLog, "read" | "flush"> & Verifying;
  readonly proofs: Pick<ProofStore, "logs" | "prove" | "sign">;
  readonly writeRecord: (line: string) => Promise<void>;
  readonly version: string;
  readonly now: Clock;
  readonly ids: Ids;
};

/** A little at a time, so that calls come first where there are any. */
type Verifying = {
  verifySlowly(between: (records: number) => Promise<void>): Promise<{
    readonly ok: boolean;
    readonly records: number;
    readonly faults: readonly { readonly problem: string }[];
  }>;
};

/** Milliseconds in Unix time; `to` is exclusive. */
export type Span = { readonly from: number; readonly to: number };

const WHY_NOT: Readonly<Record<NoProof, string>> = {
  before_tree: "from before the log had a tree",
  unsigned: "not under a checkpoint yet",
  elsewhere: "in the log of another hub",
};

const DAY_MS = 86_400_000;
const MAX_DAYS = 366;

/** Reports on what governed an agent, and on what it did. */
export class EvidenceService {
  #isBusy = false;

  constructor(private readonly deps: EvidenceServiceNeeds) {}

  /** Throws `not_found`, `invalid_value` for a span, and `state_conflict` while another one is being made. */
  async report(by: Actor, agentId: string, span: Span): Promise<EvidenceFiles> {
    if (!(span.from < span.to) || span.to - span.from > MAX_DAYS * DAY_MS)
      throw new GuardError("invalid_value", `A report covers a time of up to ${MAX_DAYS} days; from comes before to.`, {
        param: "to",
      });
    // It reads the whole span of the log: one at a time.
    if (this.#isBusy) throw new GuardError("state_conflict", "Another report is being made. Try again in a minute.");
    this.#isBusy = true;
    try {
      await this.#record(by, agentId, span);
      const evidence = await this.#gather(agentId, span);
      const json = `${JSON.stringify(evidence, null, 2)}\n`;
      const html = evidencePage(evidence);
      return { json, html, note: await this.deps.proofs.sign(signedText(evidence, json, html)) };
    } finally {
      this.#isBusy = false;
    }
  }

  /** That somebody took it is recorded. Throws `not_found`. */
  async #record(by: Actor, agentId: string, { from, to }: Span): Promise<void> {
    const { agents, writeRecord, ids, now } = this.deps;
    if ((await agents.byId(agentId)) === null) throw new GuardError("not_found", "There is no such agent.");
    const detail = { from: timestamp(from), to: timestamp(to) };
    const change = { kind: "evidence.report", by, subject: "agent", subject_id: agentId, detail };
    await writeRecord(changeRecord(change, { id: ids(), at: now() }));
  }

  async #gather(agentId: string, span: Span): Promise<Evidence> {
    const { agents, users, proofs, audit, version, now } = this.deps;
    const agent = await agents.byId(agentId);
    if (agent === null) throw new GuardError("not_found", "There is no such agent.");
    const emails = new Map((await users.list()).map(({ id, email }) => [id, email]));
    const person = (id: string | null): string | null => (id === null ? null : (emails.get(id) ?? null));
    const tally = await this.#tally(agentId, span);
    const { changed, citedTotal, ...counts } = tally.counts;
    const verified = await audit.verifySlowly(() => Bun.sleep(0));
    // What is cited is to be under a checkpoint.
    await audit.flush();
    const logs = await proofs.logs();
    return {
      object: "evidence",
      version: 1,
      made_at: timestamp(now()),
      from: timestamp(span.from),
      to: timestamp(span.to),
      hub: { version, key: logs[0]?.key ?? null },
      agent: agentOf(agent, person),
      reviews: await this.#reviews(agentId, person),
      profiles: profilesOf(await this.deps.profiles.ofAgent(agentId), person),
      ...counts,
      disputes: await this.#disputes(agentId, span),
      ...(await this.#stops(agent, span, person)),
      changes: {
        total: changed,
        shown: tally.changes.map(({ at, kind, actor, id }) => ({ at, kind, by: person(actor.user_id), record: id })),
      },
      log: {
        verified: { ok: verified.ok, records: verified.records, faults: verified.faults.map(({ problem }) => problem) },
        trees: logs.flatMap(({ node, origin, key, head, witnessed }) =>
          head === null ? [] : [{ node, origin, key, size: head.size, checkpoint: (witnessed ?? head).note }],
        ),
      },
      cited: { total: citedTotal, shown: await Promise.all(tally.cited.map((one) => this.#cite(one))) },
      duties: DUTIES,
    };
  }

  async #tally(agentId: string, { from, to }: Span): Promise<Tally> {
    const tally = new Tally(agentId);
    for await (const row of this.deps.audit.read({ since: from, until: to })) {
      // Most records are of others: an id that is not there need not be looked for in the parsed record.
      if (row.body.includes(agentId)) tally.add(row, recordIn(row.body));
    }
    return tally;
  }

  async #cite({ row, record }: CitedRow): Promise<Evidence["cited"]["shown"][number]> {
    const proof = await this.deps.proofs.prove({ node: row.node ?? null, seq: row.seq, body: row.body });
    const isNone = proof === "before_tree" || proof === "unsigned" || proof === "elsewhere";
    return {
      call_id: record.call_id,
      event_id: record.call?.event_id ?? null,
      at: record.at,
      kind: record.kind,
      decision: decisionOf(record),
      types: [...new Set(record.call?.flags.map(({ type }) => type) ?? [])],
      proof: isNone ? null : proof,
      no_proof: isNone ? WHY_NOT[proof] : null,
    };
  }

  async #reviews(agentId: string, person: Person): Promise<Evidence["reviews"]> {
    const { reviews } = this.deps;
    const all = await reviews.ofAgent(agentId);
    return Promise.all(
      all.map(async ({ id, number, status, submitted_at, submitted_by }) => ({
        id,
        number,
        status,
        submitted_at: momentOf(submitted_at),
        submitted_by: person(submitted_by),
        decisions: (await reviews.decisions(id)).map(({ decision, by, at }) => ({
          decision,
          by: person(by),
          at: timestamp(at),
        })),
      })),
    );
  }

  async #disputes(agentId: string, { from, to }: Span): Promise<Evidence["disputes"]> {
    const all = await this.deps.reports.list({ direction: "false_positive", agent_id: agentId, since: from });
    const own = all.filter(({ created_at }) => created_at < to);
    const verdict = (word: string) =>
      own.filter(({ decision, llm_verdict }) => (decision ?? llm_verdict) === word).length;
    const [upheld, rejected, inconclusive] = [
      verdict("false_positive"),
      verdict("true_positive"),
      verdict("inconclusive"),
    ];
    return { made: own.length, upheld, rejected, inconclusive, open: own.length - upheld - rejected - inconclusive };
  }

  /** Restrictions and kill switches that were in force in the span. */
  async #stops(agent: Agent, span: Span, person: Person): Promise<Pick<Evidence, "restrictions" | "kill_switches">> {
    const { restrictions, killSwitches } = this.deps;
    const inSpan = (begin: number, end: number | null): boolean =>
      begin < span.to && (end === null || end >= span.from);
    const set = (await restrictions.ofAgent(agent.id)).map((it) => ({
      ...it,
      ended: endOf(it.lifted_at, it.expires_at),
    }));
    const switches = (await killSwitches.list()).filter(
      ({ level, target }) => level === "all" || target === agent.id || target === agent.owner_id,
    );
    return {
      restrictions: set
        .filter(({ starts_at, ended }) => inSpan(starts_at, ended))
        .map(({ id, kind, source, set_by, reason, starts_at, ended, receipts }) => ({
          ...{ id, kind, source, reason, set_by: person(set_by), starts_at: timestamp(starts_at) },
          ended_at: momentOf(ended),
          receipts: receipts.map(({ point, confirmed_at }) => ({ point, confirmed_at: timestamp(confirmed_at) })),
        })),
      kill_switches: switches
        .filter(({ set_at, lifted_at }) => inSpan(set_at, lifted_at))
        .map(({ id, level, set_by, reason, set_at, lifted_at, receipts }) => ({
          ...{ id, level, reason, set_by: person(set_by), set_at: timestamp(set_at), lifted_at: momentOf(lifted_at) },
          receipts: receipts.map(({ point, confirmed_at }) => ({ point, confirmed_at: timestamp(confirmed_at) })),
        })),
    };
  }
}

type Person = (id: string | null) => string | null;

const endOf = (lifted: number | null, expires: number | null): number | null =>
  lifted === null || expires === null ? (lifted ?? expires) : Math.min(lifted, expires);

const momentOf = (at: number | null): string | null => (at === null ? null : timestamp(at));

const recordIn = (body: string): AuditRecord => JSON.parse(body);

const agentOf = (agent: Agent, person: Person): Evidence["agent"] => {
  const { id, name, description, environment, lifecycle, review_status, profile_version } = agent;
  return {
    ...{ id, name, description, environment, lifecycle, review_status, profile_version },
    owner: person(agent.owner_id),
    sponsor: person(agent.sponsor_id),
    review_due_at: momentOf(agent.review_due_at),
  };
};

/** Newest first, each with what it changed. */
const profilesOf = (rows: readonly ProfileRow[], person: Person): Evidence["profiles"] =>
  rows.map(({ version, effective_from, approved_by, content_hash, body }, at) => ({
    version,
    in_force_from: timestamp(effective_from),
    approved_by: approved_by.map(person),
    content_hash,
    changed: differencesBetween(rows[at + 1]?.body ?? {}, body).map(({ pointer }) => pointer),
  }));

/** What the log's key signs: the files by their hashes. Its first words are those of no checkpoint. */
const signedText = ({ agent, from, to, made_at }: Evidence, json: string, html: string): string =>
  [
    "guardhouse evidence v1",
    `agent ${agent.id}`,
    `span ${from} ${to}`,
    `made ${made_at}`,
    `json ${Bun.SHA256.hash(json, "hex")}`,
    `html ${Bun.SHA256.hash(html, "hex")}`,
    "",
  ].join("\n");
