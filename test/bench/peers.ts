/*
 * `bun run bench peers`: other gateways beside the hub, in alternation, in front of the same upstream. Portkey comes from
 * npm into a folder of its own; others are started by a command line that is given.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Target } from "./course.ts";
import { distinct, figuresOfRows } from "./figures.ts";
import { describeMachine, machineText } from "./machine.ts";
import { ModelCourse } from "./model-course.ts";
import { progress } from "./report.ts";
import { alternate } from "./rounds.ts";
import type { Shape } from "./shape.ts";
import { summarise, summaryText } from "./summary.ts";

/** Exact: it names its libraries loosely. Its streams answer 500 as it comes from npm, which the table then shows. */
const PORTKEY = ["@portkey-ai/gateway@1.15.2", "hono@4.9.7", "@hono/node-server@1.13.5"] as const;
const START_MS = 60_000;
const POLL_MS = 100;

const USAGE = `bun run bench peers [--seconds N] [--rounds N] [--c 1,16,64] [--only json,stream] [--no-portkey]
                    [--gateway 'NAME=COMMAND with {upstream} and {port}'] … [--json FILE]`;

/** A gateway, and the shell command that starts it: `{upstream}` is the base URL of its provider, `{port}` its own. */
type Peer = { readonly name: string; readonly command: string };

type Settings = {
  readonly seconds: number;
  readonly rounds: number;
  readonly concurrencies: readonly number[];
  readonly shapes: readonly Shape[];
  readonly peers: readonly Peer[];
  readonly withPortkey: boolean;
  readonly json: string | undefined;
};

const readSettings = (args: readonly string[]): Settings => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: "string", default: "2" },
      rounds: { type: "string", default: "4" },
      c: { type: "string", default: "1,16,64" },
      only: { type: "string", default: "json,stream" },
      "no-portkey": { type: "boolean", default: false },
      gateway: { type: "string", multiple: true, default: [] },
      json: { type: "string" },
    },
  });
  const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)];
  const concurrencies = values.c.split(",").map(Number);
  const shapes = (["json", "stream"] as const).filter((shape) => values.only.split(",").includes(shape));
  if (!(seconds > 0 && rounds >= 1 && concurrencies.every((count) => count >= 1)) || shapes.length === 0)
    throw new Error(`usage: ${USAGE}`);
  const peers = values.gateway.map(peerOf);
  return { seconds, rounds, concurrencies, shapes, peers, withPortkey: !values["no-portkey"], json: values.json };
};

const peerOf = (text: string): Peer => {
  const [, name, command] = /^([\w.-]+)=(.*\{upstream\}.*|.*\{port\}.*)$/s.exec(text) ?? [];
  if (name === undefined || command === undefined) throw new Error(`usage: ${USAGE}`);
  return { name, command };
};

/** Installs Portkey below `folder` and says how it is started and asked. */
const portkeyIn = async (folder: string): Promise<Peer> => {
  progress("portkey: installing");
  const install = Bun.spawn(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, ...PORTKEY], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  if ((await install.exited) !== 0) throw new Error("Portkey cannot be installed; leave it out with --no-portkey");
  const script = join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js");
  return { name: "portkey", command: `node ${script} --headless --port={port}` };
};

/** A port nobody listens on at the moment. */
const freePort = async (): Promise<number> => {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = server;
  await server.stop();
  if (port === undefined) throw new Error("no port");
  return port;
};

/** Starts a gateway and waits until it answers anything. */
const startPeer = async (peer: Peer, upstream: string, stack: AsyncDisposableStack): Promise<Target> => {
  const port = await freePort();
  const base = `${upstream}/v1`;
  const command = peer.command.replaceAll("{port}", `${port}`).replaceAll("{upstream}", base);
  const process = Bun.spawn(["sh", "-c", `exec ${command}`], { stdio: ["ignore", "ignore", "ignore"] });
  stack.defer(async () => {
    process.kill("SIGKILL");
    await process.exited;
  });
  const url = `http://127.0.0.1:${port}/v1/chat/completions`;
  const end = performance.now() + START_MS;
  while (!(await answers(url))) {
    if (process.exitCode !== null || performance.now() > end) throw new Error(`${peer.name} did not start: ${command}`);
    await Bun.sleep(POLL_MS);
  }
  // Portkey is told by headers whom to ask; others have a key they do not look at.
  const headers = { "x-portkey-provider": "openai", "x-portkey-custom-host": base };
  const endpoint = { url, token: "bench", ...(peer.name === "portkey" && { headers }) };
  return { name: peer.name, endpoint: () => endpoint, pid: process.pid };
};

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    async (response) => {
      await response.body?.cancel();
      return true;
    },
    () => false,
  );

const run = async (settings: Settings): Promise<void> => {
  const { seconds, rounds, concurrencies, shapes, json } = settings;
  const machine = describeMachine(tmpdir());
  console.log(`${machineText(machine)}\n`);
  const folder = mkdtempSync(join(tmpdir(), "guardhouse-bench-peers-"));
  try {
    const peers = [...(settings.withPortkey ? [await portkeyIn(folder)] : []), ...settings.peers];
    await using course = await ModelCourse.open({ within: tmpdir() });
    await using stack = new AsyncDisposableStack();
    const others: Target[] = [];
    for (const peer of peers) others.push(await startPeer(peer, course.upstream, stack));
    const targets = [...course.targets.filter(({ name }) => name === "pass" || name === "hub-full"), ...others];
    const plan = { shapes, concurrencies, targets, rounds, seconds, warmUp: "tenth" } as const;
    const cells = await alternate({ load: course.load, targets }, plan, progress);
    const rows = summarise(cells);
    console.log(summaryText(rows));
    const figures = distinct(figuresOfRows(rows));
    if (json !== undefined)
      await Bun.write(json, `${JSON.stringify({ machine, figures, rows, cells }, undefined, 2)}\n`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

export const PEERS_BENCH = {
  usage: USAGE,
  run(args: readonly string[]): () => Promise<void> {
    const settings = readSettings(args);
    return () => run(settings);
  },
};
