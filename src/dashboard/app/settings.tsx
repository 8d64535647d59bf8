import type { ReactNode } from "react";
import { Page, type Tab } from "#dashboard/parts/page";
import { useIsMine } from "./session";

/** The parts of the settings, in the order of how often people come for them. */
const PARTS: readonly Tab[] = [
  { to: "/settings/keys", label: "Keys" },
  { to: "/settings/users", label: "Users" },
  { to: "/settings/providers", label: "Providers" },
  { to: "/settings/prices", label: "Prices" },
  { to: "/settings/budgets", label: "Budgets" },
  { to: "/settings/policy", label: "Baseline policy" },
  { to: "/settings/alerts", label: "Alerts" },
  { to: "/settings/webhooks", label: "Webhooks" },
  { to: "/settings/integrations", label: "Integrations" },
  { to: "/settings/reviewer", label: "Reviewer model" },
  { to: "/settings/retention", label: "Retention and backups" },
  { to: "/settings/kill-switch", label: "Kill switch" },
  { to: "/settings/account", label: "Your account" },
  { to: "/settings/about", label: "About" },
];

/** The parts of the settings for who looks. */
export const useSettings = (): readonly Tab[] => {
  const isMine = useIsMine();
  return PARTS.filter(({ to }) => isMine(to));
};

/** A part of the settings, below the tabs of all of them. */
export const SettingsPage = ({
  title,
  hint,
  actions,
  children,
}: {
  readonly title: string;
  readonly hint?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) => (
  <Page title={title} hint={hint} actions={actions} tabs={useSettings()}>
    {children}
  </Page>
);
