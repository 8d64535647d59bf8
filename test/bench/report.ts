import { type Verdict, verdictText } from "./bar.ts";
import type { Cell } from "./cell.ts";
import { hubText } from "./course.ts";
import { distinct, figuresOfRows, figuresOfVerdicts } from "./figures.ts";
import { describeMachine, type Machine, machineText } from "./machine.ts";
import type { Options } from "./options.ts";
import { type Row, summaryText } from "./summary.ts";

/** Says what will be measured, and on what. */
export function opening({ within }: Options): Machine {
  const machine = describeMachine(within);
  console.log(`${machineText(machine)}\n${hubText()}\n`);
  return machine;
}

/** To stderr, so that stdout holds the report alone. */
export function progress(text: string): void {
  console.error(text);
}

type Findings = { readonly machine: Machine; readonly rows: readonly Row[]; readonly cells: readonly Cell[] };

/** Prints what was found, and writes all of it down where that is wanted. `texts`: what stands in no row. */
export async function report(
  options: Options,
  findings: Findings,
  texts: readonly unknown[],
  verdicts: readonly Verdict[],
): Promise<void> {
  if (findings.rows.length > 0) console.log(summaryText(findings.rows));
  for (const text of texts) if (typeof text === "string") console.log(text);
  if (verdicts.length > 0) console.log(verdictText(verdicts));
  if (options.quick) console.log("\nA quick run: good for seeing a large change, not for quoting a figure.");
  if (options.json === undefined) return;
  const figures = distinct([...figuresOfVerdicts(verdicts), ...figuresOfRows(findings.rows)]);
  const all = { hub: hubText(), options, verdicts, figures, ...findings };
  await Bun.write(options.json, `${JSON.stringify(all, undefined, 2)}\n`);
}
