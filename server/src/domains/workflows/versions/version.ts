import Type, { type Static } from "typebox";
import { failure } from "#kernel/operation/failure.ts";
import { id, line, nullable, Time } from "#kernel/schema/schema.ts";
import { Definition } from "../definition/index.ts";

export const VersionId = id("wfv");
export const Label = line(100, "Name of the version");
export const ChangeSummary = line(
  2_000,
  "Summary of the changes. Default: generated from the changes",
);

export const VersionStatus = Type.Enum(["draft", "active", "superseded", "archived"], {
  description:
    "`draft`: the newest version, not deployed yet. `active`: deployed in an environment. `superseded`: replaced by a later draft or deployment. `archived`: kept, but can't be deployed",
});
export type VersionStatus = Static<typeof VersionStatus>;

const versionFields = {
  id: VersionId,
  workflowId: id("wf"),
  version: Type.Integer({ description: "Consecutive number, from 1" }),
  label: nullable(Label),
  status: VersionStatus,
  activeIn: Type.Array(Type.Enum(["production", "staging", "development"]), {
    description: "Environments with this version",
  }),
  author: Type.Object({ id: Type.String(), name: Type.String() }),
  changeSummary: Type.String(),
  createdAt: Time,
};

/** An entry of the history. */
export const Version = Type.Object(versionFields, { title: "WorkflowVersion" });
export type Version = Static<typeof Version> & { readonly revision: number };

/** One version with its definition. */
export const FullVersion = Type.Object(
  { ...versionFields, definition: Definition },
  { title: "FullWorkflowVersion" },
);
export type FullVersion = Version & { readonly definition: Definition };

export const VersionIsArchived = failure(
  "version_archived",
  409,
  "The version is archived. To use it again, restore it and deploy the workflow.",
);
export const VersionIsActive = failure(
  "version_active",
  409,
  "The version is deployed in an environment, so it can't be archived.",
);

/** The usage of a version. Determines the status. */
export interface VersionUse {
  /** Deployed in any environment. */
  readonly deployed: boolean;
  /** True for the newest version. */
  readonly newest: boolean;
}

/** The status derived from the use of a version. */
export function statusAfter(
  status: VersionStatus,
  { deployed, newest }: VersionUse,
): VersionStatus {
  if (status === "archived") return "archived";
  if (deployed) return "active";
  return status === "draft" && newest ? "draft" : "superseded";
}

/** The reference to a version in event envelopes. */
export function versionRef(version: Version) {
  const name = version.label ?? `Version ${version.version}`;
  return { id: version.id, number: String(version.version), displayName: name };
}

export function versionEventData({ revision: _, ...version }: Version): Static<typeof Version> {
  return version;
}
