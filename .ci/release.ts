/*
 * Makes a release: `bun .ci/release.ts` for every target, `--target NAME` for some, `--out DIR` elsewhere than
 * dist/release, `--reproduce` to build the executables twice and compare, `--no-debian` where there is no dpkg-deb.
 * Publishes nothing.
 */
import { cpSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { makeDebianPackage } from "./release/debian";
import { makeNpmPackages } from "./release/npm";
import { provenanceOf } from "./release/provenance";
import { sbomOf } from "./release/sbom";
import { ALL_TARGETS, type Released, type ReleaseTarget, ROOT, sha256Of, VERSION } from "./release/target";

const build = (targets: readonly ReleaseTarget[]): void => {
  const flags = targets.flatMap(({ bun }) => ["--target", bun]);
  const { exitCode } = Bun.spawnSync([process.execPath, join(ROOT, ".ci/build.ts"), ...flags], {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (exitCode !== 0) throw new Error("the build failed");
};

const built = ({ bun }: ReleaseTarget): string => join(ROOT, "dist", bun.slice("bun-".length), "guardhouse");

/** Copies the executables out under their published names. */
const gather = (targets: readonly ReleaseTarget[], out: string): Released[] =>
  targets.map((target) => {
    const file = join(out, `guardhouse-${VERSION}-${target.name}`);
    cpSync(built(target), file);
    return { target, file };
  });

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();

/** In the form of `sha256sum`. */
const sumsOf = async (out: string, files: readonly string[]): Promise<string> =>
  (await Promise.all(files.map(async (file) => `${await sha256Of(join(out, file))}  ${file}\n`))).join("");

const reproduce = async (released: readonly Released[]): Promise<void> => {
  const before = await Promise.all(released.map(({ file }) => sha256Of(file)));
  build(released.map(({ target }) => target));
  for (const [at, { target }] of released.entries())
    if ((await sha256Of(built(target))) !== before[at])
      throw new Error(`${target.name}: two builds of one commit differ`);
};

const { values } = parseArgs({
  options: {
    target: { type: "string", multiple: true, default: [] },
    out: { type: "string", default: join(ROOT, "dist/release") },
    reproduce: { type: "boolean", default: false },
    "no-debian": { type: "boolean", default: false },
  },
});
const unknown = values.target.find((name) => !ALL_TARGETS.some((target) => target.name === name));
if (unknown) throw new Error(`unknown target ${unknown}; there are ${ALL_TARGETS.map(({ name }) => name).join(", ")}`);
const targets = ALL_TARGETS.filter(({ name }) => values.target.length === 0 || values.target.includes(name));
const out = resolve(values.out);

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
build(targets);
const released = gather(targets, out);
if (values.reproduce) await reproduce(released);
if (!values["no-debian"]) for (const one of released) makeDebianPackage(one, out);
makeNpmPackages(released, out);
writeFileSync(join(out, "guardhouse.cdx.json"), `${JSON.stringify(sbomOf(), null, 2)}\n`);
const subjects = filesIn(out);
writeFileSync(join(out, "provenance.json"), `${JSON.stringify(await provenanceOf(out, subjects), null, 2)}\n`);
writeFileSync(join(out, "SHA256SUMS"), await sumsOf(out, filesIn(out)));
for (const file of filesIn(out))
  console.log(`${(statSync(join(out, file)).size / 1e6).toFixed(1).padStart(8)} MB  ${file}`);
