import { surviveUnhandledErrors } from "#cli/unhandled-errors";
import { jsonLog } from "#platform/log";

/* Fails where nobody waits for it, in both ways there are; then once more when that is no longer outlived. */

const log = jsonLog("info", (line) => process.stdout.write(line), Date.now);
const failing = (): never => {
  throw new TypeError("a text of somebody (at home) https://example.org/");
};
const settled = () => Bun.sleep(20);

const end = surviveUnhandledErrors(log);
void (async () => failing())();
await settled();
setTimeout(failing, 1);
await settled();
log.info("alive");
end();
void (async () => failing())();
