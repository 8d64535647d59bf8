import { type Actor, changeRecord } from "#model/change";
import type { Clock } from "#platform/clock";
import type { Ids } from "#platform/ids";
import { type Sealing, sealedWith, UnsealFailed } from "#platform/sealing";
import { nameOf, SEALED_PLACES, type SealedPlace } from "#store/sealed-places";
import type { KeyRotation, SealedRow, SealedValues } from "#store/sealed-port";

/** Seals with the new master key, opens with whichever of both it takes. */
type KeyRotatorNeeds = Sealing & {
  readonly values: SealedValues;
  readonly now: Clock;
  readonly ids: Ids;
  readonly by: Actor;
};

/**
 * Seals anew, with the next master key, everything sealed with the one on its way out; calls go on meanwhile. May be
 * cut off at any moment and begun again: what is done stays done, and both keys are in force until the end.
 */
export class KeyRotator {
  constructor(private readonly deps: KeyRotatorNeeds) {}

  async begin(rotation: KeyRotation): Promise<void> {
    await this.deps.values.begin(rotation, this.deps.now(), this.#record(rotation, { step: "begun" }));
  }

  /** Returns how many values do not open although their key is known: they were damaged. */
  async reseal(rotation: KeyRotation): Promise<number> {
    let left = 0;
    for (const place of SEALED_PLACES) left += await this.#resealPlace(place, rotation);
    return left;
  }

  /** Returns how many values were sealed anew since the rotation was begun. */
  async finish(rotation: KeyRotation, left: number): Promise<number> {
    const record = (replaced: number) => this.#record(rotation, { step: "finished", replaced, left });
    return this.deps.values.finish(rotation, this.deps.now(), record);
  }

  async #resealPlace(place: SealedPlace, rotation: KeyRotation): Promise<number> {
    const { values } = this.deps;
    let left = 0;
    let rows = await values.sealedWith(place, rotation.from, "");
    for (let last = rows.at(-1); last; last = rows.at(-1)) {
      const resealed = rows.map((row) => this.#resealRow(place, row, rotation));
      await values.replace(rotation, place, resealed);
      left += resealed.reduce((sum, row) => sum + row.left, 0);
      rows = await values.sealedWith(place, rotation.from, last.key);
    }
    return left;
  }

  #resealRow(place: SealedPlace, row: SealedRow, { from }: KeyRotation) {
    const old = row.values.filter((value) => sealedWith(value) === from).length;
    const values = row.values.map((value) =>
      sealedWith(value) === from ? this.#anew(place, row.bound, value) : value,
    );
    const left = values.filter((value) => sealedWith(value) === from).length;
    return { ...row, values, replaced: old - left, left };
  }

  /** The value itself when it does not open: nothing that may still be wanted is thrown away. */
  #anew(place: SealedPlace, bound: string, value: string): string {
    const purpose = place.purpose + bound;
    try {
      return this.deps.seal(purpose, this.deps.unseal(purpose, value));
    } catch (error) {
      if (error instanceof UnsealFailed) return value;
      throw error;
    }
  }

  #record(rotation: KeyRotation, detail: Readonly<Record<string, unknown>>): string {
    const { now, ids, by } = this.deps;
    const facts = { ...detail, from_key: rotation.from, to_key: rotation.to };
    const change = { kind: "keys.rotate", by, subject: "master_key", subject_id: rotation.to, detail: facts };
    return changeRecord(change, { id: ids(), at: now() });
  }
}

/** Values sealed with keys that are not at hand, by place and key. */
export const unopenable = async (
  values: Pick<SealedValues, "census">,
  isKnown: (keyId: string) => boolean,
): Promise<{ readonly place: string; readonly key_id: string; readonly values: number }[]> => {
  const found = await values.census();
  return found
    .filter(({ key_id }) => !isKnown(key_id))
    .map(({ place, key_id, values: count }) => ({ place: nameOf(place), key_id, values: count }));
};
