import { type CustomRule, customDetectors } from "./custom";
import { ACTIONS, type Action, type Detector, type Origin, type WholeText } from "./detector";
import { HIDDEN_TEXT } from "./fold/hidden-text";
import { once } from "./fold/once";
import type { Plan } from "./matcher";
import { checkPolicy, type Mode, type PolicyRule, type PolicySource, type Thresholds } from "./policy-source";
import { Prefilter } from "./prefilter";
import { type PrefilterTables, prefilterTables } from "./prefilter-tables";
import { MOST_HELD } from "./views/most-held";

export {
  MODES,
  type Mode,
  type PolicyLayer,
  type PolicyRule,
  type PolicySource,
  RULE_MODES,
  type Thresholds,
} from "./policy-source";

/**
 * What is done about a finding. `would`: what its rule would do if it were not in monitor mode. `layer` and `rule`:
 * who says so, where something is redacted or blocked and it is not the baseline.
 */
export type Verdict = {
  readonly action: Action;
  readonly would?: Action;
  readonly layer?: string;
  readonly rule?: string;
  /** The tuning rule that made it so, or, in monitor mode, would have. */
  readonly tuned?: string;
};

/** What records call rules that are nobody's in particular: the hub's own. */
export const BASELINE = "baseline";

/** Labels tell values apart by this many units of them; a stream must see as many. */
export const LABEL_KEY = 256;

/** The operator's own rules that a policy's detectors were made of. */
type OwnRules = {
  /** What the built-in detectors are, told apart by identity. */
  readonly catalogue: readonly Detector[];
  /** Rules of the policy that this one is a variant of, or its own. */
  readonly shared: readonly CustomRule[];
  /** Rules that only this policy has. */
  readonly added: readonly CustomRule[];
};

/** All that a policy is made of, as plain JSON: another thread makes the same policy of it. */
export type PolicyRecipe = Omit<OwnRules, "catalogue"> & {
  readonly source: PolicySource;
  readonly revision: number;
  readonly key: string;
};

export type OriginPlan = Plan & {
  /** Which rules decide about a type. */
  readonly rulings: ReadonlyMap<string, Ruling>;
  readonly hidden: { readonly active: boolean; readonly enforced: boolean };
  readonly holdBack: number;
  /** Some detector can redact or block here. */
  readonly isEnforcing: boolean;
  /** Detectors that judge a text as a whole here. Few of many: asked for at every text. */
  readonly whole: readonly { readonly detector: number; readonly judge: WholeText }[];
  /** Those that judge it by paragraphs. */
  readonly paragraphs: readonly { readonly detector: number; readonly judge: WholeText }[];
  /** Some injection is looked for here, can be redacted or blocked here. */
  readonly injection: { readonly active: boolean; readonly enforced: boolean };
  /** The same for detectors that only this policy has; null for none. */
  readonly added: Plan | null;
  /** With nothing but the shared detectors of injections: for readings that only injections are written in. */
  readonly injections: () => Plan;
};

/** A policy made runnable. Immutable; a call keeps the one it began with. */
export class CompiledPolicy {
  readonly mode: Mode;
  readonly detectors: readonly Detector[];
  readonly maxText: number;
  /** Made when first asked for: an agent that streams nothing needs no plan for answers. */
  private readonly plans = new Map<Origin, OriginPlan>();
  private readonly addedPrefilter: Prefilter | null;

  constructor(
    readonly source: PolicySource,
    readonly revision: number,
    private readonly shared: readonly Detector[],
    /** Tells policies of one revision apart: verdicts are remembered by it. */
    readonly key: string,
    private readonly own: OwnRules,
    /** Detectors that only this policy has: they get an automaton of their own, so that all others share theirs. */
    added: readonly Detector[] = [],
  ) {
    this.detectors = added.length === 0 ? shared : [...shared, ...added];
    this.mode = source.mode;
    this.maxText = source.max_text;
    this.addedPrefilter =
      added.length === 0 ? null : new Prefilter(prefilterTables([...shared.map(withoutAnchors), ...added]));
  }

  /** How another thread makes the same policy; null where that thread does not have these detectors. */
  recipeFor(catalogue: readonly Detector[]): PolicyRecipe | null {
    if (this.own.catalogue !== catalogue) return null;
    const { source, revision, key } = this;
    return { source, revision, key, shared: this.own.shared, added: this.own.added };
  }

  /** The rules that a variant of this policy shares with it. */
  get rulesBelow(): OwnRules {
    const { catalogue, shared, added } = this.own;
    return { catalogue, shared: added.length === 0 ? shared : [...shared, ...added], added: [] };
  }

  /** Units behind a decision's place that any detector may look at. */
  get behind(): number {
    return Math.max(prefilterOf(this.shared).behind, this.addedPrefilter?.behind ?? 0);
  }

  /** The same under another number; what was made of it is kept. */
  renumbered(revision: number): CompiledPolicy {
    return Object.assign(Object.create(CompiledPolicy.prototype), this, { revision });
  }

  /** The most units a stream of this origin ever waits for (invisible characters not counted). */
  holdBack(origin: Origin): number {
    return this.plan(origin).holdBack;
  }

  /** What this policy does about a finding; in monitor mode, what it would do. */
  judge(origin: Origin, type: string, score: number): Action {
    return this.verdict(origin, type, score).action;
  }

  verdict(origin: Origin, type: string, score: number): Verdict {
    return verdictOf(this.plan(origin).rulings.get(type) ?? rulingFor(this.source, type, origin), score);
  }

  /** The least that is done: what layers say that can only make it stricter. `except` is one that does not count. */
  leastOf(origin: Origin, type: string, score: number, except: string | null): Action {
    const ruling = this.plan(origin).rulings.get(type) ?? rulingFor(this.source, type, origin);
    const own = this.source.name ?? BASELINE;
    return verdictOf(
      ruling.filter(({ layer }) => layer !== own && layer !== except),
      score,
    ).action;
  }

  /** Whether links to that host are expected. `host` in lower case, without port. */
  allowsHost(host: string): boolean {
    return this.source.url_allow?.some((pattern) => isBelowHost(host, pattern)) ?? false;
  }

  plan(origin: Origin): OriginPlan {
    const known = this.plans.get(origin);
    if (known) return known;
    const plan = planFor(this.source, this.detectors, [prefilterOf(this.shared), this.addedPrefilter], origin);
    this.plans.set(origin, plan);
    return plan;
  }
}

/** Throws an Error that names the fault when the source is no good. */
export function compilePolicy(source: PolicySource, revision: number, detectors: readonly Detector[]): CompiledPolicy {
  checkPolicy(source);
  const custom = customDetectors(source.custom ?? []);
  const all = custom.length === 0 ? detectors : [...detectors, ...custom];
  checkNames(all);
  // What an operator wrote fails here, not when the first text comes.
  if (custom.length > 0) prefilterOf(all);
  const own = { catalogue: detectors, shared: source.custom ?? [], added: [] };
  return new CompiledPolicy(source, revision, all, String(revision), own);
}

/**
 * The same detectors under other rules, e.g. an agent's. `key` tells it apart from all others of its revision.
 * Throws as `compilePolicy` does.
 */
export function variantOf(
  base: CompiledPolicy,
  source: PolicySource,
  key: string,
  added: readonly CustomRule[] = [],
): CompiledPolicy {
  checkPolicy(source);
  const own = { ...base.rulesBelow, added };
  return new CompiledPolicy(source, base.revision, base.detectors, `${base.key} ${key}`, own, customDetectors(added));
}

/** The policy that comes after `base`. With the same rules of the operator's own it keeps the automaton. Throws as `compilePolicy` does. */
export function revisionOf(
  base: CompiledPolicy,
  source: PolicySource,
  revision: number,
  detectors: readonly Detector[],
): CompiledPolicy {
  const isSame = JSON.stringify(source.custom ?? []) === JSON.stringify(base.source.custom ?? []);
  if (!isSame) return compilePolicy(source, revision, detectors);
  checkPolicy(source);
  return new CompiledPolicy(source, revision, base.detectors, String(revision), base.rulesBelow);
}

/** Makes a policy of a recipe. `detectors`: the catalogue and those of the recipe's shared rules, one list for all policies that share them. */
export function policyOfRecipe(
  { source, revision, key, shared, added }: PolicyRecipe,
  catalogue: readonly Detector[],
  detectors: readonly Detector[],
): CompiledPolicy {
  return new CompiledPolicy(source, revision, detectors, key, { catalogue, shared, added }, customDetectors(added));
}

/** What a policy has by itself about a type at an origin. */
export function thresholdsIn({ rules }: Pick<PolicySource, "rules">, type: string, origin: Origin): Thresholds {
  return ruleFor(rules, type, origin)?.thresholds ?? {};
}

const withoutAnchors = ({ anchorDigits: _, ...detector }: Detector): Detector => ({ ...detector, keywords: [] });

/** The later of two actions in their order of strictness. */
export function stricter(one: Action, other: Action): Action {
  return ACTIONS.indexOf(one) >= ACTIONS.indexOf(other) ? one : other;
}

/** The flag type a detector emits at an origin. */
export function typeAt(detector: Detector, origin: Origin): string {
  return detector.types?.[origin] ?? detector.type ?? detector.id;
}

/** All flag types a detector can emit at an origin. */
export function typesAt(detector: Detector, origin: Origin): readonly string[] {
  return [typeAt(detector, origin), ...(detector.emits ?? [])];
}

function planFor(
  source: PolicySource,
  detectors: readonly Detector[],
  [prefilter, added]: readonly [Prefilter, Prefilter | null],
  origin: Origin,
): OriginPlan {
  const rulings = new Map<string, Ruling>();
  const strictestOf = (type: string, maxScore: number): Action => {
    const ruling = rulingFor(source, type, origin);
    rulings.set(type, ruling);
    return source.mode === "off" ? "allow" : verdictOf(ruling, maxScore).action;
  };
  const enforcing = source.mode === "enforce";
  const worst = detectors.map((detector): Action => {
    if (detector.origins?.includes(origin) === false) return "allow";
    return typesAt(detector, origin)
      .map((type) => strictestOf(type, detector.maxScore ?? 1))
      .reduce(stricter);
  });
  const hidden = strictestOf(HIDDEN_TEXT.type, HIDDEN_TEXT.score);
  const enforced = Uint8Array.from(worst, (action) => (enforcing && isEnforced(action) ? 1 : 0));
  const holding = detectors.filter((_, i) => enforced[i] === 1);
  const needed = holding.map(({ reach, begin, behind }) => reach + (begin ? behind : 0));
  const planOn = (anchors: Prefilter, capitals: readonly number[]): Plan => ({
    detectors,
    prefilter: anchors,
    capitals,
    active: Uint8Array.from(worst, (action) => (action === "allow" ? 0 : 1)),
    enforced,
    pending: holding.flatMap(({ pending }) => (pending ? [pending] : [])),
    enforcedMasks: anchors.holdMasks((i) => enforced[i] === 1),
    activeMasks: anchors.holdMasks((i) => worst[i] !== "allow"),
  });
  const plan = planOn(
    prefilter,
    detectors.flatMap(({ anchorCapitals }, i) => (anchorCapitals && worst[i] !== "allow" ? [i] : [])),
  );
  const judging = (at: (whole: WholeText) => readonly Origin[]) =>
    detectors.flatMap(({ whole }, detector) =>
      whole && at(whole).includes(origin) && worst[detector] !== "allow" ? [{ detector, judge: whole }] : [],
    );
  const isInjection = (i: number): boolean => detectors[i]?.category === "injection";
  return {
    ...plan,
    injections: once(() => ({ ...plan, capitals: [], active: plan.active.map((on, i) => (isInjection(i) ? on : 0)) })),
    rulings,
    hidden: { active: hidden !== "allow", enforced: enforcing && isEnforced(hidden) },
    holdBack: Math.max(source.hold_back, LABEL_KEY, ...needed, holding.length > 0 ? MOST_HELD : 0),
    isEnforcing: holding.length > 0,
    whole: judging(({ origins }) => origins),
    paragraphs: judging(({ paragraphsOf }) => paragraphsOf),
    injection: {
      active: worst.some((action, i) => isInjection(i) && action !== "allow"),
      // Those with anchors: what judges paragraphs only flags.
      enforced: holding.some(({ category, reach }) => category === "injection" && reach > 0),
    },
    added: added && planOn(added, []),
  };
}

export function isEnforced(action: Action): boolean {
  return action === "redact" || action === "block";
}

/** The most specific prefix wins; of equals the one that names the origin; of those the later. */
export function ruleFor(rules: readonly PolicyRule[], type: string, origin: Origin): PolicyRule | null {
  let best: { rule: PolicyRule; rank: number } | undefined;
  for (const rule of rules) {
    // Asked for each type by each rule: nothing is made for the question.
    const fits = type.startsWith(rule.type) && (type.length === rule.type.length || type[rule.type.length] === ".");
    if (!fits || (rule.origins && !rule.origins.includes(origin))) continue;
    const rank = rule.type.length * 2 + (rule.origins ? 1 : 0);
    if (!best || rank >= best.rank) best = { rule, rank };
  }
  return best?.rule ?? null;
}

/** One rule a layer, the policy's own first. */
type Ruling = readonly { readonly layer: string; readonly rule: PolicyRule }[];

function rulingFor({ name = BASELINE, rules, above = [] }: PolicySource, type: string, origin: Origin): Ruling {
  return [{ name, rules }, ...above].flatMap((layer) => {
    const rule = ruleFor(layer.rules, type, origin);
    return rule ? [{ layer: layer.name, rule }] : [];
  });
}

function verdictOf(ruling: Ruling, score: number): Verdict {
  let verdict: Verdict = { action: "allow" };
  for (const { layer, rule } of ruling) {
    const action = actionFor(rule.thresholds, score);
    if (rule.mode === "monitor" && isEnforced(action)) {
      if (verdict.would === undefined || stricter(action, verdict.would) !== verdict.would)
        verdict = { ...verdict, action: stricter(verdict.action, "flag"), would: action };
    } else if (stricter(verdict.action, action) !== verdict.action) {
      const { would } = verdict;
      const by = isEnforced(action) && layer !== BASELINE ? { layer, rule: rule.type } : undefined;
      verdict = { action, ...(would && ACTIONS.indexOf(would) > ACTIONS.indexOf(action) && { would }), ...by };
    }
  }
  return verdict;
}

function isBelowHost(host: string, pattern: string): boolean {
  return pattern.startsWith("*.") ? host.endsWith(pattern.slice(1)) : host === pattern;
}

/** What thresholds say of a score. */
export function actionFor(thresholds: Thresholds, score: number): Action {
  if (thresholds.block !== undefined && score >= thresholds.block) return "block";
  if (thresholds.redact !== undefined && score >= thresholds.redact) return "redact";
  if (thresholds.flag !== undefined && score >= thresholds.flag) return "flag";
  return "allow";
}

function checkNames(detectors: readonly Detector[]): void {
  const ids = new Set<string>();
  for (const { id } of detectors) {
    if (ids.has(id)) throw new Error(`two detectors are named ${id}`);
    ids.add(id);
  }
}

/**
 * Policies of many agents share one catalogue, so they share its automaton. It is made for the first text: commands
 * that scan nothing, and a hub that nobody has called, have none.
 */
const PREFILTERS = new WeakMap<readonly Detector[], Prefilter>();

/** How tables of detectors are come by, where they need not be made. */
const OFFERED = new WeakMap<readonly Detector[], () => PrefilterTables>();

/** Asked for once, when the first text comes. */
export function offerTables(detectors: readonly Detector[], tables: () => PrefilterTables): void {
  OFFERED.set(detectors, tables);
}

function prefilterOf(detectors: readonly Detector[]): Prefilter {
  const known = PREFILTERS.get(detectors);
  if (known) return known;
  const built = new Prefilter(OFFERED.get(detectors)?.() ?? prefilterTables(detectors));
  PREFILTERS.set(detectors, built);
  return built;
}
