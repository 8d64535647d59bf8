import type { LiveKind } from "#features/events/live-message";

/** What each kind of news makes outdated. */
export const CONCERNS: Readonly<Record<LiveKind, readonly string[]>> = {
  "call.finished": ["/api/calls", "/api/overview"],
  "agent.changed": ["/api/agents", "/api/overview", "/api/map"],
  "alert.changed": ["/api/alerts", "/api/alert-rules", "/api/alert-destinations", "/api/alert-silences"],
  "review.changed": ["/api/reviews", "/api/agents", "/api/inbox", "/api/overview", "/api/notices"],
  "profile.changed": ["/api/agents"],
  "report.changed": ["/api/reports", "/api/inbox", "/api/overview", "/api/notices"],
  "tuning.changed": ["/api/tuning", "/api/inbox", "/api/agents", "/api/notices"],
  "restriction.changed": ["/api/agents", "/api/killswitch", "/api/overview"],
  "hold.changed": ["/api/holds", "/api/inbox", "/api/overview"],
  "tool_server.changed": ["/api/tool-servers", "/api/map", "/api/inbox"],
  "token.changed": ["/api/tokens"],
  "killswitch.changed": ["/api/killswitch", "/api/overview"],
  "policy.changed": ["/api/policy", "/api/agents", "/api/inbox", "/api/overview"],
  "provider.changed": ["/api/providers"],
  "user.changed": ["/api/users", "/api/me"],
  "webhook.changed": ["/api/webhooks"],
  "health.changed": ["/api/agents", "/api/overview"],
  resync: ["/api/"],
};

/** Under load news come many a second; people see it change once in a while. */
const REST_MS = 2_000;
/** So long calls are let go by that follow one another: a hub that is busy is not kept busier by who looks at it. */
const CALLS_REST_MS = 5_000;

/** What is to be read again, and when: what calls made outdated is not read again so soon after the last time. */
export class Outdated {
  private readonly due = new Map<string, number>();
  private readonly readAt = new Map<string, number>();

  add(kind: LiveKind, now: number): void {
    for (const path of CONCERNS[kind]) {
      const last = this.readAt.get(path) ?? Number.NEGATIVE_INFINITY;
      const at = Math.max(now + REST_MS, kind === "call.finished" ? last + CALLS_REST_MS : 0);
      this.due.set(path, Math.min(at, this.due.get(path) ?? at));
    }
  }

  /** Takes what is due; `next` is how long the rest of it has to wait, null for nothing. */
  takeDue(now: number): { readonly paths: readonly string[]; readonly next: number | null } {
    const paths = [...this.due].flatMap(([path, at]) => (at <= now ? [path] : []));
    for (const path of paths) {
      this.due.delete(path);
      this.readAt.set(path, now);
    }
    return { paths, next: this.due.size === 0 ? null : Math.min(...this.due.values()) - now };
  }
}
