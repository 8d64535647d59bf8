import { AuditChain } from "#store/sqlite/audit-chain";
import { Checkpoints } from "#store/sqlite/audit-checkpoints";
import { AuditKeeper } from "#store/sqlite/audit-keeper";
import { DONE, FAILED, OPEN, reasonOf } from "#store/sqlite/audit-messages";
import { AuditSigner } from "#store/sqlite/audit-signer";
import type { ThreadSettings } from "#store/sqlite/audit-thread";
import { openDatabase } from "#store/sqlite/database";

/* The audit writer's thread without its index: what the index is compared with. */

declare const self: Worker;

let keeper: AuditKeeper | null = null;

const open = ({ database, durability, auditKey }: ThreadSettings): AuditKeeper => {
  const db = openDatabase(database, { durability, autocheckpoint: 0, cacheKib: 16_384 });
  const signer = new AuditSigner(auditKey);
  const checkpoints = new Checkpoints(db, signer, Date.now);
  return new AuditKeeper({ db, chain: new AuditChain(db, checkpoints), checkpoints, signer, now: Date.now });
};

self.onmessage = ({ data }: MessageEvent<string>) => {
  let answer = DONE;
  try {
    if (data.startsWith(OPEN)) keeper = open(JSON.parse(data.slice(OPEN.length)));
    else if (!data.startsWith("!")) keeper?.append(data.split("\n"));
  } catch (error) {
    answer = FAILED + reasonOf(error);
  }
  postMessage(answer);
};
