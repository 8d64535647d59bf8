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
  ["/", () => import("#dashboard/screens/overview")],
  ["/live", () => import("#dashboard/screens/live")],
  ["/calls", () => import("#dashboard/screens/calls")],
  ["/calls/$id", () => import("#dashboard/screens/call")],
  ["/playground", () => import("#dashboard/screens/playground")],
  ["/audit", () => import("#dashboard/screens/audit")],
  ["/inbox", () => import("#dashboard/screens/inbox")],
  ["/reports", () => import("#dashboard/screens/reports")],
  ["/reports/$id", () => import("#dashboard/screens/report")],
  ["/tuning", () => import("#dashboard/screens/tuning")],
  ["/tuning/rules", () => import("#dashboard/screens/tuning-rules")],
  ["/tuning/$id", () => import("#dashboard/screens/tuning-change")],
  ["/agents", () => import("#dashboard/screens/agents")],
  ["/settings", () => import("#dashboard/screens/keys")],
  ["/settings/keys", () => import("#dashboard/screens/keys")],
  ["/settings/users", () => import("#dashboard/screens/users")],
  ["/settings/providers", () => import("#dashboard/screens/providers")],
  ["/settings/policy", () => import("#dashboard/screens/baseline-policy")],
  ["/settings/webhooks", () => import("#dashboard/screens/webhooks")],
  ["/settings/webhooks/$id", () => import("#dashboard/screens/webhook")],
  ["/settings/reviewer", () => import("#dashboard/screens/reviewer")],
  ["/settings/keeping", () => import("#dashboard/screens/keeping")],
  ["/settings/kill-switch", () => import("#dashboard/screens/kill-switch")],
  ["/settings/account", () => import("#dashboard/screens/account")],
  ["/settings/about", () => import("#dashboard/screens/about")],
  ["/tool-servers", () => import("#dashboard/screens/tool-servers")],
  ["/tool-servers/$id", () => import("#dashboard/screens/tool-server")],
  ["/map", () => import("#dashboard/screens/map")],
  ["/agents/$id", () => import("#dashboard/screens/agent")],
  ["/agents/$id/profile", () => import("#dashboard/screens/agent-profile")],
  ["/agents/$id/tools", () => import("#dashboard/screens/agent-tools")],
  ["/agents/$id/tuning", () => import("#dashboard/screens/agent-tuning")],
  ["/agents/$id/reports", () => import("#dashboard/screens/agent-reports")],
  ["/agents/$id/reviews", () => import("#dashboard/screens/agent-reviews")],
  ["/agents/$id/activity", () => import("#dashboard/screens/agent-activity")],
  ["/reviews", () => import("#dashboard/screens/reviews")],
  ["/reviews/$id", () => import("#dashboard/screens/review")],
  ["/clients", () => import("#dashboard/screens/clients")],
  ["/clients/all", () => import("#dashboard/screens/clients-all")],
];

export type Place = {
  readonly to: string;
  readonly label: string;
  readonly icon: LucideIcon;
  /** `g` and this letter go there. */
  readonly letter?: string;
};

export const PLACES: readonly (readonly [group: string, places: readonly Place[]])[] = [
  [
    "Watch",
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
      { to: "/map", label: "Map", icon: Waypoints, letter: "m" },
      { to: "/clients", label: "Clients", icon: MonitorSmartphone },
      { to: "/playground", label: "Playground", icon: FlaskConical, letter: "p" },
    ],
  ],
  ["Hub", [{ to: "/settings/keys", label: "Settings", icon: Settings, letter: "k" }]],
];
