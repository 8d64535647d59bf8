import { join } from "node:path";
import { systemClock } from "#platform/clock";
import { WitnessState } from "#store/sqlite/witness-state";
import { BadNote, isKeyName } from "#store/tlog/note";
import { readTrust } from "#store/tlog/trust";
import { addCheckpoint, MAX_REQUEST_BYTES } from "#store/tlog/witness";
import { EXIT, usage } from "./exit";
import { readTextFile } from "./input";
import type { Invocation, RunVerb } from "./verb";

const DEFAULT_LISTEN = "127.0.0.1:8687";

/**
 * `witness`: signs checkpoints of the logs it is given the keys of, each only when it goes on from the one before. Runs
 * best where those who run the hub have no access.
 */
export const witness: RunVerb = async (invocation) => {
  const { args, out, host } = invocation;
  const logs = await logsOf(invocation);
  const state = new WitnessState(
    args.text("dir") ?? join(process.cwd(), "guardhouse-witness"),
    nameOf(args.need("name")),
    systemClock,
  );
  const { hostname, port } = addressOf(args.text("listen") ?? DEFAULT_LISTEN);
  const server = Bun.serve({
    hostname,
    port,
    maxRequestBodySize: MAX_REQUEST_BYTES,
    routes: {
      "/add-checkpoint": {
        POST: async (request) => {
          const {
            status,
            body,
            type = "text/plain; charset=utf-8",
          } = await addCheckpoint(await request.text(), { logs, ...state });
          return new Response(body, { status, headers: { "content-type": type } });
        },
      },
    },
    fetch: () => new Response("Not found\n", { status: 404 }),
  });
  try {
    await out.result({ key: state.key, url: server.url.href }, `witness ${state.key}\nlistening on ${server.url.href}`);
    await host.stopSignal();
  } finally {
    await server.stop();
    state.close();
  }
  return EXIT.ok;
};

const logsOf = async (invocation: Invocation) => {
  try {
    return readTrust(await readTextFile(invocation, invocation.args.need("logs"))).logs;
  } catch (error) {
    if (error instanceof BadNote) throw usage(`--logs: ${error.message}`);
    throw error;
  }
};

const nameOf = (name: string): string => {
  if (!isKeyName(name))
    throw usage("--name: an address of the witness without the scheme, such as witness.example.com");
  return name;
};

const addressOf = (text: string): { readonly hostname: string; readonly port: number } => {
  const [, hostname, port] =
    /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text)?.filter((part) => part !== undefined) ?? [];
  if (hostname === undefined || port === undefined || Number(port) > 65_535) throw usage("--listen: HOST:PORT");
  return { hostname, port: Number(port) };
};
