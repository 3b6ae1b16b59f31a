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
        "JavaScript or TypeScript: `export default defineArtifact({ … })`, or the body of a " +
        "function of `input` and `context`; of a `script_module` what it exports, for others to import",
    }),
    cron: Type.Optional(
      line(200, "Of a scheduled job: minute, hour, day, month, weekday; or `@daily` and the like"),
    ),
    timezone: Type.Optional(line(100)),
    environment: Type.Optional(
      Type.Enum(["production", "staging", "development"], {
        description: "Of a scheduled job: where it runs, `production` unless given",
      }),
    ),
    retryPolicy: Type.Optional(
      object({ retries: Type.Integer({ minimum: 0, maximum: RETRIES_MAX }) }),
    ),
    timeoutMs: Type.Optional(Type.Integer({ minimum: 1, maximum: TIMEOUT_MAX_MS })),
    connector: Type.Optional(
      line(100, "Of a connector action: the id or the type of the connectors that it is added to"),
    ),
    openAddress: Type.Optional(
      Type.Boolean({
        description:
          "Of a webhook handler: it also answers at its address without the secret, for a script that " +
          "knows its senders by itself",
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
      description: "Whoever wrote its code last or set it active: it can do no more than they can",
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
          "The address of a webhook handler, for those who may change it; keep it secret",
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

export const NoSuchArtifact = failure("not_found", 404, "There is no such artifact.");
export const NoSuchVersion = failure("not_found", 404, "The artifact has no such version.");
export const ArtifactExists = failure(
  "artifact_exists",
  409,
  "An artifact of this name is in this module already.",
  "artifacts_name",
);
export const ArtifactChanged = failure(
  "artifact_changed",
  409,
  "The artifact was changed by somebody else at the same moment; read it and try again.",
);
export const ArtifactDisabled = failure("artifact_disabled", 409, "The artifact is disabled.");
export const TooManyArtifacts = failure(
  "too_many_artifacts",
  409,
  `A workspace has at most ${ARTIFACTS_MAX} artifacts.`,
);

export const ModuleInUse = failure(
  "module_in_use",
  409,
  "Scripts run with this module: `usage` names those that import it.",
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
