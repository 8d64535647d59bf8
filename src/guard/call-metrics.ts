import { Histogram, type Metric, type MetricLabels } from "#core/metrics";
import type { AuditRecord, CallFacts } from "#model/audit";
import { decisionOf } from "#model/call-entry";
import { nanoOf, usdOf } from "#model/money";

/* Bounds in seconds. */
const SCAN_BOUNDS = [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1];
const UPSTREAM_BOUNDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 600];

/** Families of flag types. What else there may be once counts as `other`: labels are few, whatever comes from outside. */
const CATEGORIES: ReadonlySet<string> = new Set(["custom", "injection", "pii", "secret", "tool"]);
/** Label sets of one counter. Kinds, outcomes and codes are the hub's own words; beyond so many agents and models costs add to `other`. */
const MAX_SETS = 500;

/** A counter for each of few sets of labels. `names`: what the labels are called. */
class Counter {
  readonly #values = new Map<string, { readonly labels: MetricLabels; value: number }>();

  constructor(private readonly names: readonly string[]) {}

  /** `label`: the labels' values in the order of their names, with a space between. */
  add(label: string, by = 1): void {
    const known = this.#values.get(label);
    if (known) known.value += by;
    else if (this.#values.size < MAX_SETS || label === this.others)
      this.#values.set(label, { labels: this.labelsOf(label), value: by });
    else this.add(this.others, by);
  }

  private get others(): string {
    return this.names.map(() => "other").join(" ");
  }

  private labelsOf(label: string): MetricLabels {
    const values = label.split(" ");
    return Object.fromEntries(this.names.map((name, at) => [name, values[at] ?? ""]));
  }

  get samples() {
    return [...this.#values.values()].map(({ labels, value }) => ({ labels, value }));
  }
}

/** Nano-dollars are counted, so that no sum drifts, and dollars told. */
class Costs extends Counter {
  constructor() {
    super(["agent", "model"]);
  }

  override get samples() {
    return super.samples.map(({ labels, value }) => ({ labels, value: usdOf(value) }));
  }
}

/** What became of calls since the process began. Costs a few additions a call; nothing of a call's words is in it. */
export class CallMetrics {
  readonly #calls = new Counter(["kind", "decision", "outcome"]);
  readonly #flags = new Counter(["category", "action"]);
  readonly #tokens = new Counter(["direction"]);
  readonly #upstreamErrors = new Counter(["code"]);
  readonly #scan = new Histogram(SCAN_BOUNDS);
  readonly #upstream = new Histogram(UPSTREAM_BOUNDS);
  readonly #cost = new Costs();
  #unpriced = 0;
  #unscanned = 0;

  /** `priceName`: what a price is known by, so that no label is a caller's word; null where there is none. */
  constructor(private readonly priceName: (provider: string, model: string) => string | null) {}

  /** Counts a call by its final record. Never throws, never waits. */
  note(record: AuditRecord): void {
    const { call, phase, kind, outcome } = record;
    if (!call || phase !== "final") return;
    this.#calls.add(`${kind} ${decisionOf(record)} ${outcome}`);
    if (outcome === "upstream_error") this.#upstreamErrors.add(call.code ?? "none");
    this.#scan.observe(call.ms.guard / 1_000);
    if (call.attempts > 0) this.#upstream.observe(call.ms.upstream / 1_000);
    this.#unscanned += call.coverage.input.unscanned.length + call.coverage.output.unscanned.length;
    this.noteParts(call);
    if (call.cost_basis !== undefined) this.noteCost(record.actor.agent_id, call);
  }

  private noteCost(agent: string | null, { provider, model, upstream_model, cost_usd, cost_basis }: CallFacts): void {
    if (cost_basis === "unpriced") this.#unpriced += 1;
    if (!cost_usd || provider === null || model === null) return;
    const name = this.priceName(provider, upstream_model ?? model) ?? "other";
    this.#cost.add(`${agent ?? ""} ${name}`, nanoOf(cost_usd));
  }

  private noteParts({ flags, usage }: CallFacts): void {
    for (const { type, action } of flags) {
      const category = type.slice(0, Math.max(0, type.indexOf(".")));
      this.#flags.add(`${CATEGORIES.has(category) ? category : "other"} ${action}`);
    }
    if (!usage) return;
    this.#tokens.add("prompt", usage.prompt_tokens);
    this.#tokens.add("completion", usage.completion_tokens);
  }

  read(): Metric[] {
    const counter = (name: string, help: string, { samples }: Counter): Metric => ({
      name,
      help,
      type: "counter",
      samples,
    });
    return [
      counter("guardhouse_calls_total", "Calls that ended, by kind, decision and outcome.", this.#calls),
      counter("guardhouse_flags_total", "Findings in calls, by family and what was done about them.", this.#flags),
      counter("guardhouse_tokens_total", "Tokens that providers counted.", this.#tokens),
      counter("guardhouse_cost_usd_total", "What calls cost in US dollars, by agent and model.", this.#cost),
      {
        name: "guardhouse_unpriced_calls_total",
        help: "Calls of models without a price.",
        type: "counter",
        samples: [{ value: this.#unpriced }],
      },
      counter("guardhouse_upstream_errors_total", "Calls that ended by a provider's fault.", this.#upstreamErrors),
      {
        name: "guardhouse_unscanned_texts_total",
        help: "Texts that went past the scanner, each on record with its reason.",
        type: "counter",
        samples: [{ value: this.#unscanned }],
      },
      {
        name: "guardhouse_scan_seconds",
        help: "What the guard took of each call.",
        type: "histogram",
        histogram: this.#scan.read(),
      },
      {
        name: "guardhouse_upstream_seconds",
        help: "What providers and tool servers took.",
        type: "histogram",
        histogram: this.#upstream.read(),
      },
    ];
  }
}
