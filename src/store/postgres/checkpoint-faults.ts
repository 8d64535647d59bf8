import type { PublicKey } from "#platform/signatures";
import { GENESIS } from "#store/audit-link";
import type { ShippedCheckpoint, ShippedHead } from "#store/shipped-port";
import { begins, digestOf, LOST, signedText } from "#store/sqlite/audit-checkpoints";
import { headText } from "#store/sqlite/audit-signer";

/** What is wrong with a checkpoint after the one before it. `key`: the one it names; null where there is none we have. */
export const checkpointFaults = (
  row: ShippedCheckpoint,
  before: ShippedCheckpoint | null,
  key: PublicKey | null,
): string[] => {
  const faults: string[] = [];
  if (key === null || key.id !== row.key_id)
    faults.push(`the checkpoint was signed with a key we do not have (${row.key_id})`);
  else if (!key.hasSigned(signedText(row), row.signature)) faults.push("the checkpoint has a wrong signature");
  if (row.prev === LOST) faults.push("when this checkpoint was signed, those before it were missing or changed");
  else if (before !== null && before.prev !== null && row.prev !== digestOf(before))
    faults.push("the checkpoint is not chained to the one before it: some are missing or changed");
  return faults;
};

/** Of a checkpoint that is the first of its chain. */
export const isFirstCheckpoint = ({ prev }: ShippedCheckpoint): boolean =>
  prev === null || prev === GENESIS || prev === begins(GENESIS);

export const headFault = (head: ShippedHead, key: PublicKey | null): string[] =>
  key?.hasSigned(headText(head.seq, head.checkpoint), head.signature) === true
    ? []
    : ["what names the newest checkpoint has a wrong signature"];
