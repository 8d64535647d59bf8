import { processHost } from "#cli/host";
import { runCommand } from "#cli/run";
import { processEnvironment } from "#config/environment";

/** Resolves when the text is handed over, so that a slow reader slows us down and memory stays small. */
const writeTo = (stream: NodeJS.WriteStream) => (text: string) =>
  new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });

// A reader that has seen enough (`| head`) is no failure.
process.stdout.on("error", (error) => process.exit("code" in error && error.code === "EPIPE" ? 0 : 1));

runCommand({
  argv: process.argv.slice(2),
  environment: processEnvironment(),
  stdout: writeTo(process.stdout),
  stderr: writeTo(process.stderr),
  isTerminal: process.stdout.isTTY === true,
  host: processHost,
}).then((code) => {
  process.exitCode = code;
});
