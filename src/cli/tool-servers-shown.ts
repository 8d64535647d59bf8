import { COMMANDS, commandLine, type HubPlace } from "#core/command-line";
import type { Report } from "#modules/tool-servers/presenter";
import type { ShownTool, ShownToolServer } from "#modules/tool-servers/schema";
import { card, table } from "./output";

/** Where a server is: its address, or its program. */
export const placeOf = ({ url, command }: ShownToolServer): string => url ?? command?.join(" ") ?? "";

export const cardOf = (server: ShownToolServer): string =>
  card({
    id: server.id,
    slug: server.slug,
    owner: server.owner,
    transport: server.transport,
    at: placeOf(server),
    credentials: [server.credentials.kind, ...(server.credentials.headers ?? [])].join(" "),
    status: server.status,
    tools: `${server.tools.length}`,
  });

export const toolTable = (tools: readonly ShownTool[]): string =>
  table(
    ["TOOL", "STATUS", "LISTED", "FLAGS"],
    tools.map(({ name, status, present, flags }) => [name, status, present ? "yes" : "no", flags.join(",")]),
  );

/** What looking at a server found. */
export const reportText = (report: Report): string => {
  const { ok, problem, ms, protocol, slug, tools } = report;
  const spoken = protocol === null ? "" : ` (MCP ${protocol})`;
  const found = ok ? `ok: ${slug} listed its tools in ${ms} ms${spoken}` : `failed: ${problem}`;
  return [cardOf(report), "", found, ...(tools.length === 0 ? [] : ["", toolTable(tools)])].join("\n");
};

/** What is left for somebody to do; null for nothing. */
export const adviceFor = ({ slug, owner, status, credentials, tools }: Report, place: HubPlace): string | null => {
  if (status === "unauthorized" && credentials.kind === "authorization_code") {
    return `${owner} has to sign in there: ${commandLine(COMMANDS.authorizeTools(slug, owner), place)}`;
  }
  const waiting = tools.filter((tool) => tool.present && ["changed", "new", "suspect"].includes(tool.status)).length;
  if (waiting === 0) return null;
  return `${waiting} of its tools wait for approval: ${commandLine(COMMANDS.approveTools(slug, owner), place)}`;
};
