import { afterAll, expect, test } from "bun:test";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, normalize, relative } from "node:path";
import { anyPort } from "#test/support/port";

/*
 * Follows the Dockerfile itself, without Docker: what it copies and nothing else is copied into an empty folder,
 * its build commands are run there with the tools its base image has, and what comes out is started as it says.
 */

const ROOT = join(import.meta.dir, "..");

type Step = { readonly verb: string; readonly rest: string };
type Stage = { readonly base: string; readonly name: string | null; readonly steps: readonly Step[] };

/** Instructions by stage; continued lines are joined, comments left out. */
const parseDockerfile = (text: string): Stage[] => {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const stages: { base: string; name: string | null; steps: Step[] }[] = [];
  for (const line of lines) {
    const [, verb = "", rest = ""] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
    const [, base = "", name = null] = verb === "FROM" ? (/^(\S+)(?: AS (\S+))?$/.exec(rest) ?? []) : [];
    if (verb === "FROM") stages.push({ base, name, steps: [] });
    else stages.at(-1)?.steps.push({ verb, rest });
  }
  return stages;
};

const stages = parseDockerfile(await Bun.file(join(ROOT, "Dockerfile")).text());
const [build, runtime] = stages;
if (!build || !runtime) throw new Error("the Dockerfile has not two stages");

const all = (stage: Stage, verb: string): string[] =>
  stage.steps.filter((step) => step.verb === verb).map(({ rest }) => rest);

/** The one instruction of its kind. */
const one = (stage: Stage, verb: string): string => {
  const found = all(stage, verb);
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} ${verb} instructions`);
  return found[0];
};

const argv = (json: string): string[] => {
  const list: unknown = JSON.parse(json);
  if (!Array.isArray(list)) throw new Error(`not the exec form: ${json}`);
  return list.map(String);
};

const environment = Object.fromEntries(
  all(runtime, "ENV").flatMap((rest) => rest.split(/\s+/).map((pair) => pair.split("=", 2))),
);

/** What the build context has: .dockerignore leaves everything out and names what comes in. */
const context = (await Bun.file(join(ROOT, ".dockerignore")).text()).split("\n").filter((line) => line !== "");
const isInContext = (path: string): boolean =>
  context.some((line) => line.startsWith("!") && (path === line.slice(1) || path.startsWith(`${line.slice(1)}/`)));

/** What the base image has and the build may use. */
const TOOLS = ["sh", "env", "node", "npm", "uname", "dirname", "sed", "readlink"];

const home = await mkdtemp(join(tmpdir(), "guardhouse-docker-"));
afterAll(() => rm(home, { recursive: true, force: true }));

/** A path of the image as one in the empty folder. */
const inside = (path: string): string => join(home, "image", path);

const run = async (command: readonly string[], options: { cwd: string; env: Record<string, string> }) => {
  const child = Bun.spawn([...command], { ...options, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [code, stdout, stderr] = await Promise.all([
    child.exited,
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { code, output: stdout + stderr };
};

/** `COPY a b dir/` inside the build stage. */
const copy = async (rest: string, workDir: string): Promise<void> => {
  const words = rest.split(/\s+/);
  const target = words.pop() ?? "";
  for (const source of words.map(normalize)) {
    expect(isInContext(source)).toBe(true);
    const file = target.endsWith("/") ? join(target, basename(source)) : target;
    const to = inside(join(workDir, file));
    await mkdir(dirname(to), { recursive: true });
    await cp(join(ROOT, source), to, { recursive: true });
  }
};

const tools = async (): Promise<string> => {
  const bin = join(home, "tools");
  await mkdir(bin);
  for (const tool of TOOLS) {
    const found = Bun.which(tool);
    if (found) await symlink(found, join(bin, tool));
  }
  return bin;
};

const followBuild = async (): Promise<void> => {
  const bin = await tools();
  const kept = Object.entries(process.env).filter(([name]) => !/^(PATH|PWD|BUN_|GUARDHOUSE_|npm_)/i.test(name));
  const env = { ...Object.fromEntries(kept.map(([name, value]) => [name, value ?? ""])), PATH: bin };
  let workDir = "/";
  for (const { verb, rest } of build.steps) {
    const installed = /^npm install --global bun@(\S+)$/.exec(rest)?.[1];
    if (verb === "WORKDIR") {
      workDir = rest;
      await mkdir(inside(rest), { recursive: true });
    } else if (verb === "COPY") await copy(rest, workDir);
    else if (installed !== undefined) {
      // The one that runs this test, when it is the one that would be fetched.
      expect(installed).toBe(Bun.version);
      await symlink(process.execPath, join(bin, "bun"));
    } else if (verb === "RUN") {
      const { code, output } = await run(["sh", "-c", rest], { cwd: inside(workDir), env });
      expect({ rest, code, output: code === 0 ? "" : output }).toEqual({ rest, code: 0, output: "" });
    } else throw new Error(`the test does not know how to follow ${verb}`);
  }
};

test("Docker image: unprivileged user, data in the volume, orderly stop", () => {
  expect(build.name).toBe("build");
  expect(one(runtime, "USER")).toMatch(/^[1-9]\d*:[1-9]\d*$/);
  expect(one(runtime, "VOLUME")).toBe(environment["GUARDHOUSE_DATA_DIR"] ?? "unset");
  expect(environment["GUARDHOUSE_LISTEN"]).toBe(`0.0.0.0:${one(runtime, "EXPOSE")}`);
  expect(one(runtime, "STOPSIGNAL")).toBe("SIGTERM");
  const [user] = one(runtime, "USER").split(":");
  expect(one(runtime, "RUN")).toContain(`useradd --uid ${user} `);
  expect(one(runtime, "RUN")).toContain("--mode=0700 /data");
});

test("its steps, followed in an empty folder, give a hub that is healthy and stops", async () => {
  await followBuild();

  const [, source = "", target = ""] = /^--from=build (\S+) (\S+)$/.exec(all(runtime, "COPY").join("\n")) ?? [];
  await mkdir(dirname(inside(target)), { recursive: true });
  await cp(inside(source), inside(target));
  expect(relative(home, inside(target))).toBe("image/usr/local/bin/guardhouse");

  // Everything else of the build is gone, as it is in the image.
  await rm(inside(build.steps.find(({ verb }) => verb === "WORKDIR")?.rest ?? ""), { recursive: true });
  const cwd = join(home, "empty");
  await mkdir(cwd);
  using held = anyPort();
  const { port } = held;
  const env = {
    ...environment,
    PATH: dirname(inside(target)),
    GUARDHOUSE_LISTEN: `0.0.0.0:${port}`,
    GUARDHOUSE_DATA_DIR: inside(environment["GUARDHOUSE_DATA_DIR"] ?? ""),
  };
  const executable = (words: readonly string[]) => words.map((word, i) => (i === 0 ? inside(target) : word));
  const entry = executable([...argv(one(runtime, "ENTRYPOINT")), ...argv(one(runtime, "CMD"))]);
  const health = executable(argv(one(runtime, "HEALTHCHECK").replace(/^.*?CMD /, "")));

  expect((await run(health, { cwd, env })).code).toBe(1);
  const hub = Bun.spawn(entry, { cwd, env, stdin: "ignore", stdout: "ignore", stderr: "inherit" });
  try {
    const deadline = performance.now() + 45_000;
    let checked = await run(health, { cwd, env });
    while (checked.code !== 0 && performance.now() < deadline) checked = await run(health, { cwd, env });
    expect(checked).toEqual({ code: 0, output: `ok: http://127.0.0.1:${port}/healthz\n` });
    hub.kill(one(runtime, "STOPSIGNAL") as NodeJS.Signals);
    expect(await hub.exited).toBe(0);
  } finally {
    hub.kill("SIGKILL");
  }
}, 240_000);
