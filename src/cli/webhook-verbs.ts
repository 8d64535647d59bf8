import type { Flags } from "./arguments";
import type { Verb } from "./verb";

const GRACE: Flags = {
  grace: {
    value: "DURATION",
    about: "how long the old secret signs beside the new one; 0 ends it now",
    fallback: "24h",
  },
};

export const WEBHOOK_VERBS: readonly Verb[] = [
  {
    name: "webhook add",
    summary: "Tell a receiver what happens; its signing secret is shown once",
    operands: ["URL"],
    form: "URL --events TYPE[,TYPE] [--description TEXT]",
    flags: {
      events: {
        value: "TYPE[,TYPE]",
        about: "event types; report.* for all below, * for all there are",
        required: true,
      },
      description: { value: "TEXT", about: "what it is for" },
    },
    load: () => import("./webhooks").then((room) => room.addWebhook),
  },
  {
    name: "webhook list",
    summary: "List webhooks, and which of them take nothing",
    load: () => import("./webhooks").then((room) => room.listWebhooks),
  },
  {
    name: "webhook test",
    summary: "Send it webhook.test now and say what came of it",
    operands: ["ID"],
    load: () => import("./webhooks").then((room) => room.testWebhook),
  },
  {
    name: "webhook rotate",
    summary: "Give it a new secret; the old one signs beside it for a while",
    operands: ["ID"],
    flags: GRACE,
    load: () => import("./webhooks").then((room) => room.rotateWebhook),
  },
  {
    name: "webhook remove",
    summary: "Tell it nothing more; its log goes too",
    operands: ["ID"],
    load: () => import("./webhooks").then((room) => room.removeWebhook),
  },
];
