import type { SqlParameters } from "#kernel/db/statement.ts";
import { Failure, Forbidden, invalidField, invalidInput } from "#kernel/operation/failure.ts";
import {
  type OpenReportSource,
  type ReportRequest,
  type ReportSource,
  reportSourcesOf,
} from "#kernel/contributions/report-source.ts";
import { Validator } from "#kernel/schema/validator.ts";
import type { Platform } from "#kernel/contract.ts";
import type { Source } from "./report.ts";

/** The kind of a source. */
export function sourceType(
  platform: Pick<Platform, "contributions">,
  { kind }: Source,
): ReportSource {
  const sources = reportSourcesOf(platform);
  const source = sources.get(kind);
  if (!source) {
    throw invalidField(
      "/source/kind",
      `must be one of ${[...sources.keys()].toSorted().join(", ")}`,
    );
  }
  return source;
}

/** Throws unless the kind of a source is known, and it has the fields of that kind. */
export function assertSource(platform: Pick<Platform, "contributions">, source: Source): void {
  validateSource(sourceType(platform, source), source);
}

/** Opens a source for the caller; throws if it is invalid or forbidden. */
export async function openSource(
  request: ReportRequest,
  source: Source,
  parameters: SqlParameters,
): Promise<OpenReportSource> {
  const type = sourceType(request.platform, source);
  assertPermitted(request, type, source);
  // Its own schema has checked it.
  const content = validateSource(type, source) as never;
  const { asOf } = request;
  if (asOf && type.openAt) return type.openAt(request, content, parameters, asOf);
  return type.open(request, content, parameters);
}

type SourceRequest = Pick<ReportRequest, "caller"> & {
  readonly platform: Pick<Platform, "contributions">;
};

/** Throws if the caller lacks the permissions for such rows; an unknown kind is forbidden for all. */
export function assertMaySee(request: SourceRequest, source: Source): void {
  assertPermitted(request, sourceType(request.platform, source), source);
}

function assertPermitted(
  { platform, caller }: SourceRequest,
  type: ReportSource,
  source: Source,
): void {
  // Its own schema has checked it.
  const further = type.needs?.(platform, validateSource(type, source) as never);
  const missing = [type.permission, ...(further ?? [])].find(
    ({ name }) => !caller.permissions.has(name),
  );
  if (!missing) return;
  throw new Failure(Forbidden, {
    detail: `Viewing ${type.kind} requires the permission ${missing.name}.`,
  });
}

const shapes = new WeakMap<ReportSource, Validator>();

function validateSource(type: ReportSource, { kind: _, ...rest }: Source): unknown {
  let shape = shapes.get(type);
  if (!shape) shapes.set(type, (shape = new Validator(type.schema, "body")));
  const checked = shape.check(rest);
  if ("value" in checked) return checked.value;
  const errors = checked.errors.map(({ path, message }) => ({ path: `/source${path}`, message }));
  throw invalidInput(errors);
}
