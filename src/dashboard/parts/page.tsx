import { Link } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef } from "react";
import { cx } from "./class-names";

export type Tab = { readonly to: string; readonly label: string; readonly count?: number | undefined };

/** A screen: its name, what can be done on it, its tabs. The name is the page's title too. */
export const Page = ({
  title,
  above,
  hint,
  chips,
  actions,
  tabs,
  children,
}: {
  readonly title: string;
  /** Where one is: links to what it belongs to. */
  readonly above?: ReactNode;
  readonly hint?: ReactNode;
  readonly chips?: ReactNode;
  readonly actions?: ReactNode;
  readonly tabs?: readonly Tab[];
  readonly children: ReactNode;
}) => {
  useEffect(() => {
    document.title = `${title} · Guardhouse`;
  }, [title]);
  return (
    <div className="mx-auto flex w-full max-w-[88rem] flex-col gap-4 p-4 md:p-6">
      <header className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-72">
          {above && (
            <nav aria-label="Breadcrumb" className="text-[13px] text-muted">
              {above}
            </nav>
          )}
          <div className="flex flex-wrap items-center gap-2">
            <h1 dir="auto" className="min-w-0 text-xl font-semibold tracking-tight wrap-anywhere">
              {title}
            </h1>
            {chips}
          </div>
          {hint && <p className="max-w-3xl wrap-anywhere text-muted">{hint}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {tabs && <TabBar tabs={tabs} />}
      {children}
    </div>
  );
};

const TabBar = ({ tabs }: { readonly tabs: readonly Tab[] }) => {
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    // If not all of them fit, the open one is scrolled into view.
    bar.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, []);
  return (
    <nav ref={bar} aria-label="Tabs" className="-mb-px flex gap-1 overflow-x-auto border-b border-line">
      {tabs.map(({ to, label, count }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: true, includeSearch: false }}
          className={cx("border-b-2 px-3 py-2 font-medium whitespace-nowrap")}
          activeProps={{ className: "border-accent text-text", "aria-current": "page" }}
          inactiveProps={{ className: "border-transparent text-muted hover:text-text" }}
        >
          {label}
          {count !== undefined && <span className="ml-1.5 rounded-full bg-raised px-1.5 text-xs">{count}</span>}
        </Link>
      ))}
    </nav>
  );
};

/** A link within the dashboard, in running text. */
export const TextLink = ({ to, children }: { readonly to: string; readonly children: ReactNode }) => (
  <Link to={to} className="font-medium text-accent underline-offset-2 hover:underline">
    {children}
  </Link>
);
