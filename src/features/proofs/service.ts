import { GuardError } from "#core/errors";
import { timestamp } from "#platform/clock";
import type { CallIndex } from "#store/call-index-port";
import type { NoProof, ProofStore, TreeLog } from "#store/proof-port";
import { readNote } from "#store/tlog/note";
import type { AuditTree, AuditTrees } from "./schema";
import type { Witnessing } from "./witnessing";

type ProofServiceNeeds = {
  readonly proofs: Pick<ProofStore, "logs" | "prove">;
  readonly calls: Pick<CallIndex, "byCall" | "byRecord" | "byEvent">;
  readonly witnessing: Pick<Witnessing, "states">;
};

const WHY_NOT: Readonly<Record<NoProof, string>> = {
  before_tree: "The record is from before this log had a tree. The integrity check covers it; a proof cannot.",
  unsigned: "No checkpoint covers the record yet. Try again in a minute.",
  elsewhere: "The record is in the log of another hub. Ask that hub.",
};

/** Trees and proofs for people. */
export class ProofService {
  constructor(private readonly deps: ProofServiceNeeds) {}

  async trees(): Promise<AuditTrees> {
    const { proofs, witnessing } = this.deps;
    return { object: "audit.trees", trees: (await proofs.logs()).map(shown), witnesses: witnessing.states() };
  }

  /** By any id of a call. Throws `not_found`, and `state_conflict` for what cannot be proved now. */
  async prove(id: string): Promise<string> {
    const { calls, proofs } = this.deps;
    const row = (await calls.byEvent(id)) ?? (await calls.byRecord(id)) ?? (await calls.byCall(id));
    if (row === null) throw new GuardError("not_found", "There is no such call.");
    const proof = await proofs.prove({ node: row.node ?? null, seq: row.seq, body: row.body });
    if (proof === "before_tree" || proof === "unsigned" || proof === "elsewhere")
      throw new GuardError("state_conflict", WHY_NOT[proof]);
    return proof;
  }
}

const shown = ({ node, origin, key, head, witnessed }: TreeLog): AuditTree => ({
  node,
  origin,
  key,
  signed: head && { size: head.size, at: timestamp(head.at) },
  witnessed: witnessed && {
    size: witnessed.size,
    at: timestamp(witnessed.at),
    by: readNote(witnessed.note).signatures.flatMap(({ name }) => (name === origin ? [] : [name])),
  },
});
