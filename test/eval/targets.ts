import { atLeast, atMost, type Bar } from "#test/bench/bar";
import { type EvasionRow, kept } from "./evasion";
import type { FileRow } from "./files";
import { GOVERNMENT_ID } from "./label-types";
import type { FlagRow, LabelRow } from "./personal-data";
import { share } from "./rates";
import type { SecretRows } from "./secrets";

/** Everything a run measured. */
export type Measured = {
  readonly files: readonly FileRow[];
  readonly labels: readonly LabelRow[];
  readonly flags: readonly FlagRow[];
  readonly secrets: SecretRows;
  readonly evasion: readonly EvasionRow[];
  readonly controls: { readonly texts: number; readonly flagged: number };
};

type Measure = Bar<Measured>["measure"];

const ATTACKS = ["injection_authored", "injection_compass", "injection_deepset", "injection_jailbreaks"];
const ORDINARY = ["benign_prompts", "benign_code", "injection_deepset", "injection_bipia"];
const NO_SECRETS = ["secrets_authored_lookalikes", "secrets_lockfiles", "benign_prompts", "benign_code"];

/** What the scanner is to reach. Each figure is over all samples it names, and left out where there are none. */
export const BARS: readonly Bar<Measured>[] = [
  ...["EMAIL", "CREDIT_CARD", "IBAN", "US_SSN", "IP_ADDRESS"].map((type) =>
    atLeast(`recall of ${type}`, 0.97, labelRecall(type)),
  ),
  atLeast("recall of PHONE", 0.9, labelRecall("PHONE")),
  atLeast("recall of government ids", 0.85, labelRecall(...GOVERNMENT_ID)),
  atMost("hard negatives flagged as personal data", 0.02, 3, flagged(["pii_authored_hard"], "pii")),
  atLeast("recall of vendors' secrets", 0.97, ({ secrets }) => of(secrets.vendor)),
  atLeast("recall of generic credentials", 0.6, ({ secrets }) => of(secrets.generic)),
  atMost("look-alikes, lock files, code, prompts flagged as secrets", 0.005, 4, flagged(NO_SECRETS, "secret")),
  atLeast("recall of attacks by their wording", 0.85, ({ files }) => {
    const own = files.filter(({ name }) => ATTACKS.some((file) => name.startsWith(file)));
    return own.length === 0 ? undefined : share(sum(own, "found"), sum(own, "labels"));
  }),
  atMost("prompts, code, mail, documents flagged as injection", 0.01, 4, flagged(ORDINARY, "injection")),
  atMost("harmless text full of trigger words flagged", 0.02, 3, flagged(["injection_xstest"], "injection")),
  atMost("code and its documents flagged as injection", 0.003, 4, flagged(["benign_code"], "injection")),
  atLeast("kept of what is found undisguised, normalising", 0.95, ({ evasion }) =>
    notNaN(kept(evasion, "normalising")),
  ),
  atLeast("kept of what is found undisguised, decoding", 0.9, ({ evasion }) => notNaN(kept(evasion, "decoding"))),
  atMost("controls flagged", 0, 0, ({ controls }) => (controls.texts === 0 ? undefined : controls.flagged)),
];

function labelRecall(...types: readonly string[]): Measure {
  return ({ labels }) => {
    const own = labels.filter(({ type }) => types.includes(type));
    return own.length === 0 ? undefined : share(sum(own, "found"), sum(own, "labels"));
  };
}

function flagged(names: readonly string[], category: "pii" | "secret" | "injection"): Measure {
  return ({ files }) => {
    const own = files.filter(({ name, negatives }) => negatives > 0 && names.some((file) => name.startsWith(file)));
    return own.length === 0 ? undefined : share(sum(own, category), sum(own, "negatives"));
  };
}

const of = ({ labels, found }: { readonly labels: number; readonly found: number }): number | undefined =>
  notNaN(share(found, labels));

const notNaN = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);

const sum = <Key extends string>(rows: readonly Readonly<Record<Key, number>>[], key: Key): number =>
  rows.reduce((total, row) => total + row[key], 0);
