import { describe, expect, test } from "bun:test";
import { feature, partsOf } from "#hub/feature";
import { graph, single } from "#hub/graph";

type Clock = { readonly now: () => number };

class Timer {
  constructor(readonly needs: Clock) {}
}

describe("graph of parts", () => {
  test("builds a part when it is first asked for, once", () => {
    let built = 0;
    const parts = graph(
      { start: 1 },
      {
        sum: (c: { readonly start: number; readonly step: number }) => {
          built += 1;
          return c.start + c.step;
        },
        step: () => 2,
      },
    );
    expect(built).toBe(0);
    expect([parts.sum, parts.sum]).toEqual([3, 3]);
    expect(built).toBe(1);
  });

  test("makes instances of classes that name what they need", () => {
    const parts = graph({ now: () => 7 }, { timer: single(Timer) });
    expect(parts.timer.needs.now()).toBe(7);
  });

  test("names parts that need each other, and is of use afterwards", () => {
    const parts = graph(
      {},
      {
        one: (c: { readonly two: string }) => c.two,
        two: (c: { readonly three: string }): string => c.three,
        three: (c: { readonly two: string }): string => c.two,
        four: () => "4",
      },
    );
    expect(() => parts.one).toThrow("Parts need each other: one → two → three → two");
    expect(parts.four).toBe("4");
    expect(() => parts.three).toThrow("Parts need each other: three → two → three");
  });

  test("parts may need each other once they are built", () => {
    const parts = graph(
      {},
      {
        ping: (c: { readonly pong: () => string }) => () => `ping ${c.pong()}`,
        pong: (c: { readonly ping: () => string }) => () => (typeof c.ping === "function" ? "pong" : "nobody"),
      },
    );
    expect(parts.ping()).toBe("ping pong");
  });

  test("a builder that failed is asked again", () => {
    let isReady = false;
    const parts = graph(
      {},
      {
        late: () => {
          if (!isReady) throw new Error("not yet");
          return "there";
        },
      },
    );
    expect(() => parts.late).toThrow("not yet");
    isReady = true;
    expect(parts.late).toBe("there");
  });

  test("overrides take the place of inputs and builders, which are not asked", () => {
    const parts = graph(
      { start: 1 },
      {
        broken: (): number => {
          throw new Error("asked");
        },
        sum: (c: { readonly start: number; readonly broken: number }) => c.start + c.broken,
      },
      { start: 10, broken: 5 },
    );
    expect(parts.sum).toBe(15);
  });

  test("inputs that are getters are read when they are needed", () => {
    const parts = graph(
      {
        get costly(): string {
          throw new Error("read");
        },
      },
      { cheap: () => 1, dear: (c: { readonly costly: string }) => c.costly },
    );
    expect(parts.cheap).toBe(1);
    expect(() => parts.dear).toThrow("read");
  });

  test("refuses to be spread, and a name that is given and built", () => {
    const parts = graph({}, { one: () => 1 });
    expect(() => ({ ...parts })).toThrow("must not be spread");
    expect(() => graph({ one: 1 }, { one: () => 1 })).toThrow("The part one is given, and has a builder");
  });
});

describe("parts of features", () => {
  const clock = feature({ provides: { now: () => () => 3 } });
  const timing = feature({ provides: { timer: single(Timer) } });

  test("needs are met across features, in any order", () => {
    expect(partsOf({}, [timing, clock]).timer.needs.now()).toBe(3);
  });

  test("two features that provide the same part are an error", () => {
    expect(() => partsOf({}, [clock, clock])).toThrow("Two features provide the part now");
  });

  test("a missing part is a compiler error, and named at run time", () => {
    // @ts-expect-error: nobody provides `now`.
    expect(() => partsOf({}, [timing]).timer.needs.now()).toThrow("Nobody provides the part now");
    // @ts-expect-error: `now` is of another type.
    expect(partsOf({ now: 5 }, [timing]).timer.needs.now).toBe(5);
    // @ts-expect-error: what is not a part is held to the same.
    expect(partsOf({}, [feature({ stop: (c: Clock) => () => void c.now() })])).toBeDefined();
    // @ts-expect-error: so is a graph without features.
    expect(() => graph({}, { late: (c: Clock) => c.now() }).late).toThrow("Nobody provides the part late → now");
  });
});
