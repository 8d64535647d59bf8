/** What is made at run time while something is done: the dear part of a first call, counted instead of timed. */
export type Compiled = {
  /** Regular expressions compiled; those written as literals are not counted. */
  readonly expressions: number;
  /** Typed arrays of more than 4 KB. */
  readonly tables: number;
};

const TABLE = 4096;
const TABLES = ["Uint8Array", "Uint16Array", "Uint32Array", "Int32Array"] as const;

export function compiledDuring(work: () => void): Compiled {
  const { RegExp: plainRegExp } = globalThis;
  const plainTables = TABLES.map((name) => [name, Reflect.get(globalThis, name)] as const);
  let [expressions, tables] = [0, 0];
  globalThis.RegExp = new Proxy(plainRegExp, {
    construct(target, args) {
      expressions += 1;
      return Reflect.construct(target, args);
    },
  });
  for (const [name, plain] of plainTables) {
    const counting = new Proxy(plain, {
      construct(target, args) {
        if (typeof args[0] === "number" && args[0] > TABLE) tables += 1;
        return Reflect.construct(target, args);
      },
    });
    Reflect.set(globalThis, name, counting);
  }
  try {
    work();
  } finally {
    globalThis.RegExp = plainRegExp;
    for (const [name, plain] of plainTables) Reflect.set(globalThis, name, plain);
  }
  return { expressions, tables };
}
