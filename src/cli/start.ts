import { systemClock } from "#platform/clock";
import { jsonLog } from "#platform/log";
import type { RunVerb } from "./verb";

/** `serve`: the log goes to stdout, a JSON line an event. */
export const start: RunVerb = async ({ config, settings: loaded, environment, host }) => {
  const settings = config();
  host.makeRoomForConnections(environment);
  const { serve } = await import("./serve");
  const log = jsonLog(settings.log_level, (line) => host.writeLine("stdout", line), systemClock);
  const { settings: given, file } = loaded();
  return serve({ config: settings, settings: given, file, log, environment, host });
};
