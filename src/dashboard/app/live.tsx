import { useEffect } from "react";
import { useRefresh } from "#dashboard/api/hooks";
import { basePath } from "./base-path";

/** What each kind of news makes outdated. */
const CONCERNS: Readonly<Record<string, readonly string[]>> = {
  "call.finished": ["/api/calls", "/api/overview"],
  "agent.changed": ["/api/agents", "/api/overview", "/api/map"],
  "review.changed": ["/api/reviews", "/api/agents", "/api/inbox"],
  "report.changed": ["/api/reports", "/api/inbox"],
  "tuning.changed": ["/api/tuning", "/api/inbox", "/api/agents"],
  "restriction.changed": ["/api/agents", "/api/killswitch", "/api/overview"],
  "killswitch.changed": ["/api/killswitch", "/api/overview"],
  "hold.changed": ["/api/holds", "/api/inbox"],
  "tool_server.changed": ["/api/tool-servers", "/api/map", "/api/inbox"],
  "token.changed": ["/api/tokens"],
  "policy.changed": ["/api/policy", "/api/agents"],
  resync: ["/api/"],
};

/** Under load news come many a second; people see it change once in a while. */
const REST_MS = 2_000;

/** Keeps what the page shows up to date by one stream of news, which browsers take up again by themselves. */
export const useLive = (): void => {
  const refresh = useRefresh();
  // biome-ignore lint/correctness/useExhaustiveDependencies: one stream as long as the page is open
  useEffect(() => {
    const source = new EventSource(`${basePath()}/api/events`);
    const outdated = new Set<string>();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const soon = (paths: readonly string[]) => {
      for (const path of paths) outdated.add(path);
      timer ??= setTimeout(() => {
        timer = undefined;
        // Nobody looks at a page in the background; it is brought up to date when it is looked at.
        if (document.hidden) return;
        const now = [...outdated];
        outdated.clear();
        void refresh(...now);
      }, REST_MS);
    };
    const seen = () => !document.hidden && soon([]);
    document.addEventListener("visibilitychange", seen);
    for (const [kind, paths] of Object.entries(CONCERNS)) source.addEventListener(kind, () => soon(paths));
    return () => {
      document.removeEventListener("visibilitychange", seen);
      clearTimeout(timer);
      source.close();
    };
  }, []);
};
