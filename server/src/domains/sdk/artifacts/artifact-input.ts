/** Reads what somebody wants to save: the source is looked at in the sandbox before anything is kept. */
import { isDeepStrictEqual } from "node:util";
import Schema from "typebox/schema";
import semver from "semver";
import { checkSchedule } from "#domains/workflows/index.ts";
import type { Caller } from "#kernel/access/caller.ts";
import type { Platform } from "#kernel/contract.ts";
import { Failure, type FieldError, Invalid } from "#kernel/operation/failure.ts";
import { assertStorable } from "#kernel/schema/json-value.ts";
import { type ArtifactType, type Definition, type Detail } from "./artifact.ts";
import { Fields } from "./fields.ts";

/** A detail that was found sound, and what its source says about itself. */
export interface ArtifactInput {
  readonly detail: Detail;
  readonly definition: Definition;
  /** What the source states, where it is a semantic version. */
  readonly stated: string | undefined;
}

const SOURCE = "/detail/scriptSource";
const isFields = Schema.Compile(Fields);

/** Throws with every fault of the detail. */
export async function parseArtifactInput(
  { sandbox }: Platform,
  { workspace }: Caller,
  artifact: { readonly artifactType: ArtifactType; readonly detail: Detail },
): Promise<ArtifactInput> {
  const { artifactType, detail } = artifact;
  const faults = [...CHECKS[artifactType](detail)];
  const found = await sandbox.inspect(detail.scriptSource, workspace?.key);
  if (!found.ok) {
    const { name, message, line, column } = found.error;
    const place = line === null ? "" : ` (line ${line}, column ${column})`;
    throw refusal([...faults, { path: SOURCE, message: `${name}: ${message}${place}` }]);
  }
  const { id = null, version, inputs, outputs } = found.definition;
  const own = { inputs: inputs ?? detail.inputs ?? {}, outputs: outputs ?? detail.outputs ?? {} };
  for (const [name, fields] of Object.entries(own)) {
    if (isFields.Check(fields)) continue;
    faults.push({
      path: SOURCE,
      message: `${name} must be a map from names to { type, required, values }`,
    });
  }
  if (!isDeepStrictEqual(assertStorable(found.definition), found.definition)) {
    const message = "the definition must hold no NUL and no half of a character";
    faults.push({ path: SOURCE, message });
  }
  const stated = version === undefined ? undefined : (semver.valid(version) ?? undefined);
  if (version !== undefined && stated === undefined) {
    faults.push({ path: SOURCE, message: "version must be a semantic version, such as 1.0.0" });
  }
  if (faults.length > 0) throw refusal(faults);
  // Both maps were checked above.
  const definition = { id, kind: found.kind, ...own } as Definition;
  return { detail, definition, stated };
}

function refusal(errors: readonly FieldError[]): Failure {
  const [first] = errors;
  return new Failure(Invalid, { detail: first?.message ?? Invalid.title, errors });
}

/** What a detail must and must not have, by the type of the artifact. */
const CHECKS: Readonly<Record<ArtifactType, (detail: Detail) => FieldError[]>> = {
  scheduled_job: scheduleFaults,
  workflow_node: unscheduled,
  connector_action: (detail) => [
    ...unscheduled(detail),
    ...(detail.connector === undefined
      ? [{ path: "/detail/connector", message: "is required for a connector action" }]
      : []),
  ],
  data_transformer: unscheduled,
  webhook_handler: unscheduled,
};

function scheduleFaults(detail: Detail): FieldError[] {
  const { cron, timezone = "UTC" } = detail;
  if (cron === undefined) {
    return [{ path: "/detail/cron", message: "is required for a scheduled job" }];
  }
  if (cron.trim().split(/\s+/).length !== CRON_FIELDS) {
    return [{ path: "/detail/cron", message: `must have ${CRON_FIELDS} fields` }];
  }
  return checkSchedule({ cron, timezone }).map(({ path, message }) => ({
    path: `/detail${path}`,
    message,
  }));
}

const CRON_FIELDS = 5;

function unscheduled({ cron }: Detail): FieldError[] {
  return cron === undefined
    ? []
    : [{ path: "/detail/cron", message: "only a scheduled job has a schedule" }];
}
