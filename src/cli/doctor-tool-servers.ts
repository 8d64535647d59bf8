import { COMMANDS, commandLine, type HubPlace } from "#core/command-line";
import { lookAt } from "#guard/tools/discover";
import type { ToolServer } from "#model/tools/tool";
import { type Check, ok, warn } from "./check";
import type { CliSession } from "./session";
import { toolLook } from "./tool-discovery";
import type { Invocation } from "./verb";

/** Servers that are looked at one after the other: each may start a program. */
const MAX_LOOKED_AT = 50;

/** Reads the list of each active tool server; with null asks none. Nothing is stored. */
export const toolServerChecks = async (
  session: Pick<CliSession, "store">,
  online: { readonly session: CliSession; readonly invocation: Invocation } | null,
  place: HubPlace,
): Promise<Check[]> => {
  const servers = (await session.store.tools.list()).filter(({ active }) => active);
  if (servers.length === 0) return [];
  if (online === null) return [ok("tool servers", `${servers.length} active (not tested; --online tests them)`)];
  const needs = await toolLook(online.session, online.invocation);
  const checks: Check[] = [];
  for (const server of servers.slice(0, MAX_LOOKED_AT)) checks.push(await checkOf(server, needs, place));
  return checks;
};

/** A warning: the hub serves all others. */
const checkOf = async (server: ToolServer, needs: Parameters<typeof lookAt>[0], place: HubPlace): Promise<Check> => {
  const look = await lookAt(needs, server);
  const label = `tool server ${server.slug}`;
  if (!look.ok) return warn(label, look.problem, commandLine(COMMANDS.testTools(server.slug), place));
  const { listing, ms } = look;
  return ok(label, `${listing.tools.length} tools in ${ms} ms (MCP ${listing.protocol ?? "version unknown"})`);
};
