import { PLAIN_URL } from "#core/ip-range";
import { checkedLater, type Static, Type } from "#core/schema";
import { Id, listOf, Moment, oneOf, orNull, pageSchema } from "#http/openapi/schemas";
import {
  ALERT_KIND_NAMES,
  ALERT_STATES,
  type Alert,
  type AlertDestination,
  type AlertNotice,
  type AlertRule,
  type AlertSilence,
  DESTINATION_KINDS,
  isSilenced,
  kindOf,
  MAIL_SECURITY,
  RULE_PARTS,
  SEVERITIES,
} from "#model/alert";
import { timestamp } from "#platform/clock";
import { isBuiltIn } from "./rules";
import { sentenceOf } from "./words";

const closed = { additionalProperties: false } as const;

const timeOrNull = (ms: number | null): string | null => (ms === null ? null : timestamp(ms));

const Unit = oneOf(["percent", "usd", "hours", "milliseconds", "state"], "`state`: 0 while all is well.");

export const NewAlertRule = Type.Object(
  { kind: oneOf(ALERT_KIND_NAMES), ...Type.Partial(Type.Object(RULE_PARTS)).properties },
  { ...closed, $id: "NewAlertRule", description: "What is left out is as in the built-in rule of that kind." },
);
export type NewAlertRule = Static<typeof NewAlertRule>;

export const AlertRuleChange = Type.Object(Type.Partial(Type.Object(RULE_PARTS)).properties, {
  ...closed,
  $id: "AlertRuleChange",
});
export type AlertRuleChange = Static<typeof AlertRuleChange>;

export const AlertRuleView = Type.Object(
  {
    object: Type.Literal("alert_rule"),
    id: Type.String({ examples: ["block-rate"] }),
    kind: oneOf(ALERT_KIND_NAMES),
    unit: Unit,
    built_in: Type.Boolean({ description: "Cannot be removed, but disabled." }),
    changed: Type.Boolean({ description: "Of a built-in one: not as it came." }),
    ...RULE_PARTS,
  },
  { $id: "AlertRule" },
);
export type AlertRuleView = Static<typeof AlertRuleView>;
export const AlertRulePage = pageSchema(AlertRuleView);

export const ruleView = (rule: AlertRule, isChanged: boolean): AlertRuleView => ({
  object: "alert_rule",
  unit: kindOf(rule.kind).unit,
  built_in: isBuiltIn(rule.id),
  changed: isChanged,
  ...rule,
  destinations: rule.destinations === null ? null : [...rule.destinations],
});

export const RemovedAlertRule = Type.Object(
  {
    id: Type.String(),
    deleted: Type.Boolean({ description: "false for a built-in one, which is as it came again." }),
  },
  { $id: "RemovedAlertRule" },
);

export const AlertView = Type.Object(
  {
    object: Type.Literal("alert"),
    id: Id,
    rule_id: Type.String(),
    rule: Type.String({ description: "Name of the rule when it began." }),
    kind: oneOf(ALERT_KIND_NAMES),
    unit: Unit,
    severity: oneOf(SEVERITIES),
    state: oneOf(ALERT_STATES, "`pending`: above the threshold, but not for long enough yet."),
    silenced: Type.Boolean(),
    subject: Type.String({ description: "Id of what it is about; empty for the hub." }),
    label: orNull(Type.String({ description: "Its name." })),
    value: Type.Number(),
    peak: Type.Number(),
    threshold: Type.Number(),
    text: Type.String(),
    since: Moment,
    fired_at: orNull(Moment),
    told_at: orNull(Moment),
    resolved_at: orNull(Moment),
  },
  { $id: "Alert" },
);
export type AlertView = Static<typeof AlertView>;
export const AlertPage = pageSchema(AlertView);

export const alertView = (alert: Alert, silences: readonly AlertSilence[], now: number): AlertView => ({
  object: "alert",
  id: alert.id,
  rule_id: alert.rule_id,
  rule: alert.rule_name,
  kind: alert.kind,
  unit: kindOf(alert.kind).unit,
  severity: alert.severity,
  state: alert.state,
  silenced: alert.state === "resolved" ? alert.told_at === null : isSilenced(silences, alert, now),
  subject: alert.subject,
  label: alert.label,
  value: alert.value,
  peak: alert.peak,
  threshold: alert.threshold,
  text: sentenceOf(alert.state === "resolved" ? { ...alert, value: alert.peak } : alert),
  since: timestamp(alert.since),
  fired_at: timeOrNull(alert.fired_at),
  told_at: timeOrNull(alert.told_at),
  resolved_at: timeOrNull(alert.resolved_at),
});

export const AlertNoticeView = Type.Object(
  {
    destination_id: Id,
    destination: Type.String(),
    kind: oneOf(DESTINATION_KINDS),
    told: oneOf(["none", "firing", "resolved"], "What the destination knows."),
    state: oneOf(["pending", "delivered", "failed", "skipped"], "`skipped`: the alert ended before it could be sent."),
    attempts: listOf(
      Type.Object({
        at: Moment,
        event: oneOf(["firing", "resolved"]),
        status: orNull(Type.Integer({ description: "Of HTTP or SMTP." })),
        error: orNull(Type.String()),
        ms: Type.Number(),
      }),
    ),
    next_at: orNull(Moment),
  },
  { $id: "AlertNotice" },
);
export type AlertNoticeView = Static<typeof AlertNoticeView>;

export const AlertDetail = Type.Object(
  { ...AlertView.properties, notices: listOf(AlertNoticeView) },
  { $id: "AlertDetail" },
);
export type AlertDetail = Static<typeof AlertDetail>;

export const noticeView = (
  { attempts, told, state, next_at, destination_id }: AlertNotice,
  { name, kind }: Pick<AlertDestination, "name" | "kind">,
): AlertNoticeView => ({
  destination_id,
  destination: name,
  kind,
  told,
  state,
  attempts: attempts.map(({ at, ...attempt }) => ({ at: timestamp(at), ...attempt })),
  next_at: timeOrNull(next_at),
});

const mailAddress = Type.String({ minLength: 3, maxLength: 254, examples: ["oncall@example.com"] });

/** How a destination is reached, by kind. */
const REACHED = {
  url: Type.String({
    maxLength: 2_048,
    description: "Of slack, teams and webhook; of pagerduty where it is not the usual one. Kept sealed.",
    ...checkedLater({ pattern: PLAIN_URL }),
  }),
  routing_key: Type.String({ maxLength: 128, description: "Of pagerduty: the integration key. Kept sealed." }),
  host: Type.String({ maxLength: 253, description: "Of email: the SMTP server." }),
  port: Type.Integer({ minimum: 1, maximum: 65_535, description: "Of email: 587, or 465 for tls, if left out." }),
  security: oneOf(
    MAIL_SECURITY,
    "Of email: `starttls` sends nothing that is not encrypted; `none` is for networks of webhooks.allow_private.",
  ),
  username: Type.String({ maxLength: 254, description: "Of email." }),
  password: Type.String({ maxLength: 1_024, description: "Of email. Kept sealed." }),
  from: mailAddress,
  to: Type.Array(mailAddress, { minItems: 1, maxItems: 50 }),
};
const DestinationName = Type.String({ minLength: 1, maxLength: 100 });

export const NewAlertDestination = Type.Object(
  { name: DestinationName, kind: oneOf(DESTINATION_KINDS), ...Type.Partial(Type.Object(REACHED)).properties },
  { ...closed, $id: "NewAlertDestination" },
);
export type NewAlertDestination = Static<typeof NewAlertDestination>;

export const AlertDestinationChange = Type.Object(
  {
    name: Type.Optional(DestinationName),
    active: Type.Optional(Type.Boolean()),
    ...Type.Partial(Type.Object(REACHED)).properties,
  },
  { ...closed, $id: "AlertDestinationChange" },
);
export type AlertDestinationChange = Static<typeof AlertDestinationChange>;

export const AlertDestinationView = Type.Object(
  {
    object: Type.Literal("alert_destination"),
    id: Id,
    name: Type.String(),
    kind: oneOf(DESTINATION_KINDS),
    active: Type.Boolean(),
    host: Type.String({ description: "Where it is; its path and keys are not shown." }),
    port: orNull(Type.Integer()),
    security: orNull(oneOf(MAIL_SECURITY)),
    username: orNull(Type.String()),
    from: orNull(Type.String()),
    to: listOf(Type.String()),
    failing_since: orNull(Moment),
    created_at: Moment,
  },
  { $id: "AlertDestination" },
);
export type AlertDestinationView = Static<typeof AlertDestinationView>;
export const AlertDestinationPage = pageSchema(AlertDestinationView);

export const IssuedAlertDestination = Type.Object(
  {
    ...AlertDestinationView.properties,
    secret: orNull(Type.String({ description: "Of webhook: signs messages. Shown only once." })),
  },
  { $id: "IssuedAlertDestination" },
);
export type IssuedAlertDestination = Static<typeof IssuedAlertDestination>;

export const destinationView = ({ settings, ...it }: AlertDestination): AlertDestinationView => ({
  object: "alert_destination",
  id: it.id,
  name: it.name,
  kind: it.kind,
  active: it.active,
  host: settings.host,
  port: settings.port ?? null,
  security: settings.security ?? null,
  username: settings.username ?? null,
  from: settings.from ?? null,
  to: settings.to ?? [],
  failing_since: timeOrNull(it.failing_since),
  created_at: timestamp(it.created_at),
});

export const RemovedAlertDestination = Type.Object(
  { id: Id, deleted: Type.Literal(true) },
  { $id: "RemovedAlertDestination" },
);

export const AlertTest = Type.Object(
  {
    object: Type.Literal("alert_test"),
    destination_id: Id,
    delivered: Type.Boolean(),
    status: orNull(Type.Integer({ description: "Of HTTP or SMTP; null for no answer." })),
    error: orNull(
      Type.String({
        examples: ["forbidden_address", "unreachable", "timeout", "redirect", "certificate", "sign_in"],
      }),
    ),
    ms: Type.Number(),
  },
  { $id: "AlertTest" },
);
export type AlertTest = Static<typeof AlertTest>;

export const NewAlertSilence = Type.Object(
  {
    rule_id: Type.Optional(orNull(Type.String({ maxLength: 64, description: "Null for all rules." }))),
    subject: Type.Optional(
      orNull(Type.String({ maxLength: 200, description: "As the alert names it; null for all subjects of the rule." })),
    ),
    until: Type.String({ maxLength: 40, description: "A time in RFC 3339 within the next 90 days." }),
    reason: Type.String({ minLength: 1, maxLength: 500 }),
  },
  { ...closed, $id: "NewAlertSilence" },
);
export type NewAlertSilence = Static<typeof NewAlertSilence>;

export const AlertSilenceView = Type.Object(
  {
    object: Type.Literal("alert_silence"),
    id: Id,
    rule_id: orNull(Type.String()),
    subject: orNull(Type.String()),
    reason: Type.String(),
    until: Moment,
    created_by: orNull(Type.String({ description: "E-mail address; null for the command line." })),
    created_at: Moment,
    ended_at: orNull(Moment),
  },
  { $id: "AlertSilence" },
);
export type AlertSilenceView = Static<typeof AlertSilenceView>;
export const AlertSilencePage = pageSchema(AlertSilenceView);

export const silenceView = (it: AlertSilence, emailOf: (userId: string) => string): AlertSilenceView => ({
  object: "alert_silence",
  id: it.id,
  rule_id: it.rule_id,
  subject: it.subject,
  reason: it.reason,
  until: timestamp(it.until),
  created_by: it.created_by === null ? null : emailOf(it.created_by),
  created_at: timestamp(it.created_at),
  ended_at: timeOrNull(it.ended_at),
});
