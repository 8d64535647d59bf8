import { table } from "#test/bench/table";
import { controls, evasionRows, evasionTable, kept } from "./evasion";
import { alarmTable, fileRows, recallTable } from "./files";
import { flagRows, flagTable, labelRows, labelTable } from "./personal-data";
import { type Counters, percent, share } from "./rates";
import { secretRows } from "./secrets";
import type { Seen } from "./seen";
import type { Measured } from "./targets";

export function measure(seen: readonly Seen[], counters: Counters): Measured {
  const harmless = controls(seen);
  return {
    files: fileRows(seen, counters),
    labels: labelRows(seen, counters),
    flags: flagRows(seen, counters),
    secrets: secretRows(seen, counters),
    evasion: evasionRows(seen, counters),
    controls: {
      texts: harmless.length,
      flagged: harmless.filter((one) => counters.recorded(one).length > 0).length,
    },
  };
}

/** Everything measured as text; parts about which nothing was measured are left out. */
export function reportText({ files, labels, flags, secrets, evasion, controls: { texts, flagged } }: Measured): string {
  const parts = [
    files.some(({ positives }) => positives > 0) ? recallTable(files) : "",
    files.some(({ negatives }) => negatives > 0) ? alarmTable(files) : "",
    labels.length > 0 ? labelTable(labels) : "",
    flags.length > 0 ? flagTable(flags) : "",
    secrets.missed.length > 0 ? secretTable(secrets.missed) : "",
    evasion.length > 0 ? evasionTable(evasion) : "",
    evasion.length > 0
      ? `kept of what is found undisguised: normalising ${percent(kept(evasion, "normalising"))}, decoding ${percent(kept(evasion, "decoding"))}, optional ${percent(kept(evasion, "optional"))}; controls flagged: ${flagged} of ${texts}`
      : "",
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

const secretTable = (rows: Measured["secrets"]["missed"]): string =>
  table(
    ["secrets missed, by rule", "labels", "recall"],
    rows.slice(0, 40).map(({ rule, labels, found }) => [rule, String(labels), percent(share(found, labels))]),
  );
