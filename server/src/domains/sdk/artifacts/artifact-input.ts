/** Validates an artifact's detail. The sandbox inspects the source before it is stored. */
import { isDeepStrictEqual } from "node:util";
import Type from "typebox";
import Schema from "typebox/schema";
import semver from "semver";
import { checkSchedule, type ModuleUpdate } from "#domains/workflows/index.ts";
import { type Caller, partitionOfCaller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { Failure, type FieldError, Invalid } from "#kernel/operation/failure.ts";
import type { StoredDefinition } from "#kernel/resource/stored-definition.ts";
import { findImports, type ScriptModules } from "#kernel/sandbox/module-import.ts";
import { toStorableJson } from "#kernel/schema/json-value.ts";
import { Validator } from "#kernel/schema/validator.ts";
import {
  findCircle,
  linkKept,
  type LinkModules,
  toScriptModules,
} from "../modules/linked-modules.ts";
import { specifiersOf, toProgram } from "../modules/module-program.ts";
import { readKept } from "../modules/pins.ts";
import {
  Artifact,
  ArtifactDefinition,
  type ArtifactDetail,
  type ArtifactType,
} from "./artifact.ts";
import { Fields } from "./fields.ts";

/** A validated detail with the definition exported by its source. */
export interface ArtifactInput {
  readonly detail: ArtifactDetail;
  readonly definition: ArtifactDefinition;
  /** The version declared by the source. */
  readonly declaredVersion: string | undefined;
  /** The modules used for the inspection. */
  readonly modules?: ScriptModules | undefined;
}

const SOURCE = "/detail/scriptSource";
const isFields = Schema.Compile(Fields);

/** The modules for inspecting an artifact, if not the newest. */
interface InputContext {
  /** Artifacts saved together with it, whose modules it can import. */
  readonly beside?: readonly InspectedArtifact[] | undefined;
  /** The saved artifact, whose modules keep their versions except those in `update`. */
  readonly linked?: { readonly artifactId: string; readonly update: ModuleUpdate } | undefined;
}

/** Throws a failure with every field error of the detail. */
export function parseArtifactInput(
  { db, sandbox }: Platform,
  caller: Caller,
  artifact: InspectedArtifact,
  { beside = [], linked }: InputContext = {},
): Promise<ArtifactInput> {
  const link: LinkModules = (sources, unsaved) =>
    db.read(partitionOfCaller(caller), async (tx) => {
      const isKept = linked && artifact.artifactType !== "script_module";
      const kept = isKept ? await readKept(tx, linked, linked.update) : [];
      return linkKept(tx, sources, kept, unsaved);
    });
  return inspectArtifact({ sandbox, link, owner: caller.workspace?.key }, artifact, beside);
}

/** The parts of a platform that inspect and run unsaved artifacts. */
export interface ScriptHost {
  readonly sandbox: Platform["sandbox"];
  readonly link: LinkModules;
  /** The workspace, because scripts of different workspaces share no state. */
  readonly owner: string | undefined;
}

/** Like `parseArtifactInput`, for any sandbox. */
export async function inspectArtifact(
  { sandbox, link, owner }: ScriptHost,
  artifact: InspectedArtifact,
  beside: readonly InspectedArtifact[] = [],
): Promise<ArtifactInput> {
  const { artifactType, detail } = artifact;
  const errors = [...CHECKS[artifactType](detail)];
  const program = toProgram(artifact);
  const unsaved = modulesOf([...beside, artifact]);
  const isLinked = [program, ...unsaved.values()].some((text) => findImports(text).length > 0);
  const { modules: linked } = isLinked ? await link([program], unsaved) : { modules: [] };
  const circle = findCircle(linked);
  if (circle !== undefined) {
    throw invalidDetail([
      { path: SOURCE, message: `imports ${circle}, which also imports this artifact` },
    ]);
  }
  const modules = toScriptModules(linked);
  const inspection = await sandbox.inspect(program, owner, modules);
  if (!inspection.ok) {
    const { name, message, line, column } = inspection.error;
    const position = line === null ? "" : ` (line ${line}, column ${column})`;
    throw invalidDetail([...errors, { path: SOURCE, message: `${name}: ${message}${position}` }]);
  }
  const { id = null, version, inputs, outputs } = inspection.definition;
  const fieldMaps = {
    inputs: inputs ?? detail.inputs ?? {},
    outputs: outputs ?? detail.outputs ?? {},
  };
  for (const [name, fields] of Object.entries(fieldMaps)) {
    if (isFields.Check(fields)) continue;
    errors.push({
      path: SOURCE,
      message: `${name} must be an object with values of the form { type, required, values }`,
    });
  }
  if (!isDeepStrictEqual(toStorableJson(inspection.definition), inspection.definition)) {
    const message = "the definition must not contain NUL characters or unpaired surrogates";
    errors.push({ path: SOURCE, message });
  }
  const declaredVersion = version === undefined ? undefined : (semver.valid(version) ?? undefined);
  if (version !== undefined && declaredVersion === undefined) {
    errors.push({ path: SOURCE, message: "version must be a semantic version, such as 1.0.0" });
  }
  if (errors.length > 0) throw invalidDetail(errors);
  // Both maps were validated above.
  const definition = { id, kind: inspection.kind, ...fieldMaps } as ArtifactDefinition;
  return { detail, definition, declaredVersion, modules };
}

/** The parts of an artifact needed to inspect its source. */
export interface InspectedArtifact {
  readonly name?: string;
  readonly moduleKey?: string;
  readonly artifactType: ArtifactType;
  readonly detail: ArtifactDetail;
}

/** The modules among artifacts, by all their import names. */
export function modulesOf(artifacts: readonly InspectedArtifact[]): ReadonlyMap<string, string> {
  return new Map(
    artifacts
      .filter(({ artifactType }) => artifactType === "script_module")
      .flatMap((one) => specifiersOf(one).map((name) => [name, one.detail.scriptSource] as const)),
  );
}

function invalidDetail(errors: readonly FieldError[]): Failure {
  const [first] = errors;
  return new Failure(Invalid, { detail: first?.message ?? Invalid.title, errors });
}

/** Checks of required and forbidden fields by artifact type. */
const CHECKS: Readonly<Record<ArtifactType, (detail: ArtifactDetail) => FieldError[]>> = {
  scheduled_job: checkCron,
  workflow_node: checkUnscheduled,
  connector_action: (detail) => [
    ...checkUnscheduled(detail),
    ...(detail.connector === undefined
      ? [{ path: "/detail/connector", message: "is required for a connector action" }]
      : []),
  ],
  data_transformer: checkUnscheduled,
  webhook_handler: checkUnscheduled,
  script_module: checkUnscheduled,
};

function checkCron(detail: ArtifactDetail): FieldError[] {
  const { cron, timezone = "UTC" } = detail;
  if (cron === undefined) {
    return [{ path: "/detail/cron", message: "is required for a scheduled job" }];
  }
  const fields = cron.trim().split(/\s+/).length;
  if (fields !== CRON_FIELDS && !cron.trim().startsWith("@")) {
    return [{ path: "/detail/cron", message: `must have ${CRON_FIELDS} fields` }];
  }
  return checkSchedule({ cron, timezone }).map(({ path, message }) => ({
    path: `/detail${path}`,
    message,
  }));
}

const CRON_FIELDS = 5;

function checkUnscheduled({ cron }: ArtifactDetail): FieldError[] {
  return cron === undefined
    ? []
    : [{ path: "/detail/cron", message: "is only allowed for a scheduled job" }];
}

const storedArtifacts = new Validator(
  Type.Object({ detail: Artifact.properties.detail, definition: ArtifactDefinition }),
  "body",
);

/** Stored definitions of artifacts and their versions: the fields for forms and nodes. */
export const artifactDefinitions: readonly StoredDefinition[] = [
  { table: "artifacts", key: "id" },
  { table: "artifact_versions", key: "artifact_id || ' ' || number" },
].map((about) => ({
  ...about,
  columns: "detail, definition",
  check(_services, { detail, definition }) {
    const result = storedArtifacts.check({ detail, definition });
    return "errors" in result ? result.errors : [];
  },
}));
