import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import pkg from "../../package.json";
import { commitTime, type Released, ROOT, VERSION } from "./target";

const CONFIG = "/etc/guardhouse/guardhouse.toml";

/** Builds `guardhouse_VERSION_ARCH.deb`; nothing for targets that Debian has not. Throws where there is no `dpkg-deb`. */
export const makeDebianPackage = ({ target, file }: Released, out: string): void => {
  if (target.debian === undefined) return;
  if (Bun.which("dpkg-deb") === null) throw new Error("There is no dpkg-deb; without Debian packages: --no-debian");
  const tree = mkdtempSync(join(tmpdir(), "guardhouse-deb-"));
  try {
    chmodSync(tree, 0o755);
    for (const [path, { text, mode = 0o644 }] of Object.entries(filesOf(target.debian))) {
      const place = join(tree, path);
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, text);
      chmodSync(place, mode);
    }
    const binary = join(tree, "usr/bin/guardhouse");
    mkdirSync(dirname(binary), { recursive: true });
    cpSync(file, binary);
    chmodSync(binary, 0o755);
    const name = join(out, `guardhouse_${VERSION}_${target.debian}.deb`);
    const { exitCode, stderr } = Bun.spawnSync(["dpkg-deb", "--root-owner-group", "-Zgzip", "--build", tree, name], {
      env: { ...process.env, SOURCE_DATE_EPOCH: String(commitTime()) },
      stdout: "ignore",
    });
    if (exitCode !== 0) throw new Error(stderr.toString());
  } finally {
    rmSync(tree, { recursive: true });
  }
};

type PackagedFile = { readonly text: string; readonly mode?: number };

const filesOf = (architecture: string): Readonly<Record<string, PackagedFile>> => ({
  "DEBIAN/control": {
    text: `Package: guardhouse
Version: ${VERSION}
Architecture: ${architecture}
Maintainer: The Guardhouse authors
Depends: adduser
Section: net
Priority: optional
Description: ${pkg.description.split(":")[0]}
 Authenticates, scans, forwards and audits every call of AI agents to models
 and tools. One executable.
`,
  },
  "DEBIAN/conffiles": { text: `${CONFIG}\n` },
  "DEBIAN/postinst": {
    text: `#!/bin/sh
set -e
if [ "$1" = configure ]; then
  getent passwd guardhouse > /dev/null || adduser --system --group --home /var/lib/guardhouse --no-create-home --quiet guardhouse
  chown root:guardhouse /etc/guardhouse && chmod 0750 /etc/guardhouse
  if [ -d /run/systemd/system ]; then systemctl daemon-reload; systemctl try-restart guardhouse || true; fi
fi
`,
    mode: 0o755,
  },
  "DEBIAN/prerm": {
    text: `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then systemctl stop guardhouse || true; fi
`,
    mode: 0o755,
  },
  [CONFIG.slice(1)]: { text: recipePart("sh", /<<'EOF'\n([\s\S]*?)EOF/) },
  "lib/systemd/system/guardhouse.service": {
    text: recipePart("ini", /([\s\S]*)/).replace("/usr/local/bin/", "/usr/bin/"),
  },
  "usr/share/doc/guardhouse/copyright": { text: readFileSync(join(ROOT, "LICENSE"), "utf8") },
});

/** What docs/recipes/systemd.md shows: a package sets up the same. */
const recipePart = (language: string, part: RegExp): string => {
  const recipe = readFileSync(join(ROOT, "docs/recipes/systemd.md"), "utf8");
  const block = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(recipe)?.[1] ?? "";
  const text = part.exec(block)?.[1];
  if (!text) throw new Error(`docs/recipes/systemd.md has no such ${language} block any more`);
  return text;
};
