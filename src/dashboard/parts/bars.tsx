import type { ReactNode } from "react";

export type Bar = {
  readonly name: string;
  /** What stands there instead of the name. */
  readonly label?: ReactNode;
  readonly value: number;
  /** As it is written beside the bar. */
  readonly text: string;
  readonly tone?: "ok" | "warn" | "bad" | "accent";
};

const FILLS = { ok: "bg-ok", warn: "bg-warn", bad: "bg-bad", accent: "bg-accent" } as const;

/** Named amounts, one below the other. */
export const Bars = ({ bars, most }: { readonly bars: readonly Bar[]; readonly most?: number }) => {
  const top = Math.max(most ?? 0, ...bars.map(({ value }) => value), Number.MIN_VALUE);
  return (
    <ul className="grid grid-cols-[fit-content(45%)_minmax(2rem,1fr)_auto] gap-x-2 gap-y-2">
      {bars.map(({ name, label, value, text, tone = "accent" }) => (
        <li key={name} className="col-span-full grid grid-cols-subgrid items-center">
          <span className="truncate" title={name}>
            {label ?? name}
          </span>
          <span className="h-2.5 overflow-hidden rounded-full bg-raised">
            <span className={`block h-full rounded-full ${FILLS[tone]}`} style={{ width: `${(value / top) * 100}%` }} />
          </span>
          <span className="text-right text-[13px] text-muted">{text}</span>
        </li>
      ))}
    </ul>
  );
};
