import { type Static, Type } from "#core/schema";

/* What people are alerted to: rules, what they found, whom they tell, and when they are silent. */

/** What is measured. `window`: over the last so many seconds. `agent`: of all calls, or of one agent's. */
type Kind = {
  readonly title: string;
  readonly unit: "percent" | "usd" | "hours" | "milliseconds" | "state";
  readonly measures: string;
  readonly window?: true;
  readonly agent?: true;
};

export const ALERT_KINDS = {
  block_rate: {
    title: "Block rate",
    unit: "percent",
    measures: "Share of calls that were blocked.",
    window: true,
    agent: true,
  },
  error_rate: {
    title: "Error rate",
    unit: "percent",
    measures: "Share of calls that failed at their provider or tool server.",
    window: true,
    agent: true,
  },
  spend: {
    title: "Spend",
    unit: "usd",
    measures: "US dollars that calls cost.",
    window: true,
    agent: true,
  },
  budget: { title: "Budget", unit: "percent", measures: "Share of each budget that is spent in its current window." },
  drift: { title: "Drift", unit: "state", measures: "Each agent whose calls differ from its drift baseline." },
  audit_log: {
    title: "Audit log",
    unit: "state",
    measures: "Each process that cannot write records, or whose last check of the log found faults.",
  },
  backup_age: {
    title: "Backup age",
    unit: "hours",
    measures: "Hours since the newest backup of each data directory, or since the start without any.",
  },
  loop_delay: {
    title: "Event-loop delay",
    unit: "milliseconds",
    measures: "Longest delay of the event loop in the last minute, of each process.",
  },
  tool_server: {
    title: "Tool server",
    unit: "state",
    measures: "Each tool server in use that cannot be reached, or does not list its tools.",
  },
  provider: {
    title: "Provider",
    unit: "state",
    measures: "Each provider that is asked last because its calls failed again and again.",
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type AlertKind = keyof typeof ALERT_KINDS;

export const ALERT_KIND_NAMES = Object.keys(ALERT_KINDS).filter((name): name is AlertKind =>
  Object.hasOwn(ALERT_KINDS, name),
);

/** What there is of a kind. */
export const kindOf = (kind: AlertKind): Kind => ALERT_KINDS[kind];

export const SEVERITIES = ["info", "warning", "critical"] as const;
export type AlertSeverity = (typeof SEVERITIES)[number];

const MAX_SECONDS = 2_592_000;
const severity = Type.Union(SEVERITIES.map((one) => Type.Literal<AlertSeverity>(one)));
const seconds = (minimum: number, description: string) => Type.Integer({ minimum, maximum: MAX_SECONDS, description });

/** What makes a rule, beside its id and its kind. */
export const RULE_PARTS = {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  enabled: Type.Boolean(),
  severity,
  threshold: Type.Number({ minimum: 0, maximum: 1_000_000_000, description: "An alert begins above it." }),
  clear_at: Type.Number({
    minimum: 0,
    maximum: 1_000_000_000,
    description: "An alert ends at or below it; at most the threshold.",
  }),
  window_seconds: seconds(60, "Of rates and spend: how far back calls are counted, in whole minutes."),
  min_calls: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: "Of rates: with fewer calls in the window there is no rate.",
  }),
  for_seconds: seconds(0, "How long the value is above the threshold before the alert fires."),
  resolve_seconds: seconds(0, "How long the value is at or below clear_at before the alert is resolved."),
  agent_id: Type.Union([Type.String({ maxLength: 64 }), Type.Null()], {
    description: "Of rates and spend: of this agent's calls alone; null for all.",
  }),
  destinations: Type.Union([Type.Array(Type.String({ maxLength: 64 }), { maxItems: 50 }), Type.Null()], {
    description: "Ids of the destinations it is sent to; null for all.",
  }),
};

/** A rule as it is stored, without its id. */
export const StoredAlertRule = Type.Object({
  kind: Type.Union(ALERT_KIND_NAMES.map((one) => Type.Literal<AlertKind>(one))),
  ...RULE_PARTS,
});

export type AlertRule = Readonly<Static<typeof StoredAlertRule>> & { readonly id: string };

const MINUTE = 60;
const usual = {
  enabled: true,
  severity: "warning",
  clear_at: 0,
  window_seconds: 15 * MINUTE,
  min_calls: 20,
  for_seconds: 5 * MINUTE,
  resolve_seconds: 5 * MINUTE,
  agent_id: null,
  destinations: null,
} as const;

/** Rules every hub has. One that somebody changed is stored under the same id. */
export const DEFAULT_RULES: readonly AlertRule[] = [
  {
    ...usual,
    id: "audit-log",
    kind: "audit_log",
    name: "Audit log cannot be written or is not intact",
    severity: "critical",
    threshold: 0,
    for_seconds: 0,
    resolve_seconds: MINUTE,
  },
  { ...usual, id: "block-rate", kind: "block_rate", name: "Many calls are blocked", threshold: 20, clear_at: 10 },
  {
    ...usual,
    id: "error-rate",
    kind: "error_rate",
    name: "Many calls fail",
    severity: "critical",
    threshold: 20,
    clear_at: 10,
    window_seconds: 10 * MINUTE,
    for_seconds: 2 * MINUTE,
  },
  {
    ...usual,
    id: "spend",
    kind: "spend",
    name: "Calls of an hour cost much",
    enabled: false,
    threshold: 50,
    clear_at: 40,
    window_seconds: 60 * MINUTE,
    for_seconds: 0,
  },
  {
    ...usual,
    id: "budget",
    kind: "budget",
    name: "A budget is nearly spent",
    threshold: 90,
    clear_at: 90,
    for_seconds: 0,
    resolve_seconds: 0,
  },
  { ...usual, id: "drift", kind: "drift", name: "An agent drifts", threshold: 0, for_seconds: 0 },
  {
    ...usual,
    id: "backup-age",
    kind: "backup_age",
    name: "The newest backup is old",
    threshold: 48,
    clear_at: 48,
    for_seconds: 0,
    resolve_seconds: 0,
  },
  {
    ...usual,
    id: "loop-delay",
    kind: "loop_delay",
    name: "A process answers late",
    threshold: 500,
    clear_at: 250,
    for_seconds: 3 * MINUTE,
  },
  { ...usual, id: "tool-server", kind: "tool_server", name: "A tool server cannot be reached", threshold: 0 },
  { ...usual, id: "provider", kind: "provider", name: "A provider fails", threshold: 0 },
];

export const ALERT_STATES = ["pending", "firing", "resolved"] as const;

/** What a rule found about one subject, from the first time its value was too high. Times are Unix milliseconds. */
export type Alert = {
  readonly id: string;
  readonly rule_id: string;
  /** What the rule is about there: an agent, a process, a tool server; empty for the hub. */
  readonly subject: string;
  /** Its name, for people; null where there is none. */
  readonly label: string | null;
  /** As the rule was called when it began. */
  readonly rule_name: string;
  readonly kind: AlertKind;
  readonly severity: AlertSeverity;
  readonly state: (typeof ALERT_STATES)[number];
  /** The last one, and the highest. */
  readonly value: number;
  readonly peak: number;
  readonly threshold: number;
  readonly window_seconds: number;
  readonly since: number;
  readonly fired_at: number | null;
  /** Since when it is low enough to end; null while it is not. */
  readonly clear_since: number | null;
  /** When destinations were told that it fires; null while it is silenced. */
  readonly told_at: number | null;
  readonly resolved_at: number | null;
};

/** For a while nobody is told of some alerts. */
export type AlertSilence = {
  readonly id: string;
  /** Null for all rules. */
  readonly rule_id: string | null;
  /** Null for all subjects. */
  readonly subject: string | null;
  readonly reason: string;
  readonly until: number;
  readonly created_by: string | null;
  readonly created_at: number;
  /** When somebody ended it before. */
  readonly ended_at: number | null;
};

export const isSilenced = (
  silences: readonly AlertSilence[],
  { rule_id, subject }: Pick<Alert, "rule_id" | "subject">,
  now: number,
): boolean =>
  silences.some(
    (it) =>
      it.ended_at === null &&
      it.until > now &&
      (it.rule_id === null || it.rule_id === rule_id) &&
      (it.subject === null || it.subject === subject),
  );

export const DESTINATION_KINDS = ["slack", "teams", "pagerduty", "email", "webhook"] as const;
export type DestinationKind = (typeof DESTINATION_KINDS)[number];

export const MAIL_SECURITY = ["starttls", "tls", "none"] as const;

/** What may be shown of how a destination is reached. */
export const DestinationSettings = Type.Object({
  host: Type.String(),
  port: Type.Optional(Type.Integer()),
  security: Type.Optional(Type.Union(MAIL_SECURITY.map((one) => Type.Literal<(typeof MAIL_SECURITY)[number]>(one)))),
  username: Type.Optional(Type.String()),
  from: Type.Optional(Type.String()),
  to: Type.Optional(Type.Array(Type.String())),
});
export type DestinationSettings = Readonly<Static<typeof DestinationSettings>>;

/** What may not. */
export const DestinationSecret = Type.Object({
  url: Type.Optional(Type.String()),
  /** Of PagerDuty. */
  routing_key: Type.Optional(Type.String()),
  /** Of mail. */
  password: Type.Optional(Type.String()),
  /** Webhooks are signed with it. */
  signing: Type.Optional(Type.String()),
});
export type DestinationSecret = Readonly<Static<typeof DestinationSecret>>;

export type AlertDestination = {
  readonly id: string;
  readonly name: string;
  readonly kind: DestinationKind;
  readonly active: boolean;
  readonly settings: DestinationSettings;
  readonly sealed: string;
  /** Nothing was taken since then; null when the last notice was. */
  readonly failing_since: number | null;
  readonly created_by: string | null;
  readonly created_at: number;
};

/** What an alert says to a destination at last, and what came of each attempt. */
export type AlertNotice = {
  readonly id: string;
  readonly alert_id: string;
  readonly destination_id: string;
  /** What it knows. */
  readonly told: "none" | "firing" | "resolved";
  /** `skipped`: the alert ended before it could be told of. */
  readonly state: "pending" | "delivered" | "failed" | "skipped";
  /** The last ones. */
  readonly attempts: readonly NoticeAttempt[];
  readonly next_at: number | null;
  readonly created_at: number;
};

export type NoticeAttempt = {
  readonly at: number;
  readonly event: "firing" | "resolved";
  /** Of HTTP or SMTP; null for no answer. */
  readonly status: number | null;
  readonly error: string | null;
  readonly ms: number;
};

/** What a process says of itself and its data directory, for rules. */
export const NodeFigures = Type.Object({
  /** Names its data directory among those of a shared database; empty where there is one. */
  directory: Type.String(),
  started_at: Type.Integer(),
  loop_delay_ms: Type.Number(),
  /** The last check of the directory's log that it knows of. */
  audit: Type.Object({
    checked_at: Type.Union([Type.Integer(), Type.Null()]),
    faults: Type.Integer(),
  }),
  /** The newest of its data directory; null where another process says it. */
  backup: Type.Union([Type.Object({ at: Type.Union([Type.Integer(), Type.Null()]) }), Type.Null()]),
  tool_servers: Type.Array(Type.Object({ id: Type.String(), slug: Type.String() })),
});
export type NodeFigures = Readonly<Static<typeof NodeFigures>>;
