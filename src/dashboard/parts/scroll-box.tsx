import type { ReactNode } from "react";
import { cx } from "./class-names";

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
