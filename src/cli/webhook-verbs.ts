import type { CliFlags } from "./arguments";
import type { Verb } from "./verb";

const GRACE: CliFlags = {
  grace: {
    value: "DURATION",
    about: "how long both secrets sign; 0 ends the old one now",
    fallback: "24h",
  },
};

export const WEBHOOK_VERBS: readonly Verb[] = [
  {
    name: "webhook add",
    summary: "Add a webhook; its signing secret is shown once",
    operands: ["URL"],
    form: "URL --events TYPE[,TYPE] [--description TEXT]",
    flags: {
      events: {
        value: "TYPE[,TYPE]",
        about: "event types; report.* for a group, * for all",
        required: true,
      },
      description: { value: "TEXT", about: "description" },
    },
    load: () => import("./webhooks").then((module) => module.addWebhook),
  },
  {
    name: "webhook list",
    summary: "List webhooks and their delivery status",
    load: () => import("./webhooks").then((module) => module.listWebhooks),
  },
  {
    name: "webhook test",
    summary: "Send a webhook.test event and show the result",
    operands: ["ID"],
    load: () => import("./webhooks").then((module) => module.testWebhook),
  },
  {
    name: "webhook rotate",
    summary: "Replace the signing secret; both secrets sign during a grace period",
    operands: ["ID"],
    flags: GRACE,
    load: () => import("./webhooks").then((module) => module.rotateWebhook),
  },
  {
    name: "webhook remove",
    summary: "Remove a webhook and its delivery log",
    operands: ["ID"],
    load: () => import("./webhooks").then((module) => module.removeWebhook),
  },
];
