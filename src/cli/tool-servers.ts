import { commandParts } from "#app";
import { givenPlace } from "#config/load";
import type { DiscoverTools } from "#features/tool-servers/port";
import type { NewToolServer, ToolServerService } from "#features/tool-servers/service";
import { CLI_ACTOR } from "#model/change";
import { PROTOCOL_VERSIONS, type ToolServer } from "#model/tools/tool";
import type { Arguments } from "./arguments";
import { EXIT, usage } from "./exit";
import { parseDuration } from "./moments";
import { allPages } from "./output";
import { type CliSession, changing, reading } from "./session";
import { commandToolOptions, toolDiscovery } from "./tool-discovery";
import { readCredentials } from "./tool-servers-credentials";
import { adviceFor, cardOf, placeOf, reportText } from "./tool-servers-shown";
import type { Invocation, RunVerb } from "./verb";

/** The use cases, with live servers in reach. */
export const toolServersOf = (session: CliSession, invocation: Invocation): ToolServerService => {
  // Made when something is looked at: most commands look at nothing.
  const discover: DiscoverTools = (server) => toolDiscovery(session, invocation)(server);
  return commandParts(session.inputs, { discoverServer: discover }).toolServerService;
};

/** The server the command is about. Throws `not_found`. */
export const serverNamed = async (session: CliSession, invocation: Invocation): Promise<ToolServer> => {
  const { args } = invocation;
  const email = args.text("owner");
  const owner = email === undefined ? null : await session.access.userByEmail(email);
  return toolServersOf(session, invocation).find(args.needOperand(0), owner);
};

const placeIn = (args: Arguments): NewToolServer["place"] => {
  const url = args.text("url");
  const transport = args.text("transport");
  if (args.on("stdio")) {
    if (url !== undefined || transport !== undefined) throw usage("--url or --stdio, not both");
    if (!args.command?.length) throw usage("--stdio needs a command: --stdio -- CMD ARG…");
    return { transport: "stdio", command: args.command };
  }
  if (args.command) throw usage("a command after -- needs --stdio");
  if (url === undefined) throw usage("--url URL or --stdio -- CMD ARG… is required");
  if (transport !== undefined && transport !== "streamable-http" && transport !== "sse") {
    throw usage("--transport: streamable-http or sse");
  }
  return { transport: transport ?? "streamable-http", url };
};

const waitIn = (args: Arguments, flag: string): number | null => {
  const text = args.text(flag);
  return text === undefined ? null : parseDuration(text, flag);
};

const protocolIn = (args: Arguments): ToolServer["protocol"] => {
  const text = args.text("protocol");
  const known = PROTOCOL_VERSIONS.find((version) => version === text);
  if (text !== undefined && known === undefined) throw usage(`--protocol: ${PROTOCOL_VERSIONS.join(", ")}`);
  return known ?? null;
};

export const addToolServer: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const wanted: NewToolServer = {
    slug: args.needOperand(0),
    place: placeIn(args),
    credentials: await readCredentials(invocation),
    call_ms: waitIn(args, "call-timeout"),
    list_ms: waitIn(args, "list-timeout"),
    protocol: protocolIn(args),
    elicitation_hosts: args.text("elicitation-hosts")?.split(","),
  };
  const report = await changing(invocation, async (session) => {
    const owner = await session.access.userByEmail(args.need("owner"));
    return toolServersOf(session, invocation).add(CLI_ACTOR, owner, wanted);
  });
  if (!report.ok) await out.note(`note: ${report.slug} is added, but cannot be used yet: ${report.problem}`);
  const advice = adviceFor(report, givenPlace(invocation.settings()));
  if (advice !== null) await out.note(advice);
  await out.result(report, reportText(report, out));
  return EXIT.ok;
};

export const listToolServers: RunVerb = async (invocation) => {
  const { args, out } = invocation;
  const servers = await reading(invocation, async (session) => {
    const email = args.text("owner");
    const owner = email === undefined ? null : await session.access.userByEmail(email);
    const servers = toolServersOf(session, invocation);
    return allPages((window) => servers.page(owner?.id ?? null, window));
  });
  const rows = servers.map((server) => [
    server.slug,
    server.owner,
    server.transport,
    placeOf(server),
    server.status,
    `${server.tools.filter(({ status }) => status === "approved").length} of ${server.tools.length}`,
  ]);
  await out.result(servers, out.table(["SLUG", "OWNER", "TRANSPORT", "AT", "STATUS", "APPROVED"], rows));
  return EXIT.ok;
};

export const testToolServer: RunVerb = async (invocation) => {
  const report = await changing(invocation, async (session) =>
    toolServersOf(session, invocation).test(await serverNamed(session, invocation)),
  );
  const advice = adviceFor(report, givenPlace(invocation.settings()));
  if (advice !== null) await invocation.out.note(advice);
  await invocation.out.result(report, reportText(report, invocation.out));
  return report.ok ? EXIT.ok : EXIT.failure;
};

const setActive = async (invocation: Invocation, active: boolean): Promise<number> => {
  const shown = await changing(invocation, async (session) =>
    toolServersOf(session, invocation).update(CLI_ACTOR, await serverNamed(session, invocation), { active }),
  );
  await invocation.out.result(shown, cardOf(shown));
  return EXIT.ok;
};

export const enableToolServer: RunVerb = (invocation) => setActive(invocation, true);
export const disableToolServer: RunVerb = (invocation) => setActive(invocation, false);

const publish = async (invocation: Invocation, said: string | null): Promise<number> => {
  const shown = await changing(invocation, async (session) =>
    toolServersOf(session, invocation).publish(CLI_ACTOR, await serverNamed(session, invocation), said),
  );
  await invocation.out.result(shown, cardOf(shown));
  return EXIT.ok;
};

export const publishToolServer: RunVerb = (invocation) => publish(invocation, invocation.args.need("description"));
export const unpublishToolServer: RunVerb = (invocation) => publish(invocation, null);

export const removeToolServer: RunVerb = async (invocation) => {
  const shown = await changing(invocation, async (session) => {
    const service = toolServersOf(session, invocation);
    const server = await serverNamed(session, invocation);
    const before = await service.shown(server);
    await service.remove(CLI_ACTOR, server);
    return before;
  });
  await invocation.out.result({ ...shown, removed: true }, `Removed ${shown.slug} of ${shown.owner}.`);
  return EXIT.ok;
};

export const authorizeToolServer: RunVerb = async (invocation) => {
  const { out } = invocation;
  const { slug, url } = await changing(invocation, async (session) => {
    const server = await serverNamed(session, invocation);
    const signIns = commandParts(
      { ...session.inputs, toolOptions: commandToolOptions(session, invocation) },
      { discoverServer: toolDiscovery(session, invocation), writeRecord: session.parts.writeRecord },
    ).toolSignInService;
    return { slug: server.slug, url: await signIns.begin(server, server.owner_id, "any_browser") };
  });
  await out.note("Open this URL in a browser within a few minutes. The running hub receives the answer.");
  await out.result({ slug, url }, url);
  return EXIT.ok;
};
