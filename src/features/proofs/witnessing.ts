import type { Log } from "#platform/log";
import type { ProofStore, TreeLog } from "#store/proof-port";
import { BadNote, goodSignatures, type NoteKey, readNote } from "#store/tlog/note";
import { addCheckpointText, cosignaturesIn } from "#store/tlog/witness";
import type { WitnessPost } from "#upstream/outbound-port";

/** A witness as the configuration names it. */
export type Witness = { readonly url: string; readonly key: NoteKey };

type WitnessingNeeds = {
  readonly proofs: Pick<ProofStore, "logs" | "consistency" | "keepWitnessed">;
  readonly witnesses: readonly Witness[];
  readonly post: WitnessPost;
  readonly log: Log;
};

/** How long a checkpoint that more witnesses have signed is kept although a newer one is there. Milliseconds. */
const KEEP_BETTER_MS = 3_600_000;

/** What a witness said last of a log. `conflict`: it has seen another log of this name, or more of this one. */
export type WitnessState = "signed" | "unreachable" | "refused" | "conflict";

/** Has the witnesses sign the newest checkpoint of each log. */
export class Witnessing {
  /** Of each witness and log, the size it has signed. Asked for when it is not known. */
  readonly #sizes = new Map<string, number>();
  readonly #states = new Map<string, WitnessState>();

  constructor(private readonly deps: WitnessingNeeds) {}

  /** By witness, the worst of all logs. */
  states(): { readonly name: string; readonly url: string; readonly state: WitnessState | null }[] {
    return this.deps.witnesses.map(({ url, key }) => ({
      name: key.name,
      url,
      state: this.#states.get(key.name) ?? null,
    }));
  }

  async run(): Promise<void> {
    for (const log of await this.deps.proofs.logs()) await this.#sign(log);
  }

  async #sign(log: TreeLog): Promise<void> {
    const { head, witnessed } = log;
    const { witnesses, proofs } = this.deps;
    // Also after a start, when nothing is known: a log that was set back is told of at once.
    if (head === null || witnesses.every((witness) => this.#sizes.get(placeOf(witness, log)) === head.size)) return;
    const { text } = readNote(head.note);
    const asked = await Promise.all(witnesses.map((witness) => this.#ask(witness, log, text)));
    const lines = asked.filter((line) => line !== null);
    if (lines.length === 0) return;
    const before = witnessed === null ? 0 : await this.#count(witnessed.note);
    if (witnessed !== null && before > lines.length && head.at - witnessed.at < KEEP_BETTER_MS) return;
    await proofs.keepWitnessed(log.node, { ...head, note: head.note + lines.join("") });
  }

  /** How many of the witnesses have signed it. */
  async #count(note: string): Promise<number> {
    const keys = this.deps.witnesses.map(({ key }) => key);
    return (await goodSignatures(readNote(note), keys)).length;
  }

  /** Signature lines; null for none. */
  async #ask(witness: Witness, log: TreeLog, text: string): Promise<string | null> {
    try {
      return await this.#cosign(witness, log, text);
    } catch (error) {
      if (!(error instanceof BadNote)) throw error;
      this.#note(witness, log, "refused", error.message);
      return null;
    }
  }

  async #cosign(witness: Witness, log: TreeLog, text: string, isSecond = false): Promise<string | null> {
    const { proofs, post } = this.deps;
    const place = placeOf(witness, log);
    const { size, note } = log.head ?? { size: 0, note: "" };
    const old = this.#sizes.get(place) ?? 0;
    // A witness that has seen more of the log than there is of it: what it has seen was taken back.
    if (old > size) return this.#note(witness, log, "conflict", "it has seen more records than the log has");
    const proof = old === 0 || old === size ? [] : await proofs.consistency(log.node, old, size);
    if (proof === null) return null;
    const answer = await post(`${witness.url.replace(/\/+$/, "")}/add-checkpoint`, addCheckpointText(old, proof, note));
    if (answer === null) return this.#note(witness, log, "unreachable", "no answer");
    if (answer.status === 200) {
      const lines = await cosignaturesIn(answer.body, text, [witness.key]);
      this.#sizes.set(place, size);
      this.#note(witness, log, "signed", null);
      return lines;
    }
    const known = answer.status === 409 ? Number(answer.body.trim()) : Number.NaN;
    if (Number.isSafeInteger(known) && known !== old && !isSecond) {
      this.#sizes.set(place, known);
      return this.#cosign(witness, log, text, true);
    }
    const isConflict = answer.status === 409 || answer.status === 422;
    return this.#note(witness, log, isConflict ? "conflict" : "refused", `status ${answer.status}`);
  }

  /** Logged when it changes. */
  #note({ key }: Witness, { origin }: TreeLog, state: WitnessState, reason: string | null): null {
    const known = this.#states.get(key.name) ?? "signed";
    this.#states.set(key.name, state);
    if (known !== state) {
      const fields = { witness: key.name, log: origin, state, ...(reason !== null && { reason }) };
      if (state === "signed") this.deps.log.info("audit.witness", fields);
      else if (state === "conflict") this.deps.log.error("audit.witness", fields);
      else this.deps.log.warn("audit.witness", fields);
    }
    return null;
  }
}

const placeOf = ({ key }: Witness, { origin }: TreeLog): string => `${key.name} ${origin}`;
