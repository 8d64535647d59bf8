import { Hub } from "#test/support/hub";
import { Child } from "./child.ts";
import type { Course, Target } from "./course.ts";
import { listTools } from "./list-tools.ts";
import type { Endpoint, LoadJob, LoadResult } from "./load-job.ts";
import { isModel, type Shape, serverPath, TOOL_SHAPES } from "./shape.ts";
import { SLUG } from "./tool-question.ts";

export const GATEWAY = "/mcp/gateway";

/** All processes of the tool bench: load generator, upstream, bare relay, and one hub. */
export class ToolCourse implements Course, AsyncDisposable {
  private constructor(
    readonly load: Child<LoadJob, LoadResult>,
    readonly targets: readonly Target[],
    private readonly stack: AsyncDisposableStack,
  ) {}

  static async open(within: string): Promise<ToolCourse> {
    await using stack = new AsyncDisposableStack();
    const upstream = stack.use(await Child.start("mcp-upstream.ts"));
    const pass = stack.use(await Child.start("pass.ts", upstream.url, "json"));
    const load = stack.use(await Child.start<LoadJob, LoadResult>("load.ts"));
    const hub = stack.use(await Hub.create({ processes: "all", serve: ["--durability", "full"], within }));
    const tokens = await setUp(hub, upstream.url);
    const { url, pid } = await hub.start();
    const gateway = (shape: Shape): Endpoint => ({ url: url + GATEWAY, token: tokens.get(pathFor(shape)) ?? "" });
    const bare = (base: string) => (shape: Shape) => ({ url: base + pathFor(shape), token: "" });
    for (const shape of ["list-20", "list-1000"] as const) {
      const { tools } = await listTools(gateway(shape));
      if (tools < TOOL_SHAPES[shape].tools) throw new Error(`the hub lists only ${tools} tools for ${shape}`);
    }
    const targets: Target[] = [
      { name: "direct", endpoint: bare(upstream.url), pid: upstream.pid },
      { name: "pass", endpoint: bare(pass.url), pid: pass.pid },
      { name: "hub-full", endpoint: gateway, pid },
    ];
    return new ToolCourse(load, targets, stack.move());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stack.disposeAsync();
  }
}

/** A person for each of the upstream's servers, so that each lists its tools alone. Gives their tokens. */
async function setUp(hub: Hub, upstream: string): Promise<ReadonlyMap<string, string>> {
  const tokens = new Map<string, string>();
  for (const path of new Set(Object.values(TOOL_SHAPES).map(serverPath))) {
    const owner = `bench-${tokens.size}@example.com`;
    await hub.createUser(owner);
    await hub.addToolServer(SLUG, { owner, url: upstream + path });
    tokens.set(path, (await hub.createToken(owner)).token);
  }
  return tokens;
}

function pathFor(shape: Shape): string {
  if (isModel(shape)) throw new Error(`${shape} is not asked of tool servers`);
  return serverPath(TOOL_SHAPES[shape]);
}
