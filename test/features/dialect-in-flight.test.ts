import { expect, test } from "bun:test";
import fc from "fast-check";
import { InFlight } from "#features/tools/dialect/in-flight";
import { Subscriptions } from "#features/tools/dialect/subscriptions";
import { verifies } from "#test/support/verifies";

test("a notice ends the one call it can mean, and none when it could mean several", () => {
  verifies("tools.cancellation");
  const action = fc.record({
    what: fc.constantFrom("begin" as const, "end" as const, "cancel" as const),
    token: fc.constantFrom("a", "b"),
    id: fc.constantFrom<string | number>(1, "1", 2, 'x" 1'),
  });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 30 }), (actions) => {
      const model = new Model();
      for (const { what, token, id } of actions) {
        model[what](token, id);
        model.check();
      }
      model.endAll();
      expect(model.inFlight.size).toBe(0);
    }),
  );
});

type Open = {
  readonly key: string;
  readonly real: ReturnType<InFlight["begin"]>;
  mustBeAborted: boolean;
};

/** What must be so, beside what is. */
class Model {
  readonly inFlight = new InFlight();
  private open: Open[] = [];

  begin(token: string, id: string | number): void {
    const real = this.inFlight.begin(token, id);
    this.open.push({ key: `${token} ${typeof id} ${id}`, real, mustBeAborted: false });
  }

  /** The oldest of its name. */
  end(token: string, id: string | number): void {
    const [first] = this.meant(token, id);
    first?.real.end();
    this.open = this.open.filter((call) => call !== first);
  }

  cancel(token: string, id: string | number): void {
    this.inFlight.cancel(token, id);
    const [only, ...others] = this.meant(token, id);
    if (only && others.length === 0) only.mustBeAborted = true;
  }

  check(): void {
    for (const { real, mustBeAborted } of this.open) expect(real.signal.aborted).toBe(mustBeAborted);
  }

  endAll(): void {
    for (const { real } of this.open) real.end();
  }

  private meant(token: string, id: string | number): Open[] {
    return this.open.filter(({ key }) => key === `${token} ${typeof id} ${id}`);
  }
}

test("a token holds only so many streams, and gets its places back", () => {
  verifies("tools.listen");
  const subscriptions = new Subscriptions();
  const ends = Array.from({ length: 20 }, () => () => {});
  const taken = ends.filter((end) => subscriptions.add("a", end));
  expect(taken).toHaveLength(16);
  expect(subscriptions.add("b", () => {})).toBe(true);
  const [first = () => {}] = taken;
  subscriptions.remove("a", first);
  subscriptions.remove("a", first);
  expect(subscriptions.add("a", first)).toBe(true);
  expect(subscriptions.add("a", () => {})).toBe(false);
  expect(subscriptions.size).toBe(17);
});

test("a stop ends every stream and takes no more", () => {
  verifies("tools.listen");
  const subscriptions = new Subscriptions();
  const ended: string[] = [];
  for (const token of ["a", "a", "b"]) {
    const end = () => {
      ended.push(token);
      subscriptions.remove(token, end);
    };
    subscriptions.add(token, end);
  }
  subscriptions.close();
  expect(ended.sort()).toEqual(["a", "a", "b"]);
  expect(subscriptions.size).toBe(0);
  expect(subscriptions.add("c", () => {})).toBe(false);
});
