import { CLI_ACTOR } from "#core/change";
import { ToolIntake } from "#engine/tools/intake";
import { lookAt } from "#engine/tools/look";
import type { Look, SignIn } from "#modules/tool-servers/port";
import { systemClock } from "#platform/clock";
import { systemIds } from "#platform/ids";
import { jsonLog } from "#platform/log";
import { toolSignIn as signIn, toolConnector, toolLookMs } from "./adapters";
import { baselineOf } from "./baseline";
import type { Session } from "./session";
import type { Invocation } from "./verb";

const worldOf = ({ store, seal, unseal }: Session, { config, environment }: Invocation) => ({
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
export const toolLook =
  (session: Session, invocation: Invocation): Look =>
  async (server) => {
    const world = worldOf(session, invocation);
    const { store, config, log } = world;
    const policy = await baselineOf(config, store.policies);
    const intake = new ToolIntake({
      tools: store.tools,
      policy: () => policy,
      newTools: config.tool_gateway.new_tools,
      now: systemClock,
      ids: systemIds,
    });
    const connect = toolConnector(world);
    const lookMs = toolLookMs(config);
    return lookAt({ connect, intake, tools: store.tools, log, lookMs, by: CLI_ACTOR })(server);
  };

/** How a command begins the sign-in of a person at a tool server. It ends at the running service. */
export const toolSignIn = (session: Session, invocation: Invocation): SignIn => signIn(worldOf(session, invocation));
