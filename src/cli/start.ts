import { systemClock } from "#platform/clock";
import { jsonLog } from "#platform/log";
import { makeRoomForConnections } from "./many-connections";
import type { Run } from "./verb";

/** `serve`: the log goes to stdout, a JSON line an event. */
export const start: Run = async ({ config, settings: loaded, environment }) => {
  const settings = config();
  makeRoomForConnections(environment);
  const { serve } = await import("./serve");
  const log = jsonLog(settings.log_level, (line) => void process.stdout.write(line), systemClock);
  const { settings: given, file } = loaded();
  return serve({ config: settings, settings: given, file, log, environment });
};
