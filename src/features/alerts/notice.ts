import { type Alert, kindOf } from "#model/alert";
import { timestamp } from "#platform/clock";
import { amountOf, sentenceOf } from "./words";

/** What a destination is told, in no format yet. */
export type Notice = {
  readonly event: "firing" | "resolved" | "test";
  /** The same for each attempt to tell of one event. */
  readonly id: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly alert: Alert;
  readonly title: string;
  readonly text: string;
  /** For people, in the order they are shown. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** Where it is looked at in the dashboard, and the hub's own address. */
  readonly url: string;
  readonly hub: string;
};

const WORDS = { firing: "Firing", resolved: "Resolved", test: "Test" } as const;

/** `publicUrl`: of the hub. */
export const noticeOf = (event: Notice["event"], alert: Alert, at: number, publicUrl: string): Notice => {
  const hub = publicUrl.replace(/\/$/, "");
  const told = event === "resolved" ? { ...alert, value: alert.peak } : alert;
  return {
    event,
    id: `${alert.id}-${event}`,
    at,
    alert,
    title: `${WORDS[event]}: ${alert.rule_name}`,
    text: event === "resolved" ? `It is over. At its height: ${sentenceOf(told)}` : sentenceOf(told),
    facts: [
      ["Severity", alert.severity],
      ["Measured", kindOf(alert.kind).title],
      ...(alert.label === null ? [] : [["About", alert.label] as const]),
      ...(amountOf(alert.kind, 0) === "" ? [] : [["Value", amountOf(alert.kind, alert.value)] as const]),
      ["Since", timestamp(alert.since)],
      ...(alert.resolved_at === null ? [] : [["Resolved", timestamp(alert.resolved_at)] as const]),
      ["Hub", new URL(hub).host],
    ],
    url: `${hub}/settings/alerts`,
    hub,
  };
};

/** No longer than that, in characters: receivers refuse what is. */
export const cut = (text: string, most: number): string => (text.length <= most ? text : `${text.slice(0, most - 1)}…`);
