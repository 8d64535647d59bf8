import { createContext, type ReactNode, useContext } from "react";
import type { Answer } from "#dashboard/api/client";
import { ApiError } from "#dashboard/api/client";
import { useGet } from "#dashboard/api/hooks";
import { Failed, Loading } from "#dashboard/parts/states";
import { signInFirst } from "./way-back";

export type Me = Answer<"GET /api/me">;
export type Role = Me["user"]["role"];

const Context = createContext<Me | null>(null);

/** Who looks at the page. */
export const useMe = (): Me => {
  const me = useContext(Context);
  if (!me) throw new Error("nobody is signed in here");
  return me;
};

/** Whether who looks has one of these roles. What it hides, the hub refuses too. */
export const useHasRole = (...roles: readonly Role[]): boolean => roles.includes(useMe().user.role);

/** Whether who looks sees everybody's, not only their own. */
export const useSeesAll = (): boolean => useHasRole("admin", "reviewer", "analyst", "auditor");

/** Shows the page to who is signed in, and the way in to everybody else. */
export const SessionGate = ({ children }: { readonly children: ReactNode }) => {
  const me = useGet("GET /api/me", {});
  if (me.data) return <Context value={me.data}>{children}</Context>;
  if (me.error instanceof ApiError && me.error.status === 401) {
    signInFirst();
    return null;
  }
  if (me.error) return <Failed error={me.error} onRetry={() => void me.refetch()} />;
  return <Loading className="max-w-md" />;
};
