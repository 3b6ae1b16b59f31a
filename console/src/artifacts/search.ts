/** The search parameters of the artifact screens. */
export const ARTIFACT_KINDS = ["all", "jobs", "handlers"] as const;
export type ArtifactKind = (typeof ARTIFACT_KINDS)[number];

export function readArtifactsSearch(search: Readonly<Record<string, unknown>>): {
  readonly kind?: ArtifactKind | undefined;
} {
  return { kind: ARTIFACT_KINDS.find((kind) => kind === search["kind"]) };
}

export const ARTIFACT_TABS = ["run", "tests", "history", "versions", "settings"] as const;
export type ArtifactTab = (typeof ARTIFACT_TABS)[number];

export interface ArtifactSearch {
  readonly tab?: ArtifactTab | undefined;
  /** The open execution or version. */
  readonly open?: string | undefined;
}

export function readArtifactSearch(search: Readonly<Record<string, unknown>>): ArtifactSearch {
  const { open } = search;
  return {
    tab: ARTIFACT_TABS.find((tab) => tab === search["tab"]),
    open: typeof open === "string" || typeof open === "number" ? String(open) : undefined,
  };
}
