import { integer } from "./checkpoint";
import { BadNote, type GoodSignature, type NoteKey, readKey, SIGNS_COSIGNATURES, SIGNS_NOTES } from "./note";

/*
 * Which logs are trusted, and which witnesses must have signed beside them: the file of https://c2sp.org/tlog-policy, or
 * nothing but a log's public key.
 */

const MAX_LINES = 512;
const CONTROLS = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/;

/** `quorum` null: no witness is asked for. */
export type TrustPolicy = {
  readonly logs: readonly NoteKey[];
  readonly witnesses: ReadonlyMap<string, NoteKey>;
  readonly groups: ReadonlyMap<string, WitnessGroup>;
  readonly quorum: string | null;
};
type WitnessGroup = { readonly needed: number; readonly members: readonly string[] };

/** Throws `BadNote` that names the line. */
export const readTrust = (text: string): TrustPolicy => {
  if (CONTROLS.test(text)) throw new BadNote("The file of trusted keys is not a text file.");
  const lines = text.split("\n").map((line) => line.replace(/^[ \t]+|[ \t\r]+$/g, ""));
  if (lines.length > MAX_LINES) throw new BadNote("The file of trusted keys has too many lines.");
  const draft = new TrustDraft();
  for (const [at, line] of lines.entries()) {
    if (line === "" || line.startsWith("#")) continue;
    try {
      draft.take(line.split(/[ \t]+/));
    } catch (error) {
      if (!(error instanceof BadNote)) throw error;
      throw new BadNote(`Line ${at + 1} of the file of trusted keys: ${error.message}`, { cause: error });
    }
  }
  return draft.done();
};

class TrustDraft {
  readonly logs: NoteKey[] = [];
  readonly witnesses = new Map<string, NoteKey>();
  readonly groups = new Map<string, WitnessGroup>();
  /** Of one group each, so that no witness counts twice. */
  readonly #members = new Set<string>();
  #quorum: string | null | undefined;

  take([first = "", ...words]: readonly string[]): void {
    if (first === "log") this.#log(words);
    else if (first === "witness") this.#witness(words);
    else if (first === "group") this.#group(words);
    else if (first === "quorum") this.#setQuorum(words);
    // A public key alone, as `audit key` prints it.
    else if (first.includes("+") && words.length === 0) this.#log([first]);
    else throw new BadNote("it begins with none of log, witness, group, quorum.");
  }

  done(): TrustPolicy {
    const [log] = this.logs;
    if (log === undefined) throw new BadNote("The file of trusted keys names no log.");
    if (this.#quorum === undefined && this.witnesses.size > 0) {
      throw new BadNote("The file of trusted keys names witnesses and no quorum. Add `quorum NAME`, or `quorum none`.");
    }
    const { logs, witnesses, groups } = this;
    return { logs, witnesses, groups, quorum: this.#quorum ?? null };
  }

  #log([text = ""]: readonly string[]): void {
    const key = readKey(text);
    if (key.use !== SIGNS_NOTES) throw new BadNote(`${key.name} is a witness's key, not a log's.`);
    // The logs of one directory have one key and names of their own, which the format does not foresee.
    if (this.logs.some(({ name, id }) => name === key.name && id === key.id))
      throw new BadNote("this key was named before.");
    this.logs.push(key);
  }

  #witness([name = "", text = ""]: readonly string[]): void {
    const key = readKey(text);
    if (key.use !== SIGNS_COSIGNATURES) throw new BadNote(`${key.name} is a log's key, not a witness's.`);
    this.#assertNew(key, [...this.witnesses.values()]);
    this.#assertFree(name);
    this.witnesses.set(name, key);
  }

  #group([name = "", threshold = "", ...members]: readonly string[]): void {
    this.#assertFree(name);
    for (const member of members) {
      this.#assertDefined(member);
      if (this.#members.has(member)) throw new BadNote(`${member} is in a group already.`);
      this.#members.add(member);
    }
    const needed = threshold === "all" ? members.length : threshold === "any" ? 1 : (integer(threshold) ?? 0);
    if (members.length === 0 || !Number.isInteger(needed) || needed < 1 || needed > members.length) {
      throw new BadNote("a group needs members, and a number of them, `all` or `any`.");
    }
    this.groups.set(name, { needed, members });
  }

  #setQuorum([name = "", ...rest]: readonly string[]): void {
    if (this.#quorum !== undefined || rest.length > 0) throw new BadNote("there is one quorum, of one name.");
    if (name !== "none") this.#assertDefined(name);
    this.#quorum = name === "none" ? null : name;
  }

  #assertDefined(name: string): void {
    if (!this.witnesses.has(name) && !this.groups.has(name)) throw new BadNote(`no line above defines ${name}.`);
  }

  #assertFree(name: string): void {
    if (name === "" || name === "none" || this.witnesses.has(name) || this.groups.has(name)) {
      throw new BadNote("a witness or group needs a name of its own.");
    }
  }

  #assertNew(key: NoteKey, known: readonly NoteKey[]): void {
    const bytes = key.bytes.toHex();
    if (known.some((one) => one.bytes.toHex() === bytes)) throw new BadNote("this key was named before.");
  }
}

/** Whether the witnesses that have signed are as many as the policy asks for. */
export const isWitnessed = ({ witnesses, groups, quorum }: TrustPolicy, signed: readonly GoodSignature[]): boolean => {
  const holds = (name: string): boolean => {
    const key = witnesses.get(name);
    if (key !== undefined) return signed.some((one) => one.key === key);
    const group = groups.get(name);
    return group !== undefined && group.members.filter(holds).length >= group.needed;
  };
  return quorum === null || holds(quorum);
};
