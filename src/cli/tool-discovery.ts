import { commandParts, type HubInputs } from "#app";
import type { DiscoverTools } from "#features/tool-servers/port";
import { redactionLabels } from "#guard/redaction-labels";
import { Scanner } from "#guard/scanner";
import { discoverTools } from "#guard/tools/discover";
import { type Actor, CLI_ACTOR } from "#model/change";
import { systemClock } from "#platform/clock";
import { jsonLog } from "#platform/log";
import { toolOptions } from "./adapters";
import { baselineOf } from "./policy";
import type { CliSession } from "./session";
import type { Invocation } from "./verb";

const worldOf = ({ store, seal, unseal }: CliSession, { config, environment }: Invocation) => ({
  config: config(),
  environment,
  store,
  seal,
  unseal,
  publicUrl: () => config().public_url,
  // What goes wrong is in the command's own answer.
  log: jsonLog("error", () => undefined, systemClock),
});

/** How a command looks at a live tool server: connects, lists, takes the list in, and closes the connection. */
export const toolDiscovery =
  (session: CliSession, invocation: Invocation, by: Actor = CLI_ACTOR): DiscoverTools =>
  async (server) =>
    discoverTools({ ...(await toolLook(session, invocation)), tools: session.store.tools, by })(server);

/** What a look takes. */
export const toolLook = async (session: CliSession, invocation: Invocation) => {
  const { config, store, log } = worldOf(session, invocation);
  const policy = await baselineOf(config, store.policies);
  const options = commandToolOptions(session, invocation);
  const { discovery } = commandParts(
    // It judges with the baseline, and remembers no text.
    { ...session.inputs, toolOptions: options, scanner: new Scanner(policy, new Uint8Array(32), 1) },
    { labelsOf: redactionLabels(await session.labelSecret()) },
  );
  const { connect, discoveryMs } = options;
  return { connect, discovery, log, discoveryMs };
};

/** How a command begins the sign-in of a person at a tool server, among others. It ends at the running service. */
export const commandToolOptions = (session: CliSession, invocation: Invocation): HubInputs["toolOptions"] =>
  toolOptions(worldOf(session, invocation));
