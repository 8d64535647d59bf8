import { replaceToServe } from "#cli/replaced-process";
import { processEnvironment } from "#config/environment";

/** Resolves when the text is handed over, so that a slow reader slows us down and memory stays small. */
const writeTo = (stream: NodeJS.WriteStream) => (text: string) =>
  new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });

const main = async (): Promise<void> => {
  const argv = process.argv.slice(2);
  const environment = processEnvironment();
  replaceToServe(argv, environment);
  // Loaded only now: a process that is replaced would have loaded it for nothing.
  const [{ processHost }, { runCommand }] = await Promise.all([import("#cli/host"), import("#cli/run")]);
  // A reader that has seen enough (`| head`) is no failure.
  process.stdout.on("error", (error) => process.exit("code" in error && error.code === "EPIPE" ? 0 : 1));
  process.exitCode = await runCommand({
    argv,
    environment,
    stdout: writeTo(process.stdout),
    stderr: writeTo(process.stderr),
    isTerminal: process.stdout.isTTY === true,
    host: processHost,
  });
};

await main();
