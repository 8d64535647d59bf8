import { Hub, type HubOptions } from "#test/support/hub";
import { Child } from "./child.ts";
import type { Course, Target } from "./course.ts";
import type { Endpoint, LoadJob, LoadResult } from "./load-job.ts";
import type { Options } from "./options.ts";
import { APIS, isModel, MODEL_SHAPES, type Shape } from "./shape.ts";
import { WIRES } from "./wires.ts";

const pathOf = (shape: Shape): string => WIRES[isModel(shape) ? MODEL_SHAPES[shape].api : "chat"].path;

export type Durability = "full" | "normal";

/** A hub set up for the bench, running. */
export type BenchHub = AsyncDisposable & { endpoint(shape: Shape): Endpoint; readonly pid: number };

/** What is said of one more hub: flags of `serve`, another executable, variables of its environment. */
type More = Pick<HubOptions, "serve" | "binary" | "env">;

/** All processes of the proxy bench: load generator, upstream, bare relay, and one hub for each durability. */
export class ModelCourse implements Course, AsyncDisposable {
  private constructor(
    readonly load: Child<LoadJob, LoadResult>,
    readonly targets: readonly Target[],
    readonly upstream: string,
    private readonly within: string,
    private readonly stack: AsyncDisposableStack,
  ) {}

  static async open({ within }: Pick<Options, "within">): Promise<ModelCourse> {
    await using stack = new AsyncDisposableStack();
    const upstream = stack.use(await Child.start("upstream.ts"));
    const pass = stack.use(await Child.start("pass.ts", upstream.url));
    const load = stack.use(await Child.start<LoadJob, LoadResult>("load.ts"));
    const full = stack.use(await startHub(upstream.url, "full", within));
    const normal = stack.use(await startHub(upstream.url, "normal", within));
    const targets: Target[] = [
      { name: "direct", endpoint: (shape) => ({ url: upstream.url + pathOf(shape), token: "" }), pid: upstream.pid },
      { name: "pass", endpoint: (shape) => ({ url: pass.url + pathOf(shape), token: "" }), pid: pass.pid },
      { name: "hub-full", endpoint: (shape) => full.endpoint(shape), pid: full.pid },
      { name: "hub-normal", endpoint: (shape) => normal.endpoint(shape), pid: normal.pid },
    ];
    return new ModelCourse(load, targets, upstream.url, within, stack.move());
  }

  /** One more hub in front of the same upstream, with nothing behind it yet. */
  startHub(durability: Durability, more: More = {}): Promise<BenchHub> {
    return startHub(this.upstream, durability, this.within, more);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stack.disposeAsync();
  }
}

/** A hub as its users set one up: by its command line, before its first start. */
async function startHub(
  upstream: string,
  durability: Durability,
  within: string,
  { serve = [], ...more }: More = {},
): Promise<BenchHub> {
  const hub = await Hub.create({ processes: "all", serve: ["--durability", durability, ...serve], within, ...more });
  try {
    await hub.createUser("bench@example.com");
    const { token } = await hub.createToken("bench@example.com");
    await hub.addProvider("bench", { baseUrl: `${upstream}/v1`, models: ["bench-*"], apis: APIS });
    const { url, pid } = await hub.start();
    const endpoint = (shape: Shape): Endpoint => ({ url: url + pathOf(shape), token });
    return { endpoint, pid, [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose]() };
  } catch (fault) {
    await hub[Symbol.asyncDispose]();
    throw fault;
  }
}
