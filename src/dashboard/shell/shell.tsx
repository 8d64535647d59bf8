import { type ErrorComponentProps, Link, Outlet, useRouter, useRouterState } from "@tanstack/react-router";
import { Keyboard, LogOut, Menu as MenuIcon, Moon, Search, Sun, UserRound, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { basePath } from "#dashboard/address/base-path";
import { useWayBack } from "#dashboard/address/way-back";
import { LiveProvider } from "#dashboard/app/live";
import { SessionGate, useIsMine, useMe } from "#dashboard/app/session";
import { UnseenNotices } from "#dashboard/features/notices/notices";
import { IconButton } from "#dashboard/parts/button";
import { cx } from "#dashboard/parts/class-names";
import { ConfirmSession } from "#dashboard/parts/confirm-session";
import { useAct, useGet } from "#dashboard/parts/hooks";
import { Menu } from "#dashboard/parts/menu";
import { numberOf } from "#dashboard/parts/numbers";
import { Failed } from "#dashboard/parts/states";
import { Firing } from "./firing";
import { HelpLink } from "./help";
import { Palette } from "./palette";
import { NotForYou, usePlaces } from "./places";
import { Reachable } from "./reachable";
import { PALETTE_KEYS, ShortcutHelp, useShortcuts } from "./shortcuts";
import { Stopped } from "./stopped";

/** What stands around every screen. */
export const Shell = () => (
  <SessionGate>
    <LiveProvider>
      <Confirmed />
    </LiveProvider>
  </SessionGate>
);

const Confirmed = () => (
  <ConfirmSession email={useMe().user.email}>
    <Frame />
  </ConfirmSession>
);

const Frame = () => {
  const [menu, setMenu] = useState(false);
  const [palette, setPalette] = useState(false);
  const [help, setHelp] = useState(false);
  const path = usePath();
  const isMine = useIsMine();
  useWayBack();
  useShortcuts({ onPalette: () => setPalette(true), onHelp: () => setHelp(true) });
  return (
    <div className="flex min-h-screen">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-accent focus:px-3 focus:py-2 focus:text-on-accent"
      >
        Skip to content
      </a>
      <Side open={menu} onClose={() => setMenu(false)} />
      <div className="flex min-w-0 flex-1 flex-col">
        <header className="sticky top-0 z-20 flex h-12 items-center gap-2 border-b border-line bg-bg/90 px-4 backdrop-blur md:px-6">
          <IconButton
            id={MENU_BUTTON}
            icon={MenuIcon}
            label="Open menu"
            aria-expanded={menu}
            className="md:hidden"
            onClick={() => setMenu(true)}
          />
          <button
            type="button"
            onClick={() => setPalette(true)}
            className="flex h-8 w-full max-w-sm items-center gap-2 rounded-md border border-line bg-panel px-2.5 text-muted hover:border-strong-line"
          >
            <Search className="size-4" aria-hidden />
            <span className="flex-1 text-left">Go to…</span>
            <kbd className="rounded border border-line px-1 font-mono text-xs">{PALETTE_KEYS}</kbd>
          </button>
          <span className="flex-1" />
          <IconButton
            icon={Keyboard}
            label="Keyboard shortcuts"
            className="max-md:hidden"
            onClick={() => setHelp(true)}
          />
          <HelpLink />
          <ThemeButton />
        </header>
        <Reachable />
        <Stopped />
        <Firing />
        <main id="main" tabIndex={-1} className="flex-1 outline-none">
          {isMine(path) ? <Outlet /> : <NotForYou path={path} />}
        </main>
      </div>
      <Palette open={palette} onClose={() => setPalette(false)} />
      <ShortcutHelp open={help} onClose={() => setHelp(false)} />
    </div>
  );
};

/** Where one is, without the path the hub itself may lie below. */
const usePath = (): string => useRouterState({ select: ({ location }) => location.pathname });

const MENU_BUTTON = "open-menu";

/** Beside the page on wide screens, else over it until a page is chosen. */
const Side = ({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) => {
  const side = useRef<HTMLElement>(null);
  const path = usePath();
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes after each navigation
  useEffect(() => {
    if (open) document.getElementById("main")?.focus();
    onClose();
  }, [path]);
  useEffect(() => {
    if (open) side.current?.querySelector("a")?.focus();
  }, [open]);
  const giveBack = () => {
    onClose();
    document.getElementById(MENU_BUTTON)?.focus();
  };
  return (
    <>
      {open && <div className="fixed inset-0 z-20 bg-black/45 md:hidden" aria-hidden onClick={giveBack} />}
      <aside
        ref={side}
        onKeyDown={({ key }) => {
          if (key === "Escape" && open) giveBack();
        }}
        // Over the page it hides what the keyboard would come to next (WCAG 2.4.11). Its own menus are elsewhere in it.
        onBlur={({ currentTarget, relatedTarget: to }) => {
          if (to instanceof Element && !currentTarget.contains(to) && !to.closest("[role=menu]")) onClose();
        }}
        className={cx(
          "fixed inset-y-0 left-0 z-30 flex w-56 flex-col border-r border-line bg-panel transition-transform md:sticky md:top-0 md:h-screen md:translate-x-0",
          open ? "translate-x-0 shadow-lift" : "max-md:invisible max-md:-translate-x-full",
        )}
      >
        <div className="flex h-12 items-center border-b border-line pr-2">
          <Brand />
          <IconButton icon={X} label="Close menu" className="md:hidden" onClick={giveBack} />
        </div>
        <Navigation />
        <Account />
      </aside>
    </>
  );
};

const Brand = () => (
  <Link to="/" className="flex h-full flex-1 items-center gap-2 px-4 text-base font-semibold tracking-tight">
    {/* A gate under a roof, as on the pages before the sign-in. */}
    <svg viewBox="0 0 24 24" className="size-5 fill-accent" aria-hidden="true">
      <path fillRule="evenodd" d="M12 1 2 7v3h2v12h16V10h2V7zM8 22v-7a4 4 0 0 1 8 0v7h-2v-7a2 2 0 0 0-4 0v7z" />
    </svg>
    Guardhouse
  </Link>
);

const Navigation = () => {
  const path = usePath();
  const places = usePlaces();
  const isHere = (to: string): boolean => {
    if (to === "/") return path === "/";
    return path.startsWith(to.startsWith("/settings") ? "/settings" : to);
  };
  return (
    <nav aria-label="Main" className="flex-1 overflow-y-auto px-2 py-3">
      {places.map(([group, ofGroup]) => (
        <div key={group} className="mb-4">
          <p className="px-2 pb-1 text-xs font-medium text-muted">{group}</p>
          {ofGroup.map(({ to, label, icon: Icon }) => (
            <Link
              key={to}
              to={to}
              aria-current={isHere(to) ? "page" : undefined}
              className={cx(
                "flex items-center gap-2.5 rounded-md px-2 py-1.5 font-medium",
                isHere(to) ? "bg-accent-soft text-accent-strong" : "text-muted hover:bg-raised hover:text-text",
              )}
            >
              <Icon className="size-4 shrink-0" aria-hidden />
              {label}
              {to === "/" && <UnseenNotices />}
              {to === "/inbox" && <Waiting />}
            </Link>
          ))}
        </div>
      ))}
    </nav>
  );
};

/** How much waits for this person's decision. */
const Waiting = () => {
  const inbox = useGet("GET /api/inbox", { query: { limit: "1" } }, { everyMs: 60_000 });
  const total = inbox.data?.counts.total ?? 0;
  if (total === 0) return null;
  return (
    <span className="ml-auto min-w-6 rounded-full bg-accent px-1.5 text-center text-xs leading-5 font-semibold text-on-accent">
      {numberOf(total)}
      <span className="sr-only"> waiting for you</span>
    </span>
  );
};

const Account = () => {
  const { user } = useMe();
  const signOut = useAct("POST /api/auth/sign-out", {
    // Away from here for good: back does not lead to pages of the session that ended.
    onDone: (answer) => location.replace(answer?.provider_sign_out ?? `${basePath()}/login`),
  });
  return (
    <div className="flex items-center gap-2 border-t border-line p-3">
      <UserRound className="size-4 shrink-0 text-muted" aria-hidden />
      <Link to="/settings/account" className="min-w-0 flex-1 hover:underline">
        <span className="block truncate font-medium">{user.name ?? user.email}</span>
        <span className="block truncate text-xs text-muted">{user.role}</span>
      </Link>
      <Menu label="Your account" items={[{ label: "Sign out", icon: LogOut, onSelect: () => signOut.mutate({}) }]} />
    </div>
  );
};

const ThemeButton = () => {
  const [theme, setTheme] = useState(document.documentElement.dataset["theme"] ?? "light");
  const other = theme === "dark" ? "light" : "dark";
  const turn = () => {
    document.documentElement.dataset["theme"] = other;
    try {
      localStorage.setItem("theme", other);
    } catch {
      // A browser that keeps nothing for pages: it holds as long as the page is open.
    }
    setTheme(other);
  };
  return <IconButton icon={theme === "dark" ? Sun : Moon} label={`Use the ${other} theme`} onClick={turn} />;
};

/** Shown instead of a screen that failed. */
export const Broken = ({ error, reset }: ErrorComponentProps) => {
  const router = useRouter();
  const again = () => {
    reset();
    // What could not be fetched is fetched anew.
    void router.invalidate();
  };
  return <Failed error={error instanceof Error ? error : new Error(String(error))} onRetry={again} />;
};
