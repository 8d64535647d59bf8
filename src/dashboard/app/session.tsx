import { createContext, type ReactNode, useContext, useEffect, useRef } from "react";
import { basePath } from "#dashboard/address/base-path";
import { SignInLink, signInFirst } from "#dashboard/address/way-back";
import { type AnswerTo, isSignedOut } from "#dashboard/api/client";
import { useGet } from "#dashboard/parts/hooks";
import { Failed, Loading } from "#dashboard/parts/states";

export type SignedInUser = AnswerTo<"GET /api/me">;
export type UserRole = SignedInUser["user"]["role"];

const Context = createContext<SignedInUser | null>(null);

/** Who looks at the page. */
export const useMe = (): SignedInUser => {
  const me = useContext(Context);
  if (!me) throw new Error("no session in this browser");
  return me;
};

/** Whether who looks has one of these roles. What it hides, the hub refuses too. */
export const useHasRole = (...roles: readonly UserRole[]): boolean => roles.includes(useMe().user.role);

/** Whether who looks sees everybody's, not only their own. */
export const useSeesAll = (): boolean => useHasRole("admin", "reviewer", "analyst", "auditor");

/** Whether who looks makes agents, keys and tool servers: auditors look, and change nothing. */
export const useMakes = (): boolean => useMe().user.role !== "auditor";

const CHANNEL = "guardhouse-person";

/**
 * A page is one person's: where somebody else signs in in this browser, all its pages become theirs, so that nothing is
 * done in one's name that the other has typed. `again`: the same person has signed in once more.
 */
const useOnePerson = (id: string | undefined, again: () => void): void => {
  const first = useRef(id);
  const latest = useRef(again);
  latest.current = again;
  useEffect(() => {
    if (id === undefined) return;
    first.current ??= id;
    if (first.current !== id) return location.reload();
    const others = new BroadcastChannel(CHANNEL + basePath());
    others.addEventListener("message", ({ data }) => (data === id ? latest.current() : location.reload()));
    others.postMessage(id);
    return () => others.close();
  }, [id]);
};

/** Says that the session has ended, where the page stays for what is typed into it. */
const SignedOut = () => (
  <p role="alert" className="border-b border-warn/40 bg-warn-soft px-4 py-2 text-warn md:px-6">
    You are signed out. <SignInLink /> in another tab; your input stays here.
  </p>
);

/** Shows the page to who is signed in, and the way in to everybody else. */
export const SessionGate = ({ children }: { readonly children: ReactNode }) => {
  const me = useGet("GET /api/me", {});
  useOnePerson(me.data?.user.id, () => {
    if (me.error) void me.refetch();
  });
  if (me.data) {
    return (
      <Context value={me.data}>
        {isSignedOut(me.error) && <SignedOut />}
        {children}
      </Context>
    );
  }
  if (isSignedOut(me.error)) {
    signInFirst();
    return null;
  }
  if (me.error) return <Failed error={me.error} onRetry={() => void me.refetch()} />;
  return <Loading className="max-w-md" />;
};

const READERS: readonly UserRole[] = ["admin", "reviewer", "analyst", "auditor"];

/** Screens that are not everybody's, with what is below them; the hub refuses what they ask for to all others. */
const WHOSE: readonly (readonly [path: string, roles: readonly UserRole[]])[] = [
  ["/audit", ["admin", "auditor"]],
  ["/clients/all", ["admin"]],
  ["/settings/users", ["admin", "auditor"]],
  ["/settings/policy", READERS],
  ["/settings/alerts", READERS],
  ["/settings/webhooks", ["admin"]],
  ["/settings/integrations", ["admin"]],
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
