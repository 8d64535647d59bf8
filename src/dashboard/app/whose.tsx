import { type UserRole, useMe } from "./session";

const READERS: readonly UserRole[] = ["admin", "reviewer", "analyst", "auditor"];

/** Screens that are not everybody's, with what is below them; the hub refuses what they ask for to all others. */
const WHOSE: readonly (readonly [path: string, roles: readonly UserRole[]])[] = [
  ["/audit", ["admin", "auditor"]],
  ["/clients/all", ["admin"]],
  ["/settings/users", ["admin", "auditor"]],
  ["/settings/policy", READERS],
  ["/settings/webhooks", ["admin"]],
  ["/settings/reviewer", READERS],
  ["/settings/kill-switch", READERS],
];

/** For which roles a screen is; null for everybody's. */
export const rolesFor = (path: string): readonly UserRole[] | null =>
  WHOSE.find(([whose]) => path === whose || path.startsWith(`${whose}/`))?.[1] ?? null;

/** Which screens are for who looks. */
export const useIsMine = (): ((path: string) => boolean) => {
  const { role } = useMe().user;
  return (path) => rolesFor(path)?.includes(role) ?? true;
};
