import type { AuditRecord } from "#model/audit";
import { decisionOf } from "#model/call-entry";
import { TAXONOMY_NAMES, taxonomyOf } from "#model/taxonomy";
import type { AuditRow } from "#store/record";
import type { Evidence } from "./schema";

/** Changes and cited calls that a report shows at most, the newest; the totals count all. */
const MAX_CHANGES = 1_000;
const MAX_CITED = 200;
/** Values of a field that are counted by themselves; others are `(other)`. */
const MAX_VALUES = 200;

const CITED: ReadonlySet<string> = new Set(["redact", "block", "refused"]);

export type CitedRow = { readonly row: AuditRow; readonly record: AuditRecord };

class Counter {
  readonly #counts = new Map<string, number>();

  add(name: string, count = 1): void {
    const known = this.#counts.has(name) || this.#counts.size < MAX_VALUES ? name : "(other)";
    this.#counts.set(known, (this.#counts.get(known) ?? 0) + count);
  }

  /** The largest first. */
  get all(): Record<string, number> {
    return Object.fromEntries([...this.#counts].sort(([a, m], [b, n]) => n - m || a.localeCompare(b)));
  }
}

/** Adds up what audit records say of one agent. Memory is bounded however many there are. */
export class Tally {
  readonly changes: AuditRecord[] = [];
  readonly cited: CitedRow[] = [];
  #changed = 0;
  #citedTotal = 0;
  #total = 0;
  #tokens = 0;
  #cost = 0;
  #unpriced = 0;
  #texts = 0;
  #chars = 0;
  readonly #kinds = new Counter();
  readonly #decisions = new Counter();
  readonly #outcomes = new Counter();
  readonly #models = new Counter();
  readonly #tools = new Counter();
  readonly #refusals = new Counter();
  readonly #unscanned = new Counter();
  readonly #findings = new Map<string, { count: number; readonly actions: Counter }>();

  constructor(private readonly agentId: string) {}

  add(row: AuditRow, record: AuditRecord): void {
    if (record.phase !== "final") return;
    if (record.change) {
      if (record.actor.agent_id !== this.agentId && !isAbout(record.change, this.agentId)) return;
      this.#changed += 1;
      keepNewest(this.changes, record, MAX_CHANGES);
    } else if (record.call && record.actor.agent_id === this.agentId) this.#call(row, record, record.call);
  }

  #call(row: AuditRow, record: AuditRecord, call: NonNullable<AuditRecord["call"]>): void {
    const decision = decisionOf(record);
    this.#total += 1;
    this.#kinds.add(record.kind);
    this.#decisions.add(decision);
    this.#outcomes.add(record.outcome);
    if (call.model) this.#models.add(call.model);
    if (call.tool?.name) this.#tools.add(call.tool.name);
    if (call.denied_by) this.#refusals.add(`${call.denied_by.layer}: ${call.denied_by.rule}`);
    this.#tokens += call.usage?.total_tokens ?? 0;
    this.#cost += call.cost_usd ?? 0;
    if (call.cost_basis === "unpriced") this.#unpriced += 1;
    for (const { texts, chars, unscanned } of [call.coverage.input, call.coverage.output]) {
      this.#texts += texts;
      this.#chars += chars;
      for (const { reason } of unscanned) this.#unscanned.add(reason);
    }
    for (const { type, action } of call.flags) {
      const finding = this.#findings.get(type) ?? { count: 0, actions: new Counter() };
      finding.count += 1;
      finding.actions.add(action);
      this.#findings.set(type, finding);
    }
    if (!CITED.has(decision)) return;
    this.#citedTotal += 1;
    keepNewest(this.cited, { row, record }, MAX_CITED);
  }

  get counts(): Pick<Evidence, "calls" | "findings" | "coverage"> & {
    readonly changed: number;
    readonly citedTotal: number;
  } {
    return {
      calls: {
        total: this.#total,
        by_kind: this.#kinds.all,
        by_decision: this.#decisions.all,
        by_outcome: this.#outcomes.all,
        by_model: this.#models.all,
        by_tool: this.#tools.all,
        refused_by: this.#refusals.all,
        tokens: this.#tokens,
        cost_usd: Math.round(this.#cost * 1e6) / 1e6,
        unpriced: this.#unpriced,
      },
      findings: [...this.#findings]
        .sort(([a, m], [b, n]) => n.count - m.count || a.localeCompare(b))
        .map(([type, { count, actions }]) => ({
          type,
          count,
          by_action: actions.all,
          taxonomy: taxonomyOf(type).map((id) => ({ id, name: TAXONOMY_NAMES[id] })),
        })),
      coverage: { texts: this.#texts, chars: this.#chars, unscanned: this.#unscanned.all },
      changed: this.#changed,
      citedTotal: this.#citedTotal,
    };
  }
}

const keepNewest = <T>(list: T[], item: T, most: number): void => {
  list.push(item);
  if (list.length > most) list.shift();
};

/** Of the agent itself, or of what belongs to it, whose detail names it. */
const isAbout = ({ subject_id, detail }: NonNullable<AuditRecord["change"]>, agentId: string): boolean =>
  subject_id === agentId || detail["agent_id"] === agentId;
