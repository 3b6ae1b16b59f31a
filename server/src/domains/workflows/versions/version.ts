import Type, { type Static } from "typebox";
import { failure } from "#kernel/operation/failure.ts";
import { id, line, nullable, Time } from "#kernel/schema/schema.ts";
import { Definition } from "../definition/index.ts";

export const VersionId = id("wfv");
export const Label = line(100, "A name for the version");
export const ChangeSummary = line(2_000, "What changed; made from the change unless given");

export const VersionStatus = Type.Enum(["draft", "active", "superseded", "archived"], {
  description:
    "`draft`: the newest, not yet deployed; `active`: deployed somewhere; `superseded`: by a later " +
    "draft or deployment; `archived`: kept, and not to be deployed",
});
export type VersionStatus = Static<typeof VersionStatus>;

const about = {
  id: VersionId,
  workflowId: id("wf"),
  version: Type.Integer({ description: "Counts up from 1" }),
  label: nullable(Label),
  status: VersionStatus,
  activeIn: Type.Array(Type.Enum(["production", "staging", "development"]), {
    description: "The environments in which it is deployed",
  }),
  author: Type.Object({ id: Type.String(), name: Type.String() }),
  changeSummary: Type.String(),
  createdAt: Time,
};

/** An entry of the history. */
export const Version = Type.Object(about, { title: "WorkflowVersion" });
export type Version = Static<typeof Version> & { readonly revision: number };

/** One version with what it holds. */
export const FullVersion = Type.Object(
  { ...about, definition: Definition },
  { title: "FullWorkflowVersion" },
);
export type FullVersion = Version & { readonly definition: Definition };

export const VersionIsArchived = failure(
  "version_archived",
  409,
  "The version is archived; restore it and publish the workflow to bring it back.",
);
export const VersionIsActive = failure(
  "version_active",
  409,
  "The version is deployed in some environment, and can't be archived.",
);

/** What decides on the status of a version, besides the status that it has. */
export interface VersionFacts {
  /** In some environment. */
  readonly deployed: boolean;
  /** No other version is newer. */
  readonly newest: boolean;
}

/** The status that follows from the facts: the one place that knows the rules. */
export function statusAfter(
  status: VersionStatus,
  { deployed, newest }: VersionFacts,
): VersionStatus {
  if (status === "archived") return "archived";
  if (deployed) return "active";
  return status === "draft" && newest ? "draft" : "superseded";
}

/** What an event's envelope says of the version. */
export function referToVersion(version: Version) {
  const name = version.label ?? `Version ${version.version}`;
  return { id: version.id, number: String(version.version), displayName: name };
}

/** What events tell of it. */
export function versionDataOf({ revision: _, ...version }: Version): Static<typeof Version> {
  return version;
}
