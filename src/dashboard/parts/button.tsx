import { LoaderCircle, type LucideIcon } from "lucide-react";
import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import { cx } from "./class-names";

type Kind = "primary" | "plain" | "quiet" | "danger";

const KINDS: Readonly<Record<Kind, string>> = {
  primary: "bg-accent text-on-accent border-transparent hover:bg-accent-strong",
  plain: "bg-panel text-text border-line hover:bg-raised",
  quiet: "bg-transparent text-muted border-transparent hover:bg-raised hover:text-text",
  danger: "bg-bad-soft text-bad border-bad/40 hover:border-bad",
};

const SHAPE =
  "inline-flex items-center justify-center gap-1.5 rounded-md border font-medium whitespace-nowrap transition-colors disabled:opacity-50";

/** How a button looks, for links that are to look like one. */
export const buttonClass = (kind: Kind = "plain", small = false): string =>
  cx(SHAPE, KINDS[kind], small ? "h-7 px-2 text-[13px]" : "h-8.5 px-3");

export const Button = ({
  kind = "plain",
  small = false,
  icon: Icon,
  busy = false,
  children,
  className,
  disabled,
  ref,
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly kind?: Kind;
  readonly small?: boolean;
  readonly icon?: LucideIcon;
  readonly busy?: boolean;
  readonly children?: ReactNode;
  readonly ref?: Ref<HTMLButtonElement>;
}) => (
  <button
    type="button"
    ref={ref}
    {...rest}
    disabled={disabled || busy}
    className={cx(buttonClass(kind, small), className)}
  >
    {busy ? (
      <LoaderCircle className="size-4 animate-spin" aria-hidden />
    ) : (
      Icon && <Icon className="size-4" aria-hidden />
    )}
    {children}
  </button>
);

/** A button that is only a picture; `label` is what it is called. */
export const IconButton = ({
  icon: Icon,
  label,
  className,
  ref,
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & {
  readonly icon: LucideIcon;
  readonly label: string;
  readonly ref?: Ref<HTMLButtonElement>;
}) => (
  <button
    type="button"
    ref={ref}
    aria-label={label}
    title={label}
    {...rest}
    className={cx(
      "inline-grid size-7 shrink-0 place-items-center rounded-md text-muted transition-colors hover:bg-raised hover:text-text disabled:opacity-50",
      className,
    )}
  >
    <Icon className="size-4" aria-hidden />
  </button>
);
