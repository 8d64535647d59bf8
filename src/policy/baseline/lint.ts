import { TAINTED } from "#policy/provenance/provenance";
import { goesBelow } from "#policy/tuning/validity";
import { ACTIONS, ORIGINS } from "#scan/detector";
import { HIDDEN_TEXT } from "#scan/fold/hidden-text";
import { type CompiledPolicy, type PolicyRule, type PolicySource, ruleFor, typesAt } from "#scan/policy";
import type { Locks } from "./baseline";
import { asDone, comparisonOf } from "./comparison";
import { type BaselineCell, cellsOf, type PolicyChange } from "./edits";

/** `error`: it is not saved so. */
export type Lint = {
  readonly level: "error" | "warning";
  readonly code:
    | "locked"
    | "unknown_type"
    | "below_floor"
    | "no_effect"
    | "unreachable"
    | "more_specific"
    | "holds_back";
  readonly message: string;
  readonly type: string | null;
  readonly origin: BaselineCell["origin"] | null;
};

export type Linted = {
  readonly changes: readonly PolicyChange[];
  readonly before: CompiledPolicy;
  readonly after: CompiledPolicy;
  readonly floor: readonly PolicyRule[];
  readonly locks: Locks;
  /** All flag types there are. */
  readonly types: ReadonlySet<string>;
};

/** What is wrong with changes, and what their author may not have meant. */
export const lintOf = (linted: Linted): Lint[] => [
  ...linted.changes.flatMap((change) => lintOfChange(change, linted)),
  ...heldBack(linted),
];

const lintOfChange = (change: PolicyChange, linted: Linted): Lint[] => {
  const { type } = change;
  const isKnown = [...linted.types].some((known) => known === type || known.startsWith(`${type}.`));
  if (!isKnown && !("reset" in change)) {
    return [lint("error", "unknown_type", `Nothing finds ${type}: see the list of flag types.`, type)];
  }
  return [
    ...cellsOf(change).flatMap((cell) => lintOfCell(cell, linted)),
    ...("reset" in change ? [] : unreachable(change)),
    ...moreSpecific(change, linted.after.source),
  ];
};

const lintOfCell = (cell: BaselineCell, { before, after, floor, locks }: Linted): Lint[] => {
  const { type, origin } = cell;
  const key = locks.keyAt(cell);
  if (key !== null) {
    return [lint("error", "locked", `${key} in the configuration says what is done about ${type} here.`, type, origin)];
  }
  if (goesBelow({ before: asDone(before.source), after: asDone(after.source) }, floor, cell)) {
    return [lint("error", "below_floor", `The hub's floor (guard.floor) asks for more about ${type}.`, type, origin)];
  }
  const isSame = comparisonOf(before.source, after.source, [cell]) === "same";
  return isSame ? [lint("warning", "no_effect", `${type} is treated so already.`, type, origin)] : [];
};

/** An action is never taken when a stricter one is taken at the same score or below. */
const unreachable = ({ type, thresholds }: PolicyRule): Lint[] =>
  (["flag", "redact"] as const).flatMap((action) => {
    const own = thresholds[action];
    const stricter = (["redact", "block"] as const).filter((other) => ACTIONS.indexOf(other) > ACTIONS.indexOf(action));
    const over = stricter.find((other) => own !== undefined && (thresholds[other] ?? 2) <= own);
    if (over === undefined) return [];
    return [
      lint("warning", "unreachable", `It never gets to ${action}: ${over} begins at the same score or below.`, type),
    ];
  });

const moreSpecific = ({ type, origins }: PolicyChange, { rules }: PolicySource): Lint[] => {
  const below = new Set(rules.filter((rule) => rule.type.startsWith(`${type}.`)).map((rule) => rule.type));
  const kept = [...below].filter((other) =>
    cellsOf({ type: other, ...(origins && { origins }) }).some(
      ({ origin }) => ruleFor(rules, other, origin)?.type === other,
    ),
  );
  if (kept.length === 0) return [];
  return [
    lint("warning", "more_specific", `These have rules of their own and keep them: ${kept.sort().join(", ")}.`, type),
  ];
};

const heldBack = ({ before, after }: Linted): Lint[] => {
  const [was, is] = [before.holdBack("output"), after.holdBack("output")];
  if (is <= was) return [];
  const message = `Streamed answers wait for up to ${is} characters instead of ${was}.`;
  return [lint("warning", "holds_back", message, null, "output")];
};

const lint = (
  level: Lint["level"],
  code: Lint["code"],
  message: string,
  type: string | null,
  origin: Lint["origin"] = null,
): Lint => ({ level, code, message, type, origin });

/** All flag types a policy's detectors can emit. */
export const typesOf = ({ detectors }: CompiledPolicy): ReadonlySet<string> =>
  new Set([
    ...detectors.flatMap((detector) => ORIGINS.flatMap((origin) => typesAt(detector, origin))),
    HIDDEN_TEXT.type,
    TAINTED.type,
  ]);
