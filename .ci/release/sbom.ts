import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import pkg from "../../package.json";
import { commitTime, ROOT, VERSION } from "./target";

/* The software bill of materials, as CycloneDX 1.6: what is in the executable, by the lock file. */

type Entry = readonly [name: string, registry: string, about: Dependencies, integrity?: string];
type Dependencies = {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
};
type Packages = Readonly<Record<string, Entry>>;

export const sbomOf = () => {
  const packages = lockedPackages();
  const components = [...reachable(packages)].sort().map((key) => componentOf(packages, key));
  const runtime = { type: "application", name: "bun", version: Bun.version, purl: `pkg:npm/bun@${Bun.version}` };
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp: new Date(commitTime() * 1_000).toISOString(),
      component: { type: "application", name: pkg.name, version: VERSION, licenses: licence(pkg.license) },
    },
    components: [runtime, ...components],
  };
};

/** The lock file is JSON with commas at the ends of lists. */
const lockedPackages = (): Packages =>
  JSON.parse(readFileSync(join(ROOT, "bun.lock"), "utf8").replace(/,(\s*[\]}])/g, "$1")).packages;

/** Keys of what the product depends on, with what that depends on. Where a package has its own copy, it is below its name. */
const reachable = (packages: Packages): Set<string> => {
  const found = new Set<string>();
  const visit = (from: string, names: readonly string[]): void => {
    for (const name of names) {
      const key = keyOf(packages, from, name);
      // An optional one of another system.
      if (key === null || found.has(key)) continue;
      found.add(key);
      const { dependencies = {}, optionalDependencies = {} } = packages[key]?.[2] ?? {};
      visit(key, [...Object.keys(dependencies), ...Object.keys(optionalDependencies)]);
    }
  };
  visit("", Object.keys(pkg.dependencies));
  return found;
};

const keyOf = (packages: Packages, from: string, name: string): string | null => {
  for (let parent = from; parent !== ""; parent = parent.includes("/") ? parent.slice(0, parent.lastIndexOf("/")) : "")
    if (Object.hasOwn(packages, `${parent}/${name}`)) return `${parent}/${name}`;
  return Object.hasOwn(packages, name) ? name : null;
};

const componentOf = (packages: Packages, key: string) => {
  const [named = "", , , integrity = ""] = packages[key] ?? [];
  const at = named.lastIndexOf("@");
  const [name, version] = [named.slice(0, at), named.slice(at + 1)];
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const [algorithm, digest] = integrity.split("-");
  const hashes =
    digest === undefined || algorithm !== "sha512"
      ? []
      : [{ alg: "SHA-512", content: Buffer.from(digest, "base64").toString("hex") }];
  return {
    type: "library",
    name,
    version,
    "bom-ref": `${purl}#${key}`,
    purl,
    hashes,
    licenses: licence(licenceOf(name)),
  };
};

const licenceOf = (name: string): string | undefined => {
  const file = join(ROOT, "node_modules", name, "package.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")).license : undefined;
};

const licence = (expression: unknown) => (typeof expression === "string" ? [{ expression }] : []);
