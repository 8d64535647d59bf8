import { createContext, type ReactNode, useContext, useEffect, useRef } from "react";
import { useRefresh } from "#dashboard/api/hooks";
import type { LiveKind } from "#modules/events/shapes";
import { basePath } from "./base-path";

/** What each kind of news makes outdated. */
const CONCERNS: Readonly<Record<LiveKind, readonly string[]>> = {
  "call.finished": ["/api/calls", "/api/overview"],
  "agent.changed": ["/api/agents", "/api/overview", "/api/map"],
  "review.changed": ["/api/reviews", "/api/agents", "/api/inbox", "/api/overview"],
  "profile.changed": ["/api/agents"],
  "report.changed": ["/api/reports", "/api/inbox", "/api/overview"],
  "tuning.changed": ["/api/tuning", "/api/inbox", "/api/agents"],
  "restriction.changed": ["/api/agents", "/api/killswitch", "/api/overview"],
  "hold.changed": ["/api/holds", "/api/inbox", "/api/overview"],
  "tool_server.changed": ["/api/tool-servers", "/api/map", "/api/inbox"],
  "token.changed": ["/api/tokens"],
  "killswitch.changed": ["/api/killswitch", "/api/overview"],
  "policy.changed": ["/api/policy", "/api/agents"],
  "provider.changed": ["/api/providers"],
  "user.changed": ["/api/users"],
  "webhook.changed": ["/api/webhooks"],
  "health.changed": ["/api/agents", "/api/overview"],
  resync: ["/api/"],
};

/** Under load news come many a second; people see it change once in a while. */
const REST_MS = 2_000;

const News = createContext<EventTarget>(new EventTarget());

/** Hears of one kind of news, with its data as it came, as long as the part is shown. */
export const useNews = (kind: LiveKind, hear: (data: string) => void): void => {
  const news = useContext(News);
  const latest = useRef(hear);
  latest.current = hear;
  useEffect(() => {
    const listener = (event: Event) => {
      if (event instanceof MessageEvent && typeof event.data === "string") latest.current(event.data);
    };
    news.addEventListener(kind, listener);
    return () => news.removeEventListener(kind, listener);
  }, [news, kind]);
};

/** Keeps what the page shows up to date by one stream of news, which browsers take up again by themselves. */
export const LiveProvider = ({ children }: { readonly children: ReactNode }) => {
  const refresh = useRef(useRefresh());
  const news = useRef(new EventTarget());
  useEffect(() => {
    const source = new EventSource(`${basePath()}/api/events`);
    const outdated = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = (paths: readonly string[]) => {
      for (const path of paths) outdated.add(path);
      timer ??= setTimeout(() => {
        timer = undefined;
        // Nobody looks at a page in the background; it is brought up to date when it is looked at.
        if (document.hidden || outdated.size === 0) return;
        const now = [...outdated];
        outdated.clear();
        void refresh.current(...now);
      }, REST_MS);
    };
    const seen = () => !document.hidden && soon([]);
    document.addEventListener("visibilitychange", seen);
    for (const [kind, paths] of Object.entries(CONCERNS)) {
      source.addEventListener(kind, ({ data }: MessageEvent) => {
        news.current.dispatchEvent(new MessageEvent(kind, { data }));
        soon(paths);
      });
    }
    return () => {
      document.removeEventListener("visibilitychange", seen);
      clearTimeout(timer);
      source.close();
    };
  }, []);
  return <News value={news.current}>{children}</News>;
};
