import { chmodSync, cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pkg from "../../package.json";
import { type Released, type ReleaseTarget, ROOT, VERSION } from "./target";

/*
 * `npx guardhouse`: a package that runs the executable of the machine it is on, which npm installs as an optional
 * dependency. No script runs at installation.
 */

const packageOf = ({ name }: ReleaseTarget): string => `@guardhouse/${name}`;

/** Folders that `npm publish` takes, below `npm/`. */
export const makeNpmPackages = (released: readonly Released[], out: string): void => {
  for (const { target, file } of released) {
    const { os, cpu, libc } = target;
    const about = { description: `Guardhouse for ${target.name}`, os: [os], cpu: [cpu], ...(libc && { libc: [libc] }) };
    const folder = folderOf(out, packageOf(target), { ...about, files: ["guardhouse"] });
    cpSync(file, join(folder, "guardhouse"));
    chmodSync(join(folder, "guardhouse"), 0o755);
  }
  const optionalDependencies = Object.fromEntries(released.map(({ target }) => [packageOf(target), VERSION]));
  const about = { description: pkg.description, bin: { guardhouse: "guardhouse.cjs" }, files: ["guardhouse.cjs"] };
  const folder = folderOf(out, pkg.name, { ...about, engines: { node: ">=18" }, optionalDependencies });
  writeFileSync(join(folder, "guardhouse.cjs"), WRAPPER, { mode: 0o755 });
};

const folderOf = (out: string, name: string, more: object): string => {
  const folder = join(out, "npm", name.replace("@guardhouse/", "guardhouse-"));
  mkdirSync(folder, { recursive: true });
  const { license } = pkg;
  writeFileSync(
    join(folder, "package.json"),
    `${JSON.stringify({ name, version: VERSION, license, ...more }, null, 2)}\n`,
  );
  cpSync(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  return folder;
};

/** Runs under Node 18 and later, so it is written for that. Signals and the exit code are the executable's. */
const WRAPPER = `#!/usr/bin/env node
"use strict";
const { spawn } = require("node:child_process");

const isMusl = () => process.platform === "linux" && !process.report.getReport().header.glibcVersionRuntime;
const name = \`@guardhouse/\${process.platform}-\${process.arch}\${isMusl() ? "-musl" : ""}\`;
let file;
try {
  file = require.resolve(\`\${name}/guardhouse\`);
} catch {
  console.error(\`guardhouse: there is no package \${name} here. Install without --omit=optional, or take an executable from the release.\`);
  process.exit(1);
}
const child = spawn(file, process.argv.slice(2), { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else process.exit(code);
});
`;
