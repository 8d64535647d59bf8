import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { mailOf } from "#features/alerts/formats/mail";
import { pagerDutyBody } from "#features/alerts/formats/pagerduty";
import { slackBody } from "#features/alerts/formats/slack";
import { teamsBody } from "#features/alerts/formats/teams";
import { webhookBody } from "#features/alerts/formats/webhook";
import { noticeOf } from "#features/alerts/notice";
import { sentenceOf, spanOf } from "#features/alerts/words";
import { ALERT_KIND_NAMES, type Alert, kindOf } from "#model/alert";
import { verifies } from "#test/support/verifies";

const AT = Date.UTC(2026, 10, 26, 12);
const ALERT: Alert = {
  id: "01a1ffd2-52d2-70ff-8b03-7377b4673c4f",
  rule_id: "block-rate",
  subject: "",
  label: null,
  rule_name: "Many calls are blocked",
  kind: "block_rate",
  severity: "warning",
  state: "firing",
  value: 34.26,
  peak: 50,
  threshold: 20,
  window_seconds: 900,
  since: AT,
  fired_at: AT + 1_000,
  clear_since: null,
  told_at: null,
  resolved_at: null,
};
const HUB = "https://hub.example.com/guard/";
const noticeAt = (event: "firing" | "resolved", more: Partial<Alert> = {}) =>
  noticeOf(event, { ...ALERT, ...more }, AT + 2_000, HUB);
const RESOLVED = { state: "resolved", resolved_at: AT + 60_000, value: 3 } as const;
const FROM = { from: "hub@example.com", to: ["oncall@example.com"] };

describe("notices of alerts", () => {
  test("say what, how much, and where to look", () => {
    const { title, text, url } = noticeAt("firing");
    expect([title, text, url]).toEqual([
      "Firing: Many calls are blocked",
      "34.3 % of calls were blocked in the last 15 minutes (limit 20 %).",
      "https://hub.example.com/guard/settings/alerts",
    ]);
    expect(noticeAt("resolved", RESOLVED).text).toContain("50 % of calls");
    expect(ALERT_KIND_NAMES.map((kind) => sentenceOf({ ...ALERT, kind, label: "helper" }))).toEqual([
      "34.3 % of calls were blocked in the last 15 minutes (limit 20 %).",
      "34.3 % of calls failed in the last 15 minutes (limit 20 %).",
      "The calls of the last 15 minutes cost $34.26 (limit $20.00).",
      "34.3 % of a budget are spent: helper (limit 20 %).",
      "The calls of helper differ from its drift baseline.",
      "The audit log of helper cannot be written, or its last check found faults.",
      "The newest backup of helper is 34.3 hours old (limit 20 hours).",
      "The event loop of helper was up to 34 ms late (limit 20 ms).",
      "The tool server helper cannot be reached, or does not list its tools.",
      "Calls to the provider helper fail again and again.",
    ]);
  });

  test("name spans in the largest unit they are whole in", () => {
    expect([60, 90, 900, 3_600, 5_400, 86_400, 172_800].map(spanOf)).toEqual([
      ...["minute", "90 seconds", "15 minutes", "hour", "90 minutes", "day", "2 days"],
    ]);
  });
});

describe("formats of alerts", () => {
  test("Slack: blocks in an attachment, whose colour says how bad it is", () => {
    verifies("alert.formats");
    const body = JSON.parse(slackBody(noticeAt("firing")));
    expect(body.attachments).toHaveLength(1);
    expect(body.attachments[0].color).toBe("#bf8700");
    const [section, context] = body.attachments[0].blocks;
    expect(section.text.text).toStartWith(
      "*<https://hub.example.com/guard/settings/alerts|Firing: Many calls are blocked>*",
    );
    expect(context.elements[0].type).toBe("plain_text");
    expect(JSON.parse(slackBody(noticeAt("resolved", RESOLVED))).attachments[0].color).toBe("#1a7f37");
  });

  test("Teams: an Adaptive Card of plain text runs", () => {
    verifies("alert.formats");
    const body = JSON.parse(teamsBody(noticeAt("firing", { severity: "critical" })));
    expect(body.type).toBe("message");
    const [{ contentType, content }] = body.attachments;
    expect(contentType).toBe("application/vnd.microsoft.card.adaptive");
    expect([content.type, content.version, content.body[0].style]).toEqual(["AdaptiveCard", "1.4", "attention"]);
    expect(content.actions).toEqual([
      { type: "Action.OpenUrl", title: "Open alerts", url: "https://hub.example.com/guard/settings/alerts" },
    ]);
  });

  test("PagerDuty: an event that is resolved by its key", () => {
    verifies("alert.formats");
    const key = "0123456789abcdef0123456789abcdef";
    const triggered = JSON.parse(pagerDutyBody(noticeAt("firing"), key, "trigger"));
    expect(triggered).toMatchObject({
      routing_key: key,
      event_action: "trigger",
      dedup_key: `guardhouse-${ALERT.id}`,
      payload: {
        source: "hub.example.com",
        severity: "warning",
        timestamp: "2026-11-26T12:00:01.000Z",
        class: "block_rate",
        group: "block-rate",
      },
    });
    expect(JSON.parse(pagerDutyBody(noticeAt("resolved", RESOLVED), key, "resolve"))).toEqual({
      routing_key: key,
      event_action: "resolve",
      dedup_key: triggered.dedup_key,
    });
  });

  test("mail: what resolves an alert answers the mail that told of it", () => {
    verifies("alert.formats");
    const begun = mailOf(noticeAt("firing"), FROM);
    const over = mailOf(noticeAt("resolved", RESOLVED), FROM);
    expect([begun.inReplyTo, over.inReplyTo]).toEqual([null, begun.id]);
    expect(over.id).not.toBe(begun.id);
    expect(begun.subject).toBe("[Guardhouse] Firing: Many calls are blocked (warning)");
  });

  test("webhooks: type, time and the alert", () => {
    verifies("alert.formats");
    const body = JSON.parse(webhookBody(noticeAt("firing")));
    expect([body.type, body.timestamp]).toEqual(["alert.firing", "2026-11-26T12:00:02.000Z"]);
    expect(body.data).toMatchObject({ id: ALERT.id, kind: "block_rate", value: 34.26, unit: "percent" });
  });

  test("whatever a name is, it is text and nothing is longer than receivers take", () => {
    verifies("alert.formats");
    const nasty = fc.oneof(
      fc.string({ unit: "grapheme", maxLength: 4_000 }),
      fc.constantFrom(
        "<!channel>",
        "<https://evil.example|sign in>",
        "[a](https://evil.example)",
        "a\r\nBcc: x@y.z",
        "<b>",
      ),
    );
    const kinds = fc.constantFrom(...ALERT_KIND_NAMES);
    fc.assert(
      fc.property(nasty, nasty, kinds, (label, rule_name, kind) => {
        const notice = noticeAt("firing", { label, rule_name, kind, subject: "a1" });
        const slack = JSON.parse(slackBody(notice));
        const said = `${slack.text}\n${slack.attachments[0].blocks[0].text.text.replace(/^\*<https:\S+?\|/, "")}`;
        expect(said).not.toMatch(/<[!@#h]/);
        expect(slack.attachments[0].blocks[0].text.text.length).toBeLessThanOrEqual(3_000);
        const card = JSON.parse(teamsBody(notice)).attachments[0].content;
        expect(new Set(card.body.slice(1).map(({ type }: { type: string }) => type))).toEqual(
          new Set(["RichTextBlock"]),
        );
        const page = JSON.parse(pagerDutyBody(notice, "k", "trigger"));
        expect(page.payload.summary.length).toBeLessThanOrEqual(1_024);
        const mail = mailOf(notice, FROM);
        expect(mail.subject).not.toMatch(/[\r\n]/);
        expect(mail.html).not.toContain("<b>");
        expect(mail.id).toMatch(/^[\w@.-]+$/);
        expect(kindOf(kind).title.length).toBeGreaterThan(0);
      }),
    );
  });
});
