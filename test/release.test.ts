import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { verifies } from "#test/support/verifies";
import pkg from "../package.json";

setDefaultTimeout(600_000);

/** What this machine can run; others are made in the same way. */
const TARGET = process.platform === "linux" && process.arch === "x64" ? "linux-x64" : null;
const HAS_DPKG = Bun.which("dpkg-deb") !== null;
const ROOT = resolve(import.meta.dir, "..");

const run = (words: readonly string[], cwd: string) => {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...words], { cwd, stdout: "pipe", stderr: "pipe" });
  return { code: exitCode, out: stdout.toString(), err: stderr.toString() };
};

describe.skipIf(TARGET === null)("a release", () => {
  let out: string;
  beforeAll(() => {
    out = mkdtempSync(join(tmpdir(), "guardhouse-release-"));
    const made = run(
      [
        process.execPath,
        ".ci/release.ts",
        "--target",
        TARGET ?? "",
        "--out",
        out,
        "--reproduce",
        ...(HAS_DPKG ? [] : ["--no-debian"]),
      ],
      ROOT,
    );
    if (made.code !== 0) throw new Error(made.err);
  });
  afterAll(() => rmSync(out, { recursive: true, force: true }));

  const binary = () => join(out, `guardhouse-${pkg.version}-${TARGET}`);

  test("is the same when it is built again, and its sums are those of its files", () => {
    verifies("release.reproducible");
    // The two builds were compared when it was made.
    expect(run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], out)).toMatchObject({ code: 0, out: "", err: "" });
    const listed = readFileSync(join(out, "SHA256SUMS"), "utf8").trim().split("\n");
    expect(listed.length).toBeGreaterThan(6);
    expect(run([binary(), "version"], out).out).toStartWith(`guardhouse ${pkg.version} `);
  });

  test("has a bill of materials of what is in the executable, and of nothing that tests it", () => {
    verifies("release.sbom");
    const sbom = JSON.parse(readFileSync(join(out, "guardhouse.cdx.json"), "utf8"));
    const names = sbom.components.map(({ name }: { name: string }) => name);
    expect(sbom).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6" });
    for (const name of Object.keys(pkg.dependencies)) expect(names).toContain(name);
    for (const name of ["typescript", "fast-check", "playwright-core", "openai"]) expect(names).not.toContain(name);
    const libraries = sbom.components.filter(({ type }: { type: string }) => type === "library");
    expect(
      libraries.every(({ hashes }: { hashes: { content: string }[] }) =>
        /^[0-9a-f]{128}$/.test(hashes[0]?.content ?? ""),
      ),
    ).toBe(true);
    const refs = libraries.map((one: Record<string, string>) => one["bom-ref"]);
    expect(new Set(refs).size).toBe(refs.length);
  });

  test("says what it was made of", () => {
    verifies("release.provenance");
    const { subject, predicate } = JSON.parse(readFileSync(join(out, "provenance.json"), "utf8"));
    const names = subject.map(({ name }: { name: string }) => name);
    expect(names).toContain(`guardhouse-${pkg.version}-${TARGET}`);
    expect(predicate.buildDefinition.resolvedDependencies.map(({ name }: { name: string }) => name)).toEqual([
      "bun",
      "bun.lock",
    ]);
  });

  test("installs from npm's packages, and runs with their exit codes", () => {
    verifies("release.npm");
    const place = mkdtempSync(join(tmpdir(), "guardhouse-npx-"));
    try {
      const packages = ["guardhouse-linux-x64", "guardhouse"].map((name) => {
        const packed = run(["npm", "pack", "--silent", join(out, "npm", name)], place);
        return join(place, packed.out.trim());
      });
      const flags = ["--offline", "--no-audit", "--no-fund", "--no-save"];
      expect(run(["npm", "install", ...flags, ...packages], place).code).toBe(0);
      const command = join(place, "node_modules/.bin/guardhouse");
      expect(run([command, "version"], place).out).toStartWith(`guardhouse ${pkg.version} `);
      expect(run([command, "no-such-verb"], place).code).toBe(2);
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });

  test.skipIf(!HAS_DPKG)("has a Debian package with the unit of the recipe", () => {
    verifies("release.debian");
    const place = mkdtempSync(join(tmpdir(), "guardhouse-deb-"));
    try {
      expect(run(["dpkg-deb", "--extract", join(out, `guardhouse_${pkg.version}_amd64.deb`), place], place).code).toBe(
        0,
      );
      const unit = readFileSync(join(place, "lib/systemd/system/guardhouse.service"), "utf8");
      expect(unit).toContain("ExecStart=/usr/bin/guardhouse serve");
      expect(readFileSync(join(place, "etc/guardhouse/guardhouse.toml"), "utf8")).toContain(
        'data_dir = "/var/lib/guardhouse"',
      );
      expect(run([join(place, "usr/bin/guardhouse"), "version"], place).code).toBe(0);
      const listed = run(["dpkg-deb", "--contents", join(out, `guardhouse_${pkg.version}_amd64.deb`)], place).out;
      expect(
        listed
          .trim()
          .split("\n")
          .every((line) => line.includes(" root/root ")),
      ).toBe(true);
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });
});
