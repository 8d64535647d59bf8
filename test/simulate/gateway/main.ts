import { isRecord } from "#core/json/json";
import { CLIENTS, type ClientKind, type Driver } from "./clients.ts";
import { Absent, ROWS, type Row } from "./rows.ts";
import { GatewayWorld, SCOPES } from "./world.ts";

export const USAGE = "bun run simulate gateway [--json]";

/** `absent`: the gateway does not offer this kind, or the dialect has no form for it. */
export type Outcome = {
  readonly row: Row;
  readonly client: string;
  readonly dialect: ClientKind["dialect"];
  readonly result: "pass" | "fail" | "absent";
  readonly why: string;
};

/** Every row by every client, each client with a token of every scope. */
export const played = async (world: GatewayWorld): Promise<Outcome[]> => {
  const outcomes: Outcome[] = [];
  // The minimal dialect has no word for what is offered.
  let offers = {};
  for (const kind of CLIENTS.toSorted(
    (one, other) => Number(one.dialect === "minimal") - Number(other.dialect === "minimal"),
  )) {
    for (const scope of SCOPES) {
      const { url, home } = world;
      const driver = await kind.open({ url, home, token: world.tokens[scope] });
      offers = driver.offers ?? offers;
      for (const row of ROWS.filter((one) => one.scope === scope)) {
        outcomes.push({
          row,
          client: kind.client,
          dialect: kind.dialect,
          ...(await outcomeOf(row, kind, driver, { world, offers })),
        });
      }
      await driver.close();
    }
  }
  return outcomes;
};

const outcomeOf = async (
  row: Row,
  { dialect }: ClientKind,
  driver: Driver,
  { world, offers }: { readonly world: GatewayWorld; readonly offers: object },
): Promise<Pick<Outcome, "result" | "why">> => {
  if (row.without === dialect) return { result: "absent", why: "the dialect has no form for it" };
  if (!isRecord(offers) || !(row.needs in offers)) return { result: "absent", why: "the gateway does not offer it" };
  try {
    await row.run(driver, world);
    return { result: "pass", why: "" };
  } catch (error) {
    if (error instanceof Absent) return { result: "absent", why: error.message };
    return { result: "fail", why: error instanceof Error ? error.message.slice(0, 200) : `${error}` };
  }
};

const MARKS = { pass: "pass", fail: "FAIL", absent: "–" } as const;

const table = (outcomes: readonly Outcome[]): string => {
  const columns = CLIENTS.map(({ client, dialect }) => ({ client, dialect }));
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const head = ["kind", "scope", "what", ...columns.map(({ client, dialect }) => `${client}, ${dialect}`)];
  const rows = ROWS.map((row) => {
    const marks = columns.map(({ client, dialect }) => {
      const found = outcomes.find((one) => one.row === row && one.client === client && one.dialect === dialect);
      return found ? MARKS[found.result] : "";
    });
    return line([row.kind, row.scope, row.what, ...marks]);
  });
  return [line(head), line(head.map(() => "---")), ...rows].join("\n");
};

/** The exit code: 1 when anything failed. */
export const gateway = async (args: readonly string[]): Promise<number> => {
  await using world = await GatewayWorld.open();
  const outcomes = await played(world);
  const failed = outcomes.filter(({ result }) => result === "fail");
  if (args.includes("--json")) {
    const plain = outcomes.map(({ row: { kind, scope, what }, ...rest }) => ({ kind, scope, what, ...rest }));
    console.log(JSON.stringify(plain));
  } else {
    const passed = outcomes.filter(({ result }) => result === "pass").length;
    console.log(`${table(outcomes)}\n\n${passed} passed, ${failed.length} failed.`);
  }
  for (const { row, client, dialect, why } of failed) {
    console.error(`${row.kind}, ${row.scope}, ${row.what}; ${client}, ${dialect}: ${why}`);
  }
  return failed.length === 0 ? 0 : 1;
};
