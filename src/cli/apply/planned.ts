import { CliExit, EXIT } from "#cli/exit";
import { changesBetween, type Difference } from "#core/differences";
import { GuardError } from "#core/errors";
import { Shape, type Static, type TSchema } from "#core/schema";
import {
  type Action,
  type AnyKind,
  type Change,
  fieldOf,
  type Given,
  type Kind,
  type Outcome,
  type Planned,
  type PlanOptions,
  type Stored,
  said,
} from "./kind";
import { isReference, mapSecrets, masked, type SecretNames, secretsIn } from "./secrets";
import type { World } from "./world";

/** A kind of which the fields are known, for those who know none. */
export const planned = <S extends TSchema>(kind: Kind<S>): AnyKind => new PlannedKind(kind);

const HIDDEN = "(secret)";

/** Of secrets only that they are others. */
const shownOf = (differences: readonly Difference[], secrets: ReadonlySet<string>): Difference[] =>
  differences.map(({ pointer, before, after }) => {
    const place = pointer.replace(/\/secret$/, "");
    if (!secrets.has(place)) return { pointer, before, after };
    return { pointer: place, before: before === null ? null : HIDDEN, after: after === null ? null : HIDDEN };
  });

const topOf = ({ pointer }: Difference): string => pointer.split("/")[1] ?? "";

const byName = <T>([one]: readonly [string, T], [other]: readonly [string, T]): number =>
  one < other ? -1 : Number(one > other);

const lacksAdmin = ({ file, kind, name }: Change): string =>
  `${file ?? "--prune"}: ${kind} ${name} needs --as EMAIL: an administrator`;

/** What is wrong with an object of a file. */
class Fault extends Error {}

const asFault = <T>(name: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (error instanceof GuardError) throw new Fault(`${name}: ${error.message}`);
    throw error;
  }
};

type Wanted<T> = { readonly name: string; readonly file: string; readonly entry: T };

class PlannedKind<S extends TSchema> implements AnyKind {
  readonly kind: string;
  readonly section: AnyKind["section"];
  readonly schema: S;
  readonly #shape: Shape<S>;

  constructor(private readonly of: Kind<S>) {
    this.kind = of.kind;
    this.section = of.section;
    this.schema = of.schema;
    this.#shape = new Shape(of.schema);
  }

  async exported(world: World, names: SecretNames): Promise<readonly unknown[]> {
    const all = [...(await this.#stored(world))].toSorted(byName);
    return all.map(([name, { entry }]) =>
      mapSecrets(this.schema, said(Object(entry), this.of.usual), (pointer) => names.of(this.kind, name, pointer)),
    );
  }

  async plan(world: World, given: readonly Given[], options: PlanOptions): Promise<Planned> {
    const stored = await this.#stored(world);
    const wanted = new Map<string, Wanted<Static<S>>>();
    const changes: Change[] = [];
    const faults: string[] = [];
    for (const one of given) this.#noting(faults, one, () => this.#take(one, wanted, options));
    for (const one of wanted.values()) {
      this.#noting(faults, one, () => changes.push(...this.#changes(one, stored.get(one.name), options)));
    }
    const gone = options.prune ? [...stored].filter(([name, one]) => !wanted.has(name) && this.#isRemovable(one)) : [];
    changes.push(...gone.map(([name, one]) => this.#removal(name, one)));
    if (world.admin === null) faults.push(...changes.filter(({ needsAdmin }) => needsAdmin).map(lacksAdmin));
    const names = new Set([...stored.keys(), ...wanted.keys()]);
    for (const [name] of gone) names.delete(name);
    const kept = [...wanted.values()].map(({ name, file, entry }) => ({
      ...{ kind: this.kind, name, file },
      references: this.of.references?.(entry) ?? [],
    }));
    return { changes, wanted: kept, faults, names };
  }

  #noting(faults: string[], { file }: Pick<Given, "file">, work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      faults.push(`${file}: ${this.kind} ${error.message}`);
    }
  }

  #take(given: Given, wanted: Map<string, Wanted<Static<S>>>, { now }: PlanOptions): void {
    const one = this.#wanted(given);
    if (this.of.counts?.(one.entry, now) === false) return;
    const other = wanted.get(one.name);
    if (other === undefined) wanted.set(one.name, one);
    else throw new Fault(`${one.name} is there twice${other.file === one.file ? "" : `, also in ${other.file}`}`);
  }

  #isRemovable({ entry }: Stored<Static<S>>): boolean {
    return this.of.removable?.(entry) ?? true;
  }

  async #stored(world: World): Promise<Map<string, Stored<Static<S>>>> {
    const found = new Map<string, Stored<Static<S>>>();
    for (const { id, entry } of await this.of.stored(world)) {
      const name = this.of.nameOf(entry);
      if (found.has(name)) {
        throw new CliExit(
          EXIT.failure,
          `Two are called ${this.kind} ${name}, and a file knows them by their names: rename one`,
        );
      }
      found.set(name, { id, entry: this.of.normal(entry) });
    }
    return found;
  }

  #wanted({ file, entry }: Given): Wanted<Static<S>> {
    if (!this.#shape.fits(entry)) throw new Error(`${this.kind}: an object that was not checked`);
    const name = this.of.nameOf(entry);
    return { name, file, entry: asFault(name, () => this.of.normal(entry)) };
  }

  #changes(wanted: Wanted<Static<S>>, before: Stored<Static<S>> | undefined, options: PlanOptions): Change[] {
    const { of, schema } = this;
    const opened = this.#opened(wanted, before, options);
    asFault(wanted.name, () => of.check?.(opened));
    const base = { name: wanted.name, file: wanted.file, entry: opened };
    if (before === undefined) {
      return [this.#change({ ...base, action: "create", run: (world) => of.create(world, opened) })];
    }
    const differences = changesBetween(masked(schema, before.entry), masked(schema, opened));
    if (differences.length === 0) return [];
    const stiff = differences.find((one) => of.fixed?.includes(topOf(one)));
    if (stiff !== undefined) {
      throw new Fault(`${wanted.name}: ${fieldOf(stiff.pointer)} cannot be changed; remove the ${this.kind} first`);
    }
    const fields = new Set(differences.map(topOf));
    const secrets = new Set([...secretsIn(schema, before.entry).keys(), ...secretsIn(schema, opened).keys()]);
    const run = (world: World) => of.change(world, before, opened, fields);
    return [this.#change({ ...base, action: "change", fields: shownOf(differences, secrets), before, run })];
  }

  #removal(name: string, before: Stored<Static<S>>): Change {
    const run = (world: World) => this.of.remove(world, before);
    return this.#change({ name, file: null, entry: before.entry, action: "remove", before, run });
  }

  #change({
    entry,
    before,
    run,
    fields = [],
    ...said
  }: {
    readonly name: string;
    readonly file: string | null;
    readonly action: Action;
    readonly entry: Static<S>;
    readonly before?: Stored<Static<S>>;
    readonly fields?: readonly Difference[];
    readonly run: (world: World) => Promise<Outcome | undefined>;
  }): Change {
    const { of } = this;
    return {
      ...said,
      kind: this.kind,
      fields,
      references: of.references?.(entry) ?? [],
      belongs: of.belongs === true,
      needsAdmin: of.needsAdmin === true || (before !== undefined && of.lifts?.(before.entry, entry) === true),
      turn: of.turn?.(before?.entry, said.action === "remove" ? undefined : entry) ?? "usual",
      isLater: (feed) => before !== undefined && (of.isLater?.(feed, before) ?? true),
      run: async (world) => (await run(world)) ?? "done",
    };
  }

  /** The object with its secrets in it: those that are not set are as they were. */
  #opened(
    { name, entry, file }: Wanted<Static<S>>,
    before: Stored<Static<S>> | undefined,
    { secretAt }: PlanOptions,
  ): Static<S> {
    const known = secretsIn(this.schema, before?.entry);
    const opened = mapSecrets(this.schema, entry, (pointer, reference) => {
      const secret = isReference(reference) ? (secretAt(reference, file) ?? known.get(pointer)) : reference;
      if (secret !== undefined) return secret;
      throw new Fault(`${name}: ${fieldOf(pointer)}: ${reference} is not set, and no secret is stored`);
    });
    // Its shape is the same: texts stand where texts stood.
    return Object.assign({}, this.#kept(before), opened) as Static<S>;
  }

  #kept(before: Stored<Static<S>> | undefined): Partial<Static<S>> {
    const entries = Object.entries(Object(before?.entry));
    return Object.fromEntries(entries.filter(([field]) => this.of.kept?.some((one) => one === field))) as Partial<
      Static<S>
    >;
  }
}
