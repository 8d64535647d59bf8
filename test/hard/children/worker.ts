import { processHost } from "#cli/host";
import { serve } from "#cli/serve";
import { standardOutput } from "#cli/standard-output";
import { processEnvironment } from "#config/environment";
import { loadConfig } from "#config/load";
import { systemClock } from "#platform/clock";
import { jsonLog } from "#platform/log";

/* `worker.ts DIR ID`: serves as one of several from a directory that another process has. */
const [dataDir = "", id = "0"] = process.argv.slice(2);
const environment = processEnvironment();
const flags = { data_dir: dataDir, listen: "127.0.0.1:0", durability: "normal" };
const { config, settings, file } = loadConfig({ environment, flags, file: undefined, besideHub: false });
const host = processHost(standardOutput());
const log = jsonLog("info", (line) => host.writeLine("stdout", line), systemClock);
process.exitCode = await serve({ config, settings, file, log, environment, host, worker: { id } });
