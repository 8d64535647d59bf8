import { CircleAlert, FilterX, Inbox, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { ApiError } from "#dashboard/api/client";
import type { SuspensionResponse } from "#http/openapi/schemas";
import { Button } from "./button";
import { cx } from "./class-names";
import { TextLink } from "./page";

const Middle = ({
  icon: Icon,
  title,
  children,
}: {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly children?: ReactNode;
}) => (
  <div className="flex flex-col items-center gap-3 px-4 py-10 text-center">
    <Icon className="size-6 text-muted" aria-hidden />
    <p className="font-medium">{title}</p>
    {children}
  </div>
);

/** Nothing is there yet: what to do, by hand or by command, instead of a drawing. */
export const Empty = ({
  title,
  children,
  command,
  action,
}: {
  readonly title: string;
  readonly children?: ReactNode;
  /** A `HubCommand`. */
  readonly command?: ReactNode;
  readonly action?: ReactNode;
}) => (
  <Middle icon={Inbox} title={title}>
    {children && <div className="max-w-prose text-muted">{children}</div>}
    {command}
    {action}
  </Middle>
);

export const FilteredOut = ({ onClear }: { readonly onClear: () => void }) => (
  <Middle icon={FilterX} title="No matches for these filters.">
    <Button onClick={onClear}>Clear filters</Button>
  </Middle>
);

const isFinal = (error: Error): boolean => error instanceof ApiError && [403, 404].includes(error.status);

/** What was wrong with what was just asked for, read out at once. */
export const Wrong = ({ children }: { readonly children: ReactNode }) => (
  <p role="alert" className="rounded-md bg-bad-soft px-3 py-2 text-bad">
    {children}
  </p>
);

/** What the hub said against it, with the id its operator finds it by. */
export const Failed = ({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }) => (
  <div role="alert" className="flex flex-col items-center gap-3 px-4 py-10 text-center">
    <CircleAlert className="size-6 text-bad" aria-hidden />
    <p className="max-w-prose font-medium">
      {error instanceof ApiError ? error.message : "This section could not be loaded."}
    </p>
    {error instanceof ApiError && (
      <p className="font-mono text-xs text-muted">
        {error.code}
        {error.requestId && ` · ${error.requestId}`}
      </p>
    )}
    {/* What is not there, or not for who looks, is so the next time too. */}
    {isFinal(error) ? <TextLink to="/">Go to Overview</TextLink> : onRetry && <Button onClick={onRetry}>Retry</Button>}
  </div>
);

const LINES = ["a", "b", "c", "d", "e", "f", "g", "h"] as const;

/** Stands where an answer will be. */
export const Loading = ({ lines = 4, className }: { readonly lines?: number; readonly className?: string }) => (
  <div role="status" aria-label="Loading" className={cx("flex flex-col gap-3 p-4", className)}>
    {LINES.slice(0, lines).map((line) => (
      <div key={line} className="h-4 animate-pulse rounded bg-raised even:w-3/4" />
    ))}
  </div>
);

/** Shows an answer once it is there, and what went wrong where it is not. */
export const Await = <Data,>({
  query,
  children,
  lines,
}: {
  readonly query: {
    readonly data: Data | undefined;
    readonly error: Error | null;
    readonly refetch: () => unknown;
  };
  readonly children: (data: Data) => ReactNode;
  readonly lines?: number;
}) => {
  if (query.data !== undefined) return children(query.data);
  if (query.error) return <Failed error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading lines={lines ?? 4} />;
};

/** Whether an owner lets it go on again themselves. */
export const isOwners = (suspension: SuspensionResponse | null): boolean =>
  suspension === null || suspension.right === "owner";

const BY: Readonly<Record<SuspensionResponse["right"], string>> = {
  owner: "By the owner.",
  administrator: "By an administrator",
  operator: "By command on the host of the hub",
  unknown: "By an unknown user",
};

/** Why who answers for a thing cannot let it go on; nothing where they can. */
export const Halted = ({
  suspension,
  act,
}: {
  readonly suspension: SuspensionResponse | null;
  readonly act: "enable" | "resume";
}) => {
  if (suspension === null || isOwners(suspension)) return null;
  return (
    <span className="mt-0.5 block text-xs text-muted">
      {BY[suspension.right]}
      {suspension.by !== null && `, ${suspension.by}`}. Only an administrator can {act} it.
    </span>
  );
};
