import { COMMANDS, commandLine, type HubPlace } from "#core/command-line";
import type { ToolResponse, ToolServerReport, ToolServerResponse } from "#features/tool-servers/schema";
import { type CliOutput, card } from "./output";
import { plain } from "./table";

/** Where a server is: its address, or its program. */
export const placeOf = ({ url, command }: ToolServerResponse): string => url ?? command?.join(" ") ?? "";

export const cardOf = (server: ToolServerResponse): string =>
  card({
    id: server.id,
    slug: server.slug,
    owner: server.owner,
    transport: server.transport,
    at: placeOf(server),
    credentials: [server.credentials.kind, ...(server.credentials.headers ?? [])].join(" "),
    status: server.status,
    ...(server.protocol_pin && { "MCP version": server.protocol_pin }),
    ...(server.elicitation_hosts.length > 0 && { "may open pages of": server.elicitation_hosts.join(", ") }),
    ...(server.published && { published: server.published.description }),
    tools: `${server.tools.length}`,
    prompts: `${server.prompts.length}`,
    templates: `${server.templates.length}`,
  });

export const toolTable = (tools: readonly ToolResponse[], out: CliOutput): string =>
  out.table(
    ["TOOL", "STATUS", "LISTED", "FLAGS"],
    tools.map(({ name, status, present, flags }) => [name, status, present ? "yes" : "no", flags.join(",")]),
  );

/** All that is pinned of a server. */
const pinnedOf = ({ tools, prompts, templates }: ToolServerReport): readonly ToolResponse[] => [
  ...tools,
  ...prompts,
  ...templates,
];

/** Why a person is asked about tools, a line for each sign. The words are a stranger's. */
export const reasonLines = (tools: readonly ToolResponse[]): string[] =>
  tools.flatMap(({ name, reasons }) =>
    reasons.map(({ reason, place, quote }) => plain(`${name}: ${reason}${place && ` (${place}: ${quote})`}`)),
  );

/** What looking at a server found. */
export const reportText = (report: ToolServerReport, out: CliOutput): string => {
  const { ok, problem, ms, protocol, slug, left_out: leftOut } = report;
  const tools = pinnedOf(report);
  const spoken = protocol === null ? "" : ` (MCP ${protocol})`;
  const found = ok ? `ok: ${slug} listed its tools in ${ms} ms${spoken}` : `failed: ${problem}`;
  const waiting = reasonLines(tools.filter(({ status }) => status !== "approved"));
  const parts = [
    found,
    ...(tools.length === 0 ? [] : [toolTable(tools, out)]),
    ...(waiting.length === 0 ? [] : [waiting.join("\n")]),
    ...(leftOut.length === 0
      ? []
      : [leftOut.map(({ tool, reason }) => plain(`not offered: ${tool} ${reason}`)).join("\n")]),
  ];
  return [cardOf(report), ...parts].join("\n\n");
};

/** What is left for somebody to do; null for nothing. */
export const adviceFor = (report: ToolServerReport, place: HubPlace): string | null => {
  const { slug, owner, status, credentials } = report;
  if (status === "unauthorized" && credentials.kind === "authorization_code") {
    return `${owner} must sign in at the server: ${commandLine(COMMANDS.authorizeTools(slug, owner), place)}`;
  }
  const tools = pinnedOf(report);
  const waiting = tools.filter((tool) => tool.present && ["changed", "new", "suspect"].includes(tool.status)).length;
  if (waiting === 0) return null;
  return `${waiting} tools await approval: ${commandLine(COMMANDS.approveTools(slug, owner), place)}`;
};
