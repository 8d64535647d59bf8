/** How parts are made, by name. Each says what it needs by its parameter's type. */
export type Builders = Readonly<Record<string, (parts: never) => unknown>>;

export type Built<B extends Builders> = { readonly [K in keyof B]: ReturnType<B[K]> };

/** The needs that are not there, or of another type. */
type Missing<Parts, Needs> = {
  [K in keyof Needs]-?: Parts extends { readonly [N in K]: Needs[K] } ? never : K;
}[keyof Needs];

/** What a function of the parts lacks, in words for the compiler's error; never for nothing. */
export type Unmet<Parts, F, Name extends PropertyKey> = F extends (parts: infer Needs) => unknown
  ? Parts extends Needs
    ? never
    : `${Name & string} needs ${Missing<Parts, Needs> & string}`
  : never;

export type AllUnmet<Parts, B> = { [K in keyof B]: Unmet<Parts, B[K], K> }[keyof B];

/** Anything is fine where nothing is lacking; nothing but the words is, where something is. */
export type Complete<Lacking> = [Lacking] extends [never] ? unknown : Lacking;

type Make = (parts: unknown) => unknown;

const spread = () => {
  throw new Error("The graph of parts must not be spread: that would build nothing and hand on nothing");
};

/**
 * What a program is made of. Each part is built once, when it is first asked for, so that order does not matter; two
 * that need each other while they are built are named in an error. `overrides` take the place of inputs and builders of
 * the same name: for tests, and for commands that bring some parts of their own. Inputs may be getters, which are read
 * when they are first needed.
 */
export const graph = <Inputs extends object, B extends Builders>(
  inputs: Inputs,
  builders: B & Complete<AllUnmet<Inputs & Built<B>, B>>,
  overrides: Partial<Inputs & Built<B>> = {},
): Inputs & Built<B> => lazyParts(inputs, builders, overrides) as Inputs & Built<B>;

/** The same, for builders that have been checked against all parts already. */
export const lazyParts = (inputs: object, builders: Builders, overrides: object): object => {
  const path: string[] = [];
  const missing = (_: object, name: string | symbol) => {
    // Whether something is a promise, or prints itself, may be asked of anything.
    if (typeof name === "symbol" || name === "then" || name === "toJSON") return undefined;
    throw new Error(`Nobody provides the part ${[...path, name].join(" → ")}`);
  };
  const parts: object = Object.setPrototypeOf({}, new Proxy({}, { get: missing }));
  const provide = (name: string, make: Make) => {
    const get = () => {
      if (path.includes(name)) throw new Error(`Parts need each other: ${[...path, name].join(" → ")}`);
      path.push(name);
      try {
        const value = make(parts);
        // A plain property from now on: parts are read while calls are served.
        Object.defineProperty(parts, name, { configurable: true, value });
        return value;
      } finally {
        path.pop();
      }
    };
    Object.defineProperty(parts, name, { configurable: true, get });
  };
  for (const [name, make] of Object.entries(builders)) {
    if (name in inputs) throw new Error(`The part ${name} is given, and has a builder`);
    provide(name, make as Make);
  }
  for (const given of [inputs, overrides]) {
    for (const name of Object.keys(given)) provide(name, () => Reflect.get(given, name));
  }
  // Parts are not enumerable, this is: it is what spreading meets.
  Object.defineProperty(parts, "parts are read by name", { enumerable: true, get: spread });
  return parts;
};

/** The part that is one instance of a class, whose constructor's parameter is what it needs. */
export const single =
  <Needs, Part>(Class: new (needs: Needs) => Part) =>
  (parts: Needs): Part =>
    new Class(parts);

/** What a class is made of. */
export type NeedsOf<C extends abstract new (needs: never) => unknown> = ConstructorParameters<C>[0];
