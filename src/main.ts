import { replaceToServe } from "#cli/replaced-process";
import { processEnvironment } from "#config/environment";

const main = async (): Promise<void> => {
  const argv = process.argv.slice(2);
  const environment = processEnvironment();
  replaceToServe(argv, environment);
  // Loaded only now: a process that is replaced would have loaded it for nothing.
  const [{ processHost }, { standardOutput }, { runCommand }] = await Promise.all([
    import("#cli/host"),
    import("#cli/standard-output"),
    import("#cli/run"),
  ]);
  const output = standardOutput();
  process.exitCode = await runCommand({
    argv,
    environment,
    ...output,
    isTerminal: () => process.stdout.isTTY === true,
    host: processHost(output),
  });
};

await main();
