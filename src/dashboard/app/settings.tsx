import type { ReactNode } from "react";
import { Page, type Tab } from "#dashboard/parts/page";
import { type Role, useMe } from "./session";

/** `roles`: whose it is; everybody's where it is not said. */
type Part = Tab & { readonly roles?: readonly Role[] };

const READERS: readonly Role[] = ["admin", "reviewer", "analyst", "auditor"];

/** The parts of the settings, in the order of how often people come for them. */
const PARTS: readonly Part[] = [
  { to: "/settings/keys", label: "Keys" },
  { to: "/settings/users", label: "Users", roles: ["admin", "auditor"] },
  { to: "/settings/providers", label: "Providers" },
  { to: "/settings/policy", label: "Baseline policy", roles: READERS },
  { to: "/settings/webhooks", label: "Webhooks", roles: ["admin"] },
  { to: "/settings/reviewer", label: "Reviewer model", roles: READERS },
  { to: "/settings/keeping", label: "Retention and backups" },
  { to: "/settings/kill-switch", label: "Kill switch", roles: READERS },
  { to: "/settings/account", label: "Your account" },
  { to: "/settings/about", label: "About" },
];

/** The parts of the settings for who looks. */
export const useSettings = (): readonly Tab[] => {
  const { role } = useMe().user;
  return PARTS.filter(({ roles }) => !roles || roles.includes(role));
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
