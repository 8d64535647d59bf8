/**
 * Counts what is dear in reading a text: expressions tried and compiled, strings cut out, searched and made anew, look-ups.
 * A measure of work that is the same on every machine, however busy.
 */
const COUNTED: readonly (readonly [of: object, names: readonly string[]])[] = [
  [RegExp.prototype, ["exec", "test"]],
  [
    String.prototype,
    ["slice", "split", "replace", "replaceAll", "normalize", "toLowerCase", "toUpperCase", "indexOf", "lastIndexOf"],
  ],
  [Set.prototype, ["has"]],
  [Map.prototype, ["get", "has"]],
  [Array.prototype, ["map", "filter", "slice", "join"]],
];
/** Compiling an expression costs as much as some hundred others of these. */
const COMPILING = 100;

export function stepsOf(work: () => void): number {
  let steps = 0;
  const plain: [object, string, PropertyDescriptor][] = [];
  for (const [of, names] of COUNTED) {
    for (const name of names) {
      const descriptor = Object.getOwnPropertyDescriptor(of, name);
      const method: unknown = descriptor?.value;
      if (!descriptor || typeof method !== "function") throw new Error(`no method ${name}`);
      plain.push([of, name, descriptor]);
      Object.defineProperty(of, name, {
        ...descriptor,
        value(this: unknown, ...args: readonly unknown[]): unknown {
          steps += 1;
          return Reflect.apply(method, this, args);
        },
      });
    }
  }
  const { RegExp: plainRegExp } = globalThis;
  globalThis.RegExp = new Proxy(plainRegExp, {
    construct(target, args) {
      steps += COMPILING;
      return Reflect.construct(target, args);
    },
  });
  try {
    work();
  } finally {
    globalThis.RegExp = plainRegExp;
    for (const [of, name, descriptor] of plain) Object.defineProperty(of, name, descriptor);
  }
  return steps;
}
