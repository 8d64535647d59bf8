import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { basePath } from "./base-path";

/* After sign-in a user gets to the page of the link that was followed. Kept in this tab, never in an address. */

const KEPT = "back-to";

/** To the sign-in, and back to what is open now. */
export const signInFirst = (): void => {
  const { pathname, search } = location;
  const path = pathname.slice(basePath().length) || "/";
  try {
    sessionStorage.setItem(KEPT, path + search);
  } catch {
    // A browser that keeps nothing for pages: the overview is where everybody starts.
  }
  location.replace(`${basePath()}/login`);
};

const TYPED = "form :is(textarea, input:not([type=checkbox], [hidden]))";

/** Whether a form holds something: who typed it loses it with the page. */
export const holdsWords = (): boolean =>
  [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(TYPED)].some(({ value }) => value !== "");

const take = (): string | null => {
  try {
    const kept = sessionStorage.getItem(KEPT);
    sessionStorage.removeItem(KEPT);
    return kept;
  } catch {
    return null;
  }
};

/** Takes up the way somebody was on before they signed in. */
export const useWayBack = (): void => {
  const navigate = useNavigate();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, right after the sign-in
  useEffect(() => {
    const [path = "", query = ""] = (take() ?? "").split("?");
    // The sign-in leads to the overview; a user on another page has chosen that page.
    const isAtStart = location.pathname === `${basePath()}/`;
    if (!isAtStart || !path.startsWith("/") || path === "/") return;
    void navigate({ to: path, search: Object.fromEntries(new URLSearchParams(query)), replace: true });
  }, []);
};

/** To the sign-in, and the page with what was typed into it stays as it is. */
export const SignInLink = () => (
  <a href={`${basePath()}/login`} target="_blank" rel="noopener" className="font-medium whitespace-nowrap underline">
    Sign in again
  </a>
);
