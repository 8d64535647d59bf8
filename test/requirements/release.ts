import type { Requirement } from "./requirement";

/** What is promised of releases. */
export const RELEASE: readonly Requirement[] = [
  {
    id: "release.reproducible",
    promise: "Two builds of one commit are the same, and sums are published.",
    source: "docs/releases.md#what-a-release-has",
  },
  {
    id: "release.sbom",
    promise: "A release has a bill of materials of what is in the executable.",
    source: "docs/releases.md#what-a-release-has",
  },
  {
    id: "release.provenance",
    promise: "A release says of which commit and lock file it was made, and by which version of Bun.",
    source: "docs/releases.md#what-a-release-has",
  },
  {
    id: "release.npm",
    promise: "npm's package runs the executable of the machine, with its exit codes.",
    source: "docs/releases.md#what-a-release-has",
  },
  {
    id: "release.debian",
    promise: "The Debian package sets up what the recipe for systemd shows.",
    source: "docs/releases.md#what-a-release-has",
  },
];
