import {
  Activity,
  BookOpenCheck,
  Bot,
  ClipboardCheck,
  Flag,
  FlaskConical,
  Inbox,
  LayoutDashboard,
  type LucideIcon,
  MonitorSmartphone,
  Radio,
  Settings,
  SlidersHorizontal,
  Waypoints,
  Wrench,
} from "lucide-react";
import type { ComponentType } from "react";

export type Load = () => Promise<{ readonly default: ComponentType }>;

/** Every address of the dashboard and the file that shows it, loaded when somebody goes there. */
export const SCREENS: readonly (readonly [path: string, load: Load])[] = [
  ["/", () => import("#dashboard/features/overview/overview")],
  ["/live", () => import("#dashboard/features/live/live")],
  ["/calls", () => import("#dashboard/features/calls/calls")],
  ["/calls/$id", () => import("#dashboard/features/calls/call")],
  ["/calls/$id/conversation", () => import("#dashboard/features/calls/conversation")],
  ["/playground", () => import("#dashboard/features/playground/playground")],
  ["/audit", () => import("#dashboard/features/audit/audit")],
  ["/inbox", () => import("#dashboard/features/inbox/inbox")],
  ["/reports", () => import("#dashboard/features/reports/reports")],
  ["/reports/$id", () => import("#dashboard/features/reports/report")],
  ["/tuning", () => import("#dashboard/features/tuning/tuning")],
  ["/tuning/rules", () => import("#dashboard/features/tuning/tuning-rules")],
  ["/tuning/$id", () => import("#dashboard/features/tuning/tuning-change")],
  ["/agents", () => import("#dashboard/features/agents/agents")],
  ["/settings", () => import("#dashboard/features/keys/keys")],
  ["/settings/keys", () => import("#dashboard/features/keys/keys")],
  ["/settings/users", () => import("#dashboard/features/users/users")],
  ["/settings/providers", () => import("#dashboard/features/providers/providers")],
  ["/settings/prices", () => import("#dashboard/features/money/prices")],
  ["/settings/budgets", () => import("#dashboard/features/money/budgets")],
  ["/settings/policy", () => import("#dashboard/features/policy/baseline-policy")],
  ["/settings/alerts", () => import("#dashboard/features/alerts/alerts")],
  ["/settings/webhooks", () => import("#dashboard/features/webhooks/webhooks")],
  ["/settings/webhooks/$id", () => import("#dashboard/features/webhooks/webhook")],
  ["/settings/integrations", () => import("#dashboard/features/integrations/integrations")],
  ["/settings/reviewer", () => import("#dashboard/features/reports/reviewer")],
  ["/settings/retention", () => import("#dashboard/features/content/retention")],
  ["/settings/kill-switch", () => import("#dashboard/features/kill-switch/kill-switch")],
  ["/settings/account", () => import("#dashboard/features/account/account")],
  ["/settings/about", () => import("#dashboard/features/account/about")],
  ["/tool-servers", () => import("#dashboard/features/tool-servers/tool-servers")],
  ["/tool-servers/proposals", () => import("#dashboard/features/tool-servers/proposals")],
  ["/tool-servers/$id", () => import("#dashboard/features/tool-servers/tool-server")],
  ["/map", () => import("#dashboard/features/map/map")],
  ["/agents/$id", () => import("#dashboard/features/agents/agent")],
  ["/agents/$id/profile", () => import("#dashboard/features/agents/agent-profile")],
  ["/agents/$id/tools", () => import("#dashboard/features/agents/agent-tools")],
  ["/agents/$id/tuning", () => import("#dashboard/features/agents/agent-tuning")],
  ["/agents/$id/reports", () => import("#dashboard/features/agents/agent-reports")],
  ["/agents/$id/reviews", () => import("#dashboard/features/agents/agent-reviews")],
  ["/agents/$id/activity", () => import("#dashboard/features/agents/agent-activity")],
  ["/reviews", () => import("#dashboard/features/reviews/reviews")],
  ["/reviews/$id", () => import("#dashboard/features/reviews/review")],
  ["/clients", () => import("#dashboard/features/clients/clients")],
  ["/clients/all", () => import("#dashboard/features/clients/clients-all")],
];

/** Addresses of earlier versions, which bookmarks and links still name, and where they are now. */
export const MOVED_SCREENS: readonly (readonly [from: string, to: string])[] = [
  ["/settings/keeping", "/settings/retention"],
];

export type ScreenPlace = {
  readonly to: string;
  readonly label: string;
  readonly icon: LucideIcon;
  /** `g` and this letter go there. */
  readonly letter?: string;
};

export const PLACES: readonly (readonly [group: string, places: readonly ScreenPlace[]])[] = [
  [
    "Monitor",
    [
      { to: "/", label: "Overview", icon: LayoutDashboard, letter: "o" },
      { to: "/live", label: "Live", icon: Radio, letter: "l" },
      { to: "/calls", label: "Calls", icon: Activity, letter: "c" },
      { to: "/audit", label: "Audit", icon: BookOpenCheck },
    ],
  ],
  [
    "Decide",
    [
      { to: "/inbox", label: "Inbox", icon: Inbox, letter: "i" },
      { to: "/reviews", label: "Reviews", icon: ClipboardCheck, letter: "v" },
      { to: "/reports", label: "Reports", icon: Flag, letter: "r" },
      { to: "/tuning", label: "Tuning", icon: SlidersHorizontal, letter: "t" },
    ],
  ],
  [
    "Connect",
    [
      { to: "/agents", label: "Agents", icon: Bot, letter: "a" },
      { to: "/tool-servers", label: "Tool servers", icon: Wrench, letter: "s" },
      { to: "/map", label: "Access map", icon: Waypoints, letter: "m" },
      { to: "/clients", label: "Connected apps", icon: MonitorSmartphone },
      { to: "/playground", label: "Playground", icon: FlaskConical, letter: "p" },
    ],
  ],
  ["Hub", [{ to: "/settings/keys", label: "Settings", icon: Settings, letter: "k" }]],
];
