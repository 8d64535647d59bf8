import { Ban, Check, CircleDashed, Clock, Info, type LucideIcon, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { NOT_REVIEWED } from "#model/health/health";
import { cx } from "./class-names";
import type { Choice } from "./field";

export type Tone = "ok" | "warn" | "bad" | "info" | "idle" | "wait";

const TONES: Readonly<Record<Tone, { readonly style: string; readonly icon: LucideIcon }>> = {
  ok: { style: "bg-ok-soft text-ok", icon: Check },
  warn: { style: "bg-warn-soft text-warn", icon: TriangleAlert },
  bad: { style: "bg-bad-soft text-bad", icon: Ban },
  info: { style: "bg-info-soft text-info", icon: Info },
  wait: { style: "bg-info-soft text-info", icon: Clock },
  idle: { style: "bg-raised text-muted", icon: CircleDashed },
};

/** What each word of the hub means for who reads it. Colour never says it alone: the sign and the word do too. */
const WORDS: Readonly<Record<string, Tone>> = {
  active: "ok",
  allow: "ok",
  allowed: "ok",
  applied: "ok",
  approved: "ok",
  ok: "ok",
  healthy: "ok",
  stable: "ok",
  closed: "ok",
  contained: "ok",
  delivered: "ok",
  enforce: "ok",
  done: "ok",
  on: "ok",
  full: "ok",
  flag: "info",
  info: "info",
  monitor: "info",
  reviewed: "info",
  medium: "info",
  proposed: "info",
  redact: "warn",
  warning: "warn",
  watch: "warn",
  degraded: "warn",
  expiring: "warn",
  changed: "warn",
  stale: "warn",
  changes_requested: "warn",
  high: "warn",
  inconclusive: "warn",
  rotated: "warn",
  partial: "warn",
  needs_human: "warn",
  unauthorized: "warn",
  attention: "warn",
  block: "bad",
  blocked: "bad",
  blocked_input: "bad",
  blocked_output: "bad",
  refused: "bad",
  denied: "bad",
  suspended: "bad",
  suspect: "bad",
  revoked: "bad",
  rejected: "bad",
  critical: "bad",
  drifting: "bad",
  firing: "bad",
  unreachable: "bad",
  failed: "bad",
  upstream_error: "bad",
  killed: "bad",
  true_positive: "bad",
  error: "bad",
  at_risk: "bad",
  pending: "wait",
  pending_approval: "wait",
  submitted: "wait",
  in_review: "wait",
  reviewing: "wait",
  waiting: "wait",
  queued: "wait",
}; // prettier-ignore

export const toneOf = (word: string): Tone => WORDS[word] ?? "idle";

/** `in_review` for people. */
export const spoken = (word: string): string => word.replaceAll("_", " ");

/** Words of the hub to choose from, said as people read them. */
export const choicesOf = <const Value extends string>(words: readonly Value[]): Choice<Value>[] =>
  words.map((value) => ({ value, label: spoken(value) }));

export const Chip = ({
  tone = "idle",
  icon,
  children,
}: {
  readonly tone?: Tone;
  readonly icon?: LucideIcon;
  readonly children: ReactNode;
}) => {
  const { style, icon: usual } = TONES[tone];
  const Icon = icon ?? usual;
  return (
    <span
      className={cx(
        "inline-flex items-center gap-1 rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap",
        style,
      )}
    >
      <Icon className="size-3.5 shrink-0" aria-hidden />
      {children}
    </span>
  );
};

/** A state, a verdict or an action of the hub, in its own word. */
export const StateChip = ({ of }: { readonly of: string | null | undefined }) =>
  of ? <Chip tone={toneOf(of)}>{spoken(of)}</Chip> : <span className="text-muted">none</span>;

/** A word that is no judgement: a kind, a type, a label. */
export const Tag = ({ children }: { readonly children: ReactNode }) => (
  <span className="inline-block max-w-[min(100%,22rem)] rounded border border-line bg-raised px-1.5 py-px align-middle font-mono text-xs wrap-break-word text-text">
    {children}
  </span>
);

const BAND_TONES: Readonly<Record<string, Tone>> = { healthy: "ok", watch: "warn", degraded: "warn", critical: "bad" };

export const toneOfBand = (band: string): Tone => BAND_TONES[band] ?? "idle";

/** How an agent fares, in a number and a word. */
export const ScoreChip = ({ score, band }: { readonly score: number | null; readonly band: string }) =>
  score === null ? (
    <Chip>too few calls</Chip>
  ) : (
    <Chip tone={toneOfBand(band)}>{band === NOT_REVIEWED ? spoken(band) : `${score} ${spoken(band)}`}</Chip>
  );
