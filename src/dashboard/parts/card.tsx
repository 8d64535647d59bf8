import type { ReactNode } from "react";
import { cx } from "./class-names";

/** A part of a screen that stands for itself. */
export const Card = ({
  title,
  hint,
  actions,
  flush = false,
  className,
  children,
}: {
  readonly title?: ReactNode;
  readonly hint?: ReactNode;
  readonly actions?: ReactNode;
  /** Tables and lists go to the edge. */
  readonly flush?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}) => (
  <section className={cx("min-w-0 rounded-lg border border-line bg-panel shadow-card", className)}>
    {(title || actions) && (
      <header className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2.5">
        <div className="min-w-0 flex-1 basis-48">
          <h2 className="font-semibold wrap-anywhere">{title}</h2>
          {hint && <p className="text-[13px] wrap-anywhere text-muted">{hint}</p>}
        </div>
        {actions}
      </header>
    )}
    <div className={flush ? "" : "p-4"}>{children}</div>
  </section>
);

/** A number that matters, with what it is. */
export const Stat = ({
  label,
  value,
  note,
  tone,
}: {
  readonly label: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
  readonly tone?: "ok" | "warn" | "bad";
}) => (
  <div className="min-w-0 rounded-lg border border-line bg-panel px-4 py-3 shadow-card">
    <p className="text-[13px] text-muted">{label}</p>
    <p
      className={cx(
        "text-2xl font-semibold tracking-tight wrap-anywhere",
        tone === "ok" && "text-ok",
        tone === "warn" && "text-warn",
        tone === "bad" && "text-bad",
      )}
    >
      {value}
    </p>
    {note && <p className="text-[13px] wrap-anywhere text-muted">{note}</p>}
  </div>
);

/** Names and what they stand for. */
export const Facts = ({ rows }: { readonly rows: readonly (readonly [name: string, value: ReactNode])[] }) => (
  <dl className="grid grid-cols-[fit-content(42%)_minmax(0,1fr)] gap-x-4 gap-y-2">
    {rows.map(([name, value]) => (
      <div key={name} className="contents">
        <dt className="min-w-28 text-muted">{name}</dt>
        <dd className="min-w-0 wrap-anywhere">{value ?? <span className="text-muted">–</span>}</dd>
      </div>
    ))}
  </dl>
);

/**
 * What may be wider or higher than its place; a box that scrolls must be reached by keyboard (WCAG 2.1.1). It holds what is
 * placed absolutely in it, words for screen readers among it: these would make the whole page wider.
 */
export const ScrollBox = ({
  label,
  className,
  children,
}: {
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls what has the focus
  <section tabIndex={0} aria-label={label} className={cx("relative overflow-auto", className)}>
    {children}
  </section>
);
