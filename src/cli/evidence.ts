import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CLI_ACTOR } from "#model/change";
import { agentSaid } from "./call-filter";
import { EXIT } from "./exit";
import { parseMoment } from "./moments";
import { reading } from "./session";
import type { RunVerb } from "./verb";
import { VERSION } from "./version";

/** `report evidence`: three files of one name, which `audit check` reads together. */
export const evidenceReport: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const now = Date.now();
  const span = { from: parseMoment(args.need("from"), "from", now), to: parseMoment(args.need("to"), "to", now) };
  const { agent, files } = await reading(invocation, async (session) => {
    const agent = await agentSaid(session, args.need("agent"), args.text("owner"));
    const { commandParts } = await import("#app");
    const writeRecord = (line: string) => session.store.audit.append(line);
    const { evidenceService } = commandParts({ ...session.inputs, version: VERSION }, { writeRecord });
    const files = await out.during("Reading the audit log", () => evidenceService.report(CLI_ACTOR, agent.id, span));
    return { agent, files };
  });
  const folder = args.text("out") ?? ".";
  mkdirSync(folder, { recursive: true });
  const day = (at: number) => new Date(at).toISOString().slice(0, 10);
  const name = join(
    folder,
    `evidence-${agent.name.replace(/[^A-Za-z0-9._-]+/g, "-")}-${day(span.from)}-${day(span.to)}`,
  );
  const written = { html: `${name}.html`, json: `${name}.json`, note: `${name}.note` };
  for (const kind of ["html", "json", "note"] as const) writeFileSync(written[kind], files[kind], { mode: 0o600 });
  await out.result(written, Object.values(written).join("\n"));
  return EXIT.ok;
};
