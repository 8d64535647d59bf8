import { useRouterState } from "@tanstack/react-router";
import { CircleQuestionMark } from "lucide-react";
import { basePath } from "#dashboard/address/base-path";
import type { PageName } from "#documentation/contents";

/** The section of the documentation about the task of each screen, by the screen's address in `SCREENS`. */
export const HELP: Readonly<Record<string, PageName | `${PageName}#${string}`>> = {
  "/": "dashboard#screens",
  "/live": "dashboard#screens",
  "/calls": "audit#search-calls-over-http",
  "/calls/$id": "audit#request-and-final-records",
  "/calls/$id/conversation": "audit#conversations",
  "/playground": "clients#probe-the-scanner",
  "/audit": "audit#verify",
  "/inbox": "reports#decisions-by-people",
  "/reports": "reports",
  "/reports/$id": "reports#decisions-by-people",
  "/tuning": "tuning#suggestions",
  "/tuning/rules": "tuning#tuning-rules-of-an-agent",
  "/tuning/$id": "tuning#request-approval-and-apply",
  "/agents": "agents#register",
  "/agents/$id": "agents#from-registration-to-profile",
  "/agents/$id/profile": "agents#the-profile",
  "/agents/$id/tools": "tool-gateway#visibility-of-tools",
  "/agents/$id/tuning": "tuning#tuning-rules-of-an-agent",
  "/agents/$id/reports": "reports",
  "/agents/$id/reviews": "agents#submit",
  "/agents/$id/activity": "health#drift",
  "/reviews": "agents#who-approves",
  "/reviews/$id": "agents#questionnaire",
  "/tool-servers": "tool-gateway#connect-a-server",
  "/tool-servers/proposals": "tool-gateway#import-from-a-registry",
  "/tool-servers/$id": "tool-gateway#pinned-definitions",
  "/map": "tool-gateway#visibility-of-tools",
  "/clients": "sign-in-ides#consent",
  "/clients/all": "sign-in-ides",
  "/settings": "clients#settings",
  "/settings/keys": "clients#settings",
  "/settings/users": "sign-in#users",
  "/settings/providers": "providers#in-the-dashboard",
  "/settings/prices": "money#prices",
  "/settings/budgets": "money#budgets",
  "/settings/policy": "policy#change-the-policy",
  "/settings/alerts": "alerts",
  "/settings/webhooks": "webhooks",
  "/settings/webhooks/$id": "webhooks#verify-deliveries",
  "/settings/integrations": "verdicts#sources",
  "/settings/reviewer": "reports#reviewer-model",
  "/settings/retention": "operating#retention",
  "/settings/kill-switch": "restrictions#kill-switches",
  "/settings/account": "sign-in#fresh-sessions",
  "/settings/about": "configuration#every-key",
};

/** An address of the documentation; without a place its first page. */
export const documentationAt = (place = ""): string => `${basePath()}/docs/${place}`;

const LABEL = "Help for this screen (opens a new tab)";

/** Leads to the documentation of the screen that is shown. A tab of its own: what is typed here stays. */
export const HelpLink = () => {
  const screen = useRouterState({ select: ({ matches }): string => String(matches.at(-1)?.fullPath ?? "") });
  return (
    <a
      href={documentationAt(HELP[screen])}
      target="_blank"
      rel="noreferrer"
      aria-label={LABEL}
      title={LABEL}
      className="inline-grid size-7 shrink-0 place-items-center rounded-md text-muted transition-colors hover:bg-raised hover:text-text"
    >
      <CircleQuestionMark className="size-4" aria-hidden />
    </a>
  );
};
