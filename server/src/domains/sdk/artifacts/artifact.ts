/** Schemas and failures of artifacts. */
import Type, { type Static } from "typebox";
import { failure } from "#kernel/operation/failure.ts";
import { id, line, nullable, object, text, Time } from "#kernel/schema/schema.ts";
import { Fields } from "./fields.ts";

export const ARTIFACTS_MAX = 5_000;
const SOURCE_CHARACTERS_MAX = 262_144;
const TIMEOUT_MAX_MS = 300_000;
const RETRIES_MAX = 10;

export const ARTIFACT_TYPES = [
  "scheduled_job",
  "workflow_node",
  "connector_action",
  "data_transformer",
  "webhook_handler",
  "script_module",
] as const;
export type ArtifactType = (typeof ARTIFACT_TYPES)[number];

export const ArtifactId = id("art");
export const ModuleKey = Type.String({
  pattern: "^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$",
  description: "The namespace that groups artifacts",
});

/** Source, schedule and limits. The required ones depend on the artifact type. */
export const ArtifactDetail = object(
  {
    scriptSource: Type.String({
      minLength: 1,
      maxLength: SOURCE_CHARACTERS_MAX,
      description:
        "JavaScript or TypeScript: `export default defineArtifact({ … })`, or the body of a function with `input` and `context`. For a `script_module`: its exports",
    }),
    cron: Type.Optional(
      line(200, "For a scheduled job: minute, hour, day, month, weekday; or `@daily` and similar"),
    ),
    timezone: Type.Optional(line(100)),
    environment: Type.Optional(
      Type.Enum(["production", "staging", "development"], {
        description: "For a scheduled job: environment. Default: `production`",
      }),
    ),
    retryPolicy: Type.Optional(
      object({ retries: Type.Integer({ minimum: 0, maximum: RETRIES_MAX }) }),
    ),
    timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: TIMEOUT_MAX_MS })),
    connector: Type.Optional(
      line(100, "For a connector action: the id or the type of the connectors that get the action"),
    ),
    openAddress: Type.Optional(
      Type.Boolean({
        description:
          "For a webhook handler: accepts requests without the secret in the URL, for a script that authenticates senders itself",
      }),
    ),
    inputs: Type.Optional(Fields),
    outputs: Type.Optional(Fields),
  },
  { title: "ArtifactDetail" },
);
export type ArtifactDetail = Static<typeof ArtifactDetail>;

/** The validated definition exported by the source. */
export const ArtifactDefinition = Type.Object(
  {
    id: nullable(Type.String()),
    kind: Type.Enum(["artifact", "body"]),
    inputs: Fields,
    outputs: Fields,
  },
  { title: "ArtifactDefinition" },
);
export type ArtifactDefinition = Static<typeof ArtifactDefinition>;

export const ARTIFACT_STATUSES = ["draft", "active", "disabled"] as const;

export const NewArtifact = {
  name: line(200),
  artifactType: Type.Enum([...ARTIFACT_TYPES]),
  moduleKey: Type.Optional(ModuleKey),
  description: Type.Optional(text(10_000)),
  status: Type.Optional(Type.Enum([...ARTIFACT_STATUSES], { default: "draft" })),
  detail: ArtifactDetail,
};

/** An artifact in events and lists, without its detail, because sources are long. */
export const ArtifactSummary = Type.Object(
  {
    id: ArtifactId,
    name: Type.String(),
    artifactType: Type.Enum([...ARTIFACT_TYPES]),
    moduleKey: Type.String(),
    description: Type.String(),
    status: Type.Enum([...ARTIFACT_STATUSES]),
    version: Type.String({ description: "A semantic version" }),
    versionNumber: Type.Integer(),
    savedBy: Type.String({
      description:
        "The member who changed the code or activated it last. The artifact can't do more than this member can",
    }),
    createdBy: Type.String(),
    createdAt: Time,
    updatedAt: Time,
  },
  { title: "ArtifactSummary" },
);

export const Artifact = Type.Object(
  {
    ...ArtifactSummary.properties,
    detail: Type.Unsafe<ArtifactDetail>({
      ...ArtifactDetail,
      title: "ArtifactDetailResponse",
      additionalProperties: true,
    }),
    definition: ArtifactDefinition,
    url: Type.Optional(
      Type.String({
        description:
          "URL of a webhook handler, visible to members who can change it. Keep it secret",
      }),
    ),
  },
  { title: "Artifact" },
);
export type Artifact = Static<typeof Artifact> & {
  readonly revision: number;
  readonly runAs: string;
  readonly permissions: readonly string[] | null;
  /** The secret in the address of a webhook handler. */
  readonly hookToken: string | null;
};

export const ArtifactVersion = Type.Object(
  {
    versionNumber: Type.Integer(),
    version: Type.String(),
    restoredFrom: nullable(Type.Integer()),
    author: Type.Object({ id: Type.String(), name: Type.String() }),
    createdAt: Time,
  },
  { title: "ArtifactVersion" },
);

/** The content of a version: source, schedule and limits. */
export const ArtifactVersionContent = Type.Object(
  {
    versionNumber: Type.Integer(),
    detail: Artifact.properties.detail,
    definition: ArtifactDefinition,
  },
  { title: "ArtifactVersionContent" },
);

export const NoSuchArtifact = failure(
  "not_found",
  404,
  "The artifact does not exist, or you can't see it.",
);
export const NoSuchVersion = failure("not_found", 404, "The artifact does not have this version.");
export const ArtifactExists = failure(
  "artifact_exists",
  409,
  "This module already has an artifact with this name.",
  "artifacts_name",
);
export const ArtifactChanged = failure(
  "artifact_changed",
  409,
  "Another request changed the artifact. Reload it and try again.",
);
export const ArtifactDisabled = failure("artifact_disabled", 409, "The artifact is disabled.");
export const TooManyArtifacts = failure(
  "too_many_artifacts",
  409,
  `A workspace can have at most ${ARTIFACTS_MAX} artifacts.`,
);

export const ModuleInUse = failure(
  "module_in_use",
  409,
  "Other scripts import this module. `usage` lists them.",
  "module_pins_module",
);

export function artifactRef({ id, name }: Pick<Artifact, "id" | "name">) {
  return { id, displayName: name };
}

/** The artifact's data in events. */
export function summaryOf(artifact: Artifact): Static<typeof ArtifactSummary> {
  const {
    detail: _,
    definition: __,
    revision: ___,
    runAs: ____,
    permissions: _____,
    hookToken: ______,
    url: _______,
    ...summary
  } = artifact;
  return summary;
}
