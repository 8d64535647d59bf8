import { type Counters, type Recall, recall } from "./rates";
import type { Seen } from "./seen";

export type SecretRows = {
  readonly vendor: Recall;
  readonly generic: Recall;
  /** Rules none or few of whose secrets are found, worst first. */
  readonly missed: readonly { readonly rule: string; readonly labels: number; readonly found: number }[];
};

/** Rules for a value that only its surroundings make a secret. */
const GENERIC = [
  "generic-api-key",
  "curl-auth-header",
  "curl-auth-user",
  "hashicorp-tf-password",
  "kubernetes-secret-yaml",
];

export const isGeneric = (rule: string): boolean => GENERIC.includes(rule);

export const ruleOf = ({ sample }: Seen): string => {
  const rule = sample.meta["rule"];
  return typeof rule === "string" ? rule : "";
};

export function secretRows(seen: readonly Seen[], counters: Counters): SecretRows {
  const secrets = seen.filter(({ sample }) => sample.kind === "secret" && sample.file !== "evasion");
  const rate = (wanted: (rule: string) => boolean) =>
    recall(
      secrets.filter((one) => wanted(ruleOf(one))),
      counters,
      (type) => type === "SECRET",
    );
  const rules = [...new Set(secrets.map(ruleOf))].filter((rule) => rule !== "").sort();
  return {
    vendor: rate((rule) => !isGeneric(rule)),
    generic: rate(isGeneric),
    missed: rules
      .map((rule) => ({ rule, ...rate((name) => name === rule) }))
      .filter(({ labels, found }) => found < labels)
      .map(({ rule, labels, found }) => ({ rule, labels, found }))
      .sort((one, other) => one.found / one.labels - other.found / other.labels || other.labels - one.labels),
  };
}
