import { command, Hub } from "#test/support/hub";
import { Child } from "./child.ts";
import type { Endpoint, LoadJob, LoadResult } from "./load-job.ts";
import type { Options } from "./options.ts";

export type TargetName = "direct" | "pass" | "hub-full" | "hub-normal";

/** One of the things compared: where it listens, and the process whose cost is measured. */
export type Target = { readonly name: TargetName; readonly endpoint: Endpoint; readonly pid: number };

export type Durability = "full" | "normal";

/** All processes of a run: load generator, upstream, bare relay, and one hub for each durability. */
export class Course implements AsyncDisposable {
  readonly #stack = new AsyncDisposableStack();

  private constructor(
    readonly load: Child<LoadJob, LoadResult>,
    readonly targets: readonly Target[],
    stack: AsyncDisposableStack,
  ) {
    this.#stack = stack;
  }

  static async open({ within }: Options): Promise<Course> {
    await using stack = new AsyncDisposableStack();
    const upstream = stack.use(await Child.start("upstream.ts"));
    const pass = stack.use(await Child.start("pass.ts", upstream.url));
    const load = stack.use(await Child.start<LoadJob, LoadResult>("load.ts"));
    const targets: Target[] = [
      { name: "direct", endpoint: { url: upstream.url, token: "" }, pid: upstream.pid },
      { name: "pass", endpoint: { url: pass.url, token: "" }, pid: pass.pid },
    ];
    for (const durability of ["full", "normal"] as const) {
      const { hub, token } = await prepareHub(upstream.url, durability, within);
      stack.use(hub);
      await hub.start();
      targets.push({ name: `hub-${durability}`, endpoint: { url: hub.url, token }, pid: hub.pid });
    }
    return new Course(load, targets, stack.move());
  }

  target(name: TargetName): Target {
    const found = this.targets.find((target) => target.name === name);
    if (found === undefined) throw new Error(`no target ${name}`);
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

/** A hub as its users set one up: by its command line, before its first start. */
async function prepareHub(upstream: string, durability: Durability, within: string): Promise<{ hub: Hub; token: string }> {
  const hub = await Hub.create({ serve: ["--durability", durability], within });
  await hub.createUser("bench@example.com");
  const { token } = await hub.createToken("bench@example.com");
  await hub.addProvider("bench", { baseUrl: `${upstream}/v1`, models: ["bench-*"] });
  return { hub, token };
}

/** How the hubs of a run are started, for the report. */
export function hubText(): string {
  const line = command();
  const compiled = line.length === 1;
  return compiled ? `hub: ${line.join(" ")}` : `hub: ${line.slice(1).join(" ")}, NOT compiled; build it first`;
}
