import { replaceToServe } from "#cli/replaced-process";
import { processEnvironment } from "#config/environment";

const main = async (): Promise<void> => {
  const argv = process.argv.slice(2);
  const environment = processEnvironment();
  replaceToServe(argv, environment);
  // Loaded only now: a process that is replaced would have loaded it for nothing.
  const [{ processHost }, { standardOutput }, { processTerminal }, { runCommand }] = await Promise.all([
    import("#cli/host"),
    import("#cli/standard-output"),
    import("#cli/terminal"),
    import("#cli/run"),
  ]);
  const output = standardOutput();
  process.exitCode = await runCommand({
    argv,
    environment,
    ...output,
    terminal: processTerminal(),
    host: processHost(output),
  });
};

await main();
