import { said } from "#cli/apply/kind";
import { planned } from "#cli/apply/planned";
import { WebhookEntry } from "#features/configuration/schema";
import { knownPatterns } from "#features/webhooks/schema";
import { currentSecret } from "#features/webhooks/webhook-secrets";
import { signingSecret } from "./signing";

export const webhooks = planned({
  kind: "webhook",
  section: "webhooks",
  schema: WebhookEntry,
  nameOf: ({ url }) => (URL.canParse(url) ? new URL(url).href : url),
  normal: (entry) =>
    said(
      {
        ...entry,
        url: URL.canParse(entry.url) ? new URL(entry.url).href : entry.url,
        events: [...new Set(entry.events)],
      },
      { active: true },
    ),
  check: ({ events, secret }) => {
    knownPatterns(events);
    signingSecret("secret", secret);
  },
  // A webhook always signs.
  kept: ["secret"],
  turn: (before, after) => (before && after?.active === false && before.active !== false ? "narrows" : "usual"),
  stored: async ({ store, unseal }) =>
    (await store.webhooks.list()).map((one) => {
      const { id, url, events, description, active } = one;
      const secret = currentSecret(one, unseal);
      return {
        id,
        entry: {
          url,
          events: [...events],
          active,
          ...(description !== null && { description }),
          ...(secret !== null && { secret }),
        },
      };
    }),
  create: async ({ by, parts }, { url, events, description = null, active = true, secret }) => {
    await parts.webhookService.create(by, { url, events, description, active }, signingSecret("secret", secret));
  },
  change: async ({ by, parts }, { id }, { events, description = null, active = true, secret }, fields) => {
    const patch = {
      ...(fields.has("events") && { events }),
      ...(fields.has("description") && { description }),
      ...(fields.has("active") && { active }),
    };
    if (Object.keys(patch).length > 0) await parts.webhookService.change(by, id, patch);
    if (fields.has("secret")) {
      await parts.webhookService.rotate(by, id, undefined, signingSecret("secret", secret));
    }
  },
  remove: async ({ by, parts }, { id }) => {
    await parts.webhookService.remove(by, id);
  },
});
