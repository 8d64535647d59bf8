import { said } from "#cli/apply/kind";
import { planned } from "#cli/apply/planned";
import type { World } from "#cli/apply/world";
import { GuardError } from "#core/errors";
import { canonicalJson } from "#core/json/json";
import type { Static } from "#core/schema";
import { ToolServerEntry } from "#features/configuration/schema";
import { goodCommand, goodCredentials, goodHosts, goodSlug, goodUrl } from "#features/tool-servers/checks";
import type { NewToolServer } from "#features/tool-servers/service";
import type { ToolAssignment, ToolCredentials, ToolServer } from "#model/tools/tool";
import { credentialsOf as storedCredentials } from "#upstream/mcp/credentials";
import { agentKey } from "./agents";

type Entry = Static<typeof ToolServerEntry>;
type Assignment = NonNullable<Entry["assignments"]>[number];

const normalAssignment = (assignment: Assignment): Assignment => said(assignment, { resources: [], prompts: [] });

const byAgent = (one: Assignment, other: Assignment): number =>
  one.agent < other.agent ? -1 : Number(one.agent > other.agent);

const normal = (entry: Entry): Entry =>
  said(
    { ...entry, assignments: (entry.assignments ?? []).map(normalAssignment).toSorted(byAgent) },
    { transport: "streamable-http", given_by: "operator", active: true, elicitation_hosts: [], assignments: [] },
  );

type Proof = Pick<Entry, "headers" | "variables" | "oauth">;

const proofOf = (server: ToolServer, { unseal }: Pick<World, "unseal">): Proof => {
  const credentials = storedCredentials(server, unseal);
  if (credentials === null) return {};
  if (credentials.kind === "headers") return { headers: { ...credentials.headers } };
  if (credentials.kind === "environment") return { variables: { ...credentials.variables } };
  const { kind: grant, client_id, client_secret, scope } = credentials;
  return {
    oauth: {
      grant,
      ...(client_id !== null && { client_id }),
      ...(client_secret !== null && { client_secret }),
      ...(scope !== null && { scope }),
    },
  };
};

const bad = (param: string, message: string): GuardError => new GuardError("invalid_value", message, { param });

const credentialsOf = ({ headers, variables, oauth }: Proof): ToolCredentials | null => {
  if ([headers, variables, oauth].filter((one) => one !== undefined).length > 1) {
    throw bad("headers", "Give one of headers, variables and oauth.");
  }
  if (headers !== undefined) return { kind: "headers", headers };
  if (variables !== undefined) return { kind: "environment", variables };
  if (oauth === undefined) return null;
  const { grant, client_id = null, client_secret = null, scope = null } = oauth;
  if (grant === "authorization_code") return { kind: grant, client_id, client_secret, scope };
  if (client_id === null || client_secret === null)
    throw bad("oauth", "client_credentials need client_id and client_secret.");
  return { kind: grant, client_id, client_secret, scope };
};

const placeOf = ({ transport = "streamable-http", url, command }: Entry): NewToolServer["place"] => {
  if (transport === "stdio") {
    if (command === undefined || url !== undefined) throw bad("command", "stdio needs command, and no url.");
    return { transport, command };
  }
  if (url === undefined || command !== undefined) throw bad("url", `${transport} needs url, and no command.`);
  return { transport, url };
};

const assignmentOf = (world: World, { agent_id, tools, resources, prompts }: ToolAssignment): Assignment[] => {
  const named = world.people.agentOf(agent_id);
  if (named === null) return [];
  const listed = { resources: [...resources], prompts: [...prompts] };
  return [{ agent: named.agent, ...(tools !== null && { tools: [...tools] }), ...listed }];
};

const entryOf = async (world: World, server: ToolServer): Promise<Entry> => {
  const { slug, owner_id, transport, url, command, given_by, active, call_ms, list_ms, protocol } = server;
  const assigned = await world.store.tools.assignments({ server_id: server.id });
  return said({
    slug,
    owner: world.people.emailOf(owner_id),
    ...{ transport, given_by, active },
    url: url ?? undefined,
    command: command === null ? undefined : [...command],
    call_ms: call_ms ?? undefined,
    list_ms: list_ms ?? undefined,
    protocol: protocol ?? undefined,
    elicitation_hosts: [...server.elicitation_hosts],
    published_as: server.published_at === null ? undefined : (server.published_as ?? undefined),
    ...proofOf(server, world),
    assignments: assigned.flatMap((one) => assignmentOf(world, one)),
  });
};

/** Whether each is in the other list too; every one is where there is no list. */
const isAmong = (some: readonly string[] | undefined, all: readonly string[] | undefined): boolean =>
  all === undefined || all.includes("*") || (some?.every((one) => all.includes(one)) ?? false);

const isPartOf = (one: Assignment, other: Assignment): boolean =>
  isAmong(one.tools, other.tools) &&
  isAmong(one.resources ?? [], other.resources ?? []) &&
  isAmong(one.prompts ?? [], other.prompts ?? []);

/** Whether some of it is taken away and nothing added. */
const isNarrower = (before: readonly Assignment[] = [], after: readonly Assignment[] = []): boolean =>
  canonicalJson(before) !== canonicalJson(after) &&
  after.every((one) => before.some((other) => other.agent === one.agent && isPartOf(one, other)));

const find = async ({ parts, people }: World, { slug, owner }: Entry): Promise<ToolServer> =>
  parts.toolServerService.find(slug, await people.user(owner));

const assign = async (world: World, server: ToolServer, entry: Entry, before: readonly Assignment[]) => {
  const { by, parts, people } = world;
  const wanted = entry.assignments ?? [];
  const gone = before.filter(({ agent }) => wanted.every((one) => one.agent !== agent));
  for (const { agent } of gone) {
    const { id } = await people.agent({ agent, owner: entry.owner });
    await parts.toolServerService.unassign(by, server, id);
  }
  const isKept = (one: Assignment): boolean =>
    before.some((other) => other.agent === one.agent && isPartOf(one, other));
  const narrowerFirst = [...wanted.filter(isKept), ...wanted.filter((one) => !isKept(one))];
  for (const { agent, tools = null, resources, prompts } of narrowerFirst) {
    const { id } = await people.agent({ agent, owner: entry.owner });
    await parts.toolServerService.assign(by, server, id, { tools, resources, prompts });
  }
};

/** Definitions are approved where they are seen, by `tool-server approve`: a file cannot know them. */
export const toolServers = planned({
  kind: "tool server",
  section: "tool_servers",
  schema: ToolServerEntry,
  nameOf: ({ slug, owner }) => `${slug} (${owner})`,
  normal,
  check: (entry) => {
    const place = placeOf(entry);
    goodSlug(entry.slug);
    if (place.transport === "stdio") goodCommand(place.command);
    else goodUrl(place.url);
    const credentials = credentialsOf(entry);
    if (credentials !== null) goodCredentials(credentials);
    goodHosts(entry.elicitation_hosts ?? []);
  },
  fixed: ["transport", "url", "command", "given_by"],
  references: ({ owner, assignments = [] }) => [
    { kind: "user", name: owner },
    ...assignments.map(({ agent }) => ({ kind: "agent", name: agentKey({ agent, owner }) })),
  ],
  turn: (before, after) => {
    if (before === undefined || after === undefined) return "usual";
    const isOff = after.active === false && before.active !== false;
    return isOff || isNarrower(before.assignments, after.assignments) ? "narrows" : "usual";
  },
  isLater: ({ tools }, { id }) => tools?.changed.has(id) ?? false,
  stored: async (world) =>
    Promise.all(
      (await world.store.tools.list()).map(async (one) => ({ id: one.id, entry: await entryOf(world, one) })),
    ),
  create: async (world, entry) => {
    const { by, parts, people } = world;
    const { slug, call_ms = null, list_ms = null, protocol, elicitation_hosts, given_by, active = true } = entry;
    await parts.toolServerService.add(by, await people.user(entry.owner), {
      ...{ slug, call_ms, list_ms, protocol, elicitation_hosts, given_by, active },
      place: placeOf(entry),
      credentials: credentialsOf(entry),
    });
    const server = await find(world, entry);
    if (entry.published_as !== undefined) await parts.toolServerService.publish(by, server, entry.published_as);
    await assign(world, server, entry, []);
  },
  change: async (world, { entry: before }, entry, fields) => {
    const { by, parts } = world;
    const { active = true, call_ms = null, list_ms = null, protocol = null, elicitation_hosts = [] } = entry;
    const server = await find(world, entry);
    const isProven = ["headers", "variables", "oauth"].some((field) => fields.has(field));
    const patch = {
      ...(fields.has("active") && !active && { active }),
      ...(fields.has("call_ms") && { call_ms }),
      ...(fields.has("list_ms") && { list_ms }),
      ...(fields.has("protocol") && { protocol }),
      ...(fields.has("elicitation_hosts") && { elicitation_hosts }),
      ...(isProven && { credentials: credentialsOf(entry) }),
    };
    if (Object.keys(patch).length > 0) await parts.toolServerService.update(by, server, patch);
    if (fields.has("published_as")) await parts.toolServerService.publish(by, server, entry.published_as ?? null);
    if (fields.has("assignments")) await assign(world, server, entry, before.assignments ?? []);
    if (fields.has("active") && active) await parts.toolServerService.update(by, server, { active });
  },
  remove: async (world, { entry }) => {
    await world.parts.toolServerService.remove(world.by, await find(world, entry));
  },
});
